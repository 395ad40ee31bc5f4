"""What a provider would reject: calls and results that do not meet, order, empty contents, broken
signatures.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.formats.parts import raw_part, read_json
from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
)
from director_ctx.history.messages.reasons import item_id, lone_reasons, without_reason
from director_ctx.history.messages.turns import open_loop
from director_ctx.history.valid.pairs import Pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Conversation, Message
    from director_ctx.history.valid.pairs import Call, PairedResult


KEEPS_ITEMS = "openai-responses"
"""Whose provider keeps what its models sent, unless it is told not to. Codex always tells it."""
KEPT_BEFORE = ("previous_response_id", "conversation")
"""Where a request says that its provider has what came before."""


class Problem(Record):
    message: int
    """Its place among the messages."""
    block: int
    """Its number among the blocks of that message; -1 if it is the whole message."""
    rule: str
    text: str
    hint: str = ""


def check(conversation: Conversation) -> list[Problem]:
    """Everything that is wrong, in the order of the messages."""
    found = [
        *_beginning(conversation),
        *_pairs(conversation),
        *_contents(conversation),
        *_signatures(conversation),
        *_reasons(conversation),
    ]
    return sorted(found, key=lambda problem: (problem.message, problem.block))


def _beginning(conversation: Conversation) -> Iterator[Problem]:
    messages, traits = conversation.messages, TRAITS[conversation.format]
    first = next((place for place, one in enumerate(messages) if one.role != SYSTEM), None)
    if traits.parts and first is not None and messages[first].role == ASSISTANT:
        yield Problem(
            first, -1, "first", "The conversation begins with an answer.", "Let the user begin."
        )
    if traits.system_beside and messages and in_list(messages[0]):
        yield Problem(
            0,
            -1,
            "system",
            "The first message is the system's.",
            "Give it as `system`, beside `messages`.",
        )


def in_list(message: Message) -> bool:
    """Whether this is what the system says, as one message of Anthropic's list."""
    return message.role == SYSTEM and isinstance(message.raw, dict)


def _pairs(conversation: Conversation) -> Iterator[Problem]:
    if not has_pairs(conversation):
        return
    messages = conversation.messages
    pairs = Pairs(messages, conversation.format)
    for call in _repeated(pairs.calls, TRAITS[conversation.format].ids_once):
        text = f"The id {call.block.call} is used for a second call."
        yield _problem(messages, call.place, call.block, "duplicate", text)
    for call in pairs.unanswered():
        yield _problem(
            messages,
            call.place,
            call.block,
            "call",
            f"The call {_named(call.block)} has no result.",
        )
    for result in pairs.results:
        if is_misplaced(result, conversation):
            yield _problem(messages, result.place, result.block, *_wrong(result))
    if TRAITS[conversation.format].results_first:
        yield from (_late(place) for place, one in enumerate(messages) if results_late(one))


def _repeated(calls: Sequence[Call], ids_once: bool) -> Iterator[Call]:
    """Calls whose id another one has: of the conversation, or of the same answer."""
    seen: set[tuple[str, int]] = set()
    for call in calls:
        key = call.block.call, 0 if ids_once else call.answer
        if call.block.call and key in seen:
            yield call
        seen.add(key)


def has_pairs(conversation: Conversation) -> bool:
    """Whether calls and results have to meet. Rows may say what a tool answered without any call."""
    return (
        conversation.native
        and TRAITS[conversation.format].calls
        and any(map(_may_meet, conversation.messages))
    )


def _may_meet(message: Message) -> bool:
    return any(block.call or block.kind == CALL for block in message.blocks)


def is_misplaced(result: PairedResult, conversation: Conversation) -> bool:
    """Whether a result is not where its provider looks for it."""
    if result.right or before_ids(conversation.messages[result.place], result.block):
        return False
    asked_before = result.call is None and not result.known
    return not (asked_before and any(request(conversation).get(key) for key in KEPT_BEFORE))


def before_ids(message: Message, block: Block) -> bool:
    """Whether this is a result of a time before calls had ids."""
    return (
        not block.call and isinstance(message.raw, dict) and message.raw.get("role") == "function"
    )


def _wrong(result: PairedResult) -> tuple[str, str]:
    call, name = result.call, result.block.call
    if call is None and result.known:
        return "second", f"The call {name} has a second result."
    if call is None:
        return "result", f"The result of {name or 'no call'} has no call."
    if result.place < call.place:
        return "early", f"The result of {_named(call.block)} comes before its call."
    return "late", f"The result of {_named(call.block)} does not follow its call directly."


def _named(block: Block) -> str:
    return (
        f"{block.tool} ({block.call})"
        if block.tool and block.call
        else block.tool or block.call or "without a name"
    )


def _problem(
    messages: Sequence[Message], place: int, block: Block, rule: str, text: str
) -> Problem:
    number = next(n for n, one in enumerate(messages[place].blocks) if one is block)
    return Problem(place, number, rule, text, HINTS[rule])


HINTS = {
    "duplicate": "Give each call an id of its own.",
    "call": "Put a result in, if only a stub.",
    "second": "Say it as text.",
    "result": "Say it as text, or put its call in.",
    "early": "Put it behind its call.",
    "late": "Put it directly behind its call.",
}


def results_late(message: Message) -> bool:
    """Whether something else comes before a result in the same message."""
    other = False
    for block in message.blocks:
        if block.kind == RESULT and other:
            return True
        other = other or block.kind == TEXT
    return False


def _late(place: int) -> Problem:
    return Problem(
        place,
        -1,
        "inside",
        "Something stands before the results in this message.",
        "Put the results first.",
    )


def _contents(conversation: Conversation) -> Iterator[Problem]:
    form, last = conversation.format, len(conversation.messages) - 1
    for place, message in enumerate(conversation.messages):
        if is_empty(message, form) and not (place == last and message.role == ASSISTANT):
            yield Problem(place, -1, "empty", "This message is empty.", "Say something in it.")
        for number, block in enumerate(message.blocks):
            if block.kind == CALL and not sound(block, message):
                text = f"The arguments of {_named(block)} are no object in JSON."
                yield Problem(place, number, "arguments", text, "Write an object.")
            elif hollow(block, message, form) and len(message.blocks) > 1:
                yield Problem(place, number, "empty", "This text is empty.", "Say something in it.")


def hollow(block: Block, message: Message, form: str) -> bool:
    """Whether it is a text without words, which its provider refuses beside others."""
    if _may_be_blank(message, form):
        return False
    return block.kind == TEXT and TRAITS[form].parts and not block.text.strip()


def is_empty(message: Message, form: str) -> bool:
    """Whether there is nothing in a message that its provider wants something in."""
    if TRAITS[form].may_be_empty or message.role == TOOL or _may_be_blank(message, form):
        return False
    if TRAITS[form].parts:
        return not any(block.kind != TEXT or block.text.strip() for block in message.blocks)
    return not message.blocks and (message.role == ASSISTANT or not _says_nothing(message.raw))


def _may_be_blank(message: Message, form: str) -> bool:
    return TRAITS[form].blank_answers and message.role == ASSISTANT


def _says_nothing(raw: Any) -> bool:
    """Whether a message has an empty text, which most providers accept of anyone but the model."""
    return isinstance(raw, dict) and (
        raw.get("content") == "" or isinstance(raw.get("data") or raw.get("kwargs"), dict)
    )


def sound(block: Block, message: Message) -> bool:
    """Whether arguments are an object. Some tools take a text instead, and some calls are marked as
    broken.
    """
    return _is_object(block.text) or _takes_text(message.raw, block)


def _is_object(text: str) -> bool:
    if text in ("", "{}"):
        return True
    if text[:1] != "{" and not text[:1].isspace():
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
    calls = raw.get("tool_calls")
    if isinstance(calls, list) and any(
        isinstance(one, dict) and one.get("type") == "custom" for one in calls
    ):
        return True
    fields = raw.get("data") or raw.get("kwargs") or raw
    broken = fields.get("invalid_tool_calls") if isinstance(fields, dict) else None
    return isinstance(broken, list) and any(
        isinstance(one, dict) and one.get("id") == block.call for one in broken
    )


def _signatures(conversation: Conversation) -> Iterator[Problem]:
    """Thoughts in an answer whose calls are still being worked on have to prove where they come
    from.
    """
    if not TRAITS[conversation.format].parts:
        return
    for place in open_loop(conversation.messages):
        message = conversation.messages[place]
        for number, block in enumerate(message.blocks):
            if block.kind == THINKING and not signed(message, block):
                text = "This thought has no signature, and its calls are still open."
                yield Problem(place, number, "signature", text, "Leave it as the model sent it.")


def _reasons(conversation: Conversation) -> Iterator[Problem]:
    """Items of the model whose provider asks for what is not there."""
    if not TRAITS[conversation.format].items:
        return
    messages = conversation.messages
    kept = keeps_items(conversation)
    for place in lone_reasons(messages, kept):
        text = f"Nothing of what the reason {item_id(messages[place])} led to comes behind it."
        yield Problem(place, -1, "lone reason", text, "Leave it out, or put that behind it.")
    for place in without_reason(messages) if kept else ():
        text = f"The reason that may belong to {item_id(messages[place])} is not before it."
        yield Problem(place, -1, "no reason", text, "Put it there, or leave the id out.")


def keeps_items(conversation: Conversation) -> bool:
    """Whether the provider keeps what its model sends, so that it knows what belongs to an id."""
    return conversation.format == KEEPS_ITEMS and request(conversation).get("store") is not False


def request(conversation: Conversation) -> dict[str, Any]:
    """What stands around the messages in the body of a request; nothing where they are a list."""
    frame = getattr(conversation.frame, "frame", conversation.frame)
    return frame if isinstance(frame, dict) else {}


def signed(message: Message, block: Block) -> bool:
    """Whether a thought has what proves it."""
    if isinstance(block.data, dict):
        return bool(block.data.get("signature") or block.data.get("data"))
    part = raw_part(message, block)
    return (
        not block.action
        and isinstance(part, dict)
        and isinstance(part.get("signature"), str)
        and bool(part["signature"])
    )
