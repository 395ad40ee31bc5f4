"""What a text says point by point."""

from __future__ import annotations

from director_ctx.other_plans.formats.parts import ITEM, items, listed
from director_ctx.other_plans.wording import item
from director_ctx.project.reading.markdown import headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def points(text: str) -> list[str]:
    """What it says point by point: the items of its lists, and what stands between them. What announces a list
    stands before its first item; a text without a list is one point.
    """
    if not text:
        return []
    if not listed(text):
        return [item(text, most=2000)]
    found: list[str] = []
    announced = ""
    for piece in _pieces(text):
        words = f"{announced} {_without_mark(piece)}"
        says = item(words.strip(), most=2000)
        announced = ""
        if says.endswith(":") or piece.startswith("#"):
            announced = says
        elif says:
            found.append(says)
    return [*found, announced] if announced else found


def _pieces(text: str) -> Iterator[str]:
    """Outermost items with all that is in them, and paragraphs."""
    outermost = {line for line, _ in items(text)}
    heads = {heading.line for heading in headings(text)}
    piece: list[str] = []
    was_blank = False
    for number, line in enumerate(text.split("\n"), 1):
        is_paragraph = was_blank and not line.startswith((" ", "\t"))
        is_start = number in outermost or number in heads or is_paragraph
        if is_start and line.strip():
            yield "\n".join(piece)
            piece = []
        piece.append(line)
        was_blank = not line.strip() or number in heads
    yield "\n".join(piece)


def _without_mark(piece: str) -> str:
    match = ITEM.match(piece)
    return piece[match.start("text") :] if match else piece
