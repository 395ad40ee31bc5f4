"""The rows of `conversations`, a message each, and of the two tables of summaries:
`compressed_contexts` as the seeds have it, and `dctx_summaries` for what dctx knows beyond that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Row, Writer

_MESSAGES = (
    "SELECT id, role, content, timestamp, is_archived, metadata FROM conversations"
    " WHERE workflow_id = ?"
)
_STATE = "SELECT COUNT(*), MAX(timestamp) FROM conversations WHERE workflow_id = ? AND is_archived = FALSE"
_METADATA = "SELECT metadata FROM conversations WHERE workflow_id = ? AND metadata IS NOT NULL"
_HAS_MESSAGE = "SELECT 1 FROM conversations WHERE id = ?"
_ADD_MESSAGE = (
    "INSERT INTO conversations (id, workflow_id, role, content, timestamp, is_archived, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_ARCHIVE = (
    "UPDATE conversations SET is_archived = TRUE"
    " WHERE id = ? AND workflow_id = ? AND is_archived = FALSE"
)
_OPEN_AGAIN = "UPDATE conversations SET is_archived = FALSE WHERE id = ? AND workflow_id = ?"
# In PostgreSQL the column is jsonb, which LIKE does not take. As a text it has a blank behind each
# colon, as `json.dumps` writes it.
_TELLING = "SELECT id FROM conversations WHERE workflow_id = ? AND CAST(metadata AS TEXT) LIKE ?"
_REMOVE_MESSAGE = "DELETE FROM conversations WHERE id = ?"

_SUMMARIES = (
    "SELECT id, summary, original_message_count, compression_ratio, created_at, created_by"
    " FROM compressed_contexts WHERE workflow_id = ? ORDER BY created_at, id"
)
_ORIGINS = (
    "SELECT id, previous, messages, summarizer, tokens_in, tokens_out FROM dctx_summaries"
    " WHERE workflow_id = ?"
)
_NEWEST_SUMMARY = (
    "SELECT id, created_at FROM compressed_contexts WHERE workflow_id = ?"
    " ORDER BY created_at DESC, id DESC LIMIT 1"
)
_MAKERS = (
    "SELECT id, created_by FROM compressed_contexts WHERE workflow_id = ? ORDER BY created_at, id"
)
_COUNTS = (
    "SELECT id, original_message_count FROM compressed_contexts"
    " WHERE workflow_id = ? AND created_by = ?"
)
_PREVIOUS = "SELECT id, previous FROM dctx_summaries WHERE workflow_id = ?"
_TEXT = "SELECT summary FROM compressed_contexts WHERE id = ?"
_ADD_SUMMARY = (
    "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, compression_ratio, created_at,"
    " created_by) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_ADD_ORIGIN = (
    "INSERT INTO dctx_summaries (id, workflow_id, previous, messages, summarizer, tokens_in, tokens_out)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def all_messages(reader: Reader, workflow: str) -> list[Row]:
    """In order, archived ones too."""
    return reader.rows(f"{_MESSAGES} ORDER BY timestamp, id", (workflow,))


def open_messages(reader: Reader, workflow: str) -> list[Row]:
    """Those that are not archived, in order."""
    sql = f"{_MESSAGES} AND is_archived = FALSE ORDER BY timestamp, id"
    return reader.rows(sql, (workflow,))


def open_state(reader: Reader, workflow: str) -> Row:
    """How many messages are open, and the time of the last."""
    return reader.row(_STATE, (workflow,)) or ()


def metadata_of_messages(reader: Reader, workflow: str) -> list[object]:
    rows = reader.rows(_METADATA, (workflow,))
    return [row[0] for row in rows]


def has_message(reader: Reader, identity: str) -> bool:
    return reader.row(_HAS_MESSAGE, (identity,)) is not None


def add_message(writer: Writer, workflow: str, message: Row) -> None:
    identity, *rest = message
    writer.run(_ADD_MESSAGE, (identity, workflow, *rest))


def archive_message(writer: Writer, workflow: str, identity: str) -> bool:
    """Whether it was open until now."""
    return writer.run(_ARCHIVE, (identity, workflow)) == 1


def open_message_again(writer: Writer, workflow: str, identity: str) -> int:
    """1 if there is such a message, else 0."""
    return writer.run(_OPEN_AGAIN, (identity, workflow))


def remove_messages_telling(writer: Writer, workflow: str, words: str) -> None:
    """Those in whose metadata these words are."""
    for (identity,) in writer.rows(_TELLING, (workflow, f"%{words}%")):
        writer.run(_REMOVE_MESSAGE, (identity,))


def all_summaries(reader: Reader, workflow: str) -> list[Row]:
    """Oldest first: id, text, how many messages, ratio, time, and who made it."""
    return reader.rows(_SUMMARIES, (workflow,))


def origins_of_summaries(reader: Reader, workflow: str) -> dict[str, Row]:
    """By the id of a summary: the one before it, its messages, who wrote it, tokens in and out."""
    origins: dict[str, Row] = {}
    for identity, *origin in reader.rows(_ORIGINS, (workflow,)):
        origins[identity] = tuple(origin)
    return origins


def newest_summary(reader: Reader, workflow: str) -> Row | None:
    """Its id and its time."""
    return reader.row(_NEWEST_SUMMARY, (workflow,))


def makers_of_summaries(reader: Reader, workflow: str) -> list[Row]:
    """Oldest first: the id, and who made it."""
    return reader.rows(_MAKERS, (workflow,))


def counts_of_summaries(reader: Reader, workflow: str, maker: str) -> dict[str, int]:
    """How many messages each summary of one maker stands for."""
    return dict(reader.rows(_COUNTS, (workflow, maker)))


def previous_summaries(reader: Reader, workflow: str) -> dict[str, str | None]:
    """The summary that each builds on."""
    return dict(reader.rows(_PREVIOUS, (workflow,)))


def text_of_summary(reader: Reader, identity: str) -> str | None:
    row = reader.row(_TEXT, (identity,))
    return str(row[0]) if row else None


def add_summary(
    writer: Writer,
    workflow: str,
    summary: Row,
    origin: Row,
) -> None:
    identity, *rest = summary
    writer.run(_ADD_SUMMARY, (identity, workflow, *rest))
    writer.run(_ADD_ORIGIN, (identity, workflow, *origin))


def remove_summary(writer: Writer, identity: str) -> None:
    writer.run("DELETE FROM dctx_summaries WHERE id = ?", (identity,))
    writer.run("DELETE FROM compressed_contexts WHERE id = ?", (identity,))
