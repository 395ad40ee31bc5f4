"""What the lines of a session's file say about it: where and when it was, and what the user asked."""

from __future__ import annotations

import os
import re

from director_ctx.base.one_line import begun
from director_ctx.base.record import Record
from director_ctx.history.messages.client_words import typed_command
from director_ctx.history.sessions.client_lines import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.sessions.client_lines import ClientLines, Json

LONGEST_TITLE = 200
OPENING = "You are the Director and your context window is getting full. Your job is to compress ONLY the conversation"
"""How the prompt for a summary begins. A client that was given it leaves a session that nobody had
with it.
"""
_TAGS = (
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "command-name", "command-message",
    "command-args", "command-contents", "task-notification", "environment_context", "user_instructions",
    "system-reminder", "ide_opened_file", "ide_selection",
    "bash-input", "bash-stdout", "bash-stderr", "user_shell_command",
)  # fmt: skip
_PLAIN = ("<skill-format>true", "# AGENTS.md instructions")
"""What clients say in the user's name, as `history/messages/client_words.py` has it: up to the end of a tag, or
with all that follows. What the user ran in a client is a title only where nothing was typed but behind it.
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


def about(
    client: str,
    path: str,
    first: Sequence[Json],
    last: Sequence[Json],
) -> SessionAbout | None:
    """None where nothing here was ever said."""
    client_lines = CLIENTS[client]
    lines = [*first, *last]
    messages = _messages(lines, client_lines)
    if not messages:
        return None

    file_name = os.path.basename(path)
    name, _ = os.path.splitext(file_name)
    times = _times(lines)
    started = ended = ""
    if times:
        started, ended = times[0], times[-1]
    return SessionAbout(
        id=_first_text(map(client_lines.id, lines)) or name,
        folder=_first_text(map(client_lines.folder, lines)),
        started=started,
        ended=ended,
        messages=len(messages),
        title=_title(lines, client_lines) or _command(lines, client_lines),
        parent=_parent(path) or _first_text(map(client_lines.parent, lines)),
    )


def _times(lines: Sequence[Json]) -> list[str]:
    times: list[str] = []
    for line in lines:
        for key in ("timestamp", "startTime"):
            time = line.get(key)
            if isinstance(time, str):
                times.append(time)
    return times


def _messages(lines: Sequence[Json], client_lines: ClientLines) -> set[str | int]:
    """Each by its id, or by its line where it has none."""
    # A set, because Claude Code writes each block of an answer as a line with the same id.
    messages: set[str | int] = set()
    for number, line in enumerate(lines):
        identity = client_lines.said(line)
        if isinstance(identity, str):
            messages.add(identity)
        elif identity is not None:
            messages.add(number)
    return messages


def begins_with_our_prompt(
    client: str,
    first: Sequence[Json],
    half: bytes,
) -> bool:
    """Whether the user begins with a prompt of ours, which is longer than what is read of a file."""
    title = _title(first, CLIENTS[client])
    if title:
        return title.startswith(OPENING)
    return b'"' + OPENING.encode() in half


def _parent(path: str) -> str:
    """The folder of a sub-agent names the session that it belongs to."""
    folder = os.path.dirname(path)
    above = os.path.dirname(folder)
    if os.path.basename(folder) == "subagents":
        return os.path.basename(above)
    return ""


def _title(lines: Sequence[Json], client_lines: ClientLines) -> str:
    """The first words of the user, without what a client put before them."""
    for line in lines:
        content = client_lines.asked(line)
        for text in _texts(content):
            typed = _typed(text)
            if typed:
                return begun(" ".join(typed.split()), LONGEST_TITLE)
    return ""


def _command(lines: Sequence[Json], client_lines: ClientLines) -> str:
    """The first command that somebody gave with words of their own, where nothing else was typed."""
    for line in lines:
        content = client_lines.asked(line)
        for text in _texts(content):
            command = typed_command(text)
            if command:
                return begun(" ".join(command.split()), LONGEST_TITLE)
    return ""


def _typed(text: str) -> str:
    """What somebody typed of a text in the user's name."""
    tagged = _TAGGED.match(text)
    end = 0
    while tagged:
        end = tagged.end()
        tagged = _TAGGED.match(text, end)
    typed = text[end:].strip()
    if typed.startswith(_PLAIN):
        return ""
    return typed


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    texts: list[str] = []
    for part in content:
        if not isinstance(part, dict):
            continue
        text = part.get("text")
        if isinstance(text, str):
            texts.append(text)
    return texts


def _first_text(values: Iterable[object]) -> str:
    for value in values:
        if isinstance(value, str) and value:
            return value
    return ""
