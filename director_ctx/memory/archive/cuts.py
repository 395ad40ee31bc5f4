"""What stands for the beginnings of conversations that go on, so that a program that starts anew
goes on with them.

They can be made again at a price (a provider's cache), so they stay here, and travel to no other
store.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.archive.rows import in_parts, row_of, rows_for, with_marks
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

_NAMED = "SELECT name FROM dctx_cuts WHERE workflow_id = ? AND name IN ({marks})"
_CONTENT = "SELECT content FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_KEEP = (
    "INSERT INTO dctx_cuts (workflow_id, name, used_at, content) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET used_at = excluded.used_at, content = excluded.content"
)
_USED = "UPDATE dctx_cuts SET used_at = ? WHERE workflow_id = ? AND name IN ({marks})"
_DROP = "DELETE FROM dctx_cuts WHERE workflow_id = ? AND name = ?"
_ARE_CUTS = "substr(name, 1, 5) <> 'size '"
"""Beside them stand those of `sizes.py`, which are counted by themselves."""
_DROP_OLD = (
    f"DELETE FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_CUTS} AND name NOT IN"
    f" (SELECT name FROM dctx_cuts WHERE workflow_id = ? AND {_ARE_CUTS} ORDER BY used_at DESC, name LIMIT ?)"
)
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
    rows = rows_for(store.engine, _NAMED, store.workflow, names)
    known = {name for (name,) in rows}
    last = next((name for name in reversed(names) if name in known), None)
    if last is None:
        return None
    row = row_of(store, _CONTENT, last)
    # Another process may have dropped it meanwhile.
    if row is None:
        return None
    return last, str(row[0])


def keep(store: Store, cut: Lasting, most: int) -> None:
    """Durable on return. Of more than `most`, those go that were not used for longest."""
    workflow = store.workflow
    moment = now()

    def work(writer: Writer) -> bool:
        ensure_workflow(writer, store)
        for part in in_parts(sorted(cut.used)):
            statement = with_marks(_USED, part)
            writer.run(statement, (moment, workflow, *part))
        if cut.instead:
            writer.run(_DROP, (workflow, cut.instead))

        # Later than what was used, so that none of those is the newest in its place.
        kept_at = now()
        values = (workflow, cut.name, kept_at, cut.content)
        writer.run(_KEEP, values)
        writer.run(_DROP_OLD, (workflow, workflow, most))
        return True

    def done(reader: Reader) -> bool | None:
        row = reader.row(_CONTENT, (workflow, cut.name))
        if row and row[0] == cut.content:
            return True
        return None

    store.engine.write(workflow, work, done)
