"""The messages of a workflow, as the seeds have a table for them."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store import conversation_rows
from director_ctx.memory.store.store import ensure_workflow, moments, new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

    NewMessage = tuple[str, str, Mapping[str, Any] | None]
    """Role, content, and whatever else is to be known about it."""
    StoredMessages = list["StoredMessage"]

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


def open_messages(store: Store) -> StoredMessages:
    """Those that are not archived, in order."""
    rows = conversation_rows.open_messages(store.engine, store.workflow)
    return [_message(row) for row in rows]


def state(store: Store) -> tuple[object, ...]:
    """Another one whenever messages come or are archived."""
    return conversation_rows.open_state(store.engine, store.workflow)


def all_messages(store: Store) -> StoredMessages:
    """Archived ones too, in order."""
    rows = conversation_rows.all_messages(store.engine, store.workflow)
    return [_message(row) for row in rows]


def _message(row: Row) -> StoredMessage:
    """Another program's table may have messages without a role or a word."""
    identity, role, content, timestamp, archived, metadata = row
    if role == _TOOL and metadata and _IS_CALL in metadata:
        role = _CALL
    return StoredMessage(
        id=identity,
        role=role or "",
        content=content or "",
        timestamp=timestamp,
        archived=bool(archived),
        metadata=metadata,
    )


def _row(message: StoredMessage) -> Row:
    """As it is written."""
    role = message.role
    if role == _CALL and _IS_CALL in (message.metadata or ""):
        role = _TOOL
    return (
        message.id,
        role,
        message.content,
        message.timestamp,
        message.archived,
        message.metadata,
    )


def add(store: Store, messages: Iterable[NewMessage]) -> StoredMessages:
    """Appends messages."""
    # Every assembly that shows a conversation imports this module, and only reads.
    import json

    offered = list(messages)
    times = moments(len(offered))
    new: StoredMessages = []
    for offer, moment in zip(offered, times, strict=True):
        role, content, more = offer
        message = StoredMessage(new_id(), role, content, moment)
        if more:
            message = message.replace(metadata=json.dumps(more))
        new.append(message)

    def work(writer: Writer) -> StoredMessages:
        _write(writer, store, new)
        return new

    def written(reader: Reader) -> StoredMessages | None:
        for message in new:
            if not conversation_rows.has_message(reader, message.id):
                return None
        return new

    return store.engine.write(store.workflow, work, written)


def _write(writer: Writer, store: Store, messages: Iterable[StoredMessage]) -> None:
    ensure_workflow(writer, store)
    for message in messages:
        conversation_rows.add_message(writer, store.workflow, _row(message))


def bring(store: Store, session: str, sent: Iterable[Sent]) -> StoredMessages:
    """Adds what is new of a session: what it brought before is known by its key."""
    offered = list(sent)

    def work(writer: Writer) -> StoredMessages:
        known = _known_keys(writer, store.workflow, session)
        new = [message for message in offered if message.key not in known]

        times = moments(len(new))
        brought: StoredMessages = []
        for message, moment in zip(new, times, strict=True):
            brought.append(_brought(session, message, moment))
        _write(writer, store, brought)
        return brought

    # Whoever does not know how it ended asks again, and adds only what is missing.
    return store.engine.write(store.workflow, work)


def _known_keys(reader: Reader, workflow: str, session: str) -> set[object]:
    """The keys of the messages that a session brought before."""
    keys: set[object] = set()
    for metadata in conversation_rows.metadata_of_messages(reader, workflow):
        about = about_of(metadata)
        if about.get("session") == session:
            keys.add(about.get("uuid"))
    return keys


def _brought(session: str, sent: Sent, moment: str) -> StoredMessage:
    import json

    about = {**sent.about, "session": session, "uuid": sent.key}
    return StoredMessage(
        id=new_id(),
        role=sent.role,
        content=sent.content,
        timestamp=sent.when or moment,
        archived=sent.archived,
        metadata=json.dumps(about),
    )


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
