"""What a provider would reject: calls and results that do not meet, order, empty contents, broken
signatures. Begin with `check`.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.document import Around
from director_ctx.history.formats.parts import as_object, raw_part, read_json
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

    Found = Iterator[tuple[int, int, str, str]]
    """Message, block, rule and text of each problem."""

WHOLE_MESSAGE = -1
"""In the place of a block, where the whole message is meant."""
HINTS = {
    "first": "Let the user begin.",
    "system": "Give it as `system`, beside `messages`.",
    "empty": "Say something in it.",
    "arguments": "Write an object.",
    "signature": "Leave it as the model sent it.",
    "lone reason": "Leave it out, or put that behind it.",
    "no reason": "Put it there, or leave the id out.",
    "duplicate": "Give each call an id of its own.",
    "call": "Put a result in, if only a stub.",
    "second": "Say it as text.",
    "result": "Say it as text, or put its call in.",
    "early": "Put it behind its call.",
    "late": "Put it directly behind its call.",
    "inside": "Put the results first.",
}


class Problem(Record):
    """Something that a provider would reject, and what to do about it."""

    message: int
    """Its place among the messages."""
    block: int
    """Its number among the blocks of that message; -1 if it is the whole message."""
    rule: str
    text: str
    hint: str = ""


def check(conversation: Conversation) -> list[Problem]:
    """Everything that is wrong, in the order of the messages."""
    problems: list[Problem] = []
    for rules in (_beginning, _pairs, _contents, _signatures, _reasons):
        for message, block, rule, text in rules(conversation):
            problems.append(Problem(message, block, rule, text, HINTS[rule]))
    problems.sort(key=lambda problem: (problem.message, problem.block))
    return problems


def _beginning(conversation: Conversation) -> Found:
    messages = conversation.messages
    traits = TRAITS[conversation.format]
    first = first_said(messages)
    if traits.user_first and first < len(messages) and messages[first].role == ASSISTANT:
        yield first, WHOLE_MESSAGE, "first", "The conversation begins with an answer."
    if traits.system_beside and messages and is_system_in_list(messages[0]):
        yield 0, WHOLE_MESSAGE, "system", "The first message is the system's."


def first_said(messages: Sequence[Message]) -> int:
    """The place of the first message that is not the system's; behind the last, where all are."""
    places = (index for index, message in enumerate(messages) if message.role != SYSTEM)
    return next(places, len(messages))


def is_system_in_list(message: Message) -> bool:
    """Whether this is what the system says, as one message of Anthropic's list."""
    # Beside the list its raw form is a text or a list of parts.
    return message.role == SYSTEM and isinstance(message.raw, dict)


def _contents(conversation: Conversation) -> Found:
    form = conversation.format
    last = len(conversation.messages) - 1
    for index, message in enumerate(conversation.messages):
        # The model may go on with a last answer that says nothing yet.
        is_last_answer = index == last and message.role == ASSISTANT
        if is_empty(message, form) and not is_last_answer:
            yield index, WHOLE_MESSAGE, "empty", "This message is empty."
        has_others = len(message.blocks) > 1
        for number, block in enumerate(message.blocks):
            if block.kind == CALL and not has_sound_arguments(block, message):
                text = f"The arguments of {_described(block)} are no object in JSON."
                yield index, number, "arguments", text
            elif has_others and is_blank_text(block, message, form):
                yield index, number, "empty", "This text is empty."


def is_blank_text(block: Block, message: Message, form: str) -> bool:
    """Whether it is a text without words, which its provider refuses beside others."""
    if not TRAITS[form].user_first or _may_be_blank(message, form):
        return False
    return block.kind == TEXT and not block.text.strip()


def is_empty(message: Message, form: str) -> bool:
    """Whether there is nothing in a message that its provider wants something in."""
    if message.role == TOOL or _may_be_blank(message, form):
        return False
    if TRAITS[form].user_first:
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
    # LangChain's has it inside of its fields.
    return raw.get("content") == "" or isinstance(raw.get("data") or raw.get("kwargs"), dict)


def has_sound_arguments(block: Block, message: Message) -> bool:
    """Whether arguments are an object. Some tools take a text instead, and some calls are marked as
    broken.
    """
    return _is_object(block.text) or _takes_text(message.raw, block)


def _is_object(text: str) -> bool:
    if text in ("", "{}"):
        return True
    # Most of what is none shows it by its first character.
    if text[0] != "{" and not text[0].isspace():
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
    if any(call.get("type") == "custom" for call in _objects_in(raw, "tool_calls")):
        return True
    fields = raw.get("data") or raw.get("kwargs") or raw
    return any(call.get("id") == block.call for call in _objects_in(fields, "invalid_tool_calls"))


def _objects_in(fields: Any, key: str) -> list[dict[str, Any]]:
    value = fields.get(key) if isinstance(fields, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _signatures(conversation: Conversation) -> Found:
    """Thoughts in an answer whose calls are still being worked on have to prove where they come
    from.
    """
    if not TRAITS[conversation.format].parts:
        return
    text = "This thought has no signature, and its calls are still open."
    for index in open_loop(conversation.messages):
        message = conversation.messages[index]
        for number, block in enumerate(message.blocks):
            if block.kind == THINKING and not is_signed(message, block):
                yield index, number, "signature", text


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


def _reasons(conversation: Conversation) -> Found:
    """Items of the model whose provider asks for what is not there."""
    if not TRAITS[conversation.format].items:
        return
    messages = conversation.messages
    has_kept_items = keeps_items(conversation)
    # That nothing comes behind a reason can be seen in any conversation.
    for index in lone_reasons(messages, has_kept_items):
        name = item_id(messages[index])
        text = f"Nothing of what the reason {name} led to comes behind it."
        yield index, WHOLE_MESSAGE, "lone reason", text
    # Whether a reason belongs before an item only the provider knows, by what it has kept.
    for index in without_reason(messages) if has_kept_items else ():
        name = item_id(messages[index])
        text = f"The reason that may belong to {name} is not before it."
        yield index, WHOLE_MESSAGE, "no reason", text


def keeps_items(conversation: Conversation) -> bool:
    """Whether the provider keeps what its model sends, so that it knows what belongs to an id."""
    # Codex always tells it not to.
    if conversation.format != "openai-responses":
        return False
    return _request(conversation).get("store") is not False


def _request(conversation: Conversation) -> dict[str, Any]:
    """What stands around the messages in the body of a request; nothing where they are a list."""
    frame = conversation.frame
    return as_object(frame.frame if isinstance(frame, Around) else frame)


# Calls and results that do not meet


def _pairs(conversation: Conversation) -> Found:
    if not has_pairs(conversation):
        return
    messages = conversation.messages
    traits = TRAITS[conversation.format]
    pairs = Pairs(messages, conversation.format)
    known: set[tuple[str, int]] = set()
    for call in pairs.calls:
        # OpenAI's own models repeat ids from answer to answer.
        key = (call.block.call, 0 if traits.ids_once else call.answer)
        if call.block.call and key in known:
            text = f"The id {call.block.call} is used for a second call."
            yield *_place(messages, call), "duplicate", text
        known.add(key)
    for call in pairs.unanswered():
        text = f"The call {_described(call.block)} has no result."
        yield *_place(messages, call), "call", text
    for result in pairs.results:
        if is_misplaced(result, conversation):
            yield *_place(messages, result), *_what_is_wrong(result)
    for index, message in enumerate(messages) if traits.results_first else ():
        kinds = [block.kind for block in message.blocks]
        if TEXT in kinds and RESULT in kinds[kinds.index(TEXT) :]:
            text = "Something stands before the results in this message."
            yield index, WHOLE_MESSAGE, "inside", text


def _place(messages: Sequence[Message], paired: Call | PairedResult) -> tuple[int, int]:
    number = 0
    # By identity: a message may have two blocks that say the same.
    while messages[paired.message_index].blocks[number] is not paired.block:
        number += 1
    return paired.message_index, number


def has_pairs(conversation: Conversation) -> bool:
    """Whether calls and results have to meet. Rows may say what a tool answered without any call."""
    if not conversation.native:
        return False
    return any(
        block.call or block.kind == CALL
        for message in conversation.messages
        for block in message.blocks
    )


def is_misplaced(result: PairedResult, conversation: Conversation) -> bool:
    """Whether a result is not where its provider looks for it."""
    raw = conversation.messages[result.message_index].raw
    is_before_ids = not result.block.call and isinstance(raw, dict)
    if result.is_in_place or (is_before_ids and raw.get("role") == "function"):
        return False
    if result.call is not None or result.has_known_id:
        return True
    # Its call may be in what the provider has kept.
    body = _request(conversation)
    return not (body.get("previous_response_id") or body.get("conversation"))


def _what_is_wrong(result: PairedResult) -> tuple[str, str]:
    """The rule that a result breaks, and a sentence."""
    call = result.call
    name = result.block.call
    if call is None and result.has_known_id:
        return "second", f"The call {name} has a second result."
    if call is None:
        return "result", f"The result of {name or 'no call'} has no call."
    call_name = _described(call.block)
    if result.message_index < call.message_index:
        return "early", f"The result of {call_name} comes before its call."
    return "late", f"The result of {call_name} does not follow its call directly."


def _described(call: Block) -> str:
    """A call by its tool and its id, as far as it has them."""
    if call.tool and call.call:
        return f"{call.tool} ({call.call})"
    return call.tool or call.call or "without a name"


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
            results = [block for block in message.blocks if block.kind == RESULT]
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
            for block in message.blocks:
                if block.kind == CALL:
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
        return [call for call in self.calls if not call.results and call.answer != self.last_answer]


def _is_in_unknown_role(message: Message) -> bool:
    """Whether a message is in a role that no provider knows, such as the `exit` of a program that
    ran an agent.
    """
    raw = message.raw
    return isinstance(raw, dict) and raw.get("role", "user") not in _ROLES
