"""A hand-over, read again from the text that was written of it."""

from __future__ import annotations

import re

from director_ctx.history.handover.decisions import worth_of
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BELOW = re.compile(r"Below (.+[/\\]):")
_FILE = re.compile(r"(?P<path>.*?)(?: \((?P<how>[^()]*)\))?")
_EDITS = re.compile(r"([\d,]+) edit")


def read_handover(text: str) -> Handover:
    """An empty one where there is none in the text."""
    lines = _lines(text)
    return Handover(
        requests=tuple(lines[ASKED]),
        wishes=tuple(lines[WISHES]),
        todo=_todo(lines[OPEN]),
        errors=_labelled(ERROR, lines[OPEN]),
        question=" ".join(_labelled(QUESTION, lines[OPEN])),
        waiting=_labelled(WAITING, lines[OPEN]),
        files=tuple(map(_file, lines[FILES])),
        done=tuple(lines[DONE]),
        decisions=tuple(map(_decision, lines[DECIDED])),
    )


def _lines(text: str) -> dict[str, list[str]]:
    """What stands below each heading; paths are whole."""
    lines: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    section = ""
    folder = ""
    for row in text.splitlines():
        below = _BELOW.fullmatch(row)
        if row.startswith("## "):
            section = row[3:].strip()
        elif not row.strip() or section not in lines:
            continue
        elif row.startswith("- "):
            own = row[2:]
            if section == FILES:
                own = _below(folder, own)
            lines[section].append(own)
        elif below:
            folder = below[1]
        elif not row.startswith("… "):
            # Something else stands behind the hand-over.
            section = ""
    return lines


def _decision(row: str) -> StatedDecision:
    # What was shortened may have lost the words that it was chosen by.
    worth = max(1, worth_of(row))
    return StatedDecision(row, worth)


def _below(folder: str, path: str) -> str:
    """The whole path of one that may stand below a folder that was said before."""
    if folder and path.startswith(ELSEWHERE):
        return path.removeprefix(ELSEWHERE)
    if is_whole(path):
        return path
    return f"{folder}{path}"


def _labelled(label: str, rows: Sequence[str]) -> tuple[str, ...]:
    return tuple(row.removeprefix(label) for row in rows if row.startswith(label))


def _todo(rows: Sequence[str]) -> tuple[str, ...] | None:
    items = tuple(row for row in rows if not row.startswith((ERROR, QUESTION, WAITING)))
    return items or None


def _file(row: str) -> ChangedFile:
    match = _FILE.fullmatch(row)
    if match is None or match["how"] is None:
        return ChangedFile(row)
    how = match["how"]
    many = 0
    edits = _EDITS.search(how)
    if edits:
        many = int(edits[1].replace(",", ""))
    state, _, _ = how.partition(",")
    if state not in (NEW, DELETED):
        state = ""
    return ChangedFile(match["path"], many, state)
