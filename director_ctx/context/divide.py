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
_PART, _OF_ONE = "(Part ", " of one context.)"
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
    room = cap - _HEAD if most > 1 else cap
    parts, kept = _pack([piece for piece in pieces if size(piece.text) <= room], room, most, size)
    left = [piece for piece in pieces if piece not in kept]
    if left and len(parts) < most and size(_text(parts[-1:], named(left, command))) > room:
        parts.append([])
    while left and parts and size(_text(parts[-1:], named(left, command))) > room and parts[-1]:
        kept.remove(parts[-1].pop())
        left = [piece for piece in pieces if piece not in kept]
    texts = [_text([part]) for part in parts] or [""]
    if left:
        texts[-1] = _text(parts[-1:], named(left, command))
    return _numbered([text for text in texts if text])


def named(pieces: Sequence[Piece], command: Callable[[str], str]) -> str:
    """A sentence for sections that are not here."""
    lines = (
        f"- {piece.tag}, {len(piece.text):,} characters: `{command(piece.tag)}`" for piece in pieces
    )
    return f"{TOO_LARGE}\n" + "\n".join(lines)


def is_part_line(line: str) -> bool:
    """Whether a line is the one that stands before a part."""
    return line.startswith(_PART) and line.endswith(_OF_ONE)


def _text(parts: Sequence[Sequence[Piece]], last: str = "") -> str:
    return JOIN.join([piece.text for part in parts for piece in part] + [last] * bool(last))


def _pack(
    pieces: Sequence[Piece], room: int, most: int, size: Callable[[str], int]
) -> tuple[list[list[Piece]], list[Piece]]:
    """Parts in order, and everything that is in one of them."""
    parts: list[list[Piece]] = []
    kept: list[Piece] = []
    for piece in pieces:
        if parts and size(_text([[*parts[-1], piece]])) <= room:
            parts[-1].append(piece)
        elif len(parts) < most:
            parts.append([piece])
        else:
            break
        kept.append(piece)
    return parts, kept


def _numbered(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) < 2:
        return tuple(texts)
    return tuple(
        f"{_PART}{number} of {len(texts)}{_OF_ONE}\n\n{text}"
        for number, text in enumerate(texts, 1)
    )
