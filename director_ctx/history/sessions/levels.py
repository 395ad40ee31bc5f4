"""How full a session's window was after each of its messages: as its client says it, and between two
such numbers by what was added.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.sessions.transcript import identity
from director_ctx.history.sessions.usage import tokens_said_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Message

_TIME = re.compile(rb'"timestamp":\s*"([^"\\]{10,40})"')
_NAME = re.compile(rb'"uuid":\s*"([^"\\]{1,64})"')


class LevelMark(Record):
    """A moment at which somebody knew how full the window was."""

    when: str
    tokens: int
    compaction: bool = False
    """Whether it began anew there."""
    name: str = ""
    """The message that said it, or that came first after a compaction, where messages have names."""


def marks_in(data: bytes, of_agent: bool = False) -> list[LevelMark]:
    """What the lines of a client's file say, or of a sub-agent's, in their order; nothing where they
    tell no time.
    """
    marks: list[LevelMark] = []
    is_new = False
    for line in data.split(b"\n"):
        if is_new:
            marks[-1] = marks[-1].replace(name=_name_of(line))
            is_new = False
        tokens = tokens_said_by(line, of_agent)
        if tokens == 0:
            continue
        time = _TIME.search(line)
        if time is None:
            continue
        when = time[1].decode("utf-8", "replace")
        is_new = tokens is None
        marks.append(LevelMark(when, tokens or 0, is_new, _name_of(line)))
    return marks


def _name_of(line: bytes) -> str:
    """Of a line itself, which says it after all that is in it."""
    names = _NAME.findall(line)
    if not names:
        return ""
    return str(names[-1].decode("utf-8", "replace"))


def levels(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The tokens in the window after each of these messages, which were measured."""
    marks_at: dict[int, list[tuple[LevelMark, bool]]] = {}
    for mark, place, is_own in _placed(messages, marks):
        marks_at.setdefault(place, []).append((mark, is_own))

    level = 0
    after: list[int] = []
    for place, message in enumerate(messages):
        level += message.tokens
        for mark, is_own in marks_at.get(place, ()):
            level = mark.tokens
            # A client counts the message that says the number, and none that came later.
            if not is_own:
                level += message.tokens
        after.append(level)
    return after


def compactions(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The places of the messages that came first after one."""
    places: list[int] = []
    for mark, place, _ in _placed(messages, marks):
        if mark.compaction and place not in places:
            places.append(place)
    return places


def _placed(
    messages: Sequence[Message], marks: Sequence[LevelMark]
) -> Iterator[tuple[LevelMark, int, bool]]:
    """Each mark with the first message that it says something about, and whether that one says it."""
    place_of: dict[str, int] = {}
    for place, message in enumerate(messages):
        name = identity(message)
        if name:
            place_of.setdefault(name, place)

    place = 0
    for mark in marks:
        if mark.name in place_of:
            yield mark, place_of[mark.name], not mark.compaction
            continue
        # Without names there are only the times, which tell what came first.
        while place < len(messages) and messages[place].when < mark.when:
            place += 1
        if place < len(messages):
            is_own = messages[place].when == mark.when and not mark.compaction
            yield mark, place, is_own
