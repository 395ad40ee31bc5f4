"""What the lines of a session's file say about it, client by client. Known lines are read, all
others passed over.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Json = dict[str, Any]

LONGEST_TITLE = 200
OPENING = "You are the Director and your context window is getting full. Your job is to compress ONLY the conversation"
"""How the prompt for a summary begins. A client that was given it leaves a session that nobody had
with it.
"""
_TAGS = (
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "command-name", "command-message",
    "command-args", "command-contents", "environment_context", "user_instructions", "session_context",
    "system-reminder", "hook_context", "ide_opened_file", "ide_selection",
    "bash-input", "bash-stdout", "bash-stderr", "user_shell_command",
)  # fmt: skip
_PLAIN = (
    "<skill-format>true", "# AGENTS.md instructions", "This is the Gemini CLI. We are setting up the context",
)  # fmt: skip
"""What clients say in the user's name, as `history/messages/client_words.py` has it: up to the end of a tag, or
with all that follows. What the user ran in a client is no title either.
"""
_TAGGED = re.compile(rf"\s*<({'|'.join(_TAGS)})>.*?</\1>", re.DOTALL)


class About(Record):
    """A session by its lines."""

    id: str
    folder: str
    """The working folder, where its lines name it."""
    started: str
    ended: str
    messages: int
    """In the lines that were read."""
    title: str
    parent: str = ""
    hash: str = ""
    """Of the project's place, where that is all that is said."""


class Words(Record):
    """How one client writes."""

    folder: Callable[[Json], object]
    said: Callable[[Json], object]
    """The id of a message; None for a line that is none."""
    asked: Callable[[Json], object]
    """What the user said there."""
    id: Callable[[Json], object]
    parent: Callable[[Json], object]


def about(client: str, path: str, first: Sequence[Json], last: Sequence[Json]) -> About | None:
    """None where nothing here was ever said."""
    words, lines = _WORDS[client], [*_lines(first), *_lines(last)]
    said = {identity if isinstance(identity, str) else place for place, line in enumerate(lines)
            if (identity := words.said(line)) is not None}  # fmt: skip
    if not said:
        return None
    times = [
        time
        for line in lines
        for key in ("timestamp", "startTime")
        if isinstance(time := line.get(key), str)
    ]
    name = os.path.splitext(os.path.basename(path))[0]
    return About(
        name if client == "claude" else _first(map(words.id, lines)) or name,
        _first(map(words.folder, lines)),
        times[0] if times else "",
        times[-1] if times else "",
        len(said),
        _title(lines, words),
        _parent(path) or _first(map(words.parent, lines)),
        _first(line.get("projectHash") for line in lines),
    )


def opens(client: str, first: Sequence[Json], half: bytes) -> bool:
    """Whether the user begins with a prompt of ours, which is longer than what is read of a file."""
    said = _title(list(_lines(first)), _WORDS[client])
    return said.startswith(OPENING) if said else b'"' + OPENING.encode() in half


def _lines(objects: Sequence[Json]) -> Iterator[Json]:
    """A record of Gemini CLI may be inside another."""
    for one in objects:
        yield one
        inner = one.get("messages", _inner(one, "$set").get("messages"))
        yield from (
            (line for line in inner if isinstance(line, dict)) if isinstance(inner, list) else ()
        )


def _parent(path: str) -> str:
    """The folder of a sub-agent names the session that it belongs to."""
    around = os.path.dirname(path)
    if os.path.basename(around) == "subagents":
        return os.path.basename(os.path.dirname(around))
    return os.path.basename(around) if os.path.basename(os.path.dirname(around)) == "chats" else ""


def _title(lines: Sequence[Json], words: Words) -> str:
    """The first words of the user, without what a client put before them."""
    for line in lines:
        for text in _texts(words.asked(line)):
            if typed := _typed(text):
                return " ".join(typed.split())[:LONGEST_TITLE]
    return ""


def _typed(text: str) -> str:
    at = 0
    while found := _TAGGED.match(text, at):
        at = found.end()
    left = text[at:].strip()
    return "" if left.startswith(_PLAIN) else left


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [
        text
        for part in parts
        if isinstance(part, dict) and isinstance(text := part.get("text"), str)
    ]


def _first(values: Iterable[object]) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _inner(line: Json, *keys: str) -> Json:
    value: Any = line
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _claude_said(line: Json) -> object:
    if line.get("type") not in ("user", "assistant") or line.get("isMeta"):
        return None
    return _inner(line, "message").get("id") or line.get("uuid") or False


def _claude_asked(line: Json) -> object:
    meant = line.get("type") == "user" and not (line.get("isMeta") or line.get("isCompactSummary"))
    return _inner(line, "message").get("content") if meant else None


def _codex_said(line: Json) -> object:
    item = _inner(line, "payload")
    meant = line.get("type") == "response_item" and item.get("role") not in ("developer", "system")
    return item.get("id") or False if meant and item.get("type") != "reasoning" else None


def _codex_asked(line: Json) -> object:
    item = _inner(line, "payload")
    return (
        item.get("content")
        if line.get("type") == "response_item" and item.get("role") == "user"
        else None
    )


def _codex_meta(key: str) -> Callable[[Json], object]:
    return lambda line: (
        _inner(line, "payload").get(key) if line.get("type") == "session_meta" else None
    )


def _copilot_event(line: Json, kind: str) -> Json:
    """The data of an event of this kind, unless it is a sub-agent's."""
    return _inner(line, "data") if line.get("type") == kind and not line.get("agentId") else {}


def _copilot_said(line: Json) -> object:
    said = line.get("type") in ("user.message", "assistant.message", "tool.execution_complete")
    return line.get("id") or False if said and not line.get("agentId") else None


def _copilot_folder(line: Json) -> object:
    """A session may be gone on with in another folder: the first is where it belongs."""
    return _inner(_copilot_event(line, "session.start"), "context").get("cwd")


_WORDS = {
    "claude": Words(
        lambda line: line.get("cwd"), _claude_said, _claude_asked, lambda line: None,
        lambda line: line.get("sessionId") if line.get("isSidechain") and line.get("agentId") else None,
    ),
    "codex": Words(
        _codex_meta("cwd"), _codex_said, _codex_asked, _codex_meta("id"),
        lambda line: _codex_meta("parent_thread_id")(line)
        or _inner(line, "payload", "source", "subagent", "thread_spawn").get("parent_thread_id"),
    ),
    "gemini": Words(
        lambda line: None,
        lambda line: line.get("id") or False if line.get("type") in ("user", "gemini") else None,
        lambda line: line.get("content") if line.get("type") == "user" else None,
        lambda line: line.get("sessionId"), lambda line: None,
    ),
    "copilot": Words(
        _copilot_folder, _copilot_said,
        lambda line: _copilot_event(line, "user.message").get("content"),
        lambda line: _copilot_event(line, "session.start").get("sessionId"), lambda line: None,
    ),
}  # fmt: skip
