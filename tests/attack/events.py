"""Hostile events for `dctx hook`: those of each client with wrong values, wrong bytes and wrong
options.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from hook_events import BUILDER
from mutated import odd, with_wrong_bytes

from director_ctx.clients.table import CLIENTS, SPAWN, Client

EACH = 100
"""Attacks on each event of each client."""
FIELDS = (
    "hook_event_name", "tool_name", "tool_input", "session_id", "transcript_path", "source", "trigger", "agent_type",
    "model", "prompt", "conversation_id", "cwd", "permission_mode", "permissionDecision", "decision", "continue",
)  # fmt: skip
PATHS = (
    "../../outside/secret",
    "/dev/zero",
    "/proc/self/mem",
    "a\0b",
    "~/.ssh/id_rsa",
    "\\\\host\\share",
    "x" * 70_000,
    "",
)
PARTS = ("0", "-1", "2", "99", "9" * 400, "1e9", "x", "", "\u0661", " 1")
WRONG_CLIENTS = ("nobody", "", "CLAUDE", "../claude", "claude\0", "x" * 10_000)


class Attack(NamedTuple):
    kind: str
    """Of the event that it was made of."""
    event: Any
    """What its bytes say; None where they say nothing."""
    data: bytes
    words: tuple[str, ...]


def proper(client: Client, name: str) -> dict[str, Any]:
    """An event as this client sends it."""
    event: dict[str, Any] = {
        "hook_event_name": name, "session_id": "s1", "transcript_path": "/nowhere/s1.jsonl", "cwd": "/",
        "source": "startup", "trigger": "auto", "agent_type": BUILDER, "prompt": "Go on.",
    }  # fmt: skip
    if client.events[name] == SPAWN:
        types = dict.fromkeys(client.type_keys, BUILDER)
        event |= {"tool_name": client.spawn_tools[0], "tool_input": {"prompt": "Do it.", **types}}
    return event


def attack(client: Client, name: str, chance: random.Random) -> Attack:
    event: Any = proper(client, name)
    for _ in range(chance.randint(1, 4)):
        spoil(event, chance)
    if chance.random() < 0.05:
        event = odd(chance)

    data = json.dumps(event).encode()
    if chance.random() < 0.25:
        data = with_wrong_bytes(data, chance)
        event = said(data)
    return Attack(client.events[name], event, data, options(client, chance))


def spoil(event: dict[str, Any], chance: random.Random) -> None:
    """One value is wrong, a path leads elsewhere, or something is nested or huge."""
    given = event.get("tool_input")
    inside = given if isinstance(given, dict) and chance.random() < 0.4 else event
    field = chance.choice((*inside, *FIELDS))
    kind = chance.choice(("odd", "odd", "path", "deep", "gone"))
    if kind == "odd":
        inside[field] = odd(chance)
    elif kind == "path":
        inside[chance.choice(("transcript_path", "cwd", "session_id", "prompt"))] = chance.choice(
            PATHS
        )
    elif kind == "deep":
        inside[field] = nested(chance.choice((10, 100, 400)))
    else:
        inside.pop(field, None)


def nested(levels: int) -> Any:
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"prompt": value}
    return value


def said(data: bytes) -> Any:
    """As the hook itself reads bytes, but by Python's own parser."""
    try:
        return json.loads(data.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def options(client: Client, chance: random.Random) -> tuple[str, ...]:
    named = client.name if chance.random() < 0.8 else chance.choice((*CLIENTS, *WRONG_CLIENTS))
    words = chance.choice((("--client", named), (f"--client={named}",), ()))
    if chance.random() < 0.3:
        words = (*words, "--part", chance.choice(PARTS))
    return words if chance.random() < 0.95 else (*words, "--part", "--client")


def every_attack() -> Iterator[Attack]:
    """The same in each run."""
    for client in CLIENTS.values():
        for name in client.events:
            for number in range(EACH):
                yield attack(client, name, random.Random(f"{client.name} {name} {number}"))
