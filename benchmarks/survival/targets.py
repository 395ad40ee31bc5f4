"""What an agent will have needed: items in its later actions that it saw before the cut and was not
shown again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.survival.items import ERROR, QUOTED, Item, in_action
from benchmarks.survival.lines import Lines
from benchmarks.survival.reading import CALL, RESULT, TOLD, is_native, pieces, turn_ends

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from benchmarks.survival.reading import Chat, Piece

_WRONG = ("Error", "Exception", "Traceback", "FAILED", "error:")


class Target(NamedTuple):
    item: Item
    lines: tuple[str, ...]
    """The original lines that hold it."""
    newest: str
    """The one of them that was there last."""
    given: bool
    """Whether it stands in what no compression touches: the system's and the first user's words,
    the last turn.
    """


class Moment(NamedTuple):
    """A run at a cut."""

    length: int
    """Messages before the cut."""
    lines: Lines
    targets: list[Target]


def cut_places(chat: Chat, shares: Sequence[float], window: int | None = None) -> list[int]:
    """Lengths of the beginning of a run, each at the end of a turn."""
    ends = turn_ends(chat[:window], is_native(chat))
    return (
        sorted({ends[min(len(ends) - 1, max(0, int(share * len(ends)) - 1))] for share in shares})
        if ends
        else []
    )


def moment(chat: Chat, length: int, known: Collection[Item] = ()) -> Moment:
    """`known` are items that anybody knows; nobody has to remember those."""
    native = is_native(chat)
    before = list(_pieces(chat[:length], native))
    every_line = [line for piece in before for line in piece.lines()]
    last = {line: number for number, line in enumerate(every_line)}
    lines = Lines(every_line)
    shown = Lines(
        line for piece in before if piece.kind in (RESULT, TOLD) for line in piece.lines()
    )
    given = _given(chat[:length], native)
    targets = []
    for item in _used_later(_pieces(chat[length:], native), lines):
        # What an agent only ever wrote into a script itself, such as the words that it prints, it
        # has not seen.
        if item not in known and (item.kind != QUOTED or shown.holding(item)):
            held = tuple(lines.holding(item))
            newest = max(held, key=last.__getitem__)
            targets.append(Target(_of_kind(item, held), held, newest, bool(given.holding(item))))
    return Moment(length, lines, sorted(targets))


def _pieces(chat: Chat, native: bool) -> Iterator[Piece]:
    first = True
    for message in chat:
        yield from pieces(message, native, first and message.get("role") == "user")
        first = first and message.get("role") != "user"


def _given(chat: Chat, native: bool) -> Lines:
    """The text that is protected by definition."""
    ends = turn_ends(chat, native)
    start = max(
        (n for n, message in enumerate(chat[: ends[-1]]) if message.get("role") == "assistant"),
        default=0,
    )
    users = [message for message in chat if message.get("role") == "user"][:1]
    systems = [message for message in chat if message.get("role") == "system"]
    protected = [
        *(piece for one in systems + users for piece in pieces(one, native, True)),
        *_pieces(chat[start:], native),
    ]
    return Lines(line for piece in protected for line in piece.lines())


def _used_later(after: Iterator[Piece], before: Lines) -> Iterator[Item]:
    """Each item at its first use. What is shown between the cut and the use need not have been
    remembered.
    """
    done: set[Item] = set()
    shown = Lines()
    for piece in after:
        if piece.kind in (RESULT, TOLD):
            shown.add(piece.lines())
        elif piece.kind == CALL:
            fresh = in_action(piece.text) - done
            done |= fresh
            yield from (item for item in fresh if before.holding(item) and not shown.holding(item))


def _of_kind(item: Item, lines: Sequence[str]) -> Item:
    """A quoted string that was seen in nothing but errors is one."""
    if (
        item.kind == QUOTED
        and lines
        and all(any(sign in line for sign in _WRONG) for line in lines)
    ):
        return item._replace(kind=ERROR)
    return item
