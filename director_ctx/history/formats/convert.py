"""A conversation in another format: words, calls, results and pictures. What has no place there is
said.
"""

from __future__ import annotations

from itertools import takewhile

from director_ctx.history.formats import TRAITS, format_name
from director_ctx.history.formats.parts import raw_part
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    OTHER,
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
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


def convert(conversation: Conversation, messages: Sequence[Message], to: str) -> Conversation:
    """The same words as if `to` had written them."""
    to = format_name(to)
    before = TRAITS[conversation.format]
    after = TRAITS[to]
    same_parts = before.parts and after.parts

    carried = [_carried(message, same_parts) for message in messages]
    if before.items and after.items:
        # Items are not grouped: a reason and what it led to stay next to each other.
        carried = _with_reasons(messages, carried)
    else:
        carried = list(_grouped(message for message in carried if message.blocks))
    converted, frame = _with_head([message for message in carried if message.blocks], to)

    notes = list(conversation.notes)
    if not after.system and any(message.role == SYSTEM for message in messages):
        words = "its words are there as words of the client"
        notes.append(f"A session of {to} has no system prompt: {words}.")
    for kind, what in ((THINKING, "thoughts"), (OTHER, "pieces of other kinds")):
        count = _count(messages, kind) - _count(converted, kind)
        if count and not same_parts:
            notes.append(f"{count} {what} could not be carried over to {to}.")
    return Conversation(to, converted, frame, conversation.native, tuple(notes))


def _with_reasons(messages: Sequence[Message], carried: Sequence[Message]) -> list[Message]:
    """With what is encrypted of each reason, where what it led to follows. By its id it would ask
    for the ids of that, which are not carried over.
    """
    reasoned = list(carried)
    # From the end, as what follows may be a reason too.
    for number in reversed(range(len(messages) - 1)):
        message = messages[number]
        following = reasoned[number + 1]
        if following.role != ASSISTANT or not following.blocks:
            continue
        if is_reason(message) and message.raw.get("encrypted_content"):
            raw = without_id(message).raw
            reasoned[number] = _new(message, [_with_data(block, raw) for block in message.blocks])
    return reasoned


def _new(message: Message, blocks: Sequence[Block]) -> Message:
    """A message of the other format, of which nothing was read there."""
    return Message(message.role, blocks, ADDED, None, message.group, message.when)


def _carried(message: Message, same_parts: bool) -> Message:
    """With the blocks that the other format can hold."""
    blocks = []
    for block in message.blocks:
        if block.kind not in (OTHER, THINKING):
            if block.kind != TEXT or block.text.strip():
                blocks.append(block)
        elif same_parts and block.kind == THINKING and not block.action:
            # The whole part, as its signature is what proves it.
            part = raw_part(message, block)
            blocks.append(_with_data(block, block.data if part is None else part))
        elif same_parts and block.data is not None:
            blocks.append(_with_data(block, block.data))
    return _new(message, blocks)


def _with_data(block: Block, data: Any) -> Block:
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


def _grouped(messages: Iterable[Message]) -> Iterator[Message]:
    """What is one message to a provider is one message."""
    last: Message | None = None
    for message in messages:
        if last is None:
            last = message
            continue
        is_same_answer = bool(message.group) and message.group == last.group
        is_more = is_same_answer if message.role == ASSISTANT else message.role == TOOL
        if is_more and message.role == last.role:
            last = _new(last, [*last.blocks, *message.blocks])
        else:
            yield last
            last = message
    if last is not None:
        yield last


def _with_head(messages: list[Message], to: str) -> tuple[list[Message], Any]:
    """With the first words of the system where they belong."""
    head = list(takewhile(lambda message: message.role == SYSTEM, messages))
    if not TRAITS[to].head or not head:
        return messages, None
    text = "\n\n".join(block.text for message in head for block in message.blocks)
    key_of_head, key_of_messages = TRAITS[to].head
    first = Message(SYSTEM, [Block(TEXT, text)], 0, text)
    return [first, *messages[len(head) :]], {key_of_head: text, key_of_messages: []}


def _count(messages: Sequence[Message], kind: str) -> int:
    return sum(block.kind == kind for message in messages for block in message.blocks)
