"""From a scan to the lines that stay: ranked once, then as many as there is room for."""

from __future__ import annotations

import re

from director_ctx.history.digest.cover import FULL, OVERHEAD, Prices, cover
from director_ctx.history.digest.items import REF
from director_ctx.history.digest.scan import LONGEST
from director_ctx.history.messages.message import CALL, RESULT, TEXT, THINKING, USER
from director_ctx.history.messages.quoted import speaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.digest.scan import Piece, Scan
    from director_ctx.history.digest.shape import Shape

    Ranked = Sequence[tuple[str, int, float]]

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
"""What each word of the user is worth beside its items, so that requests survive as they were made."""

FIRST_WORDS, LAST_WORDS = 80, 30
"""Of a message, in which the user asks for something."""


def ranked(
    scan: Scan, shape: Shape, worth: Mapping[str, float], printed_anyway: Iterable[str], letters: float
) -> Ranked:
    """Every line worth printing, best first, with the characters that it takes up to there.

    A tool's line that speaks for somebody is worth no more for what it names. Hardly ever is there one, so it is looked
    for among those that were chosen.
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
    """What has to be remembered of a page: what was put into its fields, and codes that stand on it."""
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
        yield line, _each(USERS * words, line) if before < FIRST_WORDS or after < LAST_WORDS else LINE[TEXT]
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
    """The ranked lines as they were read, each with the characters up to it, and the identity of its block.

    A line that is in several blocks stands where it was last, or where the user said it. Those that can be read anyway
    take no room.
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
