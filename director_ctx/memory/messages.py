"""The messages of a workflow, and the summaries that stand for archived ones: the seeds' two tables."""

from __future__ import annotations

from director_ctx.memory.marks import moments, new_id
from director_ctx.memory.store import ensure_workflow
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.memory.engine import Row, Writer
    from director_ctx.memory.store import Store

_COLUMNS = "id, role, content, timestamp, is_archived, metadata"
_OPEN = f"SELECT {_COLUMNS} FROM conversations WHERE workflow_id = ? AND is_archived = FALSE ORDER BY timestamp, id"
_ADD = (
    "INSERT INTO conversations (id, workflow_id, role, content, timestamp, is_archived, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_LATEST = (
    "SELECT id, summary, original_message_count, compression_ratio, created_at, created_by FROM compressed_contexts"
    " WHERE workflow_id = ? ORDER BY created_at DESC, id DESC LIMIT 1"
)


class Message(Record):
    id: str
    role: str
    content: str
    timestamp: str
    archived: bool = False
    metadata: str | None = None
    """JSON."""


class Summary(Record):
    """What stands for messages that were archived."""

    id: str
    text: str
    messages: int
    ratio: float | None
    created_at: str
    created_by: str | None


def open_messages(store: Store) -> list[Message]:
    """Those that are not archived, in order."""
    return [_message(row) for row in store.engine.rows(_OPEN, (store.workflow,))]


def _message(row: Row) -> Message:
    """Another program's table may have messages without a role or a word."""
    identity, role, content, timestamp, archived, metadata = row
    return Message(identity, role or "", content or "", timestamp, bool(archived), metadata)


def add(store: Store, messages: Iterable[tuple[str, str, Mapping[str, Any] | None]]) -> list[Message]:
    """Appends messages: role, content, and whatever else is to be known about one."""
    import json

    given = list(messages)
    made = [
        Message(new_id(), role, content, moment, False, json.dumps(more) if more else None)
        for (role, content, more), moment in zip(given, moments(len(given)), strict=True)
    ]

    def work(writer: Writer) -> list[Message]:
        ensure_workflow(writer, store)
        for one in made:
            writer.run(_ADD, (one.id, store.workflow, one.role, one.content, one.timestamp, False, one.metadata))
        return made

    ask = "SELECT 1 FROM conversations WHERE id = ?"
    return store.engine.write(
        store.workflow, work, lambda reader: made if all(reader.row(ask, (one.id,)) for one in made) else None
    )


def latest_summary(store: Store) -> Summary | None:
    row = store.engine.row(_LATEST, (store.workflow,))
    return Summary(*row) if row else None
