"""A summary of what was said in a chat, written here, and kept in the store in the place of its messages."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.summaries import summaries as kept_summaries
from director_ctx.history.summaries.summaries import SummaryWay
from director_ctx.memory.conversations.chats import rows_of
from director_ctx.memory.conversations.messages import open_messages
from director_ctx.memory.conversations.summaries import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.memory.conversations.chat_records import ChatRow
    from director_ctx.memory.store.store import Store


def summary_of(
    store: Store,
    chat: str,
    rows: Sequence[ChatRow],
    target: int,
    count: Callable[[str], int],
) -> tuple[str, str]:
    """Its id and its text; empty ones where there is nothing to say. It takes up the one before it of this
    chat.
    """
    named = {row.id for row in rows}
    of_chat = {row.id for row in rows_of(store, chat)} | named
    kept = [message for message in open_messages(store) if message.id in named]
    way = SummaryWay(count, target=target, by=SESSION)
    try:
        plan = kept_summaries.plan_of_session(store, kept, of_chat, count)
        text = kept_summaries.write_summary(plan, way)
        summary = kept_summaries.keep(store, plan, text, way)
    except DctxError:
        # Somebody summed the same up meanwhile, or there is not a word in it: the whole text is in the
        # archive, and the newest summary says the rest.
        last = kept_summaries.last_of_session(store, of_chat)
        return (last.id, last.text) if last else ("", "")
    return summary.id, summary.text


def take_summary_back(store: Store, identity: str) -> None:
    """Its messages are open again in the store, where no newer summary stands on it."""
    try:
        kept_summaries.undo(store, identity)
    except DctxError:
        # Another conversation was summed up since; the chat itself tells everything again all the same.
        pass
