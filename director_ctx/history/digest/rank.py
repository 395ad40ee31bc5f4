"""Which lines of a conversation stay: best first, as many as there is room for, where they were."""

from __future__ import annotations

import re

from director_ctx.history.digest.cover import FULL, OVERHEAD, Prices, cover
from director_ctx.history.digest.scan import LONGEST, REF
from director_ctx.history.messages.message import CALL, RESULT, TEXT, THINKING, USER
from director_ctx.history.messages.quoted import speaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.digest.cover import RankedLine
    from director_ctx.history.digest.scan import Items, Scan, ScannedBlock
    from director_ctx.history.digest.shape import Shape

    PlacedLine = tuple[str, int, int]
    """A line, the characters up to its end with all better lines, and the identity of its block."""


SHORTEST = 3
LINE = {
    CALL: 3e-4,
    RESULT: 2.5e-5,
    TEXT: 5e-5,
    THINKING: 2.5e-5,
}
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


def rank_lines(
    scan: Scan,
    shape: Shape,
    worth_of: Mapping[str, float],
    printed_anyway: Iterable[str],
    characters: float,
) -> list[RankedLine]:
    """Every line worth printing, best first, with the characters that it takes up to there.

    A tool's line that speaks for somebody is worth no more for what it names. Hardly ever is there
    one, so it is looked for among those that were chosen.
    """
    extra = _worth_beside_items(scan, shape)
    candidates: list[str] = []
    for line in extra:
        if SHORTEST <= len(line) <= LONGEST:
            candidates.append(line)
    left = dict(worth_of)
    for item in _readable_anyway(scan, shape, printed_anyway):
        left[item] = 0.0

    # Covering uses up what is left of the worths, so each way through has a copy.
    prices = Prices(scan.lines, left.copy(), extra)
    chosen = cover(candidates, prices, characters)
    speaks_for_somebody = any(speaks(line) for line, _, _ in chosen)
    if speaks_for_somebody:
        silent = _items_of_silent_lines(scan)
        prices = Prices(silent, left.copy(), extra)
        chosen = cover(candidates, prices, characters)
    return chosen


def _readable_anyway(
    scan: Scan,
    shape: Shape,
    printed_anyway: Iterable[str],
) -> Iterator[str]:
    """The items that can be read whichever lines are chosen."""
    for line in printed_anyway:
        yield from scan.lines.get(line, ())
    for piece in scan.pieces:
        if stays_readable(piece, shape):
            yield from piece.items


def _worth_beside_items(scan: Scan, shape: Shape) -> dict[str, float]:
    """What each line that may be chosen is worth beside its items, for each character."""
    extra: dict[str, float] = {}
    for piece in scan.pieces:
        is_outdated = id(piece.block) in scan.outdated
        if is_outdated or stays_readable(piece, shape):
            continue
        if piece.kind == USER:
            extra.update(_worth_of_requests(piece.lines))
            continue

        age = scan.turns - piece.turn
        by_age = LINE[piece.kind] * FRESH / (FRESH + age)
        for line in piece.lines:
            extra[line] = by_age
        if REF in piece.block.text:
            for line in _page_memories(piece):
                extra[line] = _for_each_character(FIELD, line)
    return extra


def _items_of_silent_lines(scan: Scan) -> dict[str, Items]:
    """The items of each line, but for those of a tool that speak for somebody: whoever writes a
    page could otherwise see to it that such a line survives, by naming a file in it.
    """
    items = dict(scan.lines)
    for piece in scan.pieces:
        if piece.kind != RESULT:
            continue
        for line in piece.lines:
            if speaks(line):
                items[line] = ()
    return items


def _page_memories(page: ScannedBlock) -> Iterator[str]:
    """What has to be remembered of a page: what was put into its fields, and codes that stand on
    it.
    """
    has_fields = PAGE in page.block.text
    for line in page.lines:
        is_field = has_fields and line.startswith(FIELDS)
        is_filled = is_field and ": " in line
        if is_filled or _CODE.search(line):
            yield line


def _worth_of_requests(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What a user asks stands first or last; what was pasted between is like any other text."""
    word_counts = [len(line.split()) for line in lines]
    words_before = 0
    words_after = sum(word_counts)
    for line, words in zip(lines, word_counts, strict=True):
        words_after -= words
        asks = words_before < FIRST_WORDS or words_after < LAST_WORDS
        if asks:
            yield line, _for_each_character(USERS * words, line)
        else:
            yield line, LINE[TEXT]
        words_before += words


def _for_each_character(worth: float, line: str) -> float:
    """A worth of the whole line, for each of the characters that count."""
    counting = min(len(line), FULL)
    return worth / max(1, counting)


def needed_characters(ranking: Sequence[RankedLine]) -> int:
    """Of the lines with something concrete in them that may be used again."""
    characters = 0
    for _, spent, price in ranking:
        characters = spent
        if price < POOR:
            break
    return characters


def stays_readable(piece: ScannedBlock, shape: Shape) -> bool:
    """Whether a piece can be read in the result anyway."""
    if piece.turn in shape.whole:
        return True
    return piece.turn in shape.placed and piece.kind != RESULT


def place_lines(
    scan: Scan,
    shape: Shape,
    ranking: Sequence[RankedLine],
) -> list[PlacedLine]:
    """The ranked lines as they were read, each with the characters up to it, and the identity of
    its block.

    A line that is in several blocks stands where it was last, or where the user said it. Those that
    can be read anyway take no room.
    """
    pieces: list[ScannedBlock] = []
    for piece in scan.pieces:
        if not stays_readable(piece, shape):
            pieces.append(piece)
    home_of_line: dict[str, ScannedBlock] = {}
    for piece in pieces:
        for line in piece.lines:
            home_of_line[line] = piece
    for piece in pieces:
        if piece.kind != USER:
            continue
        for line in piece.lines:
            home_of_line[line] = piece

    spent_up_to: dict[str, int] = {}
    spent = 0
    for line, _, _ in ranking:
        if line in home_of_line:
            spent += len(line) + OVERHEAD
            spent_up_to[line] = spent

    # Every line of the conversation comes by here: a comprehension, as it is the fastest. A line is
    # printed below its very block, whatever else says the same: that is what the identity is for.
    return [
        (line, spent_up_to[line], id(piece.block))
        for piece in pieces
        for line in dict.fromkeys(piece.lines)
        if line in spent_up_to and home_of_line[line] is piece
    ]


def printed_lines(places: Iterable[PlacedLine], characters: float) -> dict[int, list[str]]:
    """By the identity of each block: its lines, in order, as many as there is room for."""
    lines_of_block: dict[int, list[str]] = {}
    for line, spent, block in places:
        if spent <= characters:
            lines_of_block.setdefault(block, []).append(line)
    return lines_of_block
