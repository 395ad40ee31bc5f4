"""How a provider counts in conversations that go on, so that a program that starts anew knows it.

They stand beside the cuts of `cuts.py`; there are no words of a conversation in them.
"""

from __future__ import annotations

from director_ctx.memory.archive.cuts import find
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

PREFIX = "size "
"""How their names begin; those of cuts are hashes."""
MOST = 512
_ARE_THEY = f"substr(name, 1, {len(PREFIX)}) = '{PREFIX}'"
_KEPT = "SELECT content FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_KEEP = (
    "INSERT INTO dctx_cuts (workflow_id, name, used_at, content) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET used_at = excluded.used_at, content = excluded.content"
)
_DROP_OLD = (
    f"DELETE FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_THEY} AND name NOT IN"
    f" (SELECT name FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_THEY} ORDER BY used_at DESC, name LIMIT ?)"
)


def kept_size(store: Store, names: Sequence[str]) -> str | None:
    """The content that was kept under the last of these names that is known."""
    found = find(store, [PREFIX + name for name in names])
    if found is None:
        return None
    _, content = found
    return content


def keep_size(store: Store, name: str, content: str) -> None:
    """Durable on return. Of more than `MOST`, the oldest go."""
    workflow = store.workflow
    full_name = PREFIX + name

    def work(writer: Writer) -> bool:
        ensure_workflow(writer, store)
        writer.run(_KEEP, (workflow, full_name, now(), content))
        writer.run(_DROP_OLD, (workflow, workflow, MOST))
        return True

    def done(reader: Reader) -> bool | None:
        row = reader.row(_KEPT, (workflow, full_name))
        if row and row[0] == content:
            return True
        return None

    store.engine.write(workflow, work, done)
