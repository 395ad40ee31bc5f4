"""What a store is, where, and how much is in it; and the room in it that nothing uses."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.memory.archive.originals import held
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.file import file_place
from director_ctx.memory.store.open import open_file, open_store, store_url
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.transfer.rows import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.memory.store.engine import Engine
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint FROM unnest(ARRAY['workflows',"
    " 'director_plans', 'compressed_contexts', 'conversations', 'dctx_variables', 'dctx_variable_changes',"
    " 'dctx_tabs', 'dctx_originals', 'dctx_compressions', 'dctx_summaries', 'dctx_cuts', 'dctx_meta']) AS name"
)
_SETTINGS = "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('server_version')"
_SYNCED = {0: "off", 1: "normal", 2: "full", 3: "extra"}


class About(Record):
    """All that `store info` shows."""

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


def about(project: Project | None) -> About:
    with open_store(project) as store:
        engine = store.engine
        if engine.name == "none":
            return About("sqlite", coming_place(project), 0, "", 0, "", True, {})
        rows = counted(engine, store.workflow, store.version)
        found = _shared(store, rows) if engine.name == "postgresql" else _file(store, rows)
        return found.replace(
            archived=held(engine, store.workflow).size if "dctx_originals" in rows else 0
        )


def coming_place(project: Project | None) -> str:
    """Where the store will be once something is kept."""
    from director_ctx.context.settings.options import load_settings
    from director_ctx.memory.store.teams import file_of

    root = project.root if project else None
    url = store_url(root, load_settings(project).store if project else None)
    named = file_of(url) if url else None
    return (
        named
        or file_place(root, write=False)
        or os.path.join(root or "", ".director", ".dctx", "store.db")
    )


def _file(store: Store, rows: Mapping[str, int]) -> About:
    engine = store.engine
    version, journal, synced = (
        _pragma(engine, name) for name in ("user_version", "journal_mode", "synchronous")
    )
    level = _SYNCED.get(int(str(synced)), str(synced))
    safe = level in ("full", "extra")
    place = str(getattr(engine, "place", ""))
    return About(
        "sqlite", place, int(str(version)), store.workflow, file_size(place), f"journal {journal}, synchronous {level}",
        safe, rows, f"SQLite {_sqlite()}",
    )  # fmt: skip


def _pragma(engine: Engine, name: str) -> object:
    row = engine.row(f"PRAGMA {name}")
    return row[0] if row else ""


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def _shared(store: Store, rows: Mapping[str, int]) -> About:
    engine = store.engine
    size, said = engine.row(_SIZE), engine.row(_SETTINGS) or ("", "", "")
    safe = said[0] == "on" and said[1] not in ("off", "local")
    return About(
        "postgresql", str(getattr(engine, "place", "")), store.version or VERSION, store.workflow,
        int(size[0]) if size else 0,
        f"fsync {said[0]}, synchronous_commit {said[1]}", safe, rows, f"PostgreSQL {said[2]}",
    )  # fmt: skip


def file_size(place: str) -> int:
    """With the log beside it."""
    return sum(os.path.getsize(name) for name in (place, f"{place}-wal") if os.path.isfile(name))


def kept_here(root: str) -> int:
    """Rows in the project's own file, which nobody reads while another store is named."""
    place = file_place(root, write=False)
    if not place or not os.path.lexists(place):
        return 0
    with open_file(place, "", "", write=False) as store:
        return sum(counted(store.engine, store.workflow, store.version).values())


def vacuum(store: Store) -> tuple[int, int]:
    """Bytes before and after."""
    place = str(getattr(store.engine, "place", ""))
    before = file_size(place)
    if store.engine.name == "sqlite":
        store.engine.rows("VACUUM")
        busy = store.engine.row("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy and busy[0]:
            raise StoreError(
                "Another program reads the store, so its log could not be emptied.",
                "Try again later.",
            )
    return before, file_size(place)
