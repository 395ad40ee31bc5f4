"""One event of a client: untrusted JSON in, a frozen value out; and an answer that it accepts, with
exactly its own keys.
"""

from __future__ import annotations

from director_ctx.base.light_json import parse
from director_ctx.base.record import Record
from director_ctx.clients.table import CLIENTS, ENDED, PROMPT, SPAWN, START, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    HookAnswer = dict[str, Any]


class Event(Record):
    client: Client
    """Who says it, whoever's hooks were called."""
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
    id: str = ""
    """What tells it from others of its kind, where the client says it."""
    child: str = ""
    """The agent that it is about, as its client numbers it."""
    is_launched: bool = False
    """Of an end: whether only the call has ended, and the agent runs on by itself."""
    borrowed: bool = False
    """Whether the hook that was called is in the settings of another client."""

    @property
    def prompt(self) -> str:
        return text_of(self.input, self.client.prompt_key)


COMPLETED = "completed"
LAUNCHED = "started in background with agent_id: "
"""How Copilot CLI tells its model which agent it has started."""
_IDS = {SPAWN: "tool_use_id", ENDED: "tool_use_id", START: "agent_id"}


def read_event(data: object, named: str | None = None) -> Event | None:
    """The event, or None where it is none that we have an answer for. `named` is whose hook was
    called.
    """
    if not isinstance(data, dict):
        return None
    client = _speaker(data, named)
    if client is None:
        return None
    name = event_name(data)
    kind = client.events.get(name)
    if not kind:
        return None

    owner = client
    if named in CLIENTS:
        owner = CLIENTS[named]
    event = Event(
        client=client,
        kind=kind,
        name=name,
        session=text_of(data, "session_id", "conversation_id", "sessionId"),
        transcript=text_of(data, "transcript_path"),
        source=text_of(data, "source", "trigger"),
        agent_type=text_of(data, "agent_type"),
        model=text_of(data, "model"),
        id=text_of(data, _IDS.get(kind, "")),
        child=text_of(data, "agent_id", "agentId"),
        borrowed=owner.settings != client.settings,
    )
    if kind == SPAWN:
        return _spawn(event, data)
    if kind == ENDED:
        return _ended(event, data)
    if kind == PROMPT and event.child:
        if not client.prompts_of_agents:
            return None
        # Its session is that of the agent; the task belongs to the one above.
        session = text_of(data, "parent_agent_id") or event.session
        prompt = {client.prompt_key: text_of(data, "prompt")}
        return event.replace(input=prompt, session=session, id=event.child)
    return event


def event_name(data: Mapping[str, Any]) -> str:
    return text_of(data, "hook_event_name", "hookEventName")


def _spawn(event: Event, data: dict[str, Any]) -> Event | None:
    """The call of a tool, if it spawns a sub-agent: hooks may be asked about every tool."""
    client = event.client
    tool = text_of(data, "tool_name")
    if tool not in client.spawn_tools:
        return None
    tool_input = data.get("tool_input")
    # Without an input there is no prompt that a context could stand before.
    if not isinstance(tool_input, dict) or not tool_input:
        return None

    agent_type = text_of(tool_input, *client.type_keys)
    if not agent_type:
        agent_type = client.usual_type
    model = text_of(tool_input, "model")
    return event.replace(input=tool_input, agent_type=agent_type, model=model)


def _ended(event: Event, data: dict[str, Any]) -> Event | None:
    """An agent that ended; or a call that spawned one, with what it answered."""
    if "tool_name" not in data:
        transcript = text_of(data, "agent_transcript_path")
        return event.replace(transcript=transcript) if event.child else None
    tool_input = data.get("tool_input")
    if text_of(data, "tool_name") not in event.client.spawn_tools or not isinstance(
        tool_input, dict
    ):
        return None
    response = data.get("tool_response", data.get("tool_result"))
    if isinstance(response, str):
        try:
            response = parse(response)
        except ValueError:
            response = None
    told = response if isinstance(response, dict) else {}
    # What the event itself says of an agent is who has spawned it.
    child = text_of(told, "agentId", "agent_id")
    if not child:
        _, _, behind = text_of(told, "text_result_for_llm").partition(LAUNCHED)
        child = behind.partition(".")[0]
    is_launched = bool(child) and text_of(told, "status") != COMPLETED
    return event.replace(input=tool_input, child=child, is_launched=is_launched, transcript="")


def _speaker(data: dict[str, Any], named: str | None) -> Client | None:
    """Who says this: hooks that were written for one client are run by others as well."""
    if not named:
        return _by_event(data)
    for client in CLIENTS.values():
        if named in client.borrows and _has_form(client, data):
            return client

    owner = CLIENTS.get(named)
    if owner is None:
        return None
    # Of the clients that share a file of hooks, the owner is the one without marks of its own.
    for client in CLIENTS.values():
        is_sharing = client.settings == owner.settings
        if is_sharing and client.has_keys and _has_form(client, data):
            return client
    return owner


def _by_event(data: dict[str, Any]) -> Client | None:
    """The client by what it calls the event, and by the form of it."""
    name = event_name(data)
    first = None
    for client in CLIENTS.values():
        if name not in client.events:
            continue
        if _has_form(client, data):
            return client
        first = first or client
    return first


def _has_form(client: Client, data: dict[str, Any]) -> bool:
    """Whether an event bears the marks of a client; one that has none is not told from others by
    them.
    """
    if client.transcripts:
        # Where it calls events as another client does, its transcripts still lie in its own folder.
        path = text_of(data, "transcript_path").replace("\\", "/")
        return any(mark in path for mark in client.transcripts)
    if not client.has_keys:
        return False
    if any(key in data for key in client.lacks_keys):
        return False
    return all(key in data for key in client.has_keys)


def text_of(data: Mapping[str, Any], *keys: str) -> str:
    """The first of these values that is text with something in it."""
    for key in keys:
        value = data.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


_CODEX = CLIENTS["codex"]
_CURSOR = CLIENTS["cursor"]
_GEMINI = CLIENTS["gemini"]


def with_prompt(event: Event, prompt: str) -> HookAnswer:
    """The tool's input with another prompt; every other field as it was."""
    changed = {**event.input, event.client.prompt_key: prompt}
    if event.client == _CODEX:
        # Without a decision it passes over the changed input.
        return _specific(event, {"permissionDecision": "allow", "updatedInput": changed})
    if event.client == _CURSOR:
        return {"updated_input": changed}
    if event.client == _GEMINI:
        return _specific(event, {"tool_input": changed})
    return _specific(event, {"updatedInput": changed})


def with_context(event: Event, text: str) -> HookAnswer:
    """Text for the context of whoever starts or asks."""
    if event.client == _CURSOR:
        return {"additional_context": text}
    # Copilot CLI reads a context there, whichever client's settings the hook is in.
    if event.client.on_top:
        return {"additionalContext": text}
    return _specific(event, {"additionalContext": text})


def _specific(event: Event, fields: HookAnswer) -> HookAnswer:
    return {"hookSpecificOutput": {"hookEventName": event.name, **fields}}
