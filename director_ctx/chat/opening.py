"""A chat as the store has it: which one is meant, and how it stands."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.chat.reach import ChatStanding, Reach, reach_of
from director_ctx.chat.steps import WAITING
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.summaries import text_of
from director_ctx.memory.store.store import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.conversations.chat_records import ChatPoint, ChatRow
    from director_ctx.memory.store.store import Store


KEEPS = "keeps"
"""Beside what a point reaches: False where the provider was found to keep nothing."""


def chat_named(store: Store, start: str | None) -> str:
    """The chat whose id begins like this; the last one for an empty text, a new one for none."""
    if start is None:
        return new_id()
    known = chats.chats(store)
    named = [name for name in known if name.startswith(start)]
    if not start and named:
        return named[0]
    if not named:
        wanted = f"no chat {plain(start[:40])!r}" if start else "no chat yet"
        raise DctxError(f"There is {wanted} in this project.", "`dctx chat MESSAGE` begins one.")
    if len(named) > 1:
        raise DctxError(
            f"{plain(start[:40])} is the start of {len(named)} chats.", "Give more of it."
        )
    return named[0]


def standing_of(store: Store, chat: str) -> ChatStanding:
    """Where it was left, by whatever it was ended."""
    points = chats.points_of(store, chat)
    if not points:
        return ChatStanding(chat, _rows(store, chat, Reach()))
    last = points[-1]
    reach = reach_of(last.reach)
    summary = ""
    if reach.summary:
        summary = text_of(store, reach.summary)
    if reach.since and not summary and not reach.before:
        # What stood for the beginning was taken away, so the beginning is told again.
        reach = reach.replace(since=0, summary="", until=0)
    return ChatStanding(
        chat=chat,
        rows=_rows(store, chat, reach),
        reach=reach,
        response=last.response,
        tokens=last.tokens,
        number=last.number,
        summary=summary,
        keeps=last.reach.get(KEEPS) is not False,
        waiting=last.kind == WAITING,
    )


def standing_with(store: Store, chat: str, provider: str) -> ChatStanding:
    """As it was left, for a provider: of another one's ids none is used."""
    standing = standing_of(store, chat)
    point = last_point(store, chat)
    if point is None or point.provider == provider:
        return standing
    reach = standing.reach.replace(until=standing.reach.since, held=0)
    return standing.replace(response=None, waiting=False, tokens=0, reach=reach, keeps=True)


def last_point(store: Store, chat: str) -> ChatPoint | None:
    points = chats.points_of(store, chat)
    return points[-1] if points else None


def points_of(store: Store, chat: str, provider: str) -> list[ChatPoint]:
    """Its own, behind those that the chat which it left had by then; without the ids of other providers."""
    points = chats.points_of(store, chat)
    parent = reach_of(points[-1].reach).parent if points else ""
    before: list[ChatPoint] = []
    if parent:
        begun = points[0].made_at
        before = [point for point in points_of(store, parent, provider) if point.made_at <= begun]
    own: list[ChatPoint] = []
    for point in points:
        is_others = point.provider != provider
        own.append(point.replace(response=None) if is_others else point)
    return [*before, *own]


def _rows(store: Store, chat: str, reach: Reach) -> tuple[ChatRow, ...]:
    """Its own, behind those of the chat that it left."""
    rows = chats.rows_of(store, chat)
    if not reach.parent:
        return tuple(rows)

    points = chats.points_of(store, reach.parent)
    reach_of_parent = reach_of(points[-1].reach) if points else Reach()
    of_parent = _rows(store, reach.parent, reach_of_parent)
    until_left = [row for row in of_parent if row.place <= reach.left_at]
    return (*until_left, *rows)
