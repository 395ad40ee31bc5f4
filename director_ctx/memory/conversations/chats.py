"""Conversations with a provider: what was said, and after each answer the point that it had come to.

Messages and a point go in together, or neither does, so that whatever ends a program, the next one goes on
from where the last one was.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.base.text import cleaned
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint, ChatRow
from director_ctx.memory.conversations.messages import StoredMessage, about_of
from director_ctx.memory.store import chat_rows, conversation_rows
from director_ctx.memory.store.store import ensure_workflow, moments, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

ROLES = {"tool_call": "tool"}
"""Roles that a team's table may not know, as they are written."""


class GoneOn(DctxError):
    """Somebody else went on with the same chat meanwhile."""


def rows_of(store: Store, chat: str) -> list[ChatRow]:
    """Everything that was said in a chat, in order."""
    rows: list[ChatRow] = []
    for row in chat_rows.messages_of_chat(store.engine, store.workflow, chat):
        message = StoredMessage(*row)
        about = about_of(message.metadata)
        is_of_chat = about.get("session") == chat
        has_place = isinstance(about.get("place"), int)
        if is_of_chat and has_place:
            rows.append(_row_of(message, about))
    rows.sort(key=lambda row: row.place)
    return rows


def _row_of(message: StoredMessage, about: Mapping[str, Any]) -> ChatRow:
    role = message.role
    if about.get("kind") in ROLES:
        role = about["kind"]
    return ChatRow(
        place=about["place"],
        role=role,
        text=message.content or "",
        tool=str(about.get("tool", "")),
        call=str(about.get("call", "")),
        error=about.get("error") is True,
        response=str(about.get("response", "")),
        usage=_usage(about.get("usage")),
        id=message.id,
        archived=bool(message.archived),
    )


def _usage(told: object) -> dict[str, int]:
    if not isinstance(told, dict):
        return {}
    return {name: count for name, count in told.items() if type(count) is int}


def points_of(store: Store, chat: str) -> list[ChatPoint]:
    points: list[ChatPoint] = []
    for row in chat_rows.points_of_chat(store.engine, store.workflow, chat):
        identity, _, number, kind, provider, model, response, tokens, reach, made_at = row
        point = ChatPoint(
            number=number,
            kind=kind,
            provider=provider,
            model=model,
            response=response,
            tokens=tokens,
            reach=about_of(reach),
            made_at=made_at,
            id=identity,
        )
        points.append(point)
    return points


def chats(store: Store) -> list[str]:
    """The ids of all chats, newest first."""
    rows = chat_rows.all_chats(store.engine, store.workflow)
    return [row[0] for row in rows]


def keep(store: Store, chat: str, news: ChatNews) -> ChatNews:
    """All of it or nothing; with the ids that it was given. Raises GoneOn where a point of that number
    is there already.
    """
    rows = tuple(row.replace(id=new_id()) for row in news.rows)
    point = news.point
    if point:
        point = point.replace(id=new_id(), made_at=now())
    kept = ChatNews(rows, point, news.archived)

    def work(writer: Writer) -> ChatNews:
        ensure_workflow(writer, store)
        if point and chat_rows.last_number(writer, store.workflow, chat) >= point.number:
            raise GoneOn(
                "Somebody else went on with this chat meanwhile.",
                "`dctx chat --continue` goes on from there.",
            )
        for row, moment in zip(rows, moments(len(rows)), strict=True):
            conversation_rows.add_message(writer, store.workflow, _stored(chat, row, moment))
        for identity in news.archived:
            conversation_rows.archive_message(writer, store.workflow, identity)
        if point:
            chat_rows.add_point(writer, store.workflow, _point_row(chat, point))
        return kept

    def written(reader: Reader) -> ChatNews | None:
        for row in rows:
            if not conversation_rows.has_message(reader, row.id):
                return None
        if point and not chat_rows.has_point(reader, point.id):
            return None
        if not rows and not point:
            return None
        return kept

    return store.engine.write(store.workflow, work, written)


def _stored(chat: str, row: ChatRow, moment: str) -> Row:
    kinds = {"tool_call": "tool_call", "tool": "tool_result"}
    about: dict[str, Any] = {
        "kind": kinds.get(row.role, "said"),
        "client": "dctx",
        "session": chat,
        "uuid": row.id,
        "place": row.place,
    }
    for name in ("tool", "call", "response", "error", "usage"):
        value = getattr(row, name)
        if value:
            about[name] = value
    role = ROLES.get(row.role, row.role)
    return row.id, role, cleaned(row.text), moment, row.archived, json.dumps(about)


def _point_row(chat: str, point: ChatPoint) -> Row:
    return (
        point.id,
        chat,
        point.number,
        point.kind,
        point.provider,
        point.model,
        point.response,
        point.tokens,
        json.dumps(dict(point.reach)),
        point.made_at,
    )
