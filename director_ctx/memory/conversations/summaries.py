"""Compressions into a summary: what each stands for, and the one transaction in which its messages
are archived.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store import conversation_rows
from director_ctx.memory.store.store import ensure_workflow, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store


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
    makers = conversation_rows.makers_of_summaries(store.engine, store.workflow)
    builds_on: dict[str, str | None] = {}
    # Only those of a session are asked what they build on: most workflows have none.
    if any(created_by == SESSION for _, created_by in makers):
        builds_on = conversation_rows.previous_summaries(store.engine, store.workflow)

    ids: list[str] = []
    for identity, created_by in makers:
        # That of a session takes up its own predecessor; any other takes up all before it.
        previous = builds_on.get(identity)
        if created_by != SESSION:
            ids.clear()
        elif previous in ids:
            ids.remove(previous)
        ids.append(identity)
    return ids


def text_of(store: Store, identity: str) -> str:
    return conversation_rows.text_of_summary(store.engine, identity) or ""


def made_by_itself(store: Store) -> dict[str, int]:
    """The summaries that nobody asked for, and how many messages of the user and the assistant each
    stands for.
    """
    return conversation_rows.counts_of_summaries(store.engine, store.workflow, AUTOMATIC)


def compressions(store: Store) -> list[Compression]:
    """All of them, oldest first."""
    rows = conversation_rows.all_summaries(store.engine, store.workflow)
    if not rows:
        return []
    origins = conversation_rows.origins_of_summaries(store.engine, store.workflow)
    return [_compression(row, origins.get(row[0])) for row in rows]


def _compression(row: Row, origin: Row | None) -> Compression:
    """Of a summary that another program made no origin is known."""
    compression = Compression(*row)
    if origin is None:
        return compression
    previous, messages, summarizer, tokens_in, tokens_out = origin
    return compression.replace(
        previous=previous,
        messages=_ids(messages),
        summarizer=summarizer,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _ids(text: str) -> tuple[str, ...] | None:
    """Those of what was archived; a damaged list is as good as none."""
    # Every assembly that shows a summary imports this module, and needs only its text.
    import json

    try:
        ids = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(ids, list):
        return None
    for identity in ids:
        if not isinstance(identity, str):
            return None
    return tuple(ids)


def keep(store: Store, new: NewSummary) -> Compression:
    """Archives exactly these messages and puts the summary in their place: all of it, or nothing."""
    planned = _planned(new)

    def work(writer: Writer) -> Compression:
        ensure_workflow(writer, store)
        newest = conversation_rows.newest_summary(writer, store.workflow)
        newest_id, newest_at = newest or (None, "")
        if new.created_by != SESSION and newest_id != new.newest:
            raise _overtaken()
        for message in new.messages:
            # One that is archived by now stands behind somebody else's summary.
            if not conversation_rows.archive_message(writer, store.workflow, message):
                raise _overtaken()

        summary = planned.replace(created_at=_after(newest_at, planned.created_at))
        _write(writer, store.workflow, summary)
        return summary

    def written(reader: Reader) -> Compression | None:
        text = conversation_rows.text_of_summary(reader, planned.id)
        return None if text is None else planned

    return store.engine.write(store.workflow, work, written)


def _planned(new: NewSummary) -> Compression:
    """A summary before it is known what others have written meanwhile."""
    ratio = None
    if new.tokens_in:
        ratio = round(new.tokens_out / new.tokens_in, 4)
    return Compression(
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


def _write(writer: Writer, workflow: str, summary: Compression) -> None:
    """Its two rows, and a message in the place of those that it stands for."""
    import json

    row = (
        summary.id,
        summary.text,
        summary.count,
        summary.ratio,
        summary.created_at,
        summary.created_by,
    )
    origin = (
        summary.previous,
        json.dumps(summary.messages),
        summary.summarizer,
        summary.tokens_in,
        summary.tokens_out,
    )
    conversation_rows.add_summary(writer, workflow, row, origin)

    about = {"kind": "summary", "isCompressed": True, "compression": summary.id}
    message = (
        new_id(),
        "assistant",
        summary.text,
        summary.created_at,
        False,
        json.dumps(about),
    )
    conversation_rows.add_message(writer, workflow, message)


def take_back(store: Store, compression: Compression) -> int:
    """Removes the newest summary and unarchives what it stands for; how many messages that are."""
    messages = compression.messages or ()

    def work(writer: Writer) -> int:
        newest = conversation_rows.newest_summary(writer, store.workflow)
        if newest is None or newest[0] != compression.id:
            raise Overtaken("Another summary builds on this one.", "Undo the newest one first.")
        opened = 0
        for message in messages:
            opened += conversation_rows.open_message_again(writer, store.workflow, message)

        # The message that was put in the place of those names the summary in its metadata.
        names_it = f'"compression": "{compression.id}"'
        conversation_rows.remove_messages_telling(writer, store.workflow, names_it)
        conversation_rows.remove_summary(writer, compression.id)
        return opened

    def gone(reader: Reader) -> int | None:
        text = conversation_rows.text_of_summary(reader, compression.id)
        return len(messages) if text is None else None

    return store.engine.write(store.workflow, work, gone)


def _after(before: str, moment: str) -> str:
    """The newest is known by its time, also where whoever made the one before has a clock that is
    ahead of ours.
    """
    if moment > before:
        return moment
    from datetime import UTC, datetime, timedelta

    try:
        later = datetime.fromisoformat(before) + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return moment
    return later.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _overtaken() -> Overtaken:
    return Overtaken(
        "There is nothing new to compress: somebody else compressed these messages meanwhile.",
        "`dctx history list --summaries` lists the summaries.",
    )
