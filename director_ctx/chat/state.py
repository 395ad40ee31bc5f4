"""How a chat stands: what was said, how far the provider knows it, and what stands for the rest; pure."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.context.settings.chat import RESETS
from director_ctx.memory.conversations.chat_records import ChatPoint, ChatRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from director_ctx.chat.exchange import Item, ToolResult, ToolUse

USER, ASSISTANT, CALLED, ANSWERED = "user", "assistant", "tool_call", "tool"
IN_INPUT, IN_INSTRUCTIONS = "input", "instructions"

# Kinds of points, besides those of resets.
BEGUN, TURN, WAITING, TAKEN, SHORTENED = "begun", "turn", "waiting", "taken back", "shortened"
ADDED = "added"
"""Something was said, and the provider does not know it yet."""
UNDONE = "undo"
"""A reset was taken back."""
FORKED, BY_HAND = "fork", "compression"

NOT_CARRIED_OUT = (
    "This was not carried out: the turn ended before. Call it again if it is still needed."
)


class ChatCursor(Record):
    """What a point of a chat reaches. Places are those of its rows, from 1."""

    since: int = 0
    """What comes after this place is told as it was said."""
    until: int = 0
    """The last place that the provider knows by its answer's id."""
    missed: tuple[int, ...] = ()
    """Places up to `until` that it does not know: another program said that at the same time."""
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
        usual = as_dict(ChatCursor())
        return {name: value for name, value in as_dict(self).items() if value != usual[name]}


def cursor_of(document: Mapping[str, Any]) -> ChatCursor:
    """As it was written; a store may be written to by others, so unknown values are left out."""
    values: dict[str, Any] = {}
    for name, usual in as_dict(ChatCursor()).items():
        value = document.get(name)
        if name == "missed":
            values[name] = _places(value)
        elif name == "taken" and isinstance(value, list):
            values[name] = tuple(pair for pair in map(_places, value) if len(pair) == 2)
        elif type(value) is type(usual):
            values[name] = value
    return ChatCursor(**values)


def _places(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(place for place in value if type(place) is int)


class ChatState(Record):
    """A chat at one moment."""

    chat: str
    rows: tuple[ChatRow, ...] = ()
    cursor: ChatCursor = ChatCursor()
    response: str | None = None
    """The provider's id of its last answer; None where it is to be asked afresh."""
    tokens: int = 0
    """In the window after that answer, as the provider counted."""
    number: int = 0
    """Of its last point."""
    summary: str = ""
    """The text that stands for everything up to `cursor.since`."""
    thoughts: Mapping[str, tuple[Item, ...]] = {}
    """Of this turn, by the answer that they led to; where the provider wants them back."""
    keeps: bool = True
    """Whether the provider was found to keep what it answers; True until then."""
    others: tuple[int, ...] = ()
    """Places of what another program said during this turn."""
    resets: tuple[str, ...] = ()
    """Of this turn: the id of the summary of each, which may be empty."""
    waiting: bool = False
    """Whether `response` is still being worked on in the background."""

    @property
    def next_place(self) -> int:
        return self.rows[-1].place + 1 if self.rows else 1

    def at(self, **changes: Any) -> ChatState:
        """The same with another cursor."""
        return self.replace(cursor=self.cursor.replace(**changes))

    def afresh(self) -> ChatState:
        """The same, for a provider that knows nothing of it."""
        fresh = self.at(until=self.cursor.since, held=0)
        return fresh.replace(response=None, tokens=0, waiting=False)


# Which rows


def is_taken(cursor: ChatCursor, place: int) -> bool:
    return any(first <= place <= last for first, last in cursor.taken)


def verbatim(state: ChatState) -> list[ChatRow]:
    """What is told as it was said, where the provider knows nothing."""
    cursor = state.cursor
    rows = [row for row in state.rows if row.place > cursor.since]
    return [row for row in rows if not is_taken(cursor, row.place)]


def is_known(state: ChatState, row: ChatRow) -> bool:
    """Whether the provider was told it as it was said."""
    return row.place <= state.cursor.until and row.place not in state.cursor.missed


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


def in_pairs(rows: Sequence[ChatRow], known: Sequence[ChatRow] = ()) -> list[ChatRow]:
    """Every call with a result directly behind it and its neighbours, a stub where it was not carried out. Providers
    refuse anything else, and go on refusing it. `known` is what the provider has already: what it still waits for
    comes first.
    """
    waiting = unanswered(known)
    results = _results([*waiting, *rows])
    told = [results[number] for number in range(len(waiting))]

    calls: list[int] = []
    for number, row in enumerate(rows, len(waiting)):
        before = rows[number - len(waiting) - 1]
        # Calls of one answer stay together.
        is_next_call = row.role == CALLED and calls and before.response == row.response
        if not is_next_call:
            told += [results[call] for call in calls]
            calls = []
        if row.role == CALLED:
            calls.append(number)
        # A result was told with its call, or answers none.
        if row.role != ANSWERED:
            told.append(row)
    return told + [results[call] for call in calls]


def _results(rows: Sequence[ChatRow]) -> dict[int, ChatRow]:
    """By the number of its call, what that was answered last before the same id is used again."""
    last_call: dict[str, int] = {}
    results: dict[int, ChatRow] = {}
    for number, row in enumerate(rows):
        if row.role == CALLED:
            last_call[row.call] = number
            results[number] = stub_row(row)
        elif row.role == ANSWERED and row.call in last_call:
            results[last_call[row.call]] = row
    return results


# New rows


def call_row(use: ToolUse, response: str) -> ChatRow:
    return ChatRow(0, CALLED, use.arguments, tool=use.name, call=use.call, response=response)


def answer_row(result: ToolResult) -> ChatRow:
    use = result.use
    return ChatRow(0, ANSWERED, result.text, tool=use.name, call=use.call, error=result.is_error)


def stub_row(call: ChatRow) -> ChatRow:
    """What a call is answered that was not carried out."""
    return ChatRow(0, ANSWERED, NOT_CARRIED_OUT, tool=call.tool, call=call.call, error=True)


def placed(state: ChatState, rows: Sequence[ChatRow]) -> tuple[ChatRow, ...]:
    """The rows under the numbers that they have in the chat."""
    return tuple(row.replace(place=place) for place, row in enumerate(rows, state.next_place))


# What two programs say at once


def beside(
    state: ChatState, rows: tuple[ChatRow, ...], kind: str, current: ChatState
) -> tuple[ChatState, tuple[ChatRow, ...]]:
    """The same step, behind what another program has said meanwhile; `current` is the chat as it is now. The provider
    is told of that with the next request.
    """
    if kind == BEGUN:
        # Nothing is asked yet, so the turn goes on from there.
        said = [row for row in rows if row.role == USER]
        stubs = [stub_row(row) for row in unanswered(verbatim(current))]
        begun = current.replace(keeps=state.keeps)
        return begun, placed(begun, [*stubs, *said])
    known = {row.id for row in state.rows}
    others = [row.place for row in current.rows if row.id not in known]
    taken = dict.fromkeys((*current.cursor.taken, *state.cursor.taken))
    merged = state.at(taken=tuple(taken)).replace(
        rows=current.rows,
        number=current.number,
        others=(*state.others, *others),
    )
    if kind in (TURN, WAITING):
        # The provider has answered without knowing of these.
        merged = merged.at(missed=(*merged.cursor.missed, *others))
    if kind == TURN:
        merged = merged.at(until=merged.next_place - 1 + len(rows))
    return merged, placed(merged, rows)


def own_ranges(first: int, last: int, others: tuple[int, ...]) -> list[tuple[int, int]]:
    """The places from `first` to `last`, without those of another program."""
    ranges: list[tuple[int, int]] = []
    for place in (*sorted(place for place in others if first <= place <= last), last + 1):
        if first < place:
            ranges.append((first, place - 1))
        first = place + 1
    return ranges


# Taken back, and left


def without_last_turn(state: ChatState, points: Sequence[ChatPoint]) -> ChatState:
    """As it was before the user spoke last."""
    rows = verbatim(state)
    if not rows:
        raise DctxError("There is no turn to take back.", "Nothing was said since the beginning.")

    cursor = state.cursor
    first = turns_of(rows)[-1][0].place
    taken = (*cursor.taken, (first, state.next_place - 1))
    for point in reversed(points):
        earlier = cursor_of(point.reach)
        is_same_stretch = earlier.since == cursor.since and earlier.short == cursor.short
        # With an id to go on from, and since the same reset.
        if is_same_stretch and earlier.until < first and point.response:
            before = state.replace(response=point.response, tokens=point.tokens)
            break
    else:
        earlier = cursor.replace(until=cursor.since, held=0)
        before = state.replace(response=None, tokens=0)
    return before.at(
        taken=taken,
        until=earlier.until,
        missed=earlier.missed,
        held=earlier.held,
        # A whole context that went with what is taken back is told again.
        context=cursor.context or bool(cursor.held and not earlier.held),
    )


def before_last_reset(state: ChatState, points: Sequence[ChatPoint]) -> tuple[ChatState, ChatPoint]:
    """As if the last reset had not been: everything is told again, as it was said. And the point of that."""
    number = _last_reset(points)
    earlier = points[number - 1] if number else None
    before = cursor_of(earlier.reach) if earlier else ChatCursor()
    # The reset may be of the chat that this one left.
    own = state.cursor
    put_back = state.replace(
        cursor=before.replace(
            taken=own.taken, parent=own.parent, left_at=own.left_at, context=False
        ),
        response=earlier.response if earlier else None,
        tokens=earlier.tokens if earlier else 0,
    )
    if put_back.response is None:
        put_back = put_back.at(until=before.since)
    return put_back, points[number]


def _last_reset(points: Sequence[ChatPoint]) -> int:
    """The place of the last one that was not taken back already."""
    undone = 0
    for number in range(len(points) - 1, -1, -1):
        kind = points[number].kind
        if kind == UNDONE:
            undone += 1
        elif kind in (*RESETS, BY_HAND):
            if not undone:
                return number
            undone -= 1
    raise DctxError("There is no reset to take back.", "This chat was never shortened.")


def forked(state: ChatState, chat: str) -> ChatState:
    """Another chat that goes on from here, while this one stays as it is."""
    left = state.at(parent=state.chat, left_at=state.next_place - 1)
    return left.replace(chat=chat, number=0)
