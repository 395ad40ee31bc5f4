"""What a provider would reject: calls and results that do not meet, order, empty contents, broken
signatures.
"""

from __future__ import annotations

from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.parts import raw_part, read_json
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    has_only,
)
from director_ctx.history.messages.reasons import item_id, lone_reasons, without_reason
from director_ctx.history.messages.turns import open_loop
from director_ctx.history.valid.check_pairs import check_pairs
from director_ctx.history.valid.kept_by_provider import keeps_items
from director_ctx.history.valid.problem import WHOLE_MESSAGE, Problem, described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Conversation, Message


def check(conversation: Conversation) -> list[Problem]:
    """Everything that is wrong, in the order of the messages."""
    problems = [
        *_beginning(conversation),
        *check_pairs(conversation),
        *_contents(conversation),
        *_signatures(conversation),
        *_reasons(conversation),
    ]
    problems.sort(key=_place)
    return problems


def _place(problem: Problem) -> tuple[int, int]:
    return problem.message, problem.block


def _beginning(conversation: Conversation) -> Iterator[Problem]:
    messages = conversation.messages
    traits = TRAITS[conversation.format]
    first = _first_answer(messages)
    if traits.user_first and first is not None:
        yield Problem(
            message=first,
            block=WHOLE_MESSAGE,
            rule="first",
            text="The conversation begins with an answer.",
            hint="Let the user begin.",
        )
    if traits.system_beside and messages and is_system_in_list(messages[0]):
        yield Problem(
            message=0,
            block=WHOLE_MESSAGE,
            rule="system",
            text="The first message is the system's.",
            hint="Give it as `system`, beside `messages`.",
        )


def _first_answer(messages: Sequence[Message]) -> int | None:
    """The place of an answer before which nobody but the system said anything."""
    for index, message in enumerate(messages):
        if message.role == ASSISTANT:
            return index
        if message.role != SYSTEM:
            return None
    return None


def is_system_in_list(message: Message) -> bool:
    """Whether this is what the system says, as one message of Anthropic's list."""
    # Beside the list its raw form is a text or a list of parts.
    return message.role == SYSTEM and isinstance(message.raw, dict)


def _contents(conversation: Conversation) -> Iterator[Problem]:
    form = conversation.format
    last = len(conversation.messages) - 1
    for index, message in enumerate(conversation.messages):
        # The model may go on with a last answer that says nothing yet.
        is_last_answer = index == last and message.role == ASSISTANT
        if is_empty(message, form) and not is_last_answer:
            yield Problem(
                message=index,
                block=WHOLE_MESSAGE,
                rule="empty",
                text="This message is empty.",
                hint="Say something in it.",
            )
        yield from _contents_of_blocks(message, index, form)


def _contents_of_blocks(message: Message, index: int, form: str) -> Iterator[Problem]:
    has_others = len(message.blocks) > 1
    for number, block in enumerate(message.blocks):
        if block.kind == CALL and not has_sound_arguments(block, message):
            yield Problem(
                message=index,
                block=number,
                rule="arguments",
                text=f"The arguments of {described(block)} are no object in JSON.",
                hint="Write an object.",
            )
        elif has_others and is_blank_text(block, message, form):
            yield Problem(
                message=index,
                block=number,
                rule="empty",
                text="This text is empty.",
                hint="Say something in it.",
            )


def is_blank_text(block: Block, message: Message, form: str) -> bool:
    """Whether it is a text without words, which its provider refuses beside others."""
    if not TRAITS[form].user_first or _may_be_blank(message, form):
        return False
    return block.kind == TEXT and not block.text.strip()


def is_empty(message: Message, form: str) -> bool:
    """Whether there is nothing in a message that its provider wants something in."""
    traits = TRAITS[form]
    if message.role == TOOL or _may_be_blank(message, form):
        return False
    if traits.user_first:
        has_words = any(block.text.strip() for block in message.blocks)
        return has_only(message.blocks, TEXT) and not has_words
    if message.blocks:
        return False
    return message.role == ASSISTANT or not _has_empty_text(message.raw)


def _may_be_blank(message: Message, form: str) -> bool:
    # Claude Code leaves such an answer out itself, so its sessions are not wrong for it.
    return TRAITS[form].blank_answers and message.role == ASSISTANT


def _has_empty_text(raw: Any) -> bool:
    """Whether a message has an empty text, which most providers accept of anyone but the model."""
    if not isinstance(raw, dict):
        return False
    if raw.get("content") == "":
        return True
    # LangChain's, which has it inside of its fields.
    return isinstance(raw.get("data") or raw.get("kwargs"), dict)


def has_sound_arguments(block: Block, message: Message) -> bool:
    """Whether arguments are an object. Some tools take a text instead, and some calls are marked as
    broken.
    """
    return _is_object(block.text) or _takes_text(message.raw, block)


def _is_object(text: str) -> bool:
    if text in ("", "{}"):
        return True
    # Most of what is none shows it by its first character.
    first = text[0]
    if first != "{" and not first.isspace():
        return False
    try:
        return isinstance(read_json(text), dict)
    except (ValueError, RecursionError):
        return False


def _takes_text(raw: Any, block: Block) -> bool:
    if not isinstance(raw, dict):
        return False
    if raw.get("type") == "custom_tool_call":
        return True
    for call in _list_in(raw, "tool_calls"):
        if isinstance(call, dict) and call.get("type") == "custom":
            return True

    fields = raw.get("data") or raw.get("kwargs") or raw
    if not isinstance(fields, dict):
        return False
    for call in _list_in(fields, "invalid_tool_calls"):
        if isinstance(call, dict) and call.get("id") == block.call:
            return True
    return False


def _list_in(fields: dict[str, Any], key: str) -> list[Any]:
    value = fields.get(key)
    return value if isinstance(value, list) else []


def _signatures(conversation: Conversation) -> Iterator[Problem]:
    """Thoughts in an answer whose calls are still being worked on have to prove where they come
    from.
    """
    if not TRAITS[conversation.format].parts:
        return
    for index in open_loop(conversation.messages):
        message = conversation.messages[index]
        for number, block in enumerate(message.blocks):
            if block.kind != THINKING or is_signed(message, block):
                continue
            yield Problem(
                message=index,
                block=number,
                rule="signature",
                text="This thought has no signature, and its calls are still open.",
                hint="Leave it as the model sent it.",
            )


def _reasons(conversation: Conversation) -> Iterator[Problem]:
    """Items of the model whose provider asks for what is not there."""
    if not TRAITS[conversation.format].items:
        return
    messages = conversation.messages
    has_kept_items = keeps_items(conversation)
    # That nothing comes behind a reason can be seen in any conversation.
    for index in lone_reasons(messages, has_kept_items):
        yield Problem(
            message=index,
            block=WHOLE_MESSAGE,
            rule="lone reason",
            text=f"Nothing of what the reason {item_id(messages[index])} led to comes behind it.",
            hint="Leave it out, or put that behind it.",
        )
    # Whether a reason belongs before an item only the provider knows, by what it has kept.
    if not has_kept_items:
        return
    for index in without_reason(messages):
        yield Problem(
            message=index,
            block=WHOLE_MESSAGE,
            rule="no reason",
            text=f"The reason that may belong to {item_id(messages[index])} is not before it.",
            hint="Put it there, or leave the id out.",
        )


def is_signed(message: Message, block: Block) -> bool:
    """Whether a thought has what proves it."""
    if isinstance(block.data, dict):
        return bool(block.data.get("signature") or block.data.get("data"))
    # A signature is of every word: one that was shortened has none any more.
    part = raw_part(message, block)
    if block.action or not isinstance(part, dict):
        return False
    signature = part.get("signature")
    return isinstance(signature, str) and bool(signature)
