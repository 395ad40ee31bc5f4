"""Makes a conversation one that its provider accepts: by stubs and by moving results. Only what
says nothing goes.
"""

from __future__ import annotations

from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.parts import MENDED, arguments, compact
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    THINKING,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
    has_kind,
)
from director_ctx.history.messages.reasons import (
    lone_reasons,
    said_aloud,
    without_id,
    without_reason,
)
from director_ctx.history.messages.turns import open_loop
from director_ctx.history.valid.check import (
    PairedResult,
    Pairs,
    check,
    first_said,
    has_pairs,
    has_sound_arguments,
    is_blank_text,
    is_empty,
    is_misplaced,
    is_signed,
    is_system_in_list,
    keeps_items,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BEGIN = "[the conversation begins here]"
NO_RESULT = "[no result was recorded]"
NO_PLACE = -1
"""The place of a block that was in no original."""
MOST = 4
"""What was put in for one thing may be in the way of another; so often it is looked at again."""


def mend(conversation: Conversation) -> list[Message]:
    """The messages, with what is missing put in."""
    for _ in range(MOST):
        if not check(conversation):
            break
        conversation = conversation.replace(messages=_mended_once(conversation))
    return list(conversation.messages)


def _mended_once(conversation: Conversation) -> list[Message]:
    traits = TRAITS[conversation.format]
    has_kept_items = keeps_items(conversation)
    messages = list(conversation.messages)
    # Each item goes without its id that may ask for a reason which is not there.
    for index in list(without_reason(messages)) if has_kept_items else ():
        messages[index] = without_id(messages[index])
    conversation = conversation.replace(messages=messages)
    if has_pairs(conversation):
        # Ids first: by them results find their calls.
        conversation = conversation.replace(messages=_with_own_ids(messages))
        messages = _paired(conversation)

    if traits.items:
        # Reasons that stand alone are said as text; what nobody can read of them goes.
        lone = set(lone_reasons(messages, has_kept_items))
        said: list[Message] = []
        for index, message in enumerate(messages):
            said += said_aloud(message) if index in lone else [message]
        messages = said
    if traits.parts:
        for index in open_loop(list(messages)):
            messages[index] = _with_thoughts_said(messages[index])
    messages = _with_sound_contents(messages, conversation.format)
    return _begun_by_user(messages, conversation.format)


def _mended(block: Block, kind: str, text: str, call: str = "", at: int | None = None) -> Block:
    return Block(
        kind,
        text,
        block.at if at is None else at,
        call,
        block.tool,
        error=block.error,
        action=MENDED,
    )


def _with_thoughts_said(message: Message) -> Message:
    """Thoughts that nothing proves are said as text."""
    blocks: list[Block] = []
    for block in message.blocks:
        if block.kind != THINKING or is_signed(message, block):
            blocks.append(block)
        elif block.text.strip():
            blocks.append(_mended(block, TEXT, block.text))
    return message.with_blocks(blocks)


def _with_sound_contents(messages: Sequence[Message], form: str) -> list[Message]:
    """Without what is empty, with JSON where it should be, and results first."""
    mended: list[Message] = []
    for index, message in enumerate(messages):
        blocks: list[Block] = []
        for block in message.blocks:
            if block.kind == CALL and not has_sound_arguments(block, message):
                blocks.append(_mended(block, CALL, compact(arguments(block)), block.call))
            elif not is_blank_text(block, message, form):
                blocks.append(block)
        if has_kind(blocks, RESULT) and TRAITS[form].results_first:
            # Texts go to the end; all else stays in its order.
            blocks.sort(key=lambda block: block.kind == TEXT)

        sound = message.with_blocks(blocks)
        may_be_empty = index == len(messages) - 1 and sound.role == ASSISTANT
        if may_be_empty or not is_empty(sound, form):
            mended.append(sound)
    return mended


def _begun_by_user(messages: list[Message], form: str) -> list[Message]:
    """Beginning with the user, where the provider wants that."""
    if TRAITS[form].system_beside and messages and is_system_in_list(messages[0]):
        first, *others = messages
        messages = [Message(USER, first.blocks, ADDED, when=first.when), *others]
    start = first_said(messages)
    is_begun = start < len(messages) and messages[start].role != ASSISTANT
    if is_begun or not TRAITS[form].user_first:
        return messages
    begin = Message(USER, [Block(TEXT, BEGIN, action=MENDED)])
    return [*messages[:start], begin, *messages[start:]]


# Calls and results that meet: each call with an id and a result of its own, each result where its
# provider looks for it.


def _with_own_ids(messages: Sequence[Message]) -> list[Message]:
    """Each call with an id of its own, and its result with the same one."""
    original_names: set[str] = set()
    for message in messages:
        original_names.update(block.call for block in message.blocks if block.kind == CALL)
    used: set[str] = set()
    unanswered: dict[str, list[str]] = {}
    """For an id, the names of its calls that have no result yet, the oldest first."""

    def renamed(block: Block) -> Block:
        name = block.call
        if block.kind == CALL and name:
            number = 2
            # A second name must not be the first one of another call either.
            while name in used or (name != block.call and name in original_names):
                name = f"{block.call}_{number}"
                number += 1
            used.add(name)
            unanswered.setdefault(block.call, []).append(name)
        elif block.kind == RESULT and unanswered.get(name):
            name = unanswered[name].pop(0)
        return block if name == block.call else _mended(block, block.kind, block.text, name)

    return [message.with_blocks(list(map(renamed, message.blocks))) for message in messages]


def _paired(conversation: Conversation) -> list[Message]:
    """Results where their provider looks for them: stubs for those that are missing, text for those
    without a call.
    """
    pairs = Pairs(conversation.messages, conversation.format)
    put_in: dict[int, list[Block]] = {}
    """Results to stand behind each answer."""
    misplaced: dict[int, dict[int, PairedResult]] = {}
    """By their messages, and there by the `id()` of their blocks, as two may say the same."""
    for result in pairs.results:
        if not is_misplaced(result, conversation):
            continue
        block = result.block
        misplaced.setdefault(result.message_index, {})[id(block)] = result
        if result.call is not None:
            moved = _mended(block, RESULT, block.text, block.call, NO_PLACE)
            put_in.setdefault(result.call.answer, []).append(moved)
    for call in pairs.unanswered():
        block = call.block
        stub = Block(RESULT, NO_RESULT, NO_PLACE, block.call, block.tool, action=MENDED)
        put_in.setdefault(call.answer, []).append(stub)

    last_of_answer: dict[int, int] = {}
    rests: list[tuple[Message | None, Message | None]] = []
    for index, message in enumerate(conversation.messages):
        rest = _without_misplaced(message, misplaced.get(index, {}))
        rests.append(rest)
        if rest[0] is not None and rest[0].role == ASSISTANT:
            last_of_answer[pairs.answers[index]] = index

    joiner = _Joiner(TRAITS[conversation.format].user_first)
    for index, (staying, later) in enumerate(rests):
        answer = pairs.answers[index]
        if staying is not None:
            joiner.put(staying)
        if later is not None:
            joiner.later.append(later)
        if last_of_answer.get(answer) == index:
            joiner.results = put_in.get(answer, [])
    joiner.put_results()
    return joiner.messages + joiner.later


def _without_misplaced(
    message: Message, misplaced: Mapping[int, PairedResult]
) -> tuple[Message | None, Message | None]:
    """What stays of a message in its place, and what is to be said once all results are there."""
    if not misplaced:
        return message, None
    staying = [block for block in message.blocks if id(block) not in misplaced]
    later: list[Block] = []
    for result in misplaced.values():
        if result.call is None:
            block = result.block
            name = block.tool or block.call or "an unknown call"
            text = f"[result of {name}]\n{block.text}"
            later.append(Block(TEXT, text, NO_PLACE, action=MENDED))

    # Without a result it can be no message of a tool.
    may_stay = staying and (message.role != TOOL or has_kind(staying, RESULT))
    if not may_stay:
        later += staying
    of_user = Message(USER, later, ADDED, when=message.when) if later else None
    return message.with_blocks(staying) if may_stay else None, of_user


class _Joiner:
    """Puts everything in order, with the results that were put in directly behind the last message
    of their answer.
    """

    def __init__(self, results_are_users: bool) -> None:
        self.results_are_users = results_are_users
        self.messages: list[Message] = []
        self.results: list[Block] = []
        """Those that come next."""
        self.later: list[Message] = []
        """What is to be said once all results are there."""

    def put(self, message: Message) -> None:
        blocks = message.blocks
        # Where results are the user's words, they go into what the user says next.
        if self.results and self.results_are_users and message.role in (TOOL, USER):
            blocks = [*self.results, *blocks]
            self.results = []
        self.put_results()
        if not has_kind(message.blocks, RESULT):
            self.messages += self.later
            self.later = []
        self.messages.append(message.with_blocks(blocks))

    def put_results(self) -> None:
        if self.results:
            self.messages.append(Message(TOOL, self.results))
        self.results = []
