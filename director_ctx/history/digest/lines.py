"""From a scan to the lines that stay: ranked once, then as many as there is room for."""

from __future__ import annotations

from director_ctx.history.digest.cover import cover
from director_ctx.history.digest.scan import LONGEST
from director_ctx.history.message import RESULT, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.digest.scan import Piece, Scan
    from director_ctx.history.digest.shape import Shape

    Ranked = Sequence[tuple[str, int]]

SHORTEST = 3
USERS = 0.12
"""What each word of the user is worth beside its items, so that requests survive as they were made."""


def ranked(scan: Scan, shape: Shape, worth: Mapping[str, float]) -> Ranked:
    """Every line worth printing, best first, with the characters that it takes up to there."""
    lines = scan.lines
    covered: set[str] = set()
    candidates: dict[str, None] = {}
    extra: dict[str, float] = {}
    for piece in scan.pieces:
        if stays(piece, shape):
            for line in piece.lines:
                covered.update(lines[line])
            continue
        candidates.update(dict.fromkeys(piece.lines))
        if piece.kind == USER:
            extra.update((line, USERS * len(line.split())) for line in piece.lines)
    fitting = [line for line in candidates if (lines[line] or line in extra) and SHORTEST <= len(line) <= LONGEST]
    return cover(fitting, lines, worth, covered, extra)


def stays(piece: Piece, shape: Shape) -> bool:
    """Whether a piece can be read in the result anyway."""
    return piece.turn in shape.whole or (piece.turn in shape.placed and piece.kind != RESULT)


def printed(scan: Scan, shape: Shape, found: Ranked, letters: float) -> dict[int, list[str]]:
    """By the identity of each block: its lines, in order. A line that is in several stands where it was last."""
    chosen = {line for line, spent in found if spent <= letters}
    where: dict[str, Piece] = {}
    for piece in scan.pieces:
        if not stays(piece, shape):
            where.update((line, piece) for line in piece.lines if line in chosen)
    made: dict[int, list[str]] = {}
    for piece in dict.fromkeys(where.values()):
        made[id(piece.block)] = [line for line in dict.fromkeys(piece.lines) if where.get(line) is piece]
    return made
