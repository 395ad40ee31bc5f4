"""Diffs: files and the heads of hunks, then what was changed, and only then what stands around it."""

from __future__ import annotations

import re

from director_ctx.history.results.reading import (
    FAILS,
    FIRST,
    FRAME,
    LAST,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
    counted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.results.sample import Sample

_FILE = re.compile(r"^(?:diff --git |Index: |--- \S.*\n\+\+\+ )", re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d", re.MULTILINE)
_MARKS = ("index ", "similarity ", "old mode", "new mode")
_CHANGED_FILES = ("new file", "deleted file", "rename ", "Binary files")
_NEXT = 0.3


def recognised(sample: Sample) -> bool:
    if "@@ -" not in sample.head:
        return False
    return _FILE.search(sample.head) is not None and _HUNK.search(sample.head) is not None


def read(sample: Sample) -> ResultReading | None:
    lines = sample.text.split("\n")
    diff = _Diff()
    worths = [diff.worth(line) for line in lines]
    told = f"{counted(diff.files, 'files')}, +{diff.added:,} -{diff.removed:,} lines"
    return ResultReading(lines, worths, "lines", [told] if diff.files > 1 else [])


class _Diff:
    """What each line is worth, by where it stands; and how much was changed."""

    def __init__(self) -> None:
        self.files = 0
        self.added = 0
        self.removed = 0
        self._in_hunk = False
        self._was_changed = False

    def worth(self, line: str) -> float:
        if line.startswith(("diff --git ", "Index: ")):
            self.files += 1
            self._in_hunk = False
            return FAILS
        if line.startswith("@@ "):
            self._in_hunk = True
            return ODD
        if self._in_hunk:
            return self._worth_in_hunk(line)
        return _worth_of_head(line, in_diff=self.files > 0)

    def _worth_in_hunk(self, line: str) -> float:
        was_changed = self._was_changed
        is_added = line.startswith("+")
        self._was_changed = is_added or line.startswith("-")
        if not self._was_changed:
            return ORNAMENT
        self.added += is_added
        self.removed += not is_added
        if not line[1:].strip():
            return PLAIN / 2
        # Where something changed is worth more than how it goes on.
        return LAST if was_changed else LAST + _NEXT


def _worth_of_head(line: str, in_diff: bool) -> float:
    if not line.strip():
        return ORNAMENT
    if line.startswith(_CHANGED_FILES):
        return ODD
    if in_diff:
        # The names stand in the line above already.
        return ORNAMENT if line.startswith((*_MARKS, "--- ", "+++ ")) else PLAIN
    return FIRST if line.startswith(" ") else FRAME
