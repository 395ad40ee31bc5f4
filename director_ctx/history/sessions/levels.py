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

    MarksByPlace = dict[int, list[tuple["LevelMark", bool]]]
    """With each mark, whether the message at that place says it."""

_TIME = re.compile(rb'"timestamp":\s*"([^"\\]{10,40})"')
_ANSWER = re.compile(rb'"id":\s*"(msg_[^"\\]{1,80})"')
_NAME = re.compile(rb'"uuid":\s*"([^"\\]{1,64})"')


class LevelMark(Record):
    """A moment at which somebody knew how full the window was."""

    when: str
    tokens: int
    compaction: bool = False
    """Whether it began anew there."""
    name: str = ""
    """The message that said it, or that came first after a compaction, where messages have names."""
    answer: str = ""
    """The answer that it counted, where a client writes one as several messages."""


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
        answer = _ANSWER.search(line)
        answer_name = answer[1].decode() if answer else ""
        marks.append(LevelMark(when, tokens or 0, is_new, _name_of(line), answer_name))
    return marks


def _name_of(line: bytes) -> str:
    """Of a line itself, which says it after all that is in it."""
    names: list[bytes] = _NAME.findall(line)
    return names[-1].decode("utf-8", "replace") if names else ""


def levels(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The tokens in the window after each of these messages, which were measured."""
    marks_at = _marks_by_place(messages, marks)
    beside = _beside(messages, marks_at)
    level = beside
    answer = ""
    after: list[int] = []
    for place, message in enumerate(messages):
        level += message.tokens
        for mark, is_own in marks_at.get(place, ()):
            if mark.answer and mark.answer == answer:
                # Counted with its first part; results of other parts may have come in between.
                level -= message.tokens
                continue
            answer = mark.answer
            level = mark.tokens
            if mark.compaction:
                level += beside
            # A client counts the message that says the number, and none that came later.
            if not is_own:
                level += message.tokens
        after.append(level)
    return after


def beside_messages(messages: Sequence[Message], marks: Sequence[LevelMark]) -> int:
    """What is in the window and in no message, such as the client's instructions and tools: by the
    first number that the client says. A compaction leaves it there.
    """
    return _beside(messages, _marks_by_place(messages, marks))


def _marks_by_place(messages: Sequence[Message], marks: Sequence[LevelMark]) -> MarksByPlace:
    by_place: MarksByPlace = {}
    for mark, place, is_own in _placed(messages, marks):
        by_place.setdefault(place, []).append((mark, is_own))
    return by_place


def _beside(messages: Sequence[Message], marks_at: MarksByPlace) -> int:
    counted = 0
    for place, message in enumerate(messages):
        for mark, is_own in marks_at.get(place, ()):
            if mark.compaction:
                counted = mark.tokens
                continue
            if is_own:
                counted += message.tokens
            return max(0, mark.tokens - counted)
        counted += message.tokens
    return 0


def compactions(messages: Sequence[Message], marks: Sequence[LevelMark]) -> list[int]:
    """The places of the messages that came first after one."""
    return list(
        dict.fromkeys(place for mark, place, _ in _placed(messages, marks) if mark.compaction)
    )


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
