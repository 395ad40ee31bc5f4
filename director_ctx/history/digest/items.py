"""The concrete items in a line: addresses, paths, names, numbers. No plain words.

What was read once is remembered, as most conversations of a process are about the same things.
"""

from __future__ import annotations

import re
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Items = tuple[str, ...]
    """The concrete items of a word or a line."""


_JOINED = re.compile(r"[a-z]*+[A-Z\d_./:=~@-][\w./:=~@?&%#+-]++")
"""A word with everything that is joined to it: a path, a dotted name, a number with its key. No
plain words in small letters.
"""
_JOINTS = re.compile(r"[:=&?#%+]+")
_KEYED = re.compile(r"\b[A-Za-z_]\w{2,}[=:]-?\d[\d.]*\b")
"""A number with what it is the value of: `retries=30`."""
_WORDS = re.compile(r"\w+")
_CONTEXT = re.compile(r"(\.[A-Za-z]\w{0,5})-\d+(?:-.*)?$")
"""A file with the number of a line beside what was searched for: `a/b.go-32-`."""
_LIKELY = re.compile(r"^[~/.]|\.\w+$|/.+/")
"""A path says so: by where it begins, by an ending, or by its depth. `a/b` may be a division."""
FIELD = "- "
"""How an item begins that is a whole line of a page: what was put into a field, or a code."""
_ADDRESS = ("http://", "https://")
_SHORTEST = 3
_MOST_CHUNKS, _MOST_LINES = 100_000, 50_000


def items_of(line: str) -> Items:
    """The items of a line, each once."""
    chunks = _JOINED.findall(line)
    if not chunks:
        return ()
    if len(chunks) == 1:
        return _items_of_chunk[chunks[0]]
    # Maps, because every new line of a conversation comes by here.
    items = chain.from_iterable(map(_items_of_chunk.__getitem__, chunks))
    return tuple(dict.fromkeys(items))


class _ItemsOfLines(dict[str, "Items"]):
    """Files are read again and again, with most of their lines as they were."""

    def __missing__(self, line: str) -> Items:
        if len(self) > _MOST_LINES:
            self.clear()
        items = items_of(line)
        self[line] = items
        return items


items_of_line = _ItemsOfLines()


class _ItemsOfChunks(dict[str, "Items"]):
    """The items of what is written without a blank, worked out once."""

    def __missing__(self, chunk: str) -> Items:
        if len(self) > _MOST_CHUNKS:
            self.clear()
        items: Items = ()
        if not chunk.isidentifier():
            items = tuple(dict.fromkeys(_parts_of(chunk)))
        elif is_concrete(chunk):
            items = (chunk,)
        self[chunk] = items
        return items


_items_of_chunk = _ItemsOfChunks()
"""Shared by all conversations of this process, as most of them are about the same things."""


def _parts_of(chunk: str) -> list[str]:
    """The address, the flag, the paths and names that a chunk is made of."""
    if chunk.startswith(_ADDRESS):
        return [chunk.rstrip(".,:;-")]
    items: list[str] = []
    if chunk.startswith("--") and chunk[2:3].isalpha():
        flag, _, chunk = chunk.partition("=")
        items.append(flag)
    items += _KEYED.findall(chunk)
    for joined in _JOINTS.split(chunk):
        part = _CONTEXT.sub(r"\1", joined) if "-" in joined else joined
        if part.isidentifier():
            if is_concrete(part):
                items.append(part)
        elif "/" in part:
            items += _items_of_path(part)
        elif part:
            items += _items_of_dotted(part)
    return items


def _items_of_path(part: str) -> list[str]:
    """The path, where it is likely to be one, and its last name."""
    path = part.rstrip("./-@~").removeprefix("./")
    items: list[str] = []
    if len(path) > _SHORTEST + 1 and _LIKELY.search(path):
        items.append(path)
        folders = path.split("/")
        if len(folders) > 3:
            items.append("/".join(folders[-2:]))
    items += _items_of_dotted(path.rpartition("/")[2])
    return items


def _items_of_dotted(part: str) -> list[str]:
    """A number, a dotted name and what is concrete in it, or something hyphened that has a digit."""
    word = part.strip(".-@~")
    if word.isidentifier() or word.isdigit():
        return [word] if is_concrete(word) else []
    names = _WORDS.findall(word)
    is_telling = "." in word or any(map(_has_digit, names))
    if not is_telling or len(word) <= _SHORTEST + 1:
        return list(filter(is_concrete, names))
    if "-" in word:
        return [word]
    parts = word.split(".")
    if len(parts) > 2:
        return [word, ".".join(parts[-2:]), *filter(is_concrete, names)]
    return [word, *filter(is_concrete, names)]


def _has_digit(word: str) -> bool:
    return not word.isalpha()


def is_concrete(word: str) -> bool:
    """Whether it is a name or a number rather than a word: it has an underscore, a digit, or
    capitals.
    """
    if len(word) < _SHORTEST:
        return False
    if word.isalpha():
        behind_first = word[1:]
        if word.isupper():
            return len(word) > _SHORTEST
        return not behind_first.islower()
    if word.isdigit():
        return len(word) > _SHORTEST
    if word.isalnum():
        return True
    return "_" in word.strip("_")


def forget_items() -> None:
    _items_of_chunk.clear()
    items_of_line.clear()


def halves(line: str) -> tuple[str, str]:
    """The first and the last part of a line, each a little more than half of its different words."""
    words = line.split()
    enough = len(set(_WORDS.findall(line))) * 0.55 + 1
    return _beginning(words, enough), _ending(words, enough)


def _beginning(words: Sequence[str], enough: float) -> str:
    seen: set[str] = set()
    for number, word in enumerate(words, 1):
        seen.update(_WORDS.findall(word))
        if len(seen) >= enough:
            return " ".join(words[:number])
    return " ".join(words)


def _ending(words: Sequence[str], enough: float) -> str:
    seen: set[str] = set()
    first = len(words)
    while first > 0 and len(seen) < enough:
        first -= 1
        seen.update(_WORDS.findall(words[first]))
    return " ".join(words[first:])
