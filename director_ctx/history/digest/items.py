"""Concrete items in a text: paths, names of code, ids, numbers. Plain words of a language are none."""

from __future__ import annotations

import re
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

JOINED = re.compile(r"[a-z]*+[A-Z\d_./:=-][\w./:=-]++")
"""A word with everything that is joined to it: a path, a dotted name, a number with its key. No plain words."""
REF, POINTER = "[ref=", "[cursor=pointer]"
_ROLES = "link button textbox searchbox combobox checkbox radio switch slider spinbutton option menuitem tab"
ACTS = tuple(f"- {role} " for role in _ROLES.split())
"""Elements of a page that an agent acts on; it has no use for the marks of others."""
_MARKS = re.compile(r"\[[a-z]+=[^\]]*\]")
_NUMBERED = re.compile(r"\d+(?:→|\t|[:-](?!\d))\s*")
"""What stands before a line of a file that was printed with its number."""
_PART = re.compile(r"\w+")
_SHORTEST, _MOST, _MOST_LINES = 3, 100_000, 50_000


class _Items(dict[str, tuple[str, ...]]):
    """The items of what stands between two spaces, worked out once."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) > _MOST:
            self.clear()
        self[word] = found = tuple(chain.from_iterable(map(_of, JOINED.findall(word))))
        return found


_known = _Items()
"""Shared by all conversations of this process, as most of them are about the same things."""


_seen: dict[str, tuple[str, ...]] = {}
"""Of lines: in front of a model, a conversation is looked at again with everything that is added to it."""


def of_lines(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The items of each line."""
    known = {line: held for line in lines if (held := _seen.get(line)) is not None}
    item_of, together = _known.__getitem__, chain.from_iterable
    found = {line: tuple(together(map(item_of, line.split()))) for line in lines if line not in known}
    for line, held in found.items():
        if held and (line[0].isdigit() or REF in line):
            found[line] = tuple(together(map(item_of, _bare(line).split())))
    if len(_seen) + len(found) > _MOST_LINES:
        _seen.clear()
    if len(found) <= _MOST_LINES:
        _seen.update(found)
    return {**known, **found}


def _bare(line: str) -> str:
    """Without its number, and without the marks of what cannot be acted on."""
    if number := _NUMBERED.match(line):
        line = line[number.end() :]
    return _MARKS.sub(" ", line) if REF in line and not line.startswith(ACTS) and POINTER not in line else line


def items(line: str) -> tuple[str, ...]:
    return of_lines((line,))[line]


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
