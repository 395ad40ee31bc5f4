"""What a model asked a proxy, and was told, in conversations that go on: its clients never saw it, so
nobody else could say it again.

They stand beside the cuts of `cuts.py`, and like those go with the originals that they quote.
"""

from __future__ import annotations

from director_ctx.memory.archive.cuts import SINCE
from director_ctx.memory.archive.rows import rows_of
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

PREFIX = "call "
"""How their names begin; those of cuts are hashes."""
_ARE_THEY = f"substr(name, 1, {len(PREFIX)}) = '{PREFIX}'"
_ALL = f"SELECT name, content FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_THEY} ORDER BY used_at, name"
_KEPT = "SELECT content FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_KEEP = (
    "INSERT INTO dctx_cuts (workflow_id, name, used_at, content) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET used_at = excluded.used_at, content = excluded.content"
)
_DROP_OLD = (
    f"DELETE FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_THEY} AND name NOT IN"
    f" (SELECT name FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_THEY} ORDER BY used_at DESC, name LIMIT ?)"
)


def kept_exchanges(store: Store) -> list[tuple[str, str]]:
    """The name and the content of each, the newest last."""
    # A store of an earlier version may be read, and has no table of them.
    if 0 < store.version < SINCE:
        return []
    kept: list[tuple[str, str]] = []
    for key, content in rows_of(store, _ALL):
        name = str(key).removeprefix(PREFIX)
        kept.append((name, str(content)))
    return kept


def keep_exchanges(store: Store, exchanges: Iterable[tuple[str, str]], most: int) -> None:
    """Durable on return. Of more than `most`, the oldest go."""
    workflow = store.workflow
    kept = list(exchanges)

    def work(writer: Writer) -> bool:
        ensure_workflow(writer, store)
        for name, content in kept:
            writer.run(_KEEP, (workflow, PREFIX + name, now(), content))
        writer.run(_DROP_OLD, (workflow, workflow, most))
        return True

    def done(reader: Reader) -> bool | None:
        for name, content in kept:
            row = reader.row(_KEPT, (workflow, PREFIX + name))
            if not row or row[0] != content:
                return None
        return True

    store.engine.write(workflow, work, done)
