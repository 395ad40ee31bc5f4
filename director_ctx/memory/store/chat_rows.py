"""The rows of `dctx_chat_points`: how far a conversation with a provider had come, again and again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Row, Writer

_POINTS = (
    "SELECT id, chat, number, kind, provider, model, response, tokens, reach, made_at FROM dctx_chat_points"
    " WHERE workflow_id = ? AND chat = ? ORDER BY number"
)
_CHATS = (
    "SELECT chat, MAX(number), MAX(made_at) FROM dctx_chat_points WHERE workflow_id = ?"
    " GROUP BY chat ORDER BY MAX(made_at) DESC"
)
_LAST_NUMBER = "SELECT MAX(number) FROM dctx_chat_points WHERE workflow_id = ? AND chat = ?"
_HAS_POINT = "SELECT 1 FROM dctx_chat_points WHERE id = ?"
_ADD_POINT = (
    "INSERT INTO dctx_chat_points (id, workflow_id, chat, number, kind, provider, model, response, tokens, reach,"
    " made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# As `json.dumps` writes it, and as PostgreSQL shows what it keeps as jsonb.
_MESSAGES = (
    "SELECT id, role, content, timestamp, is_archived, metadata FROM conversations"
    " WHERE workflow_id = ? AND CAST(metadata AS TEXT) LIKE ? ORDER BY timestamp, id"
)


def points_of_chat(reader: Reader, workflow: str, chat: str) -> list[Row]:
    """In order."""
    return reader.rows(_POINTS, (workflow, chat))


def all_chats(reader: Reader, workflow: str) -> list[Row]:
    """Newest first: the chat, how many points it has, and when the last was made."""
    return reader.rows(_CHATS, (workflow,))


def last_number(reader: Reader, workflow: str, chat: str) -> int:
    row = reader.row(_LAST_NUMBER, (workflow, chat))
    return int(row[0] or 0) if row else 0


def has_point(reader: Reader, identity: str) -> bool:
    return reader.row(_HAS_POINT, (identity,)) is not None


def add_point(writer: Writer, workflow: str, point: Row) -> None:
    identity, *rest = point
    writer.run(_ADD_POINT, (identity, workflow, *rest))


def messages_of_chat(reader: Reader, workflow: str, chat: str) -> list[Row]:
    """In the order in which they were said, archived ones too."""
    return reader.rows(_MESSAGES, (workflow, f'%"session": "{chat}"%'))
