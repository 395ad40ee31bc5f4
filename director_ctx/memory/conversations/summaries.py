"""Compressions into a summary: what each stands for, and the one transaction in which its messages
are archived.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.store import ensure_workflow, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

_ALL = (
    "SELECT id, summary, original_message_count, compression_ratio, created_at, created_by FROM compressed_contexts"
    " WHERE workflow_id = ? ORDER BY created_at, id"
)
_NEWEST = (
    "SELECT id, created_at FROM compressed_contexts WHERE workflow_id = ? ORDER BY "
    "created_at DESC, id DESC LIMIT 1"
)
_LINES = (
    "SELECT id, created_by FROM compressed_contexts WHERE workflow_id = ? ORDER BY created_at, id"
)
_BY_ITSELF = "SELECT id, original_message_count FROM compressed_contexts WHERE workflow_id = ? AND created_by = ?"
_BUILDS = "SELECT id, previous FROM dctx_summaries WHERE workflow_id = ?"
_TEXT = "SELECT summary FROM compressed_contexts WHERE id = ?"
_MORE = "SELECT id, previous, messages, summarizer, tokens_in, tokens_out FROM dctx_summaries WHERE workflow_id = ?"
_ARCHIVE = "UPDATE conversations SET is_archived = TRUE WHERE id = ? AND workflow_id = ? AND is_archived = FALSE"
_OPEN_AGAIN = "UPDATE conversations SET is_archived = FALSE WHERE id = ? AND workflow_id = ?"
_STANDS_FOR = "SELECT id FROM conversations WHERE workflow_id = ? AND CAST(metadata AS TEXT) LIKE ?"
_ADD = (
    "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, compression_ratio, created_at,"
    " created_by) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_ADD_MORE = (
    "INSERT INTO dctx_summaries (id, workflow_id, previous, messages, summarizer, tokens_in, tokens_out)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SAY = (
    "INSERT INTO conversations (id, workflow_id, role, content, timestamp, is_archived, metadata)"
    " VALUES (?, ?, 'assistant', ?, ?, FALSE, ?)"
)


SESSION = "compaction"
"""Who makes summaries of one client's session. Each builds on the one before of that session alone.
"""
AUTOMATIC = "automatic"
"""Who makes them when a context is full, without being asked."""


class Compression(Record):
    """A summary, and what it stands for."""

    id: str
    text: str
    count: int
    """Messages of the user and the assistant."""
    ratio: float | None
    created_at: str
    created_by: str | None
    previous: str | None = None
    """The summary that it builds on."""
    messages: tuple[str, ...] | None = None
    """The ids of everything that was archived; not known of a summary that another program made."""
    summarizer: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    def as_json(self, whole: bool = True) -> dict[str, Any]:
        """Under the names of the table; a list goes without the texts."""
        document: dict[str, Any] = {
            "id": self.id,
            "created_at": self.created_at,
            "created_by": self.created_by,
            "original_message_count": self.count,
            "compression_ratio": self.ratio,
            "previous": self.previous,
            "using": self.summarizer,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
        }
        if whole:
            document["summary"] = self.text
            document["messages"] = self.messages
        return document


class Overtaken(DctxError):
    """Somebody else compressed the same messages meanwhile."""


class NewSummary(Record):
    """A summary that is about to be kept."""

    text: str
    count: int
    messages: tuple[str, ...]
    previous: str | None
    summarizer: str
    tokens_in: int
    tokens_out: int
    created_by: str
    newest: str | None = None
    """The newest summary when this one was planned; a session's own stands beside others, whoever
    was faster.
    """


def standing(store: Store) -> list[str]:
    """The ids of summaries that no other has taken up, oldest first."""
    rows = store.engine.rows(_LINES, (store.workflow,))
    builds: dict[str, str | None] = {}
    if any(created_by == SESSION for _, created_by in rows):
        builds = dict(store.engine.rows(_BUILDS, (store.workflow,)))

    ids: list[str] = []
    for name, created_by in rows:
        # That of a session takes up its own predecessor; any other takes up all before it.
        previous = builds.get(name)
        if created_by != SESSION:
            ids.clear()
        elif previous in ids:
            ids.remove(previous)
        ids.append(name)
    return ids


def text_of(store: Store, name: str) -> str:
    row = store.engine.row(_TEXT, (name,))
    return str(row[0]) if row else ""


def made_by_itself(store: Store) -> dict[str, int]:
    """The summaries that nobody asked for, and how many messages of the user and the assistant each
    stands for.
    """
    return dict(store.engine.rows(_BY_ITSELF, (store.workflow, AUTOMATIC)))


def compressions(store: Store) -> list[Compression]:
    """All of them, oldest first."""
    rows = store.engine.rows(_ALL, (store.workflow,))
    if not rows:
        return []
    more = {row[0]: row[1:] for row in store.engine.rows(_MORE, (store.workflow,))}
    return [_compression(row, more.get(row[0])) for row in rows]


def _compression(row: Row, more: Row | None) -> Compression:
    compression = Compression(*row)
    if more is None:
        return compression
    previous, messages, summarizer, tokens_in, tokens_out = more
    return compression.replace(
        previous=previous,
        messages=_ids(messages),
        summarizer=summarizer,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _ids(text: str) -> tuple[str, ...] | None:
    """Those of what was archived; a damaged list is as good as none."""
    import json

    try:
        ids = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
        return None
    return tuple(ids)


def keep(store: Store, new: NewSummary) -> Compression:
    """Archives exactly these messages and puts the summary in their place: all of it, or nothing."""
    import json

    ratio = round(new.tokens_out / new.tokens_in, 4) if new.tokens_in else None
    summary = Compression(
        id=new_id(),
        text=new.text,
        count=new.count,
        ratio=ratio,
        created_at=now(),
        created_by=new.created_by,
        previous=new.previous,
        messages=new.messages,
        summarizer=new.summarizer,
        tokens_in=new.tokens_in,
        tokens_out=new.tokens_out,
    )
    about = json.dumps({"kind": "summary", "isCompressed": True, "compression": summary.id})
    ids = json.dumps(new.messages)

    def work(writer: Writer) -> Compression:
        ensure_workflow(writer, store)
        newest, newest_at = writer.row(_NEWEST, (store.workflow,)) or (None, "")
        if new.created_by != SESSION and newest != new.newest:
            raise _overtaken()
        if not _archive(writer, store, new.messages):
            raise _overtaken()

        moment = _after(newest_at, summary.created_at)
        whose = (summary.id, store.workflow)
        text, counts = summary.text, (summary.tokens_in, summary.tokens_out)
        writer.run(_ADD, (*whose, text, summary.count, ratio, moment, summary.created_by))
        writer.run(_ADD_MORE, (*whose, summary.previous, ids, summary.summarizer, *counts))
        writer.run(_SAY, (new_id(), store.workflow, text, moment, about))
        return summary.replace(created_at=moment)

    def done(reader: Reader) -> Compression | None:
        return summary if reader.row(_TEXT, (summary.id,)) else None

    return store.engine.write(store.workflow, work, done)


def take_back(store: Store, compression: Compression) -> int:
    """Removes the newest summary and unarchives what it stands for; how many messages that are."""
    messages = compression.messages or ()

    def work(writer: Writer) -> int:
        if _newest(writer, store) != compression.id:
            raise Overtaken("Another summary builds on this one.", "Undo the newest one first.")
        opened = 0
        for message in messages:
            opened += writer.run(_OPEN_AGAIN, (message, store.workflow))

        names_it = f'%"compression": "{compression.id}"%'
        for (message,) in writer.rows(_STANDS_FOR, (store.workflow, names_it)):
            writer.run("DELETE FROM conversations WHERE id = ?", (message,))
        writer.run("DELETE FROM dctx_summaries WHERE id = ?", (compression.id,))
        writer.run("DELETE FROM compressed_contexts WHERE id = ?", (compression.id,))
        return opened

    def done(reader: Reader) -> int | None:
        row = reader.row("SELECT 1 FROM compressed_contexts WHERE id = ?", (compression.id,))
        return None if row else len(messages)

    return store.engine.write(store.workflow, work, done)


def _newest(reader: Reader, store: Store) -> str | None:
    row = reader.row(_NEWEST, (store.workflow,))
    return row[0] if row else None


def _after(before: str, moment: str) -> str:
    """The newest is known by its time, also where whoever made the one before has a clock that is
    ahead of ours.
    """
    from datetime import UTC, datetime, timedelta

    if moment > before:
        return moment
    try:
        later = datetime.fromisoformat(before) + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return moment
    return later.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _archive(writer: Writer, store: Store, messages: Sequence[str]) -> bool:
    """Whether all of them were still open."""
    return all(writer.run(_ARCHIVE, (message, store.workflow)) == 1 for message in messages)


def _overtaken() -> Overtaken:
    return Overtaken(
        "There is nothing new to compress: somebody else compressed these messages meanwhile.",
        "`dctx history compressions` lists the summaries.",
    )
