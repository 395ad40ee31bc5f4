"""What the lines of a session's file say about it, client by client. Known lines are read, all
others passed over.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.claude_code_lines import (
    FROM_USER,
    MESSAGE,
    SAID,
    UUID,
    agent_of,
    is_meta,
    is_sidechain,
    is_summary,
    kind_of,
    session_of,
)
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


class SessionAbout(Record):
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


class ClientLines(Record):
    """How one client writes."""

    folder: Callable[[Json], object]
    said: Callable[[Json], object]
    """The id of a message; None for a line that is none."""
    asked: Callable[[Json], object]
    """What the user said there."""
    id: Callable[[Json], object]
    parent: Callable[[Json], object]


def about(
    client: str, path: str, first: Sequence[Json], last: Sequence[Json]
) -> SessionAbout | None:
    """None where nothing here was ever said."""
    words = _WORDS[client]
    lines = [*_lines(first), *_lines(last)]
    said = _said(lines, words)
    if not said:
        return None

    times: list[str] = []
    for line in lines:
        for key in ("timestamp", "startTime"):
            time = line.get(key)
            if isinstance(time, str):
                times.append(time)

    identity = os.path.splitext(os.path.basename(path))[0]
    if client != "claude":
        identity = _first(map(words.id, lines)) or identity
    return SessionAbout(
        identity,
        _first(map(words.folder, lines)),
        times[0] if times else "",
        times[-1] if times else "",
        len(said),
        _title(lines, words),
        _parent(path) or _first(map(words.parent, lines)),
        _first(line.get("projectHash") for line in lines),
    )


def _said(lines: Sequence[Json], words: ClientLines) -> set[str | int]:
    """The messages, each by its id, or by its line where it has none: one may have several lines."""
    said: set[str | int] = set()
    for number, line in enumerate(lines):
        identity = words.said(line)
        if identity is not None:
            said.add(identity if isinstance(identity, str) else number)
    return said


def opens(client: str, first: Sequence[Json], half: bytes) -> bool:
    """Whether the user begins with a prompt of ours, which is longer than what is read of a file."""
    title = _title(list(_lines(first)), _WORDS[client])
    if title:
        return title.startswith(OPENING)
    return b'"' + OPENING.encode() in half


def _lines(objects: Sequence[Json]) -> Iterator[Json]:
    """A record of Gemini CLI may be inside another."""
    for line in objects:
        yield line
        messages = line.get("messages", _inner(line, "$set").get("messages"))
        if not isinstance(messages, list):
            continue
        for message in messages:
            if isinstance(message, dict):
                yield message


def _parent(path: str) -> str:
    """The folder of a sub-agent names the session that it belongs to."""
    folder = os.path.dirname(path)
    above = os.path.dirname(folder)
    if os.path.basename(folder) == "subagents":
        return os.path.basename(above)
    if os.path.basename(above) == "chats":
        return os.path.basename(folder)
    return ""


def _title(lines: Sequence[Json], words: ClientLines) -> str:
    """The first words of the user, without what a client put before them."""
    for line in lines:
        for text in _texts(words.asked(line)):
            typed = _typed(text)
            if typed:
                return " ".join(typed.split())[:LONGEST_TITLE]
    return ""


def _typed(text: str) -> str:
    start = 0
    while tagged := _TAGGED.match(text, start):
        start = tagged.end()
    left = text[start:].strip()
    return "" if left.startswith(_PLAIN) else left


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    texts: list[str] = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            texts.append(text)
    return texts


def _first(values: Iterable[object]) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _inner(line: Json, *keys: str) -> Json:
    value: Any = line
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _claude_said(line: Json) -> object:
    if kind_of(line) not in SAID or is_meta(line):
        return None
    return _inner(line, MESSAGE).get("id") or line.get(UUID) or False


def _claude_asked(line: Json) -> object:
    if kind_of(line) != FROM_USER or is_meta(line) or is_summary(line):
        return None
    return _inner(line, MESSAGE).get("content")


def _codex_said(line: Json) -> object:
    item = _inner(line, "payload")
    if line.get("type") != "response_item" or item.get("type") == "reasoning":
        return None
    if item.get("role") in ("developer", "system"):
        return None
    return item.get("id") or False


def _codex_asked(line: Json) -> object:
    item = _inner(line, "payload")
    if line.get("type") != "response_item" or item.get("role") != "user":
        return None
    return item.get("content")


def _codex_meta(key: str) -> Callable[[Json], object]:
    return lambda line: (
        _inner(line, "payload").get(key) if line.get("type") == "session_meta" else None
    )


def _copilot_event(line: Json, kind: str) -> Json:
    """The data of an event of this kind, unless it is a sub-agent's."""
    if line.get("type") != kind or line.get("agentId"):
        return {}
    return _inner(line, "data")


def _copilot_said(line: Json) -> object:
    if line.get("type") not in _COPILOT_SAYS or line.get("agentId"):
        return None
    return line.get("id") or False


_COPILOT_SAYS = ("user.message", "assistant.message", "tool.execution_complete")


def _copilot_folder(line: Json) -> object:
    """A session may be gone on with in another folder: the first is where it belongs."""
    return _inner(_copilot_event(line, "session.start"), "context").get("cwd")


_WORDS = {
    "claude": ClientLines(
        lambda line: line.get("cwd"), _claude_said, _claude_asked, lambda line: None,
        lambda line: session_of(line) if is_sidechain(line) and agent_of(line) else None,
    ),
    "codex": ClientLines(
        _codex_meta("cwd"), _codex_said, _codex_asked, _codex_meta("id"),
        lambda line: _codex_meta("parent_thread_id")(line)
        or _inner(line, "payload", "source", "subagent", "thread_spawn").get("parent_thread_id"),
    ),
    "gemini": ClientLines(
        lambda line: None,
        lambda line: line.get("id") or False if line.get("type") in ("user", "gemini") else None,
        lambda line: line.get("content") if line.get("type") == "user" else None,
        lambda line: line.get("sessionId"), lambda line: None,
    ),
    "copilot": ClientLines(
        _copilot_folder, _copilot_said,
        lambda line: _copilot_event(line, "user.message").get("content"),
        lambda line: _copilot_event(line, "session.start").get("sessionId"), lambda line: None,
    ),
}  # fmt: skip
