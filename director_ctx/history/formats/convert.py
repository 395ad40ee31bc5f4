"""A conversation in another format: words, calls, results and pictures. What has no place there is
said.
"""

from __future__ import annotations

from director_ctx.history.formats import proper
from director_ctx.history.formats.parts import raw_part
from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    OTHER,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    Block,
    Conversation,
    Message,
)
from director_ctx.history.messages.reasons import is_reason, without_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


def convert(conversation: Conversation, messages: Sequence[Message], to: str) -> Conversation:
    """The same words as if `to` had written them."""
    to = proper(to)
    before, after = TRAITS[conversation.format], TRAITS[to]
    kin = before.parts and after.parts
    carried = [_carried(message, to, kin) for message in messages]
    if before.items and after.items:
        carried = _reasoned(messages, carried)
    else:
        carried = list(_grouped(_with_blocks(carried), to))

    converted, frame = _headed(_with_blocks(carried), to)
    notes = (*conversation.notes, *_lost(messages, converted, to, kin))
    return Conversation(to, converted, frame, conversation.native, notes)


def _with_blocks(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.blocks]


def _reasoned(messages: Sequence[Message], carried: Sequence[Message]) -> list[Message]:
    """With what is encrypted of each reason, where what it led to follows. By its id it would ask
    for the ids of that, which are not carried over.
    """
    reasoned = list(carried)
    # From the end, as what follows may be a reason too.
    for number in range(len(messages) - 2, -1, -1):
        message, after = messages[number], reasoned[number + 1]
        if after.role != ASSISTANT or not after.blocks:
            continue
        if is_reason(message) and message.raw.get("encrypted_content"):
            raw = without_id(message).raw
            blocks = [_copy(block, raw) for block in message.blocks]
            reasoned[number] = Message(
                message.role, blocks, ADDED, None, message.group, message.when
            )
    return reasoned


def _carried(message: Message, to: str, kin: bool) -> Message:
    blocks = []
    for block in message.blocks:
        if block.kind == TEXT and not block.text.strip():
            continue
        carried = _block(block, message, to, kin)
        if carried is not None:
            blocks.append(carried)
    return Message(message.role, blocks, ADDED, None, message.group, message.when)


def _block(block: Block, message: Message, to: str, kin: bool) -> Block | None:
    """A block as the other format can hold it; None where it cannot."""
    if block.kind == THINKING and not block.action:
        return _copy(block, _signed(message, block)) if kin else None
    if block.kind in (OTHER, THINKING):
        return _copy(block, block.data) if kin and block.data is not None else None
    if block.kind == CALL and not TRAITS[to].calls:
        text = f"[{block.tool} {block.text}]"
        return Block(TEXT, text, block.at, action=block.action, tokens=block.tokens)
    return block


def _copy(block: Block, data: Any) -> Block:
    return Block(
        block.kind,
        block.text,
        block.at,
        block.call,
        block.tool,
        block.error,
        data,
        block.action,
        block.tokens,
    )


def _signed(message: Message, block: Block) -> Any:
    """The part with what proves it."""
    part = raw_part(message, block)
    return block.data if part is None else part


def _grouped(messages: Sequence[Message], to: str) -> Iterator[Message]:
    """What is one message to a provider is one message; where results stand beside their calls,
    they are put there.
    """
    last: Message | None = None
    for message in messages:
        if last is not None and _belongs(last, message, to):
            last = Message(
                last.role, [*last.blocks, *message.blocks], ADDED, None, last.group, last.when
            )
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _belongs(last: Message, message: Message, to: str) -> bool:
    if message.role == ASSISTANT == last.role:
        return bool(message.group) and message.group == last.group
    if message.role != TOOL:
        return False
    if last.role == TOOL:
        return TRAITS[to].calls
    return last.role == ASSISTANT and TRAITS[to].beside_calls


def _headed(messages: list[Message], to: str) -> tuple[list[Message], Any]:
    """With the first words of the system where they belong."""
    keys = TRAITS[to].head
    first = 0
    while first < len(messages) and messages[first].role == SYSTEM:
        first += 1
    if not keys or not first:
        return messages, None

    texts = []
    for message in messages[:first]:
        texts += [block.text for block in message.blocks]
    text = "\n\n".join(texts)
    head = Message(SYSTEM, [Block(TEXT, text)], 0, text)
    return [head, *messages[first:]], {keys[0]: text, keys[1]: []}


def _lost(
    messages: Sequence[Message], converted: Sequence[Message], to: str, kin: bool
) -> Iterator[str]:
    if not TRAITS[to].system and any(message.role == SYSTEM for message in messages):
        yield f"A session of {to} has no system prompt: its words are there as words of the client."
    if kin:
        return

    for kind, words in ((THINKING, "thoughts"), (OTHER, "pieces of other kinds")):
        count = _count(messages, kind) - _count(converted, kind)
        if count:
            yield f"{count} {words} could not be carried over to {to}."
    has_calls = _count(messages, CALL) or _count(messages, RESULT)
    if has_calls and not TRAITS[to].calls:
        yield "Rows have no calls of tools: they are there as text."


def _count(messages: Sequence[Message], kind: str) -> int:
    return sum(block.kind == kind for message in messages for block in message.blocks)
