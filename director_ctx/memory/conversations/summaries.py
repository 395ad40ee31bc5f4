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


class Overtaken(DctxError):
    """Somebody else compressed the same messages meanwhile."""


class New(Record):
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
    builds: dict[str, str | None] = (
        dict(store.engine.rows(_BUILDS, (store.workflow,)))
        if any(by == SESSION for _, by in rows)
        else {}
    )
    found: list[str] = []
    for name, by in rows:
        found = [one for one in found if by == SESSION and one != builds.get(name)]
        found.append(name)
    return found


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
    more = {row[0]: row[1:] for row in store.engine.rows(_MORE, (store.workflow,))} if rows else {}
    return [_compression(row, more.get(row[0])) for row in rows]


def _compression(row: Row, more: Row | None) -> Compression:
    one = Compression(*row)
    if more is None:
        return one
    previous, messages, summarizer, tokens_in, tokens_out = more
    return one.replace(
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
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return tuple(found) if is_list else None


def keep(store: Store, new: New) -> Compression:
    """Archives exactly these messages and puts the summary in their place: all of it, or nothing."""
    import json

    made = Compression(
        id=new_id(),
        text=new.text,
        count=new.count,
        ratio=round(new.tokens_out / new.tokens_in, 4) if new.tokens_in else None,
        created_at=now(),
        created_by=new.created_by,
        previous=new.previous,
        messages=new.messages,
        summarizer=new.summarizer,
        tokens_in=new.tokens_in,
        tokens_out=new.tokens_out,
    )
    said = json.dumps({"kind": "summary", "isCompressed": True, "compression": made.id})

    def work(writer: Writer) -> Compression:
        ensure_workflow(writer, store)
        before, when = writer.row(_NEWEST, (store.workflow,)) or (None, "")
        overtaken = new.created_by != SESSION and before != new.newest
        if overtaken or not _archive(writer, store, new.messages):
            raise _overtaken()
        whose, moment = (made.id, store.workflow), _after(when, made.created_at)
        writer.run(_ADD, (*whose, made.text, made.count, made.ratio, moment, made.created_by))
        ids = json.dumps(new.messages)
        writer.run(
            _ADD_MORE,
            (*whose, made.previous, ids, made.summarizer, made.tokens_in, made.tokens_out),
        )
        writer.run(_SAY, (new_id(), store.workflow, made.text, moment, said))
        return made.replace(created_at=moment)

    return store.engine.write(
        store.workflow, work, lambda reader: made if reader.row(_TEXT, (made.id,)) else None
    )


def take_back(store: Store, compression: Compression) -> int:
    """Removes the newest summary and unarchives what it stands for; how many messages that are."""

    def work(writer: Writer) -> int:
        if _newest(writer, store) != compression.id:
            raise Overtaken("Another summary builds on this one.", "Undo the newest one first.")
        found = sum(
            writer.run(_OPEN_AGAIN, (one, store.workflow)) for one in compression.messages or ()
        )
        for (said,) in writer.rows(
            _STANDS_FOR, (store.workflow, f'%"compression": "{compression.id}"%')
        ):
            writer.run("DELETE FROM conversations WHERE id = ?", (said,))
        writer.run("DELETE FROM dctx_summaries WHERE id = ?", (compression.id,))
        writer.run("DELETE FROM compressed_contexts WHERE id = ?", (compression.id,))
        return found

    def done(reader: Reader) -> int | None:
        there = reader.row("SELECT 1 FROM compressed_contexts WHERE id = ?", (compression.id,))
        return None if there else len(compression.messages or ())

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
    return all(writer.run(_ARCHIVE, (one, store.workflow)) == 1 for one in messages)


def _overtaken() -> Overtaken:
    return Overtaken(
        "There is nothing new to compress: somebody else compressed these messages meanwhile.",
        "`dctx history compressions` lists the summaries.",
    )
