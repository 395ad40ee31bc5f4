"""Divides a context over answers that may hold only so much: whole sections in their order, the most
important first where not all fit, and nothing cut off.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import characters
from director_ctx.context.ladder import LADDER
from director_ctx.context.settings.tags import (
    COMPRESSED,
    EVERYWHERE_PROTECTED,
    GROUPS,
    STATE,
    VISION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Protocol

    class Piece(Protocol):
        """A section as it is printed."""

        @property
        def tag(self) -> str: ...
        @property
        def text(self) -> str: ...
        @property
        def protected(self) -> bool: ...


JOIN = "\n\n"
TOO_LARGE = (
    "Too large to be given here. Before you begin, read what you need of it, with these commands:"
)
_PART = "(Part "
_OF_ONE = " of one context.)"
_HEAD = 120
"""Characters that are left free for what stands before a part."""

_FIRST = EVERYWHERE_PROTECTED - {VISION, COMPRESSED} | {STATE}
"""Short, and no agent can do without: task, decisions, instructions and the like."""
_GROUP_OF = {tag: group for group, members in GROUPS.items() for tag in members}
_CUT_AT = {rung.group: place for place, rung in enumerate(LADDER)}
"""By group, its last place on the ladder: what is cut later matters more."""


class Parts(Record):
    """How many parts there may be, and how large each of them."""

    cap: int
    most: int
    command: Callable[[str], str]
    """The command that prints the section of a tag."""
    size: Callable[[str], int] = characters


class Division:
    """Sections in parts. `named` is left out anyway, and only named."""

    def __init__(self, pieces: Sequence[Piece], parts: Parts, named: Sequence[Piece] = ()) -> None:
        self._pieces = pieces
        self._parts = parts
        self._named = named
        self._sizes = {piece.tag: parts.size(piece.text) for piece in pieces}
        self._lines: dict[str, str] = {}
        self._limit = parts.cap
        if parts.most > 1:
            self._limit -= _HEAD
        self._kept = self._most_important()

    @property
    def left_out(self) -> frozenset[str]:
        """The tags of the sections that find no space."""
        return frozenset(self._sizes).difference(self._kept)

    def texts(self) -> tuple[str, ...]:
        """The parts; the last one names what is not in them, each section with its command."""
        parts = self._packed(self._kept)
        if parts is None:
            # There is not even space for the names, and they have to be known all the same.
            parts = [[self._names(self._kept)]]
        return _numbered([JOIN.join(part) for part in parts])

    def _most_important(self) -> Collection[str]:
        """All tags, or those of what fits where the most important comes first."""
        every = set(self._sizes)
        if self._packed(every) is not None:
            return every

        kept: set[str] = set()
        ordered = sorted(self._pieces, key=importance, reverse=True)
        before = -1
        # A section that goes in saves its name, so one that had no space before may have it then.
        while before < len(kept):
            before = len(kept)
            for piece in ordered:
                if self._packed({*kept, piece.tag}) is not None:
                    kept.add(piece.tag)
        return kept

    def _packed(self, kept: Collection[str]) -> list[list[str]] | None:
        """The texts of each part, where each is as full as their order allows; None where that
        makes too many parts.
        """
        inside = [piece for piece in self._pieces if piece.tag in kept and piece.text]
        measured = [(piece.text, self._sizes[piece.tag]) for piece in inside]
        names = self._names(kept)
        if names:
            measured.append((names, self._parts.size(names)))
        parts: list[list[str]] = []
        full = 0
        for text, size in measured:
            longer = full + len(JOIN) + size
            if parts and longer <= self._limit:
                parts[-1].append(text)
                full = longer
            elif len(parts) < self._parts.most and size <= self._limit:
                parts.append([text])
                full = size
            else:
                return None
        return parts

    def _names(self, kept: Collection[str]) -> str:
        """What is not in the parts, with the commands that print it."""
        left = [piece for piece in self._pieces if piece.tag not in kept]
        lines = [self._line(piece) for piece in (*left, *self._named)]
        return "\n".join([TOO_LARGE, *lines]) if lines else ""

    def _line(self, piece: Piece) -> str:
        # Once for each: to know the command, the whole PATH may be looked through.
        if piece.tag not in self._lines:
            size = len(piece.text)
            command = self._parts.command(piece.tag)
            self._lines[piece.tag] = f"- {piece.tag}, {size:,} characters: `{command}`"
        return self._lines[piece.tag]


def importance(piece: Piece) -> tuple[bool, bool, int]:
    group = _GROUP_OF.get(piece.tag, piece.tag)
    return piece.tag in _FIRST, piece.protected, _CUT_AT.get(group, len(LADDER))


def divide(
    pieces: Sequence[Piece],
    cap: int,
    most: int,
    command: Callable[[str], str],
    size: Callable[[str], int] = characters,
) -> tuple[str, ...]:
    """The texts of at most so many parts, each at most so large; what finds no space is named with
    its command.
    """
    return Division(pieces, Parts(cap, most, command, size)).texts()


def is_part_line(line: str) -> bool:
    """Whether a line is the one that stands before a part."""
    return line.startswith(_PART) and line.endswith(_OF_ONE)


def _numbered(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) < 2:
        return tuple(texts)

    numbered = []
    for number, text in enumerate(texts, 1):
        head = f"{_PART}{number} of {len(texts)}{_OF_ONE}"
        numbered.append(f"{head}\n\n{text}")
    return tuple(numbered)
