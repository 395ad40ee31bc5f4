"""How a chat stands: what was said, how far the provider knows it, and what stands for the rest; pure."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.chat.exchange import Item
    from director_ctx.memory.conversations.chat_records import ChatRow

USER, ASSISTANT, CALLED, ANSWERED = "user", "assistant", "tool_call", "tool"
COMPACTED = "compaction"
"""The row of what a provider put in the place of everything before."""
IN_INPUT, IN_INSTRUCTIONS = "input", "instructions"


class Reach(Record):
    """What a point of a chat reaches. Places are those of its rows, from 1."""

    since: int = 0
    """What comes after this place is told as it was said."""
    until: int = 0
    """The last place that the provider knows by its answer's id."""
    missed: tuple[int, ...] = ()
    """Places up to `until` that it does not know: somebody else said that at the same time."""
    short: int = 0
    """Up to this place, of what tools answered only the locators are told."""
    summary: str = ""
    """The id of what stands for everything up to `since`,"""
    before: str = ""
    """the locator of all that it stands for,"""
    told_in: str = IN_INPUT
    """where it is told,"""
    told_for: int = 0
    """and for how many turns, where it is told in the instructions."""
    context: bool = False
    """Whether the next request begins with a whole context, once."""
    held: int = 0
    """Tokens of one that the provider was told and still holds."""
    taken: tuple[tuple[int, int], ...] = ()
    """What was taken back: from which place to which."""
    parent: str = ""
    """The chat that this one left,"""
    left_at: int = 0
    """and the last place of it that is also of this one."""

    def as_json(self) -> dict[str, Any]:
        """What differs from the usual."""
        usual = Reach()
        values = as_dict(self)
        return {name: values[name] for name in values if values[name] != getattr(usual, name)}


def reach_of(document: Mapping[str, Any]) -> Reach:
    """As it was written; whatever a row has that nobody of us wrote is left out."""
    values: dict[str, Any] = {}
    for name, usual in as_dict(Reach()).items():
        value = document.get(name)
        if name == "taken":
            values[name] = _ranges(value)
        elif name == "missed":
            values[name] = _places(value)
        elif type(value) is type(usual):
            values[name] = value
    return Reach(**values)


def _ranges(value: object) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for pair in value if isinstance(value, list) else ():
        match pair:
            case [int(first), int(last)]:
                ranges.append((first, last))
    return tuple(ranges)


def _places(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(place for place in value if type(place) is int)


class ChatStanding(Record):
    """A chat at one moment."""

    chat: str
    rows: tuple[ChatRow, ...] = ()
    reach: Reach = Reach()
    response: str | None = None
    """The provider's id of its last answer; None where it is to be asked afresh."""
    tokens: int = 0
    """In the window after that answer, as the provider counted."""
    number: int = 0
    """Of its last point."""
    summary: str = ""
    """The text that stands for everything up to `reach.since`."""
    thoughts: Mapping[str, tuple[Item, ...]] = {}
    """Of this turn, by the answer that they led to; where the provider wants them back."""
    keeps: bool = True
    """Whether the provider was found to keep what it answers; True until then."""
    others: tuple[int, ...] = ()
    """Places of what somebody else said during this turn."""
    resets: tuple[str, ...] = ()
    """Of this turn: the id of the summary of each, which may be empty."""
    waiting: bool = False
    """Whether `response` is still being worked on in the background."""

    @property
    def next_place(self) -> int:
        if not self.rows:
            return 1
        return self.rows[-1].place + 1


def verbatim(standing: ChatStanding) -> list[ChatRow]:
    """What is told as it was said, where the provider knows nothing."""
    reach = standing.reach
    rows: list[ChatRow] = []
    for row in standing.rows:
        if row.place > reach.since and not is_taken(reach, row.place):
            rows.append(row)
    return rows


def news(standing: ChatStanding) -> list[ChatRow]:
    """What the provider does not know yet."""
    return [row for row in verbatim(standing) if not _is_known(standing.reach, row.place)]


def known(standing: ChatStanding) -> list[ChatRow]:
    """What the provider was told as it was said."""
    return [row for row in verbatim(standing) if _is_known(standing.reach, row.place)]


def _is_known(reach: Reach, place: int) -> bool:
    return place <= reach.until and place not in reach.missed


def is_taken(reach: Reach, place: int) -> bool:
    return any(first <= place <= last for first, last in reach.taken)


def unanswered(rows: Iterable[ChatRow]) -> list[ChatRow]:
    """The calls without a result, in order."""
    waiting: dict[str, ChatRow] = {}
    for row in rows:
        if row.role == CALLED:
            waiting[row.call] = row
        elif row.role == ANSWERED:
            waiting.pop(row.call, None)
    return list(waiting.values())


def turns_of(rows: Iterable[ChatRow]) -> list[list[ChatRow]]:
    """Each begins where the user speaks after somebody else did."""
    turns: list[list[ChatRow]] = []
    before = ""
    for row in rows:
        begins = row.role == USER and before != USER
        if begins or not turns:
            turns.append([])
        turns[-1].append(row)
        before = row.role
    return turns
