"""Which lines of what collapses stay: best first, each below the block in which it stood last; taken
greedily, the one that brings most new worth for its length, again and again.
"""

from __future__ import annotations

import re
from heapq import heapify, heappop, heappush, heapreplace

from director_ctx.base.record import Record
from director_ctx.history.digest.read import halves, items_of, read
from director_ctx.history.digest.worth import SeenBlock, SeenItems, worths
from director_ctx.history.handover.requests import is_answer
from director_ctx.history.messages.message import CALL, RESULT, TEXT
from director_ctx.history.messages.quoted import speaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from director_ctx.history.digest.read import Items
    from director_ctx.history.digest.write import DigestDraft

    ChosenLine = tuple[str, str]
    """A line, or a half of it, and the line that it is of."""
    Entry = tuple[float, str, str, Items, Items]
    """The rank of a line or of its half, the line that it is of, its items, and those that stood in
    it last.
    """

CUT = "…"
"""Stands where a part of a line is missing."""
SHORTEST = 3
TELLING = 20
"""Characters of a line of a call that says something without naming anything."""
DONE = 0.005
"""What a line of a call is worth beside its items."""
DEFINING = 1.5
"""So much more a line is worth that says what something is."""
SAID = 1.45
"""So much more a line is worth that an answer says in words: it tells why."""
_DEFINES = re.compile(
    r"(?:export |pub |async |public |private |static |default )*"
    r"(?:def|class|func|function|fn|type|interface|struct|enum|trait|module|impl) \S"
)
NEWEST = 0.5
"""So much more an item is worth with the line in which it stood last."""
NEWEST_FROM, NEWEST_ALL = 0.05, 0.15
"""Ratios up to which nothing of that counts, and from which on all of it does."""
REQUESTS = 0.1
"""The share of the room that the user's newest requests may take."""
REQUEST, REQUEST_END = 160, 80
"""Characters of the beginning of a request, and of its last line."""


class Placed(Record):
    """A line below its block."""

    block: int
    """The identity of the block: others may say the same."""
    place: int
    """Of the line that it is of, among those of the block."""
    text: str
    """The line, or a part of it."""
    line: str


def ranked_lines(
    seen: SeenItems,
    whole: Collection[int],
    draft: DigestDraft,
    ratio: float,
    room: float,
) -> list[Placed]:
    """Every line worth printing, best first, up to about so many characters. `whole` are the turns
    that stay, the draft is of all others.
    """
    collapsed = [seen_block for seen_block in seen.blocks if seen_block.turn not in whole]
    first = list(_requests(collapsed, draft.head, room * REQUESTS))
    current = [seen_block for seen_block in collapsed if id(seen_block.block) not in seen.outdated]
    spent = sum(len(placed.text) + OVERHEAD for placed in first)
    left = worths(seen)
    for seen_block in seen.blocks:
        if seen_block.turn in whole:
            left.update(dict.fromkeys(seen_block.reading.items, 0.0))
    for text in (draft.head, *(placed.text for placed in first)):
        left.update(dict.fromkeys(read(text).items, 0.0))

    homes = _homes(current)
    chosen = _covering(homes, left, draft.files, ratio, room - spent)
    places: dict[int, dict[str, int]] = {}
    ranked = first
    for text, line in chosen:
        home = homes[line]
        if home.number not in places:
            places[home.number] = {row: place for place, row in enumerate(home.reading.lines)}
        ranked.append(Placed(id(home.block), places[home.number][line], text, line))
    return ranked


def _homes(blocks: Iterable[SeenBlock]) -> dict[str, SeenBlock]:
    """Where each line stands: in the block that had it last, or where the user said it."""
    collapsed = list(blocks)
    homes: dict[str, SeenBlock] = {}
    for seen_block in collapsed:
        homes.update(dict.fromkeys(seen_block.reading.lines, seen_block))
    for seen_block in collapsed:
        if seen_block.is_users:
            homes.update(dict.fromkeys(seen_block.reading.lines, seen_block))
    return homes


def _covering(
    homes: Mapping[str, SeenBlock],
    left: Mapping[str, float],
    files: Mapping[int, str],
    ratio: float,
    room: float,
) -> list[ChosenLine]:
    items_of: dict[str, Items] = {}
    for line, home in homes.items():
        items = home.reading.lines[line]
        is_telling = items or (home.block.kind == CALL and len(line) >= TELLING)
        if is_telling and len(line) >= SHORTEST:
            items_of[line] = items

    share = (ratio - NEWEST_FROM) / (NEWEST_ALL - NEWEST_FROM)
    share = NEWEST * min(1.0, max(0.0, share))

    def is_refused(line: str) -> bool:
        """A tool's line that speaks for somebody is never taken for what it names: whoever writes a
        page could otherwise see to it that such a line survives.
        """
        return homes[line].block.kind == RESULT and speaks(line)

    candidates = _candidates(items_of, homes, files, share > 0)
    return Cover(candidates, left, share).chosen(room, is_refused)


def _candidates(
    items_of: Mapping[str, Items],
    homes: Mapping[str, SeenBlock],
    files: Mapping[int, str],
    with_newest: bool,
) -> Candidates:
    factors: dict[str, float] = {}
    extra: dict[str, float] = {}
    file_of: dict[str, str] = {}
    for line in items_of:
        if _DEFINES.match(line):
            factors[line] = DEFINING
        home = homes[line]
        if home.block.kind == TEXT and not home.is_users:
            factors[line] = SAID * factors.get(line, 1)
        if home.block.kind == CALL and len(line) >= TELLING:
            extra[line] = DONE
        file = files.get(id(home.block), "")
        if file and not home.is_users:
            file_of[line] = file
    newest = _newest(items_of) if with_newest else {}
    return Candidates(items_of, newest, extra, factors, file_of)


def _newest(items_of: Mapping[str, Items]) -> dict[str, Items]:
    """The items that stood in a line last, for each line."""
    line_of: dict[str, str] = {}
    for line, items in items_of.items():
        line_of.update(dict.fromkeys(items, line))

    newest: dict[str, list[str]] = {}
    for item, line in line_of.items():
        newest.setdefault(line, []).append(item)
    return {line: tuple(items) for line, items in newest.items()}


def _requests(collapsed: Sequence[SeenBlock], head: str, room: float) -> Iterable[Placed]:
    """How each request of the user begins and ends, the newest first."""
    for seen_block in reversed(collapsed):
        if not seen_block.is_users or is_answer(seen_block.block.text):
            continue
        lines = list(seen_block.reading.lines)
        for place, text in _telling(lines):
            room -= len(text) + OVERHEAD
            if room < 0:
                return
            if text not in head:
                yield Placed(id(seen_block.block), place, text, lines[place])


def _telling(lines: Sequence[str]) -> Iterable[tuple[int, str]]:
    """What a user asks stands first or last; what was pasted between is like any other text."""
    letters = REQUEST
    for place, line in enumerate(lines):
        text = line[:letters].rstrip()
        letters -= len(text)
        yield place, text
        if letters < REQUEST / 4:
            if place < len(lines) - 1:
                yield len(lines) - 1, lines[-1][:REQUEST_END]
            return


def printed(ranked: Sequence[Placed]) -> dict[int, list[str]]:
    """The lines of each block in their order, by the identity of the block; of two parts of a line
    the whole, as they overlap.
    """
    by_block: dict[int, dict[int, list[Placed]]] = {}
    for placed in ranked:
        by_block.setdefault(placed.block, {}).setdefault(placed.place, []).append(placed)
    return {
        block: [_joined(by_place[place]) for place in sorted(by_place)]
        for block, by_place in by_block.items()
    }


def _joined(parts: Sequence[Placed]) -> str:
    """What is printed of a line; where something of it is missing, that is marked."""
    line = parts[0].line
    text = parts[0].text
    if text == line or any(part.text != text for part in parts):
        return line
    if line.startswith(text):
        return f"{text} {CUT}"
    return f"{CUT} {text}"


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
