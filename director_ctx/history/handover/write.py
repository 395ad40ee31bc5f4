"""A hand-over as text, under headings, in a given room; and read again from that text.

What has no room is told by its number: no kind is left out silently.
"""

from __future__ import annotations

import re
from itertools import islice
from math import ceil

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.base.text import counted
from director_ctx.history.handover.handover import (
    ASKED,
    DECIDED,
    DELETED,
    DONE,
    ELSEWHERE,
    ERROR,
    FILES,
    HEADINGS,
    NEW,
    OPEN,
    QUESTION,
    WAITING,
    WISHES,
    ChangedFile,
    Handover,
    StatedDecision,
    is_whole,
)
from director_ctx.history.handover.requests import worth_of
from director_ctx.history.messages.quoted import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.history.messages.message import Count

    Kinds = Mapping[str, Sequence["HandoverLine"]]

USUAL = {ASKED: 13, WISHES: 12, OPEN: 20, FILES: 60, DONE: 40, DECIDED: 16}
"""How many of each kind whoever goes on needs, if there are so many: the newest, and the first request."""
SHORTENED_FIRST = (DECIDED, DONE, FILES, WISHES, ASKED, OPEN)
"""Which kinds lose entries first where all lines are short already."""
_MORE = (100_000, 800, 400, 200, 100, 50, 25, 12, 6, 3, 0)
"""Entries beyond the usual number: given up before anything else."""
LONGEST = 4_000
_LENGTHS = (2_000, 1_000, 700, 500, 400, 320, 260, 220, 190, 160, 140, 125)
"""Characters of a line: shortened before usual entries are given up."""
_SHORT_LENGTHS = (100, 80, 60, 40, 30)
"""What is left to shorten in the end."""
_SHARES = (0.75, 0.5, 0.34, 0.17, 0.0)
_FOLDER_END = re.compile(r"[/\\]")
_DEEPEST = 20
"""Folders within folders that are looked at."""
_WORD = re.compile(r"\w+")
_ALIKE = 0.85
"""The share of their words by which two decisions are one."""
_COMPARED = 60
_LEFT_OUT = "… and {} more"
_BELOW = "Below {}:"


class HandoverLine(Record):
    """One line of a kind."""

    text: str
    worth: int = 0
    """What is larger stays longer; of the same, what is newer."""


class Shape(Record):
    """How much of a hand-over is written."""

    entries: Mapping[str, int]
    length: int


def newest(handover: Handover) -> Handover:
    """Without what is beyond the usual number, except for the first request: it says what all of it
    is about.
    """
    return handover.replace(
        requests=(*handover.requests[:1], *handover.requests[1:][1 - USUAL[ASKED] :]),
        wishes=handover.wishes[-USUAL[WISHES] :],
        files=handover.files[-USUAL[FILES] :],
        done=handover.done[-USUAL[DONE] :],
    )


def written(
    handover: Handover,
    room: int,
    count: Count = len,
    longest: int = LONGEST,
) -> str:
    """The fullest text of at most so many tokens, as `count` counts them; empty where not even a
    line has room, or where there is nothing to tell. No line is longer than `longest`.
    """
    kinds = _kinds(handover)
    if not kinds:
        return ""
    shapes = list(_shapes(kinds, longest))
    first = _first_that_fits(shapes, kinds, room, count)
    for shape in shapes[first:]:
        text = _text(kinds, shape)
        if count(text) <= room:
            return text
    # What there is, where there is no room to say any of it.
    numbers = [f"{kind}: {len(entries)}" for kind, entries in kinds.items()]
    only_numbers = f"{'; '.join(numbers)}\n"
    return only_numbers if count(only_numbers) <= room else ""


def _first_that_fits(
    shapes: Sequence[Shape],
    kinds: Kinds,
    room: int,
    count: Count,
) -> int:
    """Each shape is smaller than the one before, or nearly so."""
    low, high = 0, len(shapes)
    while low < high:
        middle = (low + high) // 2
        if count(_text(kinds, shapes[middle])) <= room:
            high = middle
        else:
            low = middle + 1
    return low


def _shapes(kinds: Kinds, longest: int) -> Iterator[Shape]:
    """From everything down to a few words of each kind."""
    for more in _MORE:
        entries = {kind: usual + more for kind, usual in USUAL.items()}
        yield Shape(entries, longest)
    for length in _LENGTHS:
        if length < longest:
            yield Shape(entries, length)

    for share in _SHARES:
        for kind in SHORTENED_FIRST:
            few = min(len(kinds.get(kind, ())), USUAL[kind])
            entries = {**entries, kind: max(1, ceil(few * share))}
            yield Shape(entries, _LENGTHS[-1])
    for length in _SHORT_LENGTHS:
        yield Shape(entries, length)


def _kinds(handover: Handover) -> dict[str, list[HandoverLine]]:
    """The lines of each kind that has any, oldest first."""
    requests = list(map(HandoverLine, handover.requests))
    every = {
        ASKED: [HandoverLine(first.text, 1) for first in requests[:1]] + requests[1:],
        WISHES: list(map(HandoverLine, handover.wishes)),
        OPEN: _open(handover),
        FILES: [HandoverLine(_file_line(file)) for file in handover.files],
        DONE: list(map(HandoverLine, handover.done)),
        DECIDED: _decisions(handover.decisions),
    }
    return {kind: every[kind] for kind in HEADINGS if every[kind]}


def _open(handover: Handover) -> list[HandoverLine]:
    """What is to be done, the newest error and what waits for somebody stay longest."""
    errors = [f"{ERROR}{error}" for error in handover.errors]
    questions = [f"{QUESTION}{handover.question}"] if handover.question else []
    last = [*errors[-1:], *questions, *(f"{WAITING}{call}" for call in handover.waiting)]
    return [
        *(HandoverLine(item, 1) for item in handover.todo or ()),
        *map(HandoverLine, errors[:-1]),
        *(HandoverLine(text, 1) for text in last),
    ]


def _decisions(decisions: Sequence[StatedDecision]) -> list[HandoverLine]:
    """What was said twice in nearly the same words only as it was said last."""
    entries: list[HandoverLine] = []
    said: list[frozenset[str]] = []
    for decision in reversed(decisions):
        words = frozenset(_WORD.findall(decision.text))
        is_repeated = any(_alike(words, later) for later in said[:_COMPARED])
        if not is_repeated:
            said.append(words)
            entries.append(HandoverLine(decision.text, decision.worth))
    entries.reverse()
    return entries


def _alike(words: frozenset[str], later: frozenset[str]) -> bool:
    """Whether the earlier words say what the later ones do; another number or name is another thing."""
    gone = words - later
    if not all(word.isalpha() for word in gone):
        return False
    common = words & later
    every = words | later
    return len(common) >= _ALIKE * len(every)


def _file_line(file: ChangedFile) -> str:
    """Its path, and what was done to it."""
    told = ", ".join(filter(None, (file.state, counted(file.edits, "edit") if file.edits else "")))
    path = " ".join(file.path.split())
    return f"{path} ({told})" if told else path


def _text(kinds: Kinds, shape: Shape) -> str:
    parts: list[str] = []
    for kind, entries in kinds.items():
        own = _chosen(entries, shape.entries[kind])
        rows = [f"## {kind}", ""]
        left_out = len(entries) - len(own)
        if left_out:
            rows.append(_LEFT_OUT.format(left_out))

        folder = common_folder(own) if kind == FILES else ""
        if folder:
            rows.append(_BELOW.format(folder))
        for text in own:
            short = text
            if folder:
                # What is relative is told apart from what stands below the folder.
                elsewhere = text if is_whole(text) else f"{ELSEWHERE}{text}"
                short = text.removeprefix(folder) if text.startswith(folder) else elsewhere
            rows.append(f"- {as_text(line(short, shape.length))}")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _chosen(entries: Sequence[HandoverLine], most: int) -> list[str]:
    """What is worth most, and the newest of it, in the order of time."""
    places = range(len(entries))
    best = sorted(places, key=lambda place: (-entries[place].worth, -place))[:most]
    return [entries[place].text for place in sorted(best)]


def common_folder(paths: Sequence[str]) -> str:
    """The folder, with a slash at its end, that is said once for most of the paths; empty where
    that saves nothing.
    """
    saved: dict[str, int] = {}
    for path in paths:
        for mark in islice(_FOLDER_END.finditer(path, 1), _DEEPEST):
            folder = path[: mark.end()]
            saved[folder] = saved.get(folder, 0) + len(folder)
    best = ""
    most = 0
    for folder, letters in saved.items():
        gain = letters - len(folder) - len(_BELOW)
        # What would have to be escaped is no folder that could be read again.
        if gain > most and as_text(folder) == folder:
            best, most = folder, gain
    return best


_FOLDER_LINE = re.compile(r"Below (.+[/\\]):")
_FILE = re.compile(r"(?P<path>.*?)(?: \((?P<how>[^()]*)\))?")
_EDITS = re.compile(r"([\d,]+) edit")


def read_handover(text: str) -> Handover:
    """An empty one where there is none in the text."""
    lines = _lines(text)
    labelled: dict[str, list[str]] = {ERROR: [], QUESTION: [], WAITING: [], "": []}
    for row in lines[OPEN]:
        label = next(label for label in labelled if row.startswith(label))
        labelled[label].append(row.removeprefix(label))
    # What was shortened may have lost the words that it was chosen by.
    decisions = [StatedDecision(row, max(1, worth_of(row))) for row in lines[DECIDED]]
    return Handover(
        requests=tuple(lines[ASKED]),
        wishes=tuple(lines[WISHES]),
        todo=tuple(labelled[""]) or None,
        errors=tuple(labelled[ERROR]),
        question=" ".join(labelled[QUESTION]),
        waiting=tuple(labelled[WAITING]),
        files=tuple(map(_file, lines[FILES])),
        done=tuple(lines[DONE]),
        decisions=tuple(decisions),
    )


def _lines(text: str) -> dict[str, list[str]]:
    """What stands below each heading; paths are whole."""
    lines: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    section = ""
    folder = ""
    for row in text.splitlines():
        below = _FOLDER_LINE.fullmatch(row)
        if row.startswith("## "):
            section = row[3:].strip()
        elif not row.strip() or section not in lines:
            continue
        elif row.startswith("- "):
            own = row[2:]
            if section == FILES and folder and own.startswith(ELSEWHERE):
                own = own.removeprefix(ELSEWHERE)
            elif section == FILES and not is_whole(own):
                own = f"{folder}{own}"
            lines[section].append(own)
        elif below:
            folder = below[1]
        elif not row.startswith("… "):
            # Something else stands behind the hand-over.
            section = ""
    return lines


def _file(row: str) -> ChangedFile:
    match = _FILE.fullmatch(row)
    if match is None or match["how"] is None:
        return ChangedFile(row)
    edits = _EDITS.search(match["how"])
    state, _, _ = match["how"].partition(",")
    return ChangedFile(
        match["path"],
        int(edits[1].replace(",", "")) if edits else 0,
        state if state in (NEW, DELETED) else "",
    )
