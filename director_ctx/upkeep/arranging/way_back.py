"""How somebody has again what they removed: where its files lie, and where they go."""

from __future__ import annotations

from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.arranging.journal import ARCHIVE
from director_ctx.upkeep.arranging.places import children, every_unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.reading.model import Place
    from director_ctx.upkeep.arranging.arrange import Arranged


def way_back(removed: Arranged) -> str:
    """The path that it gets as the last of its parent; `dctx doctor --fix` lists it there again."""
    inner = removed.archived.removeprefix(f"{ARCHIVE}/")
    folder, _, archived_name = inner.rpartition("/")
    # The archive sets a number behind each name: `02-water.md.1`.
    name, _, _ = archived_name.rpartition(".")
    _, _, words = name.partition("-")
    numbers = [unit.number for unit in children(removed.project, _parent(removed))]
    number = max(numbers, default=0) + 1
    return f"{FOLDER}/{folder}/{number:02}-{words}"


def _parent(removed: Arranged) -> Place | None:
    parent_ref, _, _ = removed.ref.rpartition("/")
    for place in every_unit(removed.project):
        if place.ref == parent_ref:
            return place
    return None
