"""How likely an item is to be used again: a logistic regression, fitted by `python -m
benchmarks.fit_worth`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from math import exp, log1p

from director_ctx.base.record import Record
from director_ctx.history.digest.scan import LONGEST, REF
from director_ctx.history.messages.message import CALL, RESULT, TEXT, THINKING, USER
from director_ctx.history.messages.quoted import speaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.digest.scan import Piece, Scan
    from director_ctx.history.digest.shape import Shape

    Ranked = Sequence[tuple[str, int, float]]


WEIGHTS = {
    "path": 0.08, "dotted": -0.11, "number": -0.40, "name": -0.38, "hyphened": -0.26, "word": -0.15,
    "is used": 1.58, "used": 0.71, "shown": -0.20, "said": -0.59, "since used": 0.02, "since seen": -0.80,
    "used and shown": -0.40, "recent": 0.54, "age": 0.45, "digit": -0.66, "length": -0.88, "turns": -0.27,
}  # fmt: skip
"""A number is the logarithm of one more than the count."""
BASE = -1.22


_DIGIT = re.compile(r"\d")


def kind(item: str) -> str:
    if "/" in item:
        return "path"
    if "." in item:
        return "dotted"
    if item.isdigit():
        return "number"
    if "_" in item:
        return "name"
    return "hyphened" if "-" in item else "word"


def signs(item: str, scan: Scan) -> dict[str, float]:
    """What the weights are for; `worths` computes the same without the names."""
    used, shown, turns = scan.used.get(item, 0), scan.shown.get(item, 0), scan.turns
    last = scan.last_used.get(item, 0)
    return {
        kind(item): 1.0,
        "is used": 1.0 if used else 0.0,
        "used": log1p(used),
        "shown": log1p(shown),
        "said": log1p(scan.said.get(item, 0)),
        "since used": log1p(turns - last) if used else 0.0,
        "since seen": log1p(turns - max(last, scan.last_seen.get(item, 0))),
        "used and shown": log1p(shown) if used else 0.0,
        "recent": log1p(scan.recent.get(item, 0)),
        "age": log1p(turns - scan.first.get(item, 0)),
        "digit": 1.0 if _DIGIT.search(item) else 0.0,
        "length": min(len(item), 30) / 30,
        "turns": log1p(turns),
    }


def worths(scan: Scan) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    turns, weights = scan.turns, WEIGHTS
    logs = [log1p(number) for number in range(turns + 1)]
    used, shown, said, recent = scan.used, scan.shown, scan.said, scan.recent
    last_used, last_seen, first = scan.last_used, scan.last_seen, scan.first
    is_used, by_use, by_since = weights["is used"], weights["used"], weights["since used"]
    by_show, by_said, by_both = weights["shown"], weights["said"], weights["used and shown"]
    by_seen, by_age, by_recent = weights["since seen"], weights["age"], weights["recent"]
    start = BASE + weights["turns"] * logs[turns]
    found: dict[str, float] = {}
    for item, begun in first.items():
        last = last_seen.get(item, 0)
        total = start + by_form(item) + by_age * logs[turns - begun]
        if item in last_used:
            displayed = log1p(shown[item]) if item in shown else 0.0
            since = last_used[item]
            total += is_used + by_use * log1p(used[item]) + by_since * logs[turns - since]
            total += (by_show + by_both) * displayed
            last = max(last, since)
        elif item in shown:
            total += by_show * log1p(shown[item])
        total += by_seen * logs[turns - last]
        if item in said:
            total += by_said * log1p(said[item])
        if item in recent:
            total += by_recent * log1p(recent[item])
        found[item] = 1 / (1 + exp(-total))
    return found


@lru_cache(maxsize=65_536)  # The same names stand in many conversations.
def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    total = WEIGHTS[kind(item)] + WEIGHTS["length"] * min(len(item), 30) / 30
    if not item.isalpha() and _DIGIT.search(item):
        total += WEIGHTS["digit"]
    return total


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    return 1 / (1 + exp(-BASE - sum([WEIGHTS[name] * value for name, value in of.items()])))


FULL = 40
"""Characters of a line that is worth all that it is worth beside its items."""
OVERHEAD = 7
"""Characters that a line costs beside its own: its mark, its end, and now and then the number of a
block.
"""


class Prices(Record):
    """What lines are worth: the items of each, what each of those is worth yet, what a line is
    worth beside them.
    """

    items: Mapping[str, tuple[str, ...]]
    left: dict[str, float]
    extra: Mapping[str, float]
    """For each of its first characters, up to `FULL`."""

    def pricing(self) -> Callable[[str], float]:
        """Of a line for each of its characters, by what was not in another one."""
        items, left, extra = self.items, self.left.__getitem__, self.extra

        def price(line: str) -> float:
            length, found = len(line), items[line]
            worth = extra[line] * (length if length < FULL else FULL)
            return (sum(map(left, found), worth) if found else worth) / (length + OVERHEAD)

        return price


def cover(candidates: Iterable[str], prices: Prices, most: float) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`.
    Prices fall.
    """
    of, items, left = prices.pricing(), prices.items, prices.left
    heap: list[tuple[float, str]] = []
    plain: list[tuple[float, str]] = []
    for line in candidates:
        (heap if items[line] else plain).append((-of(line), line))
    heapify(heap)
    plain.sort(reverse=True)
    chosen, spent = [], 0
    while spent < most and (heap or plain):
        if not heap or (plain and plain[-1] < heap[0]):
            rank, line = plain.pop()
        else:
            rank, line = heap[0]
            if (again := -of(line)) > rank + 1e-12:
                heapreplace(heap, (again, line))
                continue
            heappop(heap)
        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        for item in items[line]:
            left[item] = 0.0
    return chosen


SHORTEST = 3
LINE = {CALL: 3e-4, RESULT: 2.5e-5, TEXT: 5e-5, THINKING: 2.5e-5}
"""What each of the first characters of a line is worth beside its items."""
FRESH = 30
"""Turns after which a line is worth half of that."""
POOR = 0.00003
"""Worth for each character, below which whole turns at the start are the better use of room."""
PAGE, FIELD = "- textbox ", 0.05
FIELDS = (PAGE, "- combobox ", "- searchbox ", "- spinbutton ", "- alert", "- status", "- text:")
"""What a page says of itself and of what was put into its fields."""
_CODE = re.compile(r"\b(?=[A-Z\d]*[A-Z])(?=[A-Z\d]*\d)[A-Z\d]{6,12}\b")
"""A booking, an order, a voucher: whoever leaves the page has to remember it."""
USERS = 0.12
"""What each word of the user is worth beside its items, so that requests survive as they were made.
"""

FIRST_WORDS, LAST_WORDS = 80, 30
"""Of a message, in which the user asks for something."""


def ranked(
    scan: Scan,
    shape: Shape,
    worth: Mapping[str, float],
    printed_anyway: Iterable[str],
    letters: float,
) -> Ranked:
    """Every line worth printing, best first, with the characters that it takes up to there.

    A tool's line that speaks for somebody is worth no more for what it names. Hardly ever is there
    one, so it is looked for among those that were chosen.
    """
    extra = _beside(scan, shape)
    fitting = [line for line in extra if SHORTEST <= len(line) <= LONGEST]
    left = {**worth, **dict.fromkeys(_there_anyway(scan, shape, printed_anyway), 0.0)}

    chosen = cover(fitting, Prices(scan.lines, {**left}, extra), letters)
    if any(speaks(line) for line, _, _ in chosen):
        chosen = cover(fitting, Prices(_not_lifted(scan), {**left}, extra), letters)
    return chosen


def _there_anyway(scan: Scan, shape: Shape, printed_anyway: Iterable[str]) -> Iterator[str]:
    """The items that can be read whichever lines are chosen."""
    for line in printed_anyway:
        yield from scan.lines.get(line, ())
    for piece in scan.pieces:
        if stays(piece, shape):
            yield from piece.items


def _beside(scan: Scan, shape: Shape) -> dict[str, float]:
    """What each line that may be chosen is worth beside its items."""
    extra: dict[str, float] = {}
    for piece in scan.pieces:
        if stays(piece, shape) or id(piece.block) in scan.outdated:
            continue
        if piece.kind == USER:
            extra.update(_requests(piece.lines))
        else:
            base = LINE[piece.kind] * FRESH / (FRESH + scan.turns - piece.turn)
            extra.update(dict.fromkeys(piece.lines, base))
            if REF in piece.block.text:
                extra.update((line, _each(FIELD, line)) for line in _told(piece))
    return extra


def _not_lifted(scan: Scan) -> Mapping[str, tuple[str, ...]]:
    """The items of each line, but for those of a tool that speak for somebody."""
    results = (line for piece in scan.pieces if piece.kind == RESULT for line in piece.lines)
    return {**scan.lines, **{line: () for line in results if speaks(line)}}


def _told(page: Piece) -> Iterator[str]:
    """What has to be remembered of a page: what was put into its fields, and codes that stand on
    it.
    """
    filled = PAGE in page.block.text
    for line in page.lines:
        if (filled and line.startswith(FIELDS) and ": " in line) or _CODE.search(line):
            yield line


def _requests(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What a user asks stands first or last; what was pasted between is like any other text."""
    sizes = [len(line.split()) for line in lines]
    before, after = 0, sum(sizes)
    for line, words in zip(lines, sizes, strict=True):
        after -= words
        yield (
            line,
            _each(USERS * words, line)
            if before < FIRST_WORDS or after < LAST_WORDS
            else LINE[TEXT],
        )
        before += words


def _each(worth: float, line: str) -> float:
    return worth / max(1, min(len(line), FULL))


def needed(found: Ranked) -> int:
    """The characters of the lines with something concrete in them that may be used again."""
    return next((spent for _, spent, worth in found if worth < POOR), found[-1][1]) if found else 0


def stays(piece: Piece, shape: Shape) -> bool:
    """Whether a piece can be read in the result anyway."""
    return piece.turn in shape.whole or (piece.turn in shape.placed and piece.kind != RESULT)


def placed(scan: Scan, shape: Shape, found: Ranked) -> list[tuple[str, int, int]]:
    """The ranked lines as they were read, each with the characters up to it, and the identity of
    its block.

    A line that is in several blocks stands where it was last, or where the user said it. Those that
    can be read anyway take no room.
    """
    pieces = [piece for piece in scan.pieces if not stays(piece, shape)]
    last: dict[str, Piece] = {}
    for piece in pieces:
        last.update(dict.fromkeys(piece.lines, piece))
    for piece in pieces:
        if piece.kind == USER:
            last.update(dict.fromkeys(piece.lines, piece))
    rank, spent = {}, 0
    for line, _, _ in found:
        if line in last:
            spent += len(line) + OVERHEAD
            rank[line] = spent
    return [
        (line, rank[line], id(piece.block))
        for piece in pieces
        for line in dict.fromkeys(piece.lines)
        if line in rank and last[line] is piece
    ]


def printed(places: Iterable[tuple[str, int, int]], letters: float) -> dict[int, list[str]]:
    """By the identity of each block: its lines, in order, as many as there is room for."""
    made: dict[int, list[str]] = {}
    for line, spent, block in places:
        if spent <= letters:
            made.setdefault(block, []).append(line)
    return made
