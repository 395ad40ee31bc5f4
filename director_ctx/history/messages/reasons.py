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
_ASKED = "_call"
"""Kinds of parts whose id is that of an item. The id of a `tool_use` or a `tool_call` is that of a
call.
"""


def is_reason(message: Message) -> bool:
    """Whether it is one as the provider sent it; what became a text is none any more."""
    if not isinstance(message.raw, dict) or message.raw.get("type") != "reasoning":
        return False
    return any(block.kind == THINKING and not block.action for block in message.blocks)


def item_id(message: Message) -> str:
    """The id by which the provider knows an item of the model; empty where there is none."""
    if message.role != ASSISTANT or not isinstance(message.raw, dict):
        return ""
    found = message.raw.get("id")
    return found if isinstance(found, str) else ""


def lone_reasons(messages: Sequence[Message], kept: bool) -> Iterator[int]:
    """The places of reasons with an id behind which nothing of the model comes.

    Where the provider has `kept` one, it looks for the next item by its id; unless the reason
    brings all of itself.
    """
    for place, message in enumerate(messages):
        if not (is_reason(message) and item_id(message)):
            continue
        after = messages[place + 1] if place + 1 < len(messages) else None
        looked_up = kept and not message.raw.get("encrypted_content")
        if after is None or after.role != ASSISTANT or (looked_up and not item_id(after)):
            yield place


def without_reason(messages: Sequence[Message]) -> Iterator[int]:
    """The places of items with an id before which no reason stands, in a conversation that has
    reasons with ids.
    """
    if not any(is_reason(message) and item_id(message) for message in messages):
        return
    reasons = _reasons_before(messages)
    for place, message in enumerate(messages):
        if reasons[place] == _NO_REASON and item_id(message) and not is_reason(message):
            yield place


def _reasons_before(messages: Sequence[Message]) -> list[int]:
    """For each message the place of the reason in the same answer that led to it."""
    found: list[int] = []
    reason = _NO_REASON
    for place, message in enumerate(messages):
        if message.role != ASSISTANT:
            reason = _NO_REASON
        found.append(reason)
        if is_reason(message):
            reason = place
    return found


def separated(messages: Sequence[Message], originals: Sequence[Message]) -> list[Message]:
    """Without the ids that ask for something which stood beside a message once, and does not any
    more.
    """
    if not any(is_reason(message) for message in originals):
        return list(messages)
    reasons = _reasons_before(originals)
    led = _still_led(messages)
    made: list[Message] = []
    for message in messages:
        left: Message | None = message
        if message.index == ADDED:
            pass
        elif is_reason(message):
            alone = _led_on(message, originals) and message.index + 1 not in led
            left = said_aloud(message) if alone else message
        elif reasons[message.index] != _NO_REASON and message.index not in led:
            left = without_id(message)
        if left is not None:
            made.append(left)
    return made


def _still_led(messages: Sequence[Message]) -> set[int]:
    """The numbers of messages before which nothing is missing since the reason that led to them."""
    led: set[int] = set()
    awaited = None
    for message in messages:
        if message.index == awaited:
            led.add(message.index)
        leads = is_reason(message) or message.index in led
        awaited = message.index + 1 if leads else None
    return led


def _led_on(reason: Message, originals: Sequence[Message]) -> bool:
    """Whether something of the model came behind a reason, for which it asks by its id."""
    after = reason.index + 1
    return bool(item_id(reason)) and after < len(originals) and originals[after].role == ASSISTANT


def without_id(message: Message) -> Message:
    """The very same one, where it has none."""
    if not item_id(message):
        return message
    raw = {key: value for key, value in message.raw.items() if key != "id"}
    return Message(message.role, message.blocks, message.index, raw, message.group, message.when)


def said_aloud(message: Message) -> Message | None:
    """A reason as words of the model; nothing where it has none that can be read."""
    blocks = [
        Block(TEXT, block.text, block.at, action="said", tokens=block.tokens)
        for block in message.blocks
        if block.text.strip()
    ]
    return message.with_blocks(blocks) if blocks else None


def reason_is_gone(parts: Sequence[Any], left: Sequence[Any]) -> bool:
    """Of a LangChain content: whether a reason with an id that was among its parts is none of those
    that are left.
    """
    there = set(map(id, left))
    for part in parts:
        is_named = isinstance(part, dict) and part.get("type") == "reasoning" and "id" in part
        if is_named and id(part) not in there:
            return True
    return False


def nameless(part: Any) -> Any:
    """A part of such a content without the id of its item."""
    if not isinstance(part, dict):
        return part
    left = dict(part)
    kind = str(part.get("type"))
    if kind in _SPOKEN or (kind.endswith(_ASKED) and kind != "tool_call"):
        left.pop("id", None)
    extras = part.get("extras")
    if isinstance(extras, dict):
        left["extras"] = {key: value for key, value in extras.items() if key != "item_id"}
    return left
