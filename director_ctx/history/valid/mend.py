"""Makes a conversation one that its provider accepts: by stubs and by moving results. Only what
says nothing goes.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.formats.parts import MENDED, arguments, compact
from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
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

    ByAnswer = dict[int, list[Block]]

BEGIN = "[the conversation begins here]"
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
    conversation = conversation.replace(messages=_without_lost_reasons(conversation))
    if has_pairs(conversation):
        # Ids first: by them results find their calls.
        conversation = conversation.replace(messages=with_own_ids(conversation.messages))
        conversation = conversation.replace(messages=paired(conversation))

    form = conversation.format
    messages = _with_reasons_said(conversation)
    messages = _with_signed_thoughts(messages, form)
    messages = _with_sound_contents(messages, form)
    return _begun_by_user(messages, form)


def _without_lost_reasons(conversation: Conversation) -> list[Message]:
    """Without the id of each item that may ask for a reason which is not there."""
    messages = list(conversation.messages)
    if keeps_items(conversation):
        for index in list(without_reason(messages)):
            messages[index] = without_id(messages[index])
    return messages


def _with_reasons_said(conversation: Conversation) -> list[Message]:
    """With reasons that stand alone said as text; what nobody can read of them goes."""
    if not TRAITS[conversation.format].items:
        return list(conversation.messages)

    lone = set(lone_reasons(conversation.messages, keeps_items(conversation)))
    messages: list[Message] = []
    for index, message in enumerate(conversation.messages):
        if index in lone:
            messages += said_aloud(message)
        else:
            messages.append(message)
    return messages


def _with_signed_thoughts(messages: Sequence[Message], form: str) -> list[Message]:
    """Thoughts that nothing proves are said as text."""
    mended = list(messages)
    if TRAITS[form].parts:
        for index in open_loop(messages):
            mended[index] = _with_thoughts_said(mended[index])
    return mended


def _with_thoughts_said(message: Message) -> Message:
    blocks: list[Block] = []
    for block in message.blocks:
        if block.kind != THINKING or is_signed(message, block):
            blocks.append(block)
        elif block.text.strip():
            said = Block(
                kind=TEXT,
                text=block.text,
                at=block.at,
                tool=block.tool,
                error=block.error,
                action=MENDED,
            )
            blocks.append(said)
    return message.with_blocks(blocks)


def _with_sound_contents(messages: Sequence[Message], form: str) -> list[Message]:
    """Without what is empty, with JSON where it should be, and results first."""
    mended = []
    last = len(messages) - 1
    for index, message in enumerate(messages):
        sound = _with_sound_blocks(message, form)
        may_be_empty = index == last and sound.role == ASSISTANT
        if may_be_empty or not is_empty(sound, form):
            mended.append(sound)
    return mended


def _with_sound_blocks(message: Message, form: str) -> Message:
    blocks = []
    for block in message.blocks:
        if not is_blank_text(block, message, form):
            blocks.append(_with_object(block, message))

    has_results = has_kind(blocks, RESULT)
    if has_results and TRAITS[form].results_first:
        # Texts go to the end; all else stays in its order.
        blocks.sort(key=lambda block: block.kind == TEXT)
    return message.with_blocks(blocks)


def _with_object(block: Block, message: Message) -> Block:
    """A call whose arguments are an object; anything else as it is."""
    if block.kind != CALL or has_sound_arguments(block, message):
        return block
    return Block(
        kind=CALL,
        text=compact(arguments(block)),
        at=block.at,
        call=block.call,
        tool=block.tool,
        error=block.error,
        action=MENDED,
    )


def _begun_by_user(messages: list[Message], form: str) -> list[Message]:
    """Beginning with the user, where the provider wants that."""
    if TRAITS[form].system_beside and messages and is_system_in_list(messages[0]):
        first, *others = messages
        of_user = Message(USER, first.blocks, ADDED, when=first.when)
        messages = [of_user, *others]
    if not TRAITS[form].user_first:
        return messages

    start = 0
    while start < len(messages) and messages[start].role == SYSTEM:
        start += 1
    is_begun = start < len(messages) and messages[start].role != ASSISTANT
    if is_begun:
        return messages
    begin = Block(TEXT, BEGIN, action=MENDED)
    messages = list(messages)
    messages.insert(start, Message(USER, [begin]))
    return messages


NO_RESULT = "[no result was recorded]"
NO_PLACE = -1
"""The place of a block that was in no original."""


def with_own_ids(messages: Sequence[Message]) -> list[Message]:
    """Each call with an id of its own, and its result with the same one."""
    names = _CallNames(messages)
    mended = []
    for message in messages:
        blocks = [names.renamed(block) for block in message.blocks]
        mended.append(message.with_blocks(blocks))
    return mended


class _CallNames:
    """Gives second names to calls that share one, in the order in which they come."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.original_names: set[str] = set()
        for message in messages:
            for block in message.blocks:
                if block.kind == CALL:
                    self.original_names.add(block.call)
        self.used: set[str] = set()
        self.unanswered: dict[str, list[str]] = {}
        """For an id, the names of its calls that have no result yet, the oldest first."""

    def renamed(self, block: Block) -> Block:
        if block.kind == CALL and block.call:
            name = self._free_name(block.call)
            self.unanswered.setdefault(block.call, []).append(name)
        elif block.kind == RESULT and self.unanswered.get(block.call):
            name = self.unanswered[block.call].pop(0)
        else:
            return block
        if name == block.call:
            return block
        return Block(
            kind=block.kind,
            text=block.text,
            at=block.at,
            call=name,
            tool=block.tool,
            error=block.error,
            action=MENDED,
        )

    def _free_name(self, name: str) -> str:
        free = name
        number = 2
        # A second name must not be the first one of another call either.
        while free in self.used or (free != name and free in self.original_names):
            free = f"{name}_{number}"
            number += 1
        self.used.add(free)
        return free


class _Rest(Record):
    """What is left of a message whose results belong elsewhere."""

    message: Message | None
    """What stays in its place."""
    later: Message | None = None
    """What is to be said once all results are there."""


def paired(conversation: Conversation) -> list[Message]:
    """Results where their provider looks for them: stubs for those that are missing, text for those
    without a call.
    """
    form = conversation.format
    pairs = Pairs(conversation.messages, form)
    put_in: ByAnswer = {}
    """Results to stand behind each answer."""
    misplaced: dict[int, dict[int, PairedResult]] = {}
    """By their messages, and there by the `id()` of their blocks, as two may say the same."""
    for result in pairs.results:
        if not is_misplaced(result, conversation):
            continue
        of_message = misplaced.setdefault(result.message_index, {})
        of_message[id(result.block)] = result
        if result.call is not None:
            behind_answer = put_in.setdefault(result.call.answer, [])
            behind_answer.append(_moved(result.block))
    for call in pairs.unanswered():
        behind_answer = put_in.setdefault(call.answer, [])
        behind_answer.append(_stub(call.block))

    rests = []
    for index, message in enumerate(conversation.messages):
        of_message = misplaced.get(index, {})
        rests.append(_without_misplaced(message, of_message))
    return _Joiner(rests, pairs.answers, put_in, form).joined()


def _stub(call: Block) -> Block:
    return Block(
        kind=RESULT,
        text=NO_RESULT,
        at=NO_PLACE,
        call=call.call,
        tool=call.tool,
        action=MENDED,
    )


def _moved(block: Block) -> Block:
    return Block(
        kind=RESULT,
        text=block.text,
        at=NO_PLACE,
        call=block.call,
        tool=block.tool,
        error=block.error,
        action=MENDED,
    )


def _without_misplaced(message: Message, misplaced: Mapping[int, PairedResult]) -> _Rest:
    if not misplaced:
        return _Rest(message)

    staying = []
    for block in message.blocks:
        if id(block) not in misplaced:
            staying.append(block)
    without_call = []
    for result in misplaced.values():
        if result.call is None:
            without_call.append(_as_text(result.block))

    has_results = has_kind(staying, RESULT)
    if staying and (message.role != TOOL or has_results):
        return _Rest(message.with_blocks(staying), _of_user(without_call, message))
    # Without a result it can be no message of a tool.
    return _Rest(None, _of_user([*without_call, *staying], message))


def _of_user(blocks: Sequence[Block], message: Message) -> Message | None:
    if not blocks:
        return None
    return Message(USER, blocks, ADDED, when=message.when)


def _as_text(result: Block) -> Block:
    name = result.tool or result.call or "an unknown call"
    text = f"[result of {name}]\n{result.text}"
    return Block(TEXT, text, NO_PLACE, action=MENDED)


class _Joiner:
    """Puts everything in order, with the results that were put in directly behind the last message
    of their answer.
    """

    def __init__(
        self,
        rests: Sequence[_Rest],
        answers: Sequence[int],
        put_in: ByAnswer,
        form: str,
    ) -> None:
        self.rests = rests
        self.answers = answers
        self.put_in = put_in
        self.results_are_users = TRAITS[form].user_first
        self.messages: list[Message] = []
        self.results: list[Block] = []
        """Those that come next."""
        self.later: list[Message] = []
        """What is to be said once all results are there."""

    def joined(self) -> list[Message]:
        last_of_answer: dict[int, int] = {}
        for index, rest in enumerate(self.rests):
            if rest.message and rest.message.role == ASSISTANT:
                last_of_answer[self.answers[index]] = index

        for index, rest in enumerate(self.rests):
            answer = self.answers[index]
            if rest.message is not None:
                self._put(rest.message)
            if rest.later:
                self.later.append(rest.later)
            if last_of_answer.get(answer) == index:
                self.results = self.put_in.get(answer, [])
        self._put_results()
        return self.messages + self.later

    def _put(self, message: Message) -> None:
        blocks = message.blocks
        # Where results are the user's words, they go into what the user says next.
        is_users = message.role in (TOOL, USER)
        if self.results and self.results_are_users and is_users:
            blocks = [*self.results, *blocks]
            self.results = []
        self._put_results()

        has_results = has_kind(message.blocks, RESULT)
        if not has_results:
            self.messages += self.later
            self.later = []
        self.messages.append(message.with_blocks(blocks))

    def _put_results(self) -> None:
        if self.results:
            self.messages.append(Message(TOOL, self.results))
        self.results = []
