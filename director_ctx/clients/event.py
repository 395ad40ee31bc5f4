"""One event of a client, whatever it calls it: untrusted JSON in, a frozen value out."""

from __future__ import annotations

from director_ctx.clients.table import CLIENTS, SPAWN, Client
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Event(Record):
    client: Client
    kind: str
    name: str
    """What the client calls it."""
    session: str = ""
    transcript: str = ""
    source: str = ""
    """Of a session: how it started."""
    agent_type: str = ""
    input: Mapping[str, Any] = {}
    """Of a spawn: everything that the tool is called with."""
    model: str = ""

    @property
    def prompt(self) -> str:
        return text_of(self.input, "prompt")


def read_event(data: object, client: str | None = None) -> Event | None:
    """The event, or None where it is none that we have an answer for."""
    if not isinstance(data, dict):
        return None
    name = text_of(data, "hook_event_name")
    spoken = CLIENTS.get(client) if client else _whose(name, data)
    kind = spoken.events.get(name, "") if spoken else ""
    if not spoken or not kind:
        return None
    given = data.get("tool_input")
    tool_input = given if kind == SPAWN and isinstance(given, dict) else {}
    if kind == SPAWN and (text_of(data, "tool_name") not in spoken.spawn_tools or not tool_input):
        return None
    spawns = kind == SPAWN
    agent_type = text_of(tool_input, *spoken.type_keys) or spoken.usual_type
    return Event(
        client=spoken,
        kind=kind,
        name=name,
        session=text_of(data, "session_id", "conversation_id"),
        transcript=text_of(data, "transcript_path"),
        source=text_of(data, "source", "trigger"),
        agent_type=agent_type if spawns else text_of(data, "agent_type"),
        input=tool_input,
        model=text_of(tool_input if spawns else data, "model"),
    )


def _whose(name: str, data: dict[str, Any]) -> Client | None:
    """The client by what it calls the event, and by where its transcripts are."""
    knows = [client for client in CLIENTS.values() if name in client.events]
    place = text_of(data, "transcript_path").replace("\\", "/")
    for client in knows:
        if any(mark in place for mark in client.transcripts):
            return client
    return knows[0] if knows else None


def text_of(data: Mapping[str, Any], *keys: str) -> str:
    """The first of these values that is text with something in it."""
    found = (data.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str) and value.strip()), "")
