"""The picture of where the tokens went: each level a row, each part as wide as its share."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.sessions.spending import title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Json = dict[str, Any]

NARROWEST = 0.25
"""Percent of the whole; what is narrower cannot be seen, and stands in the table alone."""


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
