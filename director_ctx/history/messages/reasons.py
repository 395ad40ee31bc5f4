"""A reason of OpenAI's Responses and what it led to: the provider takes neither without the other.

By its id, `rs_…` asks for the item that came behind it, and `msg_…` or `fc_…` for the reason that
came before it. An item without an id asks for nothing.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ADDED, ASSISTANT, TEXT, THINKING, Block, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_NO_REASON = -1
_SPOKEN = ("text", "output_text", "refusal")
_CALLS = "_call"
"""Kinds of parts whose id is that of an item. The id of a `tool_use` or a `tool_call` is that of a
call.
"""


def is_reason(message: Message) -> bool:
    """Whether it is one as the provider sent it; what became a text is none any more."""
    is_sent = isinstance(message.raw, dict) and message.raw.get("type") == "reasoning"
    return is_sent and any(block.kind == THINKING and not block.action for block in message.blocks)


def item_id(message: Message) -> str:
    """The id by which the provider knows an item of the model; empty where there is none."""
    is_item = message.role == ASSISTANT and isinstance(message.raw, dict)
    name = message.raw.get("id") if is_item else None
    return name if isinstance(name, str) else ""


def lone_reasons(messages: Sequence[Message], keeps_items: bool) -> Iterator[int]:
    """The places of reasons with an id behind which nothing of the model comes.

    Where the provider keeps items, it looks for the next one by its id; unless the reason brings
    all of itself.
    """
    last = len(messages) - 1
    for index, message in enumerate(messages):
        if not is_reason(message) or not item_id(message):
            continue
        if index == last:
            yield index
            continue

        following = messages[index + 1]
        is_looked_up = keeps_items and not message.raw.get("encrypted_content")
        has_lost_id = is_looked_up and not item_id(following)
        if following.role != ASSISTANT or has_lost_id:
            yield index


def without_reason(messages: Sequence[Message]) -> Iterator[int]:
    """The places of items with an id before which no reason stands, in a conversation that has
    reasons with ids.
    """
    # Models skip the reason in some answers, but where there is none at all nothing was cut.
    if not any(is_reason(message) and item_id(message) for message in messages):
        return
    reasons = _reasons_before(messages)
    for index, message in enumerate(messages):
        if reasons[index] == _NO_REASON and not is_reason(message) and item_id(message):
            yield index


def _reasons_before(messages: Sequence[Message]) -> list[int]:
    """For each message the place of the reason in the same answer that led to it."""
    reasons: list[int] = []
    reason = _NO_REASON
    for index, message in enumerate(messages):
        if message.role != ASSISTANT:
            reason = _NO_REASON
        reasons.append(reason)
        if is_reason(message):
            reason = index
    return reasons


def without_lost_ids(messages: Sequence[Message], originals: Sequence[Message]) -> list[Message]:
    """Without the ids that ask for something which stood beside a message once, and does not any
    more.
    """
    if not any(is_reason(message) for message in originals):
        return list(messages)

    reasons = _reasons_before(originals)
    still_led = _still_led(messages)
    sound: list[Message] = []
    for message in messages:
        if message.index == ADDED:
            sound.append(message)
        elif is_reason(message):
            is_alone = message.index + 1 not in still_led
            if _led_to_answer(message, originals) and is_alone:
                sound += said_aloud(message)
            else:
                sound.append(message)
        elif reasons[message.index] != _NO_REASON and message.index not in still_led:
            # The call ids stay: they pair calls and results, and ask for no reason.
            sound.append(without_id(message))
        else:
            sound.append(message)
    return sound


def _still_led(messages: Sequence[Message]) -> set[int]:
    """The numbers of messages before which nothing is missing since the reason that led to them."""
    led: set[int] = set()
    awaited = None
    for message in messages:
        if message.index == awaited:
            led.add(message.index)
        if is_reason(message) or message.index in led:
            awaited = message.index + 1
        else:
            awaited = None
    return led


def _led_to_answer(reason: Message, originals: Sequence[Message]) -> bool:
    """Whether something of the model came behind a reason, for which it asks by its id."""
    following = reason.index + 1
    if not item_id(reason) or following >= len(originals):
        return False
    return originals[following].role == ASSISTANT


def without_id(message: Message) -> Message:
    """The very same one, where it has none."""
    if not item_id(message):
        return message
    raw = {key: value for key, value in message.raw.items() if key != "id"}
    return Message(message.role, message.blocks, message.index, raw, message.group, message.when)


def said_aloud(message: Message) -> list[Message]:
    """A reason as words of the model; nothing where it has none that can be read."""
    blocks = [
        Block(TEXT, block.text, block.at, action="said", tokens=block.tokens)
        for block in message.blocks
        if block.text.strip()
    ]
    return [message.with_blocks(blocks)] if blocks else []


def reason_is_gone(parts: Sequence[Any], left: Sequence[Any]) -> bool:
    """Of a LangChain content: whether a reason with an id that was among its parts is none of those
    that are left.
    """
    # By identity: two parts may say the same, and what nobody touched is the very same one.
    left_ids = set(map(id, left))
    gone = (part for part in parts if isinstance(part, dict) and id(part) not in left_ids)
    return any(part.get("type") == "reasoning" and "id" in part for part in gone)


def nameless(part: Any) -> Any:
    """A part of such a content without the id of its item."""
    if not isinstance(part, dict):
        return part

    left = dict(part)
    part_type = str(part.get("type"))
    is_call_item = part_type.endswith(_CALLS) and part_type != "tool_call"
    if part_type in _SPOKEN or is_call_item:
        left.pop("id", None)
    extras = part.get("extras")
    if isinstance(extras, dict):
        left["extras"] = {key: value for key, value in extras.items() if key != "item_id"}
    return left
