"""Lines of a conversation and which of them hold an item."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.survival.items import arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.survival.items import Item

LONG = 400
"""Characters after which a line is no line any more, but several pieces: a result may be JSON in
one line.
"""
_WORD = re.compile(r"\w+")
_SEAM = re.compile(r"(?<=[}\],;.])\s+")


class Lines:
    """Different lines, in order, found by the words in them."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines: list[str] = []
        self._known: set[str] = set()
        self._index: dict[str, list[int]] = {}
        self.add(lines)

    def add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line in self._known:
                continue
            self._known.add(line)
            for word in words(line):
                self._index.setdefault(word, []).append(len(self.lines))
            self.lines.append(line)

    def __contains__(self, line: str) -> bool:
        return line in self._known

    def holding(self, item: Item) -> list[str]:
        """The lines in which an item stands as a whole."""
        rows: list[int] | None = None
        for word in _WORD.findall(item.text):
            found = self._index.get(word)
            if found is None:
                return []
            if rows is None or len(found) < len(rows):
                rows = found
        return [line for line in (self.lines[row] for row in rows or ()) if place(line, item) >= 0]


def words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def place(line: str, item: Item) -> int:
    """Where an item stands in a line; -1 if it does not, or only as part of a longer word."""
    text = item.text
    at = line.find(text)
    while at >= 0:
        if _apart(line, at, text) and (not item.key or _keyed(line, at, item.key)):
            return at
        at = line.find(text, at + 1)
    return -1


def _apart(line: str, at: int, text: str) -> bool:
    end = at + len(text)
    return not (
        (at and _wordy(line[at - 1]) and _wordy(text[0]))
        or (end < len(line) and _wordy(line[end]) and _wordy(text[-1]))
    )


def _wordy(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _keyed(line: str, at: int, key: str) -> bool:
    before = line[:at].rstrip(" \t\"'=:(")
    return before.endswith(key)


def of_text(text: str) -> Iterator[str]:
    for line in text.splitlines():
        short = line.strip()
        if len(short) <= LONG:
            if short:
                yield short
        else:
            yield from _pieces(short)


def _pieces(line: str) -> Iterator[str]:
    """A long line, cut where it may be cut."""
    piece = ""
    for part in _SEAM.split(line):
        if piece and len(piece) + len(part) > LONG:
            yield piece
            piece = ""
        piece = f"{piece} {part}" if piece else part
        while len(piece) > 2 * LONG:
            yield piece[:LONG]
            piece = piece[LONG:]
    if piece:
        yield piece


def of_call(tool: str, text: str) -> Iterator[str]:
    """A call is one line of its short arguments, and every line of its long ones."""
    short = [tool]
    for _, value in arguments(text):
        said = str(value)
        if "\n" in said:
            yield from of_text(said)
        else:
            short.append(said)
    yield from of_text(" ".join(short))
