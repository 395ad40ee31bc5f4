"""A chat with a provider's model: what was said, what is being answered, and a place to go on."""

from __future__ import annotations

from director_ctx.base.one_line import begun
from director_ctx.chat import kept_chats
from director_ctx.chat.kept_chats import last_point, listed_chats
from director_ctx.chat.prompt import limit_of
from director_ctx.chat.providers.provider import ANTHROPIC, OPENAI, USUAL, provider_for, why_not
from director_ctx.chat.state import USER, ChatState
from director_ctx.context.settings.filling import state_of
from director_ctx.doors.ui.pages.conversations.chat_turns import turns_json
from director_ctx.doors.ui.visit import NotThere
from director_ctx.history.sessions.told import shown_text
from director_ctx.memory.conversations.chats import chats
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.running_chats import RunningTurn
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.conversations.chat_records import ChatPoint

    Json = dict[str, Any]

NEW = "new"
"""In an address, a chat that begins with the next message."""
LONGEST_MODEL = 100
MOST_TURNS = 40
"""The newest; the store's conversation has all of them."""
MOST_LISTED = 12
SHORT_TITLE = 70


def address_of_chat(chat: str) -> str:
    return f"chats/{chat}"


def data(visit: Visit) -> Json:
    chat = visit.parts["chat"]
    turn = visit.chats.of(chat) if visit.chats else None
    with open_conversation(visit.project) as store:
        if chat != NEW and turn is None and chat not in chats(store):
            raise NotThere(f"There is no chat {chat[:40]!r}.", "Choose one from the list.")
        state = kept_chats.state_of(store, chat)
        last = last_point(store, chat)

    provider = provider_for(visit.asked("model")[:LONGEST_MODEL] or model_of(last))
    turns = turns_json(state)
    refusal = why_not(provider)
    return {
        "chat": "" if chat == NEW else chat,
        "title": _title(turns),
        "model": provider.model,
        "asks": provider.identity,
        "asked_before": last.provider if last else provider.identity,
        "tokens": state.tokens,
        "limit": limit_of(visit.project, provider.model),
        "turns": turns[-MOST_TURNS:],
        "left_out": max(0, len(turns) - MOST_TURNS),
        **_answering(state, turn),
        "refusal": [refusal.message, refusal.hint] if refusal else [],
    }


def _answering(state: ChatState, turn: RunningTurn | None) -> Json:
    """What goes on right now; what somebody said a moment ago may not be in the store yet."""
    if turn is None:
        return {"running": False, "pending": "", "notices": []}
    is_kept = any(row.role == USER and row.place >= turn.place for row in state.rows)
    return {
        "running": not turn.is_over,
        "pending": "" if is_kept else shown_text(turn.said),
        "notices": [shown_text(text) for text in turn.notices if text],
    }


def _title(turns: list[Json]) -> str:
    for turn in turns:
        for entry in turn["entries"]:
            if entry["role"] == USER:
                return begun(" ".join(entry["text"].split()), SHORT_TITLE)
    return ""


def model_of(point: ChatPoint | None) -> str | None:
    """As it is named to be asked again. Where it was is not taken from a store, which others may write: a key
    goes to no address that they chose.
    """
    if point is None:
        return None
    name = point.provider.partition(" ")[0]
    if name in (OPENAI, ANTHROPIC):
        return f"{name}:{point.model}"
    return point.model


def view(data: Json) -> Json:
    return {
        "facts": data,
        "address": address_of_chat(data["chat"] or NEW),
        "turns": data["turns"],
        "running": data["running"],
        "state": state_of(data["tokens"], data["limit"], data["limit"]),
        "is_elsewhere": data["asked_before"] != data["asks"],
        "providers": USUAL,
    }


def chat_list(visit: Visit) -> list[Json]:
    """The newest chats, by what was said first in each of them."""
    with open_conversation(visit.project) as store:
        listed = listed_chats(store, MOST_LISTED)
    rows: list[Json] = []
    for chat in listed:
        title = begun(shown_text(chat.began), SHORT_TITLE)
        rows.append({"id": chat.id, "title": title, "last": chat.last})
    return rows
