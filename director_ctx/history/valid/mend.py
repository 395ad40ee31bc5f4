"""Makes a conversation one that its provider accepts: by stubs and by moving results. Only what
says nothing goes.
"""

from __future__ import annotations

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
    Message,
)
from director_ctx.history.messages.reasons import (
    lone_reasons,
    said_aloud,
    without_id,
    without_reason,
)
from director_ctx.history.messages.turns import open_loop
from director_ctx.history.valid.check import (
    check,
    has_pairs,
    hollow,
    in_list,
    is_empty,
    is_misplaced,
    keeps_items,
    signed,
    sound,
)
from director_ctx.history.valid.pairs import Pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.history.messages.message import Conversation
    from director_ctx.history.valid.pairs import PairedResult

    Kept = tuple[Message | None, Message | None]

NO_RESULT = "[no result was recorded]"
BEGIN = "[the conversation begins here]"
MOST = 4
"""What was put in for one thing may be in the way of another; so often it is looked at again."""
FRESH = -1
"""The place of a block that was in no original."""


def mend(conversation: Conversation) -> list[Message]:
    """The messages, with what is missing put in."""
    for _ in range(MOST):
        if not check(conversation):
            break
        conversation = conversation.replace(messages=_once(conversation))
    return list(conversation.messages)


def _once(conversation: Conversation) -> list[Message]:
    form = conversation.format
    conversation = conversation.replace(messages=_asking_no_more(conversation))
    if has_pairs(conversation):
        conversation = conversation.replace(messages=_named(conversation.messages))
        conversation = conversation.replace(messages=_paired(conversation))
    messages = list(_reasoned(conversation))
    return _begun(_worded(_signed(messages, form), form), form)


def _asking_no_more(conversation: Conversation) -> list[Message]:
    """Without the id of each item that may ask for a reason which is not there."""
    messages = list(conversation.messages)
    if keeps_items(conversation):
        for place in list(without_reason(messages)):
            messages[place] = without_id(messages[place])
    return messages


def _reasoned(conversation: Conversation) -> Iterator[Message]:
    """With reasons that stand alone said as text; what nobody can read of them goes."""
    messages = conversation.messages
    lone: set[int] = set()
    if TRAITS[conversation.format].items:
        lone.update(lone_reasons(messages, keeps_items(conversation)))
    for place, message in enumerate(messages):
        said = said_aloud(message) if place in lone else message
        if said is not None:
            yield said


def changed(block: Block, kind: str, text: str, call: str) -> Block:
    return Block(kind, text, block.at, call, block.tool, block.error, None, MENDED)


def _named(messages: Sequence[Message]) -> list[Message]:
    """Each call with an id of its own, and its result with the same one."""
    names = _Names(messages)
    return [_each(message, names.renamed) for message in messages]


class _Names:
    """Gives second names to calls that share one, in the order in which they come."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.taken = {
            block.call for message in messages for block in message.blocks if block.kind == CALL
        }
        self.seen: set[str] = set()
        self.waiting: dict[str, list[str]] = {}
        """For an id, the names of its calls that have no result yet, the oldest first."""

    def renamed(self, block: Block) -> Block:
        if block.kind == CALL and block.call:
            name = self._free(block.call)
            self.waiting.setdefault(block.call, []).append(name)
        elif block.kind == RESULT and self.waiting.get(block.call):
            name = self.waiting[block.call].pop(0)
        else:
            return block
        if name == block.call:
            return block
        return changed(block, block.kind, block.text, name)

    def _free(self, name: str) -> str:
        free = name
        number = 2
        while free in self.seen or (free != name and free in self.taken):
            free = f"{name}_{number}"
            number += 1
        self.seen.add(free)
        return free


def _paired(conversation: Conversation) -> list[Message]:
    """Results where their provider looks for them: stubs for those that are missing, text for those
    without a call.
    """
    messages, form = conversation.messages, conversation.format
    pairs = Pairs(messages, form)
    homes: dict[int, list[Block]] = {}
    wrong: dict[int, dict[int, PairedResult]] = {}
    for result in pairs.results:
        if not is_misplaced(result, conversation):
            continue
        wrong.setdefault(result.place, {})[id(result.block)] = result
        if result.call is not None:
            homes.setdefault(result.call.answer, []).append(_moved(result.block))
    for call in pairs.unanswered():
        homes.setdefault(call.answer, []).append(_stub(call.block))

    kept = []
    for index, message in enumerate(messages):
        kept.append(_without(message, wrong.get(index, {})))
    return _housed(kept, pairs.answers, homes, form)


def _stub(call: Block) -> Block:
    return Block(RESULT, NO_RESULT, FRESH, call.call, call.tool, action=MENDED)


def _moved(block: Block) -> Block:
    return Block(RESULT, block.text, FRESH, block.call, block.tool, block.error, None, MENDED)


def _without(message: Message, wrong: dict[int, PairedResult]) -> Kept:
    """What stays of a message whose results belong elsewhere, and what is to be said once all
    results are there.
    """
    if not wrong:
        return message, None
    stays = [block for block in message.blocks if id(block) not in wrong]
    odd = [_said(result.block) for result in wrong.values() if result.call is None]
    has_results = any(block.kind == RESULT for block in stays)
    if stays and (message.role != TOOL or has_results):
        return message.with_blocks(stays), _user(odd, message)
    return None, _user([*odd, *stays], message)


def _user(blocks: Sequence[Block], message: Message) -> Message | None:
    return Message(USER, blocks, ADDED, None, "", message.when) if blocks else None


def _said(block: Block) -> Block:
    name = block.tool or block.call or "an unknown call"
    return Block(TEXT, f"[result of {name}]\n{block.text}", FRESH, action=MENDED)


def _housed(
    kept: Sequence[Kept], answers: Sequence[int], homes: dict[int, list[Block]], form: str
) -> list[Message]:
    """Everything in order, with the results that were put in directly behind the last message of
    their answer.
    """
    ends: dict[int, int] = {}
    for index, (message, _) in enumerate(kept):
        if message and message.role == ASSISTANT:
            ends[answers[index]] = index

    housed: list[Message] = []
    waiting: list[Block] = []
    later: list[Message] = []
    for index, (message, odd) in enumerate(kept):
        if message is not None:
            joins = bool(waiting) and TRAITS[form].parts and message.role in (TOOL, USER)
            if not joins:
                housed += _alone(waiting)
            if not any(block.kind == RESULT for block in message.blocks):
                housed += later
                later = []
            blocks = [*waiting, *message.blocks] if joins else message.blocks
            housed.append(message.with_blocks(blocks))
            waiting = []
        if odd:
            later.append(odd)
        if ends.get(answers[index]) == index:
            waiting = homes.get(answers[index], [])
    return [*housed, *_alone(waiting), *later]


def _alone(blocks: Sequence[Block]) -> list[Message]:
    return [Message(TOOL, blocks)] if blocks else []


def _signed(messages: Sequence[Message], form: str) -> list[Message]:
    """Thoughts that nothing proves are said as text."""
    made = list(messages)
    for place in open_loop(messages) if TRAITS[form].parts else ():
        made[place] = _spoken(made[place])
    return made


def _spoken(message: Message) -> Message:
    blocks: list[Block] = []
    for block in message.blocks:
        if block.kind != THINKING or signed(message, block):
            blocks.append(block)
        elif block.text.strip():
            blocks.append(changed(block, TEXT, block.text, ""))
    return message.with_blocks(blocks)


def _worded(messages: Sequence[Message], form: str) -> list[Message]:
    """Without what is empty, with JSON where it should be, and results first."""
    worded = []
    last = len(messages) - 1
    for index, message in enumerate(messages):
        filled = _filled(message, form)
        may_be_empty = index == last and filled.role == ASSISTANT
        if may_be_empty or not is_empty(filled, form):
            worded.append(filled)
    return worded


def _filled(message: Message, form: str) -> Message:
    blocks = []
    for block in message.blocks:
        if not hollow(block, message, form):
            blocks.append(_sound(block, message))
    if TRAITS[form].results_first and any(block.kind == RESULT for block in blocks):
        blocks.sort(key=lambda block: block.kind == TEXT)
    return message.with_blocks(blocks)


def _sound(block: Block, message: Message) -> Block:
    if block.kind == CALL and not sound(block, message):
        return changed(block, CALL, compact(arguments(block)), block.call)
    return block


def _each(message: Message, change: Callable[[Block], Block]) -> Message:
    return message.with_blocks([change(block) for block in message.blocks])


def _begun(messages: list[Message], form: str) -> list[Message]:
    """Beginning with the user, where the provider wants that."""
    if TRAITS[form].system_beside and messages and in_list(messages[0]):
        first = messages[0]
        messages = [Message(USER, first.blocks, ADDED, None, "", first.when), *messages[1:]]

    start = 0
    while start < len(messages) and messages[start].role == SYSTEM:
        start += 1
    nobody_began = start == len(messages) or messages[start].role == ASSISTANT
    if not TRAITS[form].parts or not nobody_began:
        return messages
    begin = Message(USER, [Block(TEXT, BEGIN, action=MENDED)])
    return [*messages[:start], begin, *messages[start:]]
