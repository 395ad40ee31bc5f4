"""Divides a context over answers that may hold only so much: by whole sections, in order, nothing
cut off.
"""

from __future__ import annotations

from director_ctx.base.text import characters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    class Piece(Protocol):
        """A section as it is printed."""

        @property
        def tag(self) -> str: ...
        @property
        def text(self) -> str: ...


JOIN = "\n\n"
TOO_LARGE = "Too large to be given here. Read this before you begin, with these commands:"
_PART = "(Part "
_OF_ONE = " of one context.)"
_HEAD = 120
"""Characters that are left free for what stands before a part."""


def divide(
    pieces: Sequence[Piece],
    cap: int,
    most: int,
    command: Callable[[str], str],
    size: Callable[[str], int] = characters,
) -> tuple[str, ...]:
    """The texts of at most so many parts, each at most so large; what finds no room is named with
    its command.
    """
    room = cap
    if most > 1:
        room -= _HEAD

    small = [piece for piece in pieces if size(piece.text) <= room]
    parts, packed = _pack(small, room, most, size)
    left = _without(pieces, packed)

    if left and len(parts) < most:
        last_part = _last_part(parts, left, command)
        if size(last_part) > room:
            # Room for the names of what is left.
            parts.append([])
    # Whatever makes way for them is left as well, and so gets a name of its own.
    while left and parts and parts[-1]:
        if size(_last_part(parts, left, command)) <= room:
            break
        piece = parts[-1].pop()
        packed.remove(piece)
        left = _without(pieces, packed)

    texts = [_text(part) for part in parts] or [""]
    if left:
        texts[-1] = _last_part(parts, left, command)
    return _numbered(list(filter(None, texts)))


def _without(pieces: Sequence[Piece], packed: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece not in packed]


def sentence_about(pieces: Sequence[Piece], command: Callable[[str], str]) -> str:
    """A sentence for sections that are not here."""
    lines = [TOO_LARGE]
    for piece in pieces:
        size = len(piece.text)
        lines.append(f"- {piece.tag}, {size:,} characters: `{command(piece.tag)}`")
    return "\n".join(lines)


def _last_part(
    parts: Sequence[Sequence[Piece]], left: Sequence[Piece], command: Callable[[str], str]
) -> str:
    """The last part, with the names of all that is left behind it."""
    part: Sequence[Piece] = ()
    if parts:
        part = parts[-1]
    return _text(part, sentence_about(left, command))


def is_part_line(line: str) -> bool:
    """Whether a line is the one that stands before a part."""
    return line.startswith(_PART) and line.endswith(_OF_ONE)


def _text(part: Sequence[Piece], names: str = "") -> str:
    texts = [piece.text for piece in part]
    if names:
        texts.append(names)
    return JOIN.join(texts)


def _pack(
    pieces: Sequence[Piece],
    room: int,
    most: int,
    size: Callable[[str], int],
) -> tuple[list[list[Piece]], list[Piece]]:
    """Parts in order, and everything that is in one of them."""
    parts: list[list[Piece]] = []
    packed: list[Piece] = []
    for piece in pieces:
        fits = False
        if parts:
            longer = _text([*parts[-1], piece])
            fits = size(longer) <= room

        if fits:
            parts[-1].append(piece)
        elif len(parts) < most:
            parts.append([piece])
        else:
            break
        packed.append(piece)
    return parts, packed


def _numbered(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) < 2:
        return tuple(texts)

    numbered = []
    for number, text in enumerate(texts, 1):
        head = f"{_PART}{number} of {len(texts)}{_OF_ONE}"
        numbered.append(f"{head}\n\n{text}")
    return tuple(numbered)
