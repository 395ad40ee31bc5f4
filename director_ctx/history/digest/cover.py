"""Lines taken greedily: the one that brings most new worth for its length, again and again."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace

from director_ctx.base.record import Record
from director_ctx.history.digest.items import halves, items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from director_ctx.history.digest.items import Items

    ChosenLine = tuple[str, str]
    """A line, or a half of it, and the line that it is of."""
    Entry = tuple[float, str, str, Items, Items]
    """The rank of a line or of its half, the line that it is of, its items, and those that stood in
    it last.
    """


OVERHEAD = 4
"""Characters that a line costs beside its own: its mark, and its end."""
HEADING = 8
"""Characters that the numbers behind the name of a file take, about."""
LONG = 80
"""Characters above which a half of a line may do."""
LEAST = 0.005
"""What a line has to be worth: no line stands there only because it is short."""
_ROUNDING = 1e-12
"""A price that differs by less has not fallen."""


class Candidates(Record):
    """Lines, and what is known of each."""

    items: Mapping[str, Items]
    newest: Mapping[str, Items]
    """The items that stood in it last."""
    extra: Mapping[str, float]
    """What it is worth beside its items; nothing, where nothing is said."""
    factors: Mapping[str, float]
    """How much more it is worth for what it is; 1, where nothing is said."""
    files: Mapping[str, str]
    """The file below which it is printed; none, where nothing is said."""


class Cover:
    """Lines chosen out of candidates. What was said already is worth nothing any more."""

    def __init__(
        self,
        candidates: Candidates,
        worth_of: Mapping[str, float],
        newest_share: float,
    ) -> None:
        self.candidates = candidates
        self.left = dict(worth_of)
        """What each item is worth yet."""
        self.left_newest: dict[str, float] = {}
        """What it is worth beside that to have it with the line in which it stood last."""
        for items in candidates.newest.values():
            for item in items:
                self.left_newest[item] = worth_of[item] * newest_share
        self.open_files: set[str] = set()
        """Those whose names are printed, as a line of theirs was chosen."""
        self.lines_of_file: dict[str, list[str]] = {}
        for line, file in candidates.files.items():
            self.lines_of_file.setdefault(file, []).append(line)
        self.items_of_file = {file: self._known(items_of(file)) for file in self.lines_of_file}
        self.taken: set[str] = set()

    def _known(self, items: Iterable[str]) -> Items:
        return tuple(item for item in items if item in self.left)

    def chosen(self, most: float, is_refused: Callable[[str], bool]) -> list[ChosenLine]:
        """Lines, best first, up to so many characters. Only one whose turn has come is asked about."""
        heap = list(self._entries(self.candidates.items))
        heapify(heap)
        chosen: list[ChosenLine] = []
        spent = 0
        while heap and spent < most:
            rank, text, line, items, newest = heap[0]
            if text in self.taken:
                heappop(heap)
                continue
            # Another line may have said since then what this one says. It is enough to look again
            # at the one that seems best: prices fall, but for those in a file that was opened, and
            # these come anew.
            rank_now = self._rank(text, line, items, newest)
            if rank_now > rank + _ROUNDING:
                if rank_now < 0:
                    heapreplace(heap, (rank_now, text, line, items, newest))
                else:
                    heappop(heap)
                continue

            heappop(heap)
            if is_refused(line):
                continue
            if len(text) > LONG and text is line:
                # Its halves are made only now that its turn has come.
                better = self._halves(line, rank)
                if better:
                    for entry in better:
                        heappush(heap, entry)
                    continue
            spent += self._length(text, self.candidates.files.get(line))
            chosen.append((text, line))
            for entry in self._take(text, line, items, newest):
                heappush(heap, entry)
        return chosen

    def _entries(self, lines: Iterable[str]) -> Iterable[Entry]:
        """Ranks are prices below zero, as a heap gives its smallest first."""
        for line in lines:
            items = self.candidates.items[line]
            newest = self.candidates.newest.get(line, ())
            rank = self._rank(line, line, items, newest)
            if rank < 0:
                yield rank, line, line, items, newest

    def _rank(self, text: str, line: str, items: Items, newest: Items) -> float:
        """Of a line by what was not in another one, for each of its characters; of the first line
        of a file with the name of that file.
        """
        left = self.left.__getitem__
        worth = sum(map(left, items))
        if newest:
            worth += sum(map(self.left_newest.__getitem__, newest))
        worth += self.candidates.extra.get(line, 0.0)
        factors = self.candidates.factors
        if line in factors:
            worth *= factors[line]
        file = self.candidates.files.get(line)
        if file is not None and file not in self.open_files:
            worth += sum(map(left, self.items_of_file[file]))
        if worth < LEAST:
            return 0.0
        return -worth / self._length(text, file)

    def _length(self, text: str, file: str | None) -> int:
        """What it takes to print a line; of a call that says no more than its file, that alone."""
        if file is None or file in self.open_files:
            return len(text) + OVERHEAD
        if text == file:
            return len(file) + HEADING
        return len(text) + OVERHEAD + len(file) + HEADING

    def _take(self, text: str, line: str, items: Items, newest: Items) -> Iterable[Entry]:
        """What was chosen is worth nothing any more; the other lines of its file are cheaper now."""
        self.taken.add(text)
        for item in items:
            self.left[item] = 0.0
        for item in newest:
            self.left_newest[item] = 0.0
        file = self.candidates.files.get(line)
        if file is None or file in self.open_files:
            return ()
        self.open_files.add(file)
        for item in self.items_of_file[file]:
            self.left[item] = 0.0
        return self._entries(self.lines_of_file[file])

    def _halves(self, line: str, rank: float) -> list[Entry]:
        """The halves of a line in its place, if one of them is better than the whole."""
        newest = self.candidates.newest.get(line, ())
        entries: list[Entry] = []
        is_better = False
        for half in halves(line):
            items = self._known(items_of(half))
            own = tuple(item for item in newest if item in items)
            half_rank = self._rank(half, line, items, own)
            if items and half_rank < 0:
                entries.append((half_rank, half, line, items, own))
                is_better = is_better or half_rank < rank
        return entries if is_better else []
