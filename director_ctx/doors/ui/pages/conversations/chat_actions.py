"""What can be done in a chat: something said, an answer stopped, a turn taken back."""

from __future__ import annotations

from anyio import from_thread

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.chat.conversation import (
    AsyncDirectorConversation,
    DirectorConversation,
    words_of,
)
from director_ctx.chat.kept_chats import last_point
from director_ctx.chat.providers.provider import provider_for
from director_ctx.doors.ui.pages.conversations.chat import NEW, address_of_chat, model_of
from director_ctx.doors.ui.running_chats import RunningTurn
from director_ctx.doors.ui.visit import Done
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.providers.provider import Provider
    from director_ctx.doors.ui.running_chats import RunningChats
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.conversations.chat_records import ChatPoint

    Form = dict[str, str]


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
