"""What a store is, where, and how much is in it."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.archive.originals import held
from director_ctx.memory.store.by_url import file_of
from director_ctx.memory.store.file import file_place
from director_ctx.memory.store.open import open_file, open_store, store_url
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.transfer.rows import counted_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.project.project import Project


class StoreAbout(Record):
    """All that `store show` shows."""

    engine: str
    place: str
    version: int
    workflow: str
    size: int
    durability: str
    is_safe: bool
    """Whether what was said to be written survives a loss of power."""
    rows: Mapping[str, int]
    server: str = ""
    archived: int = 0
    """Bytes of originals in the archive."""


def about(project: Project | None) -> StoreAbout:
    with open_store(project) as store:
        engine = store.engine
        if engine.name == "none":
            return StoreAbout("sqlite", coming_place(project), 0, "", 0, "", True, {})

        condition = engine.condition()
        return StoreAbout(
            engine=engine.name,
            place=engine.place,
            version=VERSION,
            workflow=store.workflow,
            size=condition.size,
            durability=condition.durability,
            is_safe=condition.is_safe,
            rows=counted_in(store),
            server=condition.server,
            archived=held(engine, store.workflow).size,
        )


def coming_place(project: Project | None) -> str:
    """Where the store will be once something is kept."""
    root = project.root if project else None
    url = store_url(root, load_settings(project).store if project else None)
    named = file_of(url) if url else None
    own = named or file_place(root, write=False)
    return own or os.path.join(root or "", ".director", ".dctx", "store.db")


def kept_here(root: str) -> int:
    """Rows in the project's own file, which nobody reads while another store is named."""
    place = file_place(root, write=False)
    if not place or not os.path.lexists(place):
        return 0
    with open_file(place, "", "", write=False) as store:
        return sum(counted_in(store).values())
