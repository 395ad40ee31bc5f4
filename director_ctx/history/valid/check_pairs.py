"""Calls and results that do not meet, as their provider would reject them."""

from __future__ import annotations

from director_ctx.history.formats import TRAITS
from director_ctx.history.messages.message import CALL, RESULT, TEXT
from director_ctx.history.valid.kept_by_provider import names_earlier_request
from director_ctx.history.valid.pairs import Pairs
from director_ctx.history.valid.problem import WHOLE_MESSAGE, Problem, described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Block, Conversation, Message
    from director_ctx.history.valid.pairs import Call, PairedResult


def check_pairs(conversation: Conversation) -> Iterator[Problem]:
    if not has_pairs(conversation):
        return
    messages = conversation.messages
    traits = TRAITS[conversation.format]
    pairs = Pairs(messages, conversation.format)
    for call in _repeated_calls(pairs.calls, traits.ids_once):
        text = f"The id {call.block.call} is used for a second call."
        yield _problem(messages, call, "duplicate", text)
    for call in pairs.unanswered():
        text = f"The call {described(call.block)} has no result."
        yield _problem(messages, call, "call", text)
    for result in pairs.results:
        if is_misplaced(result, conversation):
            rule, text = _what_is_wrong(result)
            yield _problem(messages, result, rule, text)
    if traits.results_first:
        yield from _late_results(messages)


def _repeated_calls(calls: Sequence[Call], ids_once: bool) -> Iterator[Call]:
    """Calls whose id another one has: of the conversation, or of the same answer."""
    known: set[tuple[str, int]] = set()
    for call in calls:
        # OpenAI's own models repeat ids from answer to answer.
        scope = 0 if ids_once else call.answer
        key = (call.block.call, scope)
        if call.block.call and key in known:
            yield call
        known.add(key)


def has_pairs(conversation: Conversation) -> bool:
    """Whether calls and results have to meet. Rows may say what a tool answered without any call."""
    if not conversation.native:
        return False
    for message in conversation.messages:
        for block in message.blocks:
            if block.call or block.kind == CALL:
                return True
    return False


def is_misplaced(result: PairedResult, conversation: Conversation) -> bool:
    """Whether a result is not where its provider looks for it."""
    message = conversation.messages[result.message_index]
    if result.is_in_place or _is_before_ids(message, result.block):
        return False
    if result.call is not None or result.has_known_id:
        return True

    # Its call may be in what the provider has kept.
    return not names_earlier_request(conversation)


def _is_before_ids(message: Message, block: Block) -> bool:
    """Whether this is a result of a time before calls had ids."""
    if block.call or not isinstance(message.raw, dict):
        return False
    return message.raw.get("role") == "function"


def _what_is_wrong(result: PairedResult) -> tuple[str, str]:
    """The rule that a result breaks, and a sentence."""
    call = result.call
    name = result.block.call
    if call is None and result.has_known_id:
        return "second", f"The call {name} has a second result."
    if call is None:
        return "result", f"The result of {name or 'no call'} has no call."
    call_name = described(call.block)
    if result.message_index < call.message_index:
        return "early", f"The result of {call_name} comes before its call."
    return "late", f"The result of {call_name} does not follow its call directly."


def _problem(
    messages: Sequence[Message],
    paired: Call | PairedResult,
    rule: str,
    text: str,
) -> Problem:
    index = paired.message_index
    number = 0
    # By identity: a message may have two blocks that say the same.
    while messages[index].blocks[number] is not paired.block:
        number += 1
    return Problem(index, number, rule, text, HINTS[rule])


HINTS = {
    "duplicate": "Give each call an id of its own.",
    "call": "Put a result in, if only a stub.",
    "second": "Say it as text.",
    "result": "Say it as text, or put its call in.",
    "early": "Put it behind its call.",
    "late": "Put it directly behind its call.",
}


def _late_results(messages: Sequence[Message]) -> Iterator[Problem]:
    """Messages in which something else comes before a result."""
    for index, message in enumerate(messages):
        if not _has_text_before_results(message):
            continue
        yield Problem(
            message=index,
            block=WHOLE_MESSAGE,
            rule="inside",
            text="Something stands before the results in this message.",
            hint="Put the results first.",
        )


def _has_text_before_results(message: Message) -> bool:
    has_text = False
    for block in message.blocks:
        if block.kind == RESULT and has_text:
            return True
        if block.kind == TEXT:
            has_text = True
    return False
