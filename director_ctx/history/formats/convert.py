"""A conversation in another format: words, calls, results and pictures. What has no place there is
said.
"""

from __future__ import annotations

from director_ctx.history.formats import format_name
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
    to = format_name(to)
    before = TRAITS[conversation.format]
    after = TRAITS[to]
    same_parts = before.parts and after.parts

    carried = [_carried(message, to, same_parts) for message in messages]
    if before.items and after.items:
        # Items are not grouped: a reason and what it led to stay next to each other.
        carried = _with_reasons(messages, carried)
    else:
        carried = list(_grouped(_with_blocks(carried), to))

    converted, frame = _with_head(_with_blocks(carried), to)
    lost = _notes_on_lost(messages, converted, to, same_parts)
    notes = (*conversation.notes, *lost)
    return Conversation(to, converted, frame, conversation.native, notes)


def _with_blocks(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.blocks]


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
            blocks = [_with_data(block, raw) for block in message.blocks]
            reasoned[number] = _new(message, blocks)
    return reasoned


def _new(message: Message, blocks: Sequence[Block]) -> Message:
    """A message of the other format, of which nothing was read there."""
    return Message(
        role=message.role,
        blocks=blocks,
        index=ADDED,
        raw=None,
        group=message.group,
        when=message.when,
    )


def _carried(message: Message, to: str, same_parts: bool) -> Message:
    blocks = []
    for block in message.blocks:
        if block.kind == TEXT and not block.text.strip():
            continue
        carried = _carried_block(block, message, to, same_parts)
        if carried is not None:
            blocks.append(carried)
    return _new(message, blocks)


def _carried_block(block: Block, message: Message, to: str, same_parts: bool) -> Block | None:
    """A block as the other format can hold it; None where it cannot."""
    if block.kind == THINKING and not block.action:
        if not same_parts:
            return None
        part = raw_part(message, block)
        if part is None:
            return _with_data(block, block.data)
        # The whole part, as its signature is what proves it.
        return _with_data(block, part)
    if block.kind in (OTHER, THINKING):
        if not same_parts or block.data is None:
            return None
        return _with_data(block, block.data)
    if block.kind == CALL and not TRAITS[to].calls:
        return Block(
            kind=TEXT,
            text=f"[{block.tool} {block.text}]",
            at=block.at,
            action=block.action,
            tokens=block.tokens,
        )
    return block


def _with_data(block: Block, data: Any) -> Block:
    return Block(
        kind=block.kind,
        text=block.text,
        at=block.at,
        call=block.call,
        tool=block.tool,
        error=block.error,
        data=data,
        action=block.action,
        tokens=block.tokens,
    )


def _grouped(messages: Sequence[Message], to: str) -> Iterator[Message]:
    """What is one message to a provider is one message."""
    last: Message | None = None
    for message in messages:
        if last is None:
            last = message
        elif _belongs_to(last, message, to):
            last = _new(last, [*last.blocks, *message.blocks])
        else:
            yield last
            last = message
    if last is not None:
        yield last


def _belongs_to(last: Message, message: Message, to: str) -> bool:
    if message.role == ASSISTANT and last.role == ASSISTANT:
        return bool(message.group) and message.group == last.group
    # Where calls have no place, each result is a row of its own.
    return message.role == TOOL and last.role == TOOL and TRAITS[to].calls


def _with_head(messages: list[Message], to: str) -> tuple[list[Message], Any]:
    """With the first words of the system where they belong."""
    keys = TRAITS[to].head
    count = 0
    while count < len(messages) and messages[count].role == SYSTEM:
        count += 1
    if not keys or not count:
        return messages, None

    texts = []
    for message in messages[:count]:
        for block in message.blocks:
            texts.append(block.text)
    text = "\n\n".join(texts)

    key_of_head, key_of_messages = keys
    frame = {key_of_head: text, key_of_messages: []}
    head = Message(SYSTEM, [Block(TEXT, text)], 0, text)
    return [head, *messages[count:]], frame


def _notes_on_lost(
    messages: Sequence[Message],
    converted: Sequence[Message],
    to: str,
    same_parts: bool,
) -> Iterator[str]:
    has_system = any(message.role == SYSTEM for message in messages)
    if has_system and not TRAITS[to].system:
        yield f"A session of {to} has no system prompt: its words are there as words of the client."
    if same_parts:
        return

    for kind, words in ((THINKING, "thoughts"), (OTHER, "pieces of other kinds")):
        count = _count(messages, kind) - _count(converted, kind)
        if count:
            yield f"{count} {words} could not be carried over to {to}."
    has_calls = _count(messages, CALL) or _count(messages, RESULT)
    if has_calls and not TRAITS[to].calls:
        yield "Rows have no calls of tools: they are there as text."


def _count(messages: Sequence[Message], kind: str) -> int:
    count = 0
    for message in messages:
        for block in message.blocks:
            if block.kind == kind:
                count += 1
    return count
