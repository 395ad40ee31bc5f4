"""The messages of a workflow, as the seeds have a table for them."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store.store import ensure_workflow, moments, new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

_COLUMNS = "id, role, content, timestamp, is_archived, metadata"
_OPEN = f"SELECT {_COLUMNS} FROM conversations WHERE workflow_id = ? AND is_archived = FALSE ORDER BY timestamp, id"
_ALL = f"SELECT {_COLUMNS} FROM conversations WHERE workflow_id = ? ORDER BY timestamp, id"
_STATE = "SELECT COUNT(*), MAX(timestamp) FROM conversations WHERE workflow_id = ? AND is_archived = FALSE"
_ABOUT = "SELECT metadata FROM conversations WHERE workflow_id = ? AND metadata IS NOT NULL"
_ADD = (
    "INSERT INTO conversations (id, workflow_id, role, content, timestamp, is_archived, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_WRITTEN = "SELECT 1 FROM conversations WHERE id = ?"


BROWSER, ENDED = "browser", " -> "
"""The kind of a row that tells what was done in a browser, and what stands in it before what came
of that.
"""
_CALL, _TOOL = "tool_call", "tool"
_IS_CALL = '"kind": "tool_call"'
"""In what is known about a call of a tool. A team's table may know no such role, so it is written
as the tool's.
"""


class StoredMessage(Record):
    id: str
    role: str
    content: str
    timestamp: str
    archived: bool = False
    metadata: str | None = None
    """JSON."""


class Sent(Record):
    """A message of a client's session, as it is brought in."""

    role: str
    content: str
    key: str
    """What tells it from the others of its session."""
    when: str = ""
    """As the store writes times; now, where that is not known."""
    about: Mapping[str, Any] = {}
    archived: bool = False


def open_messages(store: Store) -> list[StoredMessage]:
    """Those that are not archived, in order."""
    return [_message(row) for row in store.engine.rows(_OPEN, (store.workflow,))]


def state(store: Store) -> tuple[object, ...]:
    """Another one whenever messages come or are archived."""
    return tuple(store.engine.row(_STATE, (store.workflow,)) or ())


def all_messages(store: Store) -> list[StoredMessage]:
    """Archived ones too, in order."""
    return [_message(row) for row in store.engine.rows(_ALL, (store.workflow,))]


def _message(row: Row) -> StoredMessage:
    """Another program's table may have messages without a role or a word."""
    identity, role, content, timestamp, archived, metadata = row
    if role == _TOOL and metadata and _IS_CALL in metadata:
        role = _CALL
    return StoredMessage(identity, role or "", content or "", timestamp, bool(archived), metadata)


def _values(store: Store, message: StoredMessage) -> Row:
    """As it is written."""
    role = message.role
    if role == _CALL and _IS_CALL in (message.metadata or ""):
        role = _TOOL
    return (
        message.id,
        store.workflow,
        role,
        message.content,
        message.timestamp,
        message.archived,
        message.metadata,
    )


def add(
    store: Store, messages: Iterable[tuple[str, str, Mapping[str, Any] | None]]
) -> list[StoredMessage]:
    """Appends messages: role, content, and whatever else is to be known about one."""
    import json

    given = list(messages)
    new: list[StoredMessage] = []
    for (role, content, more), moment in zip(given, moments(len(given)), strict=True):
        metadata = json.dumps(more) if more else None
        new.append(StoredMessage(new_id(), role, content, moment, False, metadata))

    def work(writer: Writer) -> list[StoredMessage]:
        ensure_workflow(writer, store)
        for message in new:
            writer.run(_ADD, _values(store, message))
        return new

    def done(reader: Reader) -> list[StoredMessage] | None:
        written = all(reader.row(_WRITTEN, (message.id,)) for message in new)
        return new if written else None

    return store.engine.write(store.workflow, work, done)


def bring(store: Store, session: str, sent: Iterable[Sent]) -> list[StoredMessage]:
    """Adds what is new of a session: what it brought before is known by its key."""
    given = list(sent)

    def work(writer: Writer) -> list[StoredMessage]:
        ensure_workflow(writer, store)
        rows = writer.rows(_ABOUT, (store.workflow,))
        known = {_key(row[0]) for row in rows}
        new = [message for message in given if (session, message.key) not in known]
        brought: list[StoredMessage] = []
        for sent_message, moment in zip(new, moments(len(new)), strict=True):
            brought.append(_brought(session, sent_message, moment))
        for message in brought:
            writer.run(_ADD, _values(store, message))
        return brought

    # Whoever does not know how it ended asks again, and adds only what is missing.
    return store.engine.write(store.workflow, work)


def _brought(session: str, sent: Sent, moment: str) -> StoredMessage:
    import json

    about = json.dumps({**sent.about, "session": session, "uuid": sent.key})
    return StoredMessage(
        new_id(), sent.role, sent.content, sent.when or moment, sent.archived, about
    )


def _key(metadata: object) -> tuple[object, object]:
    about = about_of(metadata)
    return about.get("session"), about.get("uuid")


def about_of(metadata: object) -> dict[str, Any]:
    """What a message says of itself; in a row of another program that may be anything."""
    import json

    about = metadata
    if isinstance(metadata, str):
        try:
            about = json.loads(metadata)
        except (ValueError, RecursionError):
            return {}
    return about if isinstance(about, dict) else {}
