"""A chat with a provider's model: what was said, what is being answered, and what can be done in it."""

from __future__ import annotations

from anyio import from_thread

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.one_line import begun
from director_ctx.base.record import as_dict
from director_ctx.chat import kept_chats
from director_ctx.chat.conversation import AsyncDirectorConversation, DirectorConversation, words_of
from director_ctx.chat.display import tool_line
from director_ctx.chat.exchange import ToolUse, TurnUsage, usage_in
from director_ctx.chat.kept_chats import last_point, listed_chats
from director_ctx.chat.prompt import limit_of
from director_ctx.chat.providers.provider import (
    ANTHROPIC,
    OPENAI,
    USUAL,
    Provider,
    provider_for,
    why_not,
)
from director_ctx.chat.state import ANSWERED, ASSISTANT, CALLED, USER, ChatState, is_taken, turns_of
from director_ctx.context.settings.filling import state_of
from director_ctx.doors.ui.running_chats import RunningChats, RunningTurn
from director_ctx.doors.ui.visit import Done, NotThere, Visit
from director_ctx.history.sessions.told import shown_text
from director_ctx.memory.conversations.chats import chats
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.conversations.chat_records import ChatRow

    Json = dict[str, Any]
    from director_ctx.memory.conversations.chat_records import ChatPoint

    Form = dict[str, str]

MOST_RESULT = 8_000
"""Characters of what a tool answered."""


def turns_json(state: ChatState) -> list[Json]:
    """Without what was taken back."""
    cursor = state.cursor
    rows = [row for row in state.rows if not is_taken(cursor, row.place)]
    turns: list[Json] = []
    for number, said in enumerate(turns_of(rows), 1):
        usage = TurnUsage()
        for row in said:
            if row.usage:
                usage = usage.plus(usage_in(row.usage))
        turn = {
            "number": number,
            "place": said[0].place,
            "summed": said[-1].place <= cursor.since,
            "entries": _entries(said),
            "usage": as_dict(usage),
        }
        turns.append(turn)
    return turns


def _entries(rows: Sequence[ChatRow]) -> list[Json]:
    """A call has its result beside it."""
    entries: list[Json] = []
    calls: dict[str, Json] = {}
    for row in rows:
        if row.role == ANSWERED:
            _put_result(calls.get(row.call, {}), row)
            continue
        if row.role == CALLED:
            entry = _call(row)
            calls[row.call] = entry
        else:
            role = USER if row.role == USER else ASSISTANT
            entry = {"role": role, "place": row.place, "text": shown_text(row.text)}
        entries.append(entry)
    return entries


def _call(row: ChatRow) -> Json:
    """Without its result, which comes later."""
    line = tool_line(ToolUse(row.call, row.tool, row.text))
    name, _, given = shown_text(line).partition(" ")
    return {
        "role": CALLED,
        "place": row.place,
        "tool": name,
        "given": given,
        "result": None,
        "left_out": 0,
        "failed": False,
    }


def _put_result(call: Json, row: ChatRow) -> None:
    text = shown_text(row.text)
    call["result"] = text[:MOST_RESULT]
    call["left_out"] = max(0, len(text) - MOST_RESULT)
    call["failed"] = row.error


NEW = "new"
"""In an address, a chat that begins with the next message."""
LONGEST_MODEL = 100
MOST_TURNS = 40
"""The newest; the store's conversation has all of them."""
MOST_LISTED = 12
SHORT_TITLE = 70


def address_of_chat(chat: str) -> str:
    return f"chats/{chat}"


def chat_data(visit: Visit) -> Json:
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


def chat_view(data: Json) -> Json:
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


def say(visit: Visit, form: Form) -> Done:
    """The answer is made while pages go on; nothing is changed in the project by it."""
    message = words_of(form.get("message", "").replace("\r\n", "\n"))
    running = _running(visit)
    chat = None if visit.parts["chat"] == NEW else visit.parts["chat"]
    model = form.get("model", "").strip() or None
    provider = _provider_for(visit, chat, model)
    if chat:
        _expect_same_provider(visit, chat, provider, form)
        if running.is_running(chat):
            raise DctxError("The model is still answering.", "Wait for it, or stop it.")

    turn = RunningTurn(message)
    conversation = AsyncDirectorConversation(
        visit.project,
        model=f"{provider.name}:{provider.model}",
        base_url=provider.url,
        go_on=chat,
        on_notice=turn.notice,
        on_use=turn.end_answer,
    )
    try:
        conversation.prepare()
        running.begin(conversation, turn)
    except BaseException:
        from_thread.run(conversation.close)
        raise
    return Done("", visit.link(address_of_chat(conversation.id)))


def _provider_for(visit: Visit, chat: str | None, model: str | None) -> Provider:
    """Where it is asked is the environment's alone to say."""
    last: ChatPoint | None = None
    if chat:
        with open_conversation(visit.project) as store:
            last = last_point(store, chat)
    return provider_for(model or model_of(last))


def _expect_same_provider(visit: Visit, chat: str, provider: Provider, form: Form) -> None:
    """What was said goes to no other provider unless somebody agrees."""
    with open_conversation(visit.project) as store:
        last = last_point(store, chat)
    is_known = last is None or last.provider == provider.identity
    if not is_known and last and form.get("agreed") != provider.identity:
        raise UsageProblem(
            f"So far this chat was with {last.provider}; {provider.identity} would be told all of it.",
            "Agree to that on the page, or start `dctx ui` with the address of the first.",
        )


def stop(visit: Visit, form: Form) -> Done:
    chat = visit.parts["chat"]
    if not _running(visit).stop(chat):
        raise DctxError("It is over already.")
    return Done("", visit.link(address_of_chat(chat)))


def undo(visit: Visit, form: Form) -> Done:
    chat = visit.parts["chat"]
    if _running(visit).is_running(chat):
        raise DctxError("The model is still answering.", "Stop it first.")
    provider = _provider_for(visit, chat, None)
    model = f"{provider.name}:{provider.model}"
    with DirectorConversation(
        visit.project, model=model, base_url=provider.url, go_on=chat
    ) as conversation:
        conversation.undo()
    return Done(
        "The last turn is taken back. The store still has it.",
        visit.link(address_of_chat(chat)),
    )


def _running(visit: Visit) -> RunningChats:
    if visit.chats is None:
        raise DctxError("Nobody can answer here.", "dctx ui")
    return visit.chats
