"""Which lines stay: what their items are worth, and greedily the one that brings most new worth for
its length.
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

    from director_ctx.history.digest.scan import Scan, ScannedBlock
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
    if "-" in item:
        return "hyphened"
    return "word"


def signs(item: str, scan: Scan) -> dict[str, float]:
    """What the weights are for; `worths` computes the same without the names."""
    turns = scan.turns
    used = scan.used.get(item, 0)
    shown = log1p(scan.shown.get(item, 0))
    last_used = scan.last_used.get(item, 0)
    last_there = max(last_used, scan.last_seen.get(item, 0))
    values = {
        kind(item): 1.0,
        "is used": 0.0,
        "used": log1p(used),
        "shown": shown,
        "said": log1p(scan.said.get(item, 0)),
        "since used": 0.0,
        "since seen": log1p(turns - last_there),
        "used and shown": 0.0,
        "recent": log1p(scan.recent.get(item, 0)),
        "age": log1p(turns - scan.first.get(item, 0)),
        "digit": 0.0,
        "length": min(len(item), 30) / 30,
        "turns": log1p(turns),
    }
    if used:
        values["is used"] = 1.0
        values["since used"] = log1p(turns - last_used)
        values["used and shown"] = shown
    if _DIGIT.search(item):
        values["digit"] = 1.0
    return values


def worths(scan: Scan) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    # There are many thousands of items: whatever the loop reads has a local name of its own.
    used, shown, said, recent = scan.used, scan.shown, scan.said, scan.recent
    last_used, last_seen = scan.last_used, scan.last_seen

    is_used = WEIGHTS["is used"]
    by_use = WEIGHTS["used"]
    by_since = WEIGHTS["since used"]
    by_show = WEIGHTS["shown"]
    by_use_and_show = WEIGHTS["shown"] + WEIGHTS["used and shown"]
    by_said = WEIGHTS["said"]
    by_seen = WEIGHTS["since seen"]
    by_age = WEIGHTS["age"]
    by_recent = WEIGHTS["recent"]

    turns = scan.turns
    logs = [log1p(number) for number in range(turns + 1)]
    start = BASE + WEIGHTS["turns"] * logs[turns]
    worth_of: dict[str, float] = {}
    for item, first in scan.first.items():
        last = last_seen.get(item, 0)
        total = start + by_form(item) + by_age * logs[turns - first]
        if item in last_used:
            since = last_used[item]
            total += is_used + by_use * log1p(used[item]) + by_since * logs[turns - since]
            if item in shown:
                total += by_use_and_show * log1p(shown[item])
            last = max(last, since)
        elif item in shown:
            total += by_show * log1p(shown[item])
        total += by_seen * logs[turns - last]
        if item in said:
            total += by_said * log1p(said[item])
        if item in recent:
            total += by_recent * log1p(recent[item])
        worth_of[item] = 1 / (1 + exp(-total))
    return worth_of


@lru_cache(maxsize=65_536)  # The same names stand in many conversations.
def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    total = WEIGHTS[kind(item)] + WEIGHTS["length"] * min(len(item), 30) / 30
    if not item.isalpha() and _DIGIT.search(item):
        total += WEIGHTS["digit"]
    return total


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    weighted = sum([WEIGHTS[name] * value for name, value in of.items()])
    return 1 / (1 + exp(-BASE - weighted))


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
        items_of, left, extra = self.items, self.left.__getitem__, self.extra

        def price(line: str) -> float:
            # The inside of the search for lines: written for speed.
            length, items = len(line), items_of[line]
            beside = extra[line] * (length if length < FULL else FULL)
            return (sum(map(left, items), beside) if items else beside) / (length + OVERHEAD)

        return price


def cover(candidates: Iterable[str], prices: Prices, most: float) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`.
    Prices fall.
    """
    price_of, items, left = prices.pricing(), prices.items, prices.left
    heap: list[tuple[float, str]] = []
    # Lines without items keep their price, so they need sorting but once.
    plain: list[tuple[float, str]] = []
    for line in candidates:
        priced = (-price_of(line), line)
        if items[line]:
            heap.append(priced)
        else:
            plain.append(priced)
    heapify(heap)
    plain.sort(reverse=True)

    chosen, spent = [], 0
    while spent < most and (heap or plain):
        if not heap or (plain and plain[-1] < heap[0]):
            rank, line = plain.pop()
        else:
            rank, line = heap[0]
            rank_now = -price_of(line)
            has_fallen = rank_now > rank + 1e-12
            if has_fallen:
                heapreplace(heap, (rank_now, line))
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
    there_anyway = dict.fromkeys(_there_anyway(scan, shape, printed_anyway), 0.0)
    left = {**worth, **there_anyway}

    # Covering uses up what is left of the worths, so each way through has a copy.
    chosen = cover(fitting, Prices(scan.lines, left.copy(), extra), letters)
    if any(speaks(line) for line, _, _ in chosen):
        chosen = cover(fitting, Prices(_not_lifted(scan), left.copy(), extra), letters)
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
            continue
        age = scan.turns - piece.turn
        base = LINE[piece.kind] * FRESH / (FRESH + age)
        extra.update(dict.fromkeys(piece.lines, base))
        if REF in piece.block.text:
            for line in _told(piece):
                extra[line] = _each(FIELD, line)
    return extra


def _not_lifted(scan: Scan) -> Mapping[str, tuple[str, ...]]:
    """The items of each line, but for those of a tool that speak for somebody."""
    items = dict(scan.lines)
    for piece in scan.pieces:
        if piece.kind != RESULT:
            continue
        for line in piece.lines:
            if speaks(line):
                items[line] = ()
    return items


def _told(page: ScannedBlock) -> Iterator[str]:
    """What has to be remembered of a page: what was put into its fields, and codes that stand on
    it.
    """
    has_fields = PAGE in page.block.text
    for line in page.lines:
        is_filled = has_fields and line.startswith(FIELDS) and ": " in line
        if is_filled or _CODE.search(line):
            yield line


def _requests(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What a user asks stands first or last; what was pasted between is like any other text."""
    sizes = [len(line.split()) for line in lines]
    before, after = 0, sum(sizes)
    for line, words in zip(lines, sizes, strict=True):
        after -= words
        asks = before < FIRST_WORDS or after < LAST_WORDS
        if asks:
            yield line, _each(USERS * words, line)
        else:
            yield line, LINE[TEXT]
        before += words


def _each(worth: float, line: str) -> float:
    """For each of the characters that count."""
    counting = max(1, min(len(line), FULL))
    return worth / counting


def needed(ranking: Ranked) -> int:
    """The characters of the lines with something concrete in them that may be used again."""
    for _, spent, worth in ranking:
        if worth < POOR:
            return spent
    return ranking[-1][1] if ranking else 0


def stays(piece: ScannedBlock, shape: Shape) -> bool:
    """Whether a piece can be read in the result anyway."""
    return piece.turn in shape.whole or (piece.turn in shape.placed and piece.kind != RESULT)


def placed(scan: Scan, shape: Shape, ranking: Ranked) -> list[tuple[str, int, int]]:
    """The ranked lines as they were read, each with the characters up to it, and the identity of
    its block.

    A line that is in several blocks stands where it was last, or where the user said it. Those that
    can be read anyway take no room.
    """
    pieces = [piece for piece in scan.pieces if not stays(piece, shape)]
    last: dict[str, ScannedBlock] = {}
    for piece in pieces:
        last.update(dict.fromkeys(piece.lines, piece))
    for piece in pieces:
        if piece.kind == USER:
            last.update(dict.fromkeys(piece.lines, piece))

    spent_up_to: dict[str, int] = {}
    spent = 0
    for line, _, _ in ranking:
        if line in last:
            spent += len(line) + OVERHEAD
            spent_up_to[line] = spent

    # Every line of the conversation comes by here: a comprehension, as it is the fastest.
    return [
        (line, spent_up_to[line], id(piece.block))
        for piece in pieces
        for line in dict.fromkeys(piece.lines)
        if line in spent_up_to and last[line] is piece
    ]


def printed(places: Iterable[tuple[str, int, int]], letters: float) -> dict[int, list[str]]:
    """By the identity of each block: its lines, in order, as many as there is room for."""
    lines_of: dict[int, list[str]] = {}
    for line, spent, block in places:
        if spent <= letters:
            lines_of.setdefault(block, []).append(line)
    return lines_of
