"""Chats in the store: which there are, how each stands, and the steps of a turn that are carried out there."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.one_line import begun
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.text import plain
from director_ctx.chat.request import SUMMARY_SHARE, locator
from director_ctx.chat.state import ADDED, USER, WAITING, ChatCursor, ChatState, beside, cursor_of
from director_ctx.memory.archive import originals
from director_ctx.memory.archive.alignment import hash_of
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint, ChatRow
from director_ctx.memory.conversations.messages import about_of, all_messages, open_messages
from director_ctx.memory.conversations.summaries import SESSION, text_of
from director_ctx.memory.store.store import Store, new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.chat.providers.provider import Provider
    from director_ctx.chat.steps import Keep

KEEPS = "keeps"
"""Beside what a point reaches: False where the provider was found to keep nothing."""
AT_ONCE = 100
"""Times that another program may be faster in the same moment."""
NOT_ALONE = "Somebody else went on with this chat meanwhile; what was said there is told with the next request."
LARGEST_SUMMARY = 20_000
"""Tokens."""
LONGEST_TITLE = 200
"""Characters of the words that a chat began with."""


class ListedChat(Record):
    id: str
    last: str
    """When somebody spoke last."""
    model: str
    provider: str
    """The vendor, and its address where it is not the vendor's own."""
    began: str


def listed_chats(store: Store, most: int | None = None) -> list[ListedChat]:
    """The newest first, by what was said first in each of them."""
    words: dict[str, str] = {}
    moments: dict[str, str] = {}
    known = chats.chats(store)[:most]
    for message in all_messages(store) if known else ():
        about = about_of(message.metadata)
        chat = about.get("session")
        if isinstance(chat, str) and about.get("client") == "dctx":
            moments[chat] = message.timestamp
            if message.role == USER:
                words.setdefault(chat, message.content)
    listed: list[ListedChat] = []
    for chat in known:
        last = chats.points_of(store, chat)[-1]
        began = begun(" ".join(safe(words.get(chat, "")).split()), LONGEST_TITLE)
        moment = moments.get(chat, last.made_at)
        listed.append(ListedChat(chat, moment, last.model, last.provider, began))
    return listed


def chat_named(store: Store, start: str | None) -> str:
    """The chat whose id begins like this; the last one for an empty text, a new one for none."""
    if start is None:
        return new_id()
    named = [name for name in chats.chats(store) if name.startswith(start)]
    if not named:
        wanted = f"no chat {plain(start[:40])!r}" if start else "no chat yet"
        raise DctxError(f"There is {wanted} in this project.", "`dctx chat MESSAGE` begins one.")
    if start and len(named) > 1:
        raise DctxError(
            f"{plain(start[:40])} is the start of {len(named)} chats.", "Give more of it."
        )
    return named[0]


def state_of(store: Store, chat: str, provider: str = "") -> ChatState:
    """Where it was left, by whatever it was ended; of the ids of another provider none is used."""
    points = chats.points_of(store, chat)
    if not points:
        return ChatState(chat, _rows(store, chat, ChatCursor()))
    last = points[-1]
    cursor = cursor_of(last.reach)
    summary = text_of(store, cursor.summary) if cursor.summary else ""
    if cursor.since and not summary and not cursor.before:
        # What stood for the beginning was taken away, so the beginning is told again.
        cursor = cursor.replace(since=0, summary="", until=0)
    state = ChatState(
        chat=chat,
        rows=_rows(store, chat, cursor),
        cursor=cursor,
        response=last.response,
        tokens=last.tokens,
        number=last.number,
        summary=summary,
        keeps=last.reach.get(KEEPS) is not False,
        waiting=last.kind == WAITING,
    )
    if not provider or last.provider == provider:
        return state
    return state.afresh().replace(keeps=True)


def _rows(store: Store, chat: str, cursor: ChatCursor) -> tuple[ChatRow, ...]:
    """Its own, behind those of the chat that it left."""
    rows = tuple(chats.rows_of(store, chat))
    if not cursor.parent:
        return rows
    left = last_point(store, cursor.parent)
    of_parent = _rows(store, cursor.parent, cursor_of(left.reach) if left else ChatCursor())
    return (*(row for row in of_parent if row.place <= cursor.left_at), *rows)


def last_point(store: Store, chat: str) -> ChatPoint | None:
    points = chats.points_of(store, chat)
    return points[-1] if points else None


def points_of(store: Store, chat: str, provider: str) -> list[ChatPoint]:
    """Its own, behind those that the chat which it left had by then; without the ids of other providers."""
    points = chats.points_of(store, chat)
    parent = cursor_of(points[-1].reach).parent if points else ""
    before = points_of(store, parent, provider) if parent else []
    told = [point for point in before if point.made_at <= points[0].made_at]
    for point in points:
        is_own = point.provider == provider
        told.append(point if is_own else point.replace(response=None))
    return told


# What a turn keeps


def keep_beside(
    store: Store, provider: Provider, step: Keep, on_notice: Callable[[str], None]
) -> ChatState:
    """Also where another program goes on with the same chat meanwhile."""
    for number in range(AT_ONCE):
        try:
            return keep(store, provider, step)
        except chats.GoneOn:
            if not number and not step.state.others:
                on_notice(NOT_ALONE)
            current = state_of(store, step.state.chat, provider.identity)
            state, rows = beside(step.state, step.rows, step.kind, current)
            step = step.replace(state=state, rows=rows)
    return keep(store, provider, step)


def keep(store: Store, provider: Provider, step: Keep) -> ChatState:
    """What is told shorter from now on is in the archive before that is on record. Raises GoneOn where another
    program was faster.
    """
    state = step.state
    if not step.rows and not step.kind:
        return state
    if step.originals:
        originals.keep(store, {hash_of(text): text for text in step.originals})
    reach = state.cursor.as_json()
    if not state.keeps:
        # So that no other program tries it again.
        reach[KEEPS] = False
    point = ChatPoint(
        number=state.number + 1,
        kind=step.kind or ADDED,
        provider=provider.identity,
        model=provider.model,
        response=state.response,
        tokens=state.tokens,
        reach=reach,
    )
    kept = chats.keep(store, state.chat, ChatNews(step.rows, point))
    return state.replace(rows=(*state.rows, *kept.rows), number=point.number)


def sum_up(
    store: Store, chat: str, rows: Sequence[ChatRow], limit: int, count: Callable[[str], int]
) -> tuple[str, str, str]:
    """A summary takes the place of these in the store, written here, without a model; it takes up the one before it
    of this chat. All of them stay in the archive, as one text. The id, the text and the locator; the first two are
    empty where there is nothing to say.
    """
    whole = "\n\n".join(f"{row.role} {row.tool}".rstrip() + f": {row.text}" for row in rows)
    originals.keep(store, {hash_of(whole): whole})
    # Most chats never grow so large.
    from director_ctx.history.summaries import summaries

    named = {row.id for row in rows}
    of_chat = {row.id for row in chats.rows_of(store, chat)} | named
    kept = [message for message in open_messages(store) if message.id in named]
    target = min(LARGEST_SUMMARY, limit // SUMMARY_SHARE)
    way = summaries.SummaryWay(count, target=target, by=SESSION)
    try:
        plan = summaries.plan_of_session(store, kept, of_chat, count)
        summary = summaries.keep(store, plan, summaries.write_summary(plan, way), way)
    except DctxError:
        # Another program summed the same up meanwhile, or there is not a word in it: the whole text is in the
        # archive, and the newest summary says the rest.
        last = summaries.last_of_session(store, of_chat)
        return (last.id, last.text, locator(whole)) if last else ("", "", locator(whole))
    return summary.id, summary.text, locator(whole)


def take_summary_back(store: Store, identity: str) -> None:
    """Its messages are open again in the store, where no newer summary stands on it."""
    from director_ctx.history.summaries import summaries

    try:
        summaries.undo(store, identity)
    except DctxError:
        # Another conversation was summed up since; the chat itself tells everything again all the same.
        pass
