"""OpenAI Responses: a list of items, or the body of a request with `instructions` and `input`. An
item is a message.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_items import CALL_ARGUMENTS, OUTPUTS, ItemReader, items_of
from director_ctx.history.formats.parts import SAMPLE, as_list, as_object, type_of
from director_ctx.history.messages.message import (
    ADDED,
    SYSTEM,
    TEXT,
    Block,
    Conversation,
    Message,
    text_of_blocks,
)
from director_ctx.history.messages.reasons import without_lost_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAME = "openai-responses"
_TYPES = (
    *CALL_ARGUMENTS,
    *OUTPUTS,
    "message",
    "reasoning",
    "item_reference",
    "compaction",
    "web_search_call",
)


def fits(document: Any) -> bool:
    if not isinstance(document, dict):
        return _are_items(document)
    if "messages" in document:
        return False
    return _are_items(document.get("input")) or _is_body_of_text(document)


def _is_body_of_text(document: dict[str, Any]) -> bool:
    """Whether it is a request whose input is one text."""
    if not isinstance(document.get("input"), str):
        return False
    return "instructions" in document or "model" in document


def _are_items(items: Any) -> bool:
    if not isinstance(items, list) or not items:
        return False

    is_known = False
    for item in items[:SAMPLE]:
        if not isinstance(item, dict):
            continue
        if "role" not in item and not isinstance(item.get("type"), str):
            return False
        is_known = is_known or _is_item(item)
    return is_known


def _is_item(item: dict[str, Any]) -> bool:
    """Whether it is one of this format, and may be of no other."""
    if "role" not in item:
        return item.get("type") in _TYPES
    if item.get("type") == "message":
        return True

    return any(map(_has_direction, as_list(item.get("content"))))


def _has_direction(part: Any) -> bool:
    """Whether its type says if it was sent or received, as those of no other format do."""
    part_type = str(type_of(part))
    return part_type.startswith(("input_", "output_"))


def decode(document: Any) -> Conversation:
    messages: list[Message] = []
    items = document
    if isinstance(document, dict):
        instructions = document.get("instructions")
        if isinstance(instructions, str) and instructions:
            blocks = [Block(TEXT, instructions)]
            messages.append(Message(SYSTEM, blocks, 0, instructions))
        items = _input_items(document)

    reader = ItemReader()
    for item in items:
        messages.append(reader.message(item, len(messages)))
    return Conversation(NAME, messages, document)


def _input_items(document: dict[str, Any]) -> list[Any]:
    """The input of a request, which may be a single text."""
    items = document.get("input")
    if items is None:
        return []
    if isinstance(items, list):
        return items
    return [items]


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    document = conversation.frame
    instructions = as_object(document).get("instructions")
    # By identity: an item may be a text, too, and say the same.
    has_head = bool(originals) and originals[0].raw is instructions
    has_head = has_head and isinstance(instructions, str)

    head: list[str] = []
    written: list[Any] = []
    for message in without_lost_ids(messages, originals):
        if has_head and message.index == 0:
            head.append(text_of_blocks(message.blocks))
        elif message.index == ADDED:
            written.extend(items_of(message, None))
        elif message is originals[message.index]:
            written.append(message.raw)
        else:
            written.extend(items_of(message, originals[message.index]))
    if not isinstance(document, dict):
        return written

    body = dict(document)
    if head:
        body["instructions"] = head[-1]
    elif has_head:
        del body["instructions"]

    # A request whose input was one text keeps it as one.
    is_text = len(written) == 1 and isinstance(written[0], str)
    was_text = isinstance(document.get("input"), str)
    body["input"] = written
    if is_text and was_text:
        body["input"] = written[0]
    return body
