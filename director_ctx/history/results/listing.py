"""Listings of files, as a tree: each folder with how many are in it, and the names that say most."""

from __future__ import annotations

import re
from collections import Counter

from director_ctx.history.results.reading import (
    FIRST,
    FRAME,
    LAST,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
    counted,
)
from director_ctx.history.results.signals import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.sample import Sample

_PATH = re.compile(r"(?:[A-Za-z]:)?[\w.@+~$()\[\]{}=, /\\-]{1,300}$")
_LONG = re.compile(
    r"[bcdlps-][rwxsStT-]{9}[@+.]?\s+\d+\s+\S+\s+\S+\s+([\d,.]+\w?)\s+(?:\S+\s+){2,3}?(\S.*)$"
)
"""A line of `ls -l`: size and name."""
_DRAWN = re.compile(r"[│|\s]*[├└`|+][─-]+ ?")
_LISTS = re.compile(
    r"\b(?:ls|find|tree|fd|glob|dir|git ls-files|rg --files|list_dir|name-only)\b", re.IGNORECASE
)
_SHARE = 0.85
_FEWEST = 8
_NAMES = 12
"""Names of a folder on one line."""
_UNLIKE = 20
"""Where more than one name in so many is like no other, that says nothing."""
_MOST_WORDS = 3


def recognised(sample: Sample) -> bool:
    if len(sample.lines) < _FEWEST:
        return False
    is_named = _LISTS.search(sample.call) is not None
    entries = sum(_is_entry(line, is_named) for line in sample.lines)
    return entries >= len(sample.lines) * _SHARE


def _is_entry(line: str, named: bool) -> bool:
    if _LONG.match(line) or _DRAWN.match(line):
        return True
    is_path = _PATH.match(line) and len(line.split()) <= _MOST_WORDS
    if not is_path:
        return named and line.startswith("total ")
    has_folder = "/" in line.strip("/")
    return named or (has_folder and " " not in line.strip())


def read(sample: Sample) -> ResultReading | None:
    lines = sample.text.split("\n")
    drawn = sum(_DRAWN.match(line) is not None for line in lines)
    if drawn * 2 > len(lines):
        return _as_drawn(lines)
    folders: dict[str, list[str]] = {}
    current = ""
    for line in lines:
        entry = line.strip()
        if not entry or entry.startswith("total "):
            continue
        long = _LONG.match(entry)
        if long is not None:
            mark = "/" if entry.startswith("d") else ""
            folders.setdefault(current, []).append(f"{long[2]}{mark} {long[1]}")
        elif entry.endswith(":"):
            # So `ls -R` begins each folder.
            current = entry.removesuffix(":").rstrip("/") + "/"
            folders.setdefault(current, [])
        else:
            folder, slash, name = entry.rstrip("/").rpartition("/")
            mark = "/" if entry.endswith("/") else ""
            folders.setdefault(folder + slash or current, []).append(name + mark)
    return _by_folder(folders)


def _by_folder(folders: dict[str, list[str]]) -> ResultReading:
    all_names = [name for names in folders.values() for name in names]
    counts = Counter(map(masked, all_names))
    unlike = sum(count == 1 for count in counts.values())
    has_rule = unlike * _UNLIKE <= len(all_names)

    pieces: list[str] = []
    worths: list[float] = []
    for folder, names in folders.items():
        depth = folder.count("/")
        pieces.append(f"{folder or './'} ({len(names):,})")
        worths.append(FRAME - min(depth, 9) / 10)

        # Those that look like no other stand before those that differ in a number only.
        ordered = sorted(names, key=lambda name: min(counts[masked(name)], 3))
        for start in range(0, len(ordered), _NAMES):
            row = ordered[start : start + _NAMES]
            pieces.append("  " + "  ".join(row))
            is_unlike = counts[masked(row[0])] == 1
            worths.append(ODD if has_rule and is_unlike else _worth_of_row(start))

    files = counted(len(all_names), "files")
    told = f"{files} in {counted(len(folders), 'folders')}"
    return ResultReading(pieces, worths, "lines", [told], has_gaps=False)


def _worth_of_row(start: int) -> float:
    """The first row of a folder is worth more than the next."""
    worth = LAST if start else FIRST
    return worth - min(start, 900) / 1000


def _as_drawn(lines: Sequence[str]) -> ResultReading:
    """A tree already: the deeper, the less it is worth."""
    worths: list[float] = []
    for line in lines:
        match = _DRAWN.match(line)
        if match is None:
            worths.append(FRAME if line.strip() else ORNAMENT)
            continue
        is_folder = line.endswith("/")
        depth = match.end() / 4
        worths.append(max(PLAIN, (ODD if is_folder else FRAME) - depth))
    return ResultReading(list(lines), worths)
