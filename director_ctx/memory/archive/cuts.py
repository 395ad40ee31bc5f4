"""What stands for the beginnings of conversations that go on, and how a provider counts in them, so
that a program that starts anew goes on with them.

Cuts can be made again at a price (a provider's cache), so they stay here, and travel to no other
store. Of sizes only numbers are kept.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.archive.rows import rows_for, rows_of, statements
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

SIZE = "size "
"""How the names of sizes begin; those of cuts are hashes."""
MOST_SIZES = 512
_NAMED = "SELECT name FROM dctx_cuts WHERE workflow_id = ? AND name IN ({marks})"
_CONTENT = "SELECT content FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_KEEP = (
    "INSERT INTO dctx_cuts (workflow_id, name, used_at, content) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET used_at = excluded.used_at, content = excluded.content"
)
_USED = "UPDATE dctx_cuts SET used_at = ? WHERE workflow_id = ? AND name IN ({marks})"
_DROP = "DELETE FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_DROP_OLD = (
    "DELETE FROM dctx_cuts WHERE workflow_id = ? AND substr(name, 1, 5) {is_kind} 'size ' AND name NOT IN"
    " (SELECT name FROM dctx_cuts WHERE workflow_id = ? AND substr(name, 1, 5) {is_kind} 'size '"
    " ORDER BY used_at DESC, name LIMIT ?)"
)
"""Cuts and sizes are counted by themselves."""
FORGET_ALL = "DELETE FROM dctx_cuts WHERE workflow_id = ?"
"""They hold words of the originals, so they go with whatever is deleted of those."""


class Lasting(Record):
    """A cut that is to be kept."""

    name: str
    content: str
    instead: str = ""
    """The name of an earlier one of the same conversation, which goes."""
    used: frozenset[str] = frozenset()
    """The names of others that were used meanwhile."""


def find(store: Store, names: Sequence[str]) -> tuple[str, str] | None:
    """The last of these names that is known, and the content of its cut."""
    known = {name for (name,) in rows_for(store.engine, _NAMED, store.workflow, names)}
    for name in reversed(names):
        if name in known:
            # Another process may have dropped it meanwhile.
            for (content,) in rows_of(store, _CONTENT, name):
                return name, str(content)
            return None
    return None


def keep(store: Store, cut: Lasting, most: int) -> None:
    """Durable on return. Of more than `most`, those go that were not used for longest."""
    workflow = store.workflow
    drop_old = _DROP_OLD.format(is_kind="=" if cut.name.startswith(SIZE) else "<>")

    def work(writer: Writer) -> bool:
        ensure_workflow(writer, store)
        for statement, values in statements(_USED, workflow, sorted(cut.used)):
            writer.run(statement, (now(), *values))
        if cut.instead:
            writer.run(_DROP, (workflow, cut.instead))
        # Later than what was used, so that none of those is the newest in its place.
        writer.run(_KEEP, (workflow, cut.name, now(), cut.content))
        writer.run(drop_old, (workflow, workflow, most))
        return True

    def done(reader: Reader) -> bool | None:
        row = reader.row(_CONTENT, (workflow, cut.name))
        return bool(row and row[0] == cut.content) or None

    store.engine.write(workflow, work, done)


def kept_size(store: Store, names: Sequence[str]) -> str | None:
    """The content that was kept under the last of these names that is known."""
    found = find(store, [SIZE + name for name in names])
    return found[1] if found else None


def keep_size(store: Store, name: str, content: str) -> None:
    """Durable on return. Of more than `MOST_SIZES`, the oldest go."""
    keep(store, Lasting(SIZE + name, content), MOST_SIZES)
