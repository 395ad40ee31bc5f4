"""What a provider would reject: calls and results that do not meet, order, empty contents, broken
signatures.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.formats.document import Around
from director_ctx.history.formats.parts import as_object, raw_part, read_json
from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    Block,
    Conversation,
    Message,
    has_only,
)
from director_ctx.history.messages.reasons import item_id, lone_reasons, without_reason
from director_ctx.history.messages.turns import open_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


WHOLE_MESSAGE = -1
"""In the place of a block, where the whole message is meant."""


class Problem(Record):
    """Something that a provider would reject, and what to do about it."""

    message: int
    """Its place among the messages."""
    block: int
    """Its number among the blocks of that message; -1 if it is the whole message."""
    rule: str
    text: str
    hint: str = ""


def described(call: Block) -> str:
    """A call by its tool and its id, as far as it has them."""
    if call.tool and call.call:
        return f"{call.tool} ({call.call})"
    return call.tool or call.call or "without a name"


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
    if not conversation.native or not TRAITS[conversation.format].calls:
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


_ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model")
NO_ANSWER = -1
"""The number of an answer, where there is none."""


class Call:
    """A call, and the results that name it."""

    __slots__ = ("answer", "block", "message_index", "results")

    def __init__(self, block: Block, message_index: int, answer: int) -> None:
        self.block = block
        self.message_index = message_index
        self.answer = answer
        self.results: list[PairedResult] = []


class PairedResult:
    """A result, and the call that it belongs to."""

    __slots__ = ("block", "call", "follows", "has_known_id", "is_in_place", "message_index")

    def __init__(self, block: Block, message_index: int, follows: int) -> None:
        self.block = block
        self.message_index = message_index
        self.follows = follows
        """The answer that it stands behind."""
        self.is_in_place = False
        """Whether it is where its provider looks for it."""
        self.call: Call | None = None
        self.has_known_id = False
        """Whether there is a call with its id, be it answered already."""


class Pairs:
    """All calls and results of a conversation, in order."""

    __slots__ = ("answers", "calls", "last_answer", "results")

    def __init__(self, messages: Sequence[Message], form: str) -> None:
        self.calls: list[Call] = []
        self.results: list[PairedResult] = []
        self.answers: list[int] = []
        """For each message the answer that it belongs to, or follows directly."""
        self.last_answer = NO_ANSWER
        """The last answer, if nothing but results comes after it."""
        self._read(messages, TRAITS[form].between)
        self._join(TRAITS[form].items)

    def _read(self, messages: Sequence[Message], may_stand_between: bool) -> None:
        count = 0
        answer = NO_ANSWER
        group = ""
        is_in_answer = False
        for index, message in enumerate(messages):
            calls, results = _calls_and_results(message)
            if message.role == ASSISTANT:
                goes_on = is_in_answer and group and group == message.group
                if not goes_on:
                    count += 1
                answer = count - 1
                group = message.group
                is_in_answer = True
            elif not results and not _is_in_unknown_role(message):
                is_in_answer = False
                if not may_stand_between:
                    answer = NO_ANSWER

            self.answers.append(answer)
            for block in calls:
                self.calls.append(Call(block, index, answer))
            for block in results:
                self.results.append(PairedResult(block, index, answer))
        if is_in_answer:
            self.last_answer = count - 1

    def _join(self, anywhere_behind: bool) -> None:
        """Each result takes the first call of its id that nothing has answered yet."""
        unanswered: dict[str, list[Call]] = {}
        # From the end, so that the first one is taken first.
        for call in reversed(self.calls):
            unanswered.setdefault(call.block.call, []).append(call)

        for result in self.results:
            calls = unanswered.get(result.block.call)
            result.has_known_id = calls is not None
            if not calls:
                continue
            call = calls.pop()
            call.results.append(result)
            result.call = call
            # No provider takes a result that stands before its call, wherever else it may stand.
            if result.message_index >= call.message_index:
                result.is_in_place = anywhere_behind or result.follows == call.answer

    def unanswered(self) -> list[Call]:
        """Calls that should have a result; those of the last answer may still get one."""
        calls = []
        for call in self.calls:
            if not call.results and call.answer != self.last_answer:
                calls.append(call)
        return calls


def _is_in_unknown_role(message: Message) -> bool:
    """Whether a message is in a role that no provider knows, such as the `exit` of a program that
    ran an agent.
    """
    if not isinstance(message.raw, dict):
        return False
    return message.raw.get("role", "user") not in _ROLES


def _calls_and_results(message: Message) -> tuple[list[Block], list[Block]]:
    calls: list[Block] = []
    results: list[Block] = []
    for block in message.blocks:
        if block.kind == CALL:
            calls.append(block)
        elif block.kind == RESULT:
            results.append(block)
    return calls, results


_KEEPS_ITEMS = "openai-responses"
"""Whose provider keeps what its models sent, unless it is told not to. Codex always tells it."""
_EARLIER = ("previous_response_id", "conversation")
"""Where a request says that its provider has what came before."""


def keeps_items(conversation: Conversation) -> bool:
    """Whether the provider keeps what its model sends, so that it knows what belongs to an id."""
    if conversation.format != _KEEPS_ITEMS:
        return False
    return request_of(conversation).get("store") is not False


def request_of(conversation: Conversation) -> dict[str, Any]:
    """What stands around the messages in the body of a request; nothing where they are a list."""
    frame = conversation.frame
    if isinstance(frame, Around):
        frame = frame.frame
    return as_object(frame)


def names_earlier_request(conversation: Conversation) -> bool:
    """Whether a request goes on from one that its provider has kept."""
    body = request_of(conversation)
    return any(body.get(key) for key in _EARLIER)
