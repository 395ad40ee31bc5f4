"""How each client writes down what is said in a session. Known lines are read, all others passed
over.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import (
    FROM_USER,
    SAID,
    UUID,
    agent_of,
    is_meta,
    is_sidechain,
    is_summary,
    kind_of,
    message_of,
    session_of,
)
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]


class ClientLines(Record):
    """How one client writes."""

    folder: Callable[[Json], object]
    said: Callable[[Json], object]
    """The id of a message, False where it has none; None for a line that is no message."""
    asked: Callable[[Json], object]
    """What the user said there."""
    id: Callable[[Json], object]
    """Of the session; that of Claude Code is the name of its file."""
    parent: Callable[[Json], object]


def inner(line: Json, *keys: str) -> Json:
    """An object inside a line; an empty one where there is none."""
    value: Any = line
    for key in keys:
        if not isinstance(value, dict):
            return {}
        value = value.get(key)
    if not isinstance(value, dict):
        return {}
    return value


def _nothing(line: Json) -> None:
    """Where a client does not say it."""


def _claude_folder(line: Json) -> object:
    return line.get("cwd")


def _claude_said(line: Json) -> object:
    if kind_of(line) not in SAID or is_meta(line):
        return None
    message = message_of(line) or {}
    return message.get("id") or line.get(UUID) or False


def _claude_asked(line: Json) -> object:
    if kind_of(line) != FROM_USER or is_meta(line) or is_summary(line):
        return None
    message = message_of(line) or {}
    return message.get("content")


def _claude_parent(line: Json) -> object:
    """Of a sub-agent: its lines name the session that spawned it, which is not its own."""
    if is_sidechain(line) and agent_of(line):
        return session_of(line)
    return None


def _codex_meta(line: Json) -> Json:
    """What a rollout says of itself."""
    if line.get("type") != "session_meta":
        return {}
    return inner(line, "payload")


def _codex_folder(line: Json) -> object:
    return _codex_meta(line).get("cwd")


def _codex_said(line: Json) -> object:
    item = inner(line, "payload")
    if line.get("type") != "response_item" or item.get("type") == "reasoning":
        return None
    if item.get("role") in ("developer", "system"):
        return None
    return item.get("id") or False


def _codex_asked(line: Json) -> object:
    item = inner(line, "payload")
    if line.get("type") != "response_item" or item.get("role") != "user":
        return None
    return item.get("content")


def _codex_id(line: Json) -> object:
    return _codex_meta(line).get("id")


def _codex_parent(line: Json) -> object:
    parent = _codex_meta(line).get("parent_thread_id")
    if parent:
        return parent
    # Else it stands with how the agent was spawned.
    spawn = inner(line, "payload", "source", "subagent", "thread_spawn")
    return spawn.get("parent_thread_id")


CLIENTS = {
    "claude": ClientLines(
        folder=_claude_folder,
        said=_claude_said,
        asked=_claude_asked,
        id=_nothing,
        parent=_claude_parent,
    ),
    "codex": ClientLines(
        folder=_codex_folder,
        said=_codex_said,
        asked=_codex_asked,
        id=_codex_id,
        parent=_codex_parent,
    ),
}
