"""How full a session's window was after each of its messages: as its client says it, and between two
such numbers by what was added.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.sessions.usage import tokens_said_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message

_TIME = re.compile(rb'"timestamp":\s*"([^"\\]{10,40})"')


class LevelMark(Record):
    """A moment at which somebody knew how full the window was."""

    when: str
    tokens: int
    compaction: bool = False
    """Whether it began anew there."""


def marks_in(data: bytes) -> list[LevelMark]:
    """What the lines of a client's file say, in their order; nothing where they tell no time."""
    marks: list[LevelMark] = []
    for line in data.split(b"\n"):
        tokens = tokens_said_by(line)
        if tokens == 0:
            continue
        time = _TIME.search(line)
        if time is None:
            continue
        when = time[1].decode("utf-8", "replace")
        marks.append(LevelMark(when, tokens or 0, tokens is None))
    return marks


def levels(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The tokens in the window after each of these messages, which were measured."""
    level = place = 0
    after: list[int] = []
    for message in messages:
        level += message.tokens
        while place < len(marks) and marks[place].when <= message.when:
            mark = marks[place]
            place += 1
            level = mark.tokens
            # A client counts the message in whose line it says the number, and none that came later.
            if mark.compaction or mark.when != message.when:
                level += message.tokens
        after.append(level)
    return after


def compactions(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The places of the messages that came first after one."""
    places: list[int] = []
    place = 0
    for mark in marks:
        if not mark.compaction:
            continue
        while place < len(messages) and messages[place].when < mark.when:
            place += 1
        if place < len(messages) and place not in places:
            places.append(place)
    return places
