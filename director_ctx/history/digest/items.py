"""Concrete items in a text: paths, names of code, ids, numbers. Plain words of a language are none."""

from __future__ import annotations

import re
from itertools import chain

JOINED = re.compile(r"[a-z]*+[A-Z\d_./:=-][\w./:=-]++")
"""A word with everything that is joined to it: a path, a dotted name, a number with its key. No plain words."""
REF, POINTER = "[ref=", "[cursor=pointer]"
_ROLES = "link button textbox searchbox combobox checkbox radio switch slider spinbutton option menuitem tab"
ACTS = tuple(f"- {role} " for role in _ROLES.split())
"""Elements of a page that an agent acts on; it has no use for the marks of others."""
_MARKS = re.compile(r"\[[a-z]+=[^\]]*\]")
_PART = re.compile(r"\w+")
_SHORTEST, _MOST = 3, 100_000


class _Items(dict[str, tuple[str, ...]]):
    """The items of what stands between two spaces, worked out once."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) > _MOST:
            self.clear()
        self[word] = found = tuple(chain.from_iterable(map(_of, JOINED.findall(word))))
        return found


_known = _Items()
"""Shared by all conversations of this process, as most of them are about the same things."""


def items(line: str) -> tuple[str, ...]:
    if REF in line and not line.startswith(ACTS) and POINTER not in line:
        line = _MARKS.sub(" ", line)
    return tuple(chain.from_iterable(map(_known.__getitem__, line.split())))


def _of(joined: str) -> tuple[str, ...]:
    word = joined if joined.isalnum() else joined.strip("./:=-")
    return _alone(word) if word.isidentifier() or word.isdigit() else _joined(word)


def _alone(word: str) -> tuple[str, ...]:
    return (word,) if _is_concrete(word) else ()


def _joined(word: str) -> tuple[str, ...]:
    """The word as a whole, the file at the end of a path, and the names in it."""
    found = [part for part in _PART.findall(word) if _is_concrete(part)]
    if len(word) > _SHORTEST + 1:
        found.append(word)
        if "/" in word:
            found.append(word.rpartition("/")[2])
    return tuple(dict.fromkeys(found))


def _is_concrete(word: str) -> bool:
    """Whether it is a name or a number rather than a word: it has an underscore, a digit, or capitals inside."""
    if word.isalpha():
        return not (word.islower() or word[1:].islower()) and len(word) >= _SHORTEST
    return len(word) >= _SHORTEST and (word.isalnum() or "_" in word.strip("_"))
