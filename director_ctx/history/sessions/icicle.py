"""The picture of where the tokens went: each level a row, each part as wide as its share."""

from __future__ import annotations

from html import escape

from director_ctx.base.record import Record
from director_ctx.history.sessions.spending import title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Json = dict[str, Any]

NARROWEST = 0.25
"""Percent of the whole; what is narrower cannot be seen, and stands in the table alone."""
WIDTH, ROW = 1_000, 30
FEWEST_LETTERS = 3
_LETTER = 7.2
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1d1e20}rect{stroke:#fff;stroke-width:1}"
    ".level0{fill:#c9d3f5}.level1{fill:#dbe2f9}.level2{fill:#ebeffc}.level3{fill:#f4f6fd}"
)


class IcicleCell(Record):
    """A part of the tree, in percent of the width."""

    path: tuple[str, ...]
    level: int
    left: float
    width: float
    tokens: int
    blocks: int
    first: int

    @property
    def title(self) -> str:
        return title(self.path)

    @property
    def short(self) -> str:
        """Of a file its name: most parts are narrow, and the whole path is in the title."""
        path, _, _ = self.title.partition(" in ")
        return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def cells(tree: Json) -> list[IcicleCell]:
    """From left to right, a part before what it is made of."""
    return list(_below(tree, (), 0.0, max(1, tree["tokens"])))


def _below(node: Json, path: tuple[str, ...], left: float, whole: int) -> Iterator[IcicleCell]:
    width = node["tokens"] * 100 / whole
    if width < NARROWEST:
        return
    yield IcicleCell(
        path=path,
        level=len(path),
        left=round(left, 3),
        width=round(width, 3),
        tokens=node["tokens"],
        blocks=node["blocks"],
        first=node["first"],
    )
    for part in node["parts"]:
        yield from _below(part, (*path, part["name"]), left, whole)
        left += part["tokens"] * 100 / whole


def as_svg(tree: Json, heading: str) -> str:
    """A picture that stands for itself, in a file."""
    shown = cells(tree)
    rows = max((cell.level for cell in shown), default=0) + 1
    height = rows * ROW
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(heading)}</title><style>{_STYLE}</style>",
    ]
    pieces += map(_as_svg, shown)
    pieces.append("</svg>")
    return "\n".join(pieces) + "\n"


def _as_svg(cell: IcicleCell) -> str:
    left = cell.left * WIDTH / 100
    width = cell.width * WIDTH / 100
    top = cell.level * ROW
    says = f"{cell.title}: {cell.tokens:,} tokens"
    words = f"{cell.short} {cell.tokens:,}"
    room = int((width - 10) / _LETTER)
    if room < len(words):
        words = cell.short[:room]
    label = ""
    if room >= FEWEST_LETTERS:
        label = f'<text x="{left + 6:.1f}" y="{top + 19}">{escape(words)}</text>'
    return (
        f'<g><title>{escape(says)}</title><rect class="level{cell.level}" x="{left:.2f}"'
        f' y="{top}" width="{width:.2f}" height="{ROW}"/>{label}</g>'
    )
