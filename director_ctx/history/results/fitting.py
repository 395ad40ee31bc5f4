"""The pieces that are worth most, as many as fit into a room, in their order."""

from __future__ import annotations

from director_ctx.history.results.long_text import clipped
from director_ctx.history.results.reading import ODD, ORNAMENT, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.results.reading import ResultReading

GAP = "… "
"""How a line of ours begins that tells of what is not there."""
OURS = ("…", "[… ")
"""What a line of a result may not begin with: it would be read as ours."""
_ABOVE = 3
"""One part in so many may be told about all pieces at once."""
_LONGEST = 3
"""One part in so many may be a single piece."""
_SHORTEST = 80
"""Characters in which a piece still says something."""
_MISSES = 400
"""Pieces that find no room one after the other; then the room counts as full."""


class FittedResult:
    """What stays of a reading, and how much that is."""

    def __init__(self, reading: ResultReading, room: int) -> None:
        self._reading = reading
        self._count = len(reading.pieces)
        self._kept: dict[int, str] = {}
        """The text of a piece by its place."""
        self._gap = 0
        if reading.has_gaps:
            longest_gap = GAP + counted(self._count, reading.unit)
            self._gap = len(longest_gap) + 1
        self._above = _lines_within(reading.above, room // _ABOVE)

        above = sum(len(line) + 1 for line in self._above)
        # There is one gap as long as nothing is kept.
        self._room = room - above - self._gap
        self._longest = max(_SHORTEST, room // _LONGEST)
        self._fill()

    @property
    def is_empty(self) -> bool:
        return not self._kept

    def left_out(self) -> str:
        """How many pieces are not there, of how many; empty if all are, at least in part."""
        missing = self._count - len(self._kept)
        if not missing:
            return ""
        return f"{missing:,} of {counted(self._count, self._reading.unit)}"

    def text(self) -> str:
        lines = list(self._above)
        gap: list[str] = []
        for place, piece in enumerate(self._reading.pieces):
            kept = self._kept.get(place)
            if kept is not None:
                lines += self._instead(gap)
                lines.append(kept)
                gap.clear()
            elif self._reading.worths[place] > ORNAMENT:
                gap.append(piece)
        lines += self._instead(gap)
        return "\n".join(lines)

    def _instead(self, gap: Sequence[str]) -> list[str]:
        """A line that says how much is not there; what is no longer than that line stays."""
        if not gap or not self._reading.has_gaps:
            return []
        left_out = as_content("\n".join(gap))
        told = GAP + counted(left_out.count("\n") + 1, self._reading.unit)
        return [min(left_out, told, key=len)]

    def _fill(self) -> None:
        worths = self._reading.worths
        misses = 0
        for place in sorted(range(self._count), key=lambda place: -worths[place]):
            if worths[place] <= ORNAMENT or misses > _MISSES:
                break
            if self._put(place):
                misses = 0
            else:
                misses += 1

    def _put(self, place: int) -> bool:
        """Whether there was room for it."""
        longest = self._longest
        if self._reading.worths[place] >= ODD:
            # Who matters most is cut rather than left out.
            longest = max(longest, self._room * 2 // 3)
        text = _at_most(as_content(self._reading.pieces[place]), longest)
        cost = len(text) + 1 + self._gaps_more(place)
        if cost > self._room:
            return False
        self._kept[place] = text
        self._room -= cost
        return True

    def _gaps_more(self, place: int) -> int:
        """What it costs in gaps: between two gaps one more, beside one that closes one less."""
        neighbours = 0
        for neighbour in (place - 1, place + 1):
            is_end = neighbour < 0 or neighbour == self._count
            if is_end or neighbour in self._kept:
                neighbours += 1
        return (1 - neighbours) * self._gap


def _at_most(piece: str, most: int) -> str:
    """A piece in so many characters: of several lines the first ones, and more of the last."""
    if len(piece) <= most:
        return piece

    lines = piece.split("\n")
    room_of_end = most * 2 // 3
    room_of_begin = most - room_of_end - _SHORTEST // 2
    end = _lines_within(reversed(lines), room_of_end)
    end.reverse()
    before_end = lines[: len(lines) - len(end)]
    begin = _lines_within(before_end, room_of_begin)

    missing = len(before_end) - len(begin)
    if not missing:
        return clipped(piece, most)
    gap = GAP + counted(missing, "lines")
    return "\n".join([*begin, gap, *end])


def as_content(text: str) -> str:
    """A piece of a result, in which no line can be taken for one of ours."""
    if "…" not in text:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        is_ours = line.startswith(OURS)
        lines.append(f"\\{line}" if is_ours else line)
    return "\n".join(lines)


def _lines_within(lines: Iterable[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        short = clipped(line, max(_SHORTEST, room // 2))
        room -= len(short) + 1
        if room < 0:
            break
        kept.append(short)
    return kept
