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


class StoreAbout(Record):
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


def about(project: Project | None) -> StoreAbout:
    with open_store(project) as store:
        engine = store.engine
        if engine.name == "none":
            return StoreAbout("sqlite", coming_place(project), 0, "", 0, "", True, {})
        rows = counted(engine, store.workflow, store.version)
        shown = _shared(store, rows) if engine.name == "postgresql" else _file(store, rows)
        # A store of an older version may have no archive yet.
        if "dctx_originals" in rows:
            shown = shown.replace(archived=held(engine, store.workflow).size)
        return shown


def coming_place(project: Project | None) -> str:
    """Where the store will be once something is kept."""
    from director_ctx.context.settings.options import load_settings
    from director_ctx.memory.store.teams import file_of

    root = configured = None
    if project:
        root = project.root
        configured = load_settings(project).store
    url = store_url(root, configured)
    named = file_of(url) if url else None
    if named:
        return named
    own = file_place(root, write=False)
    return own or os.path.join(root or "", ".director", ".dctx", "store.db")


def _file(store: Store, rows: Mapping[str, int]) -> StoreAbout:
    engine = store.engine
    version = _pragma(engine, "user_version")
    journal = _pragma(engine, "journal_mode")
    synced = _pragma(engine, "synchronous")
    level = _SYNCED.get(int(str(synced)), str(synced))
    path = str(getattr(engine, "place", ""))
    return StoreAbout(
        engine="sqlite",
        place=path,
        version=int(str(version)),
        workflow=store.workflow,
        size=file_size(path),
        durability=f"journal {journal}, synchronous {level}",
        is_safe=level in ("full", "extra"),
        rows=rows,
        server=f"SQLite {_sqlite()}",
    )


def _pragma(engine: Engine, name: str) -> object:
    row = engine.row(f"PRAGMA {name}")
    return row[0] if row else ""


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def _shared(store: Store, rows: Mapping[str, int]) -> StoreAbout:
    engine = store.engine
    size = engine.row(_SIZE)
    fsync, commit, server = engine.row(_SETTINGS) or ("", "", "")
    return StoreAbout(
        engine="postgresql",
        place=str(getattr(engine, "place", "")),
        version=store.version or VERSION,
        workflow=store.workflow,
        size=int(size[0]) if size else 0,
        durability=f"fsync {fsync}, synchronous_commit {commit}",
        is_safe=fsync == "on" and commit not in ("off", "local"),
        rows=rows,
        server=f"PostgreSQL {server}",
    )


def file_size(place: str) -> int:
    """With the log beside it."""
    files = (place, f"{place}-wal")
    return sum(os.path.getsize(path) for path in files if os.path.isfile(path))


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
