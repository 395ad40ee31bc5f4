"""What formats share: contents that are a text or a list of parts, and the arguments of calls."""

from __future__ import annotations

import json

from director_ctx.base.claude_code_lines import message_of
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    OTHER,
    RESULT,
    TEXT,
    TOOL,
    USER,
    Block,
    Message,
    has_kind,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation

TEXTS = ("text", "input_text", "output_text", "summary_text")
"""As in every format, names are looked for in a tuple: what stands where one should be may have no
hash.
"""
SAMPLE = 50
"""So many messages are looked at to find out what a document is."""
NEVER = "1970-01-01T00:00:00.000Z"
"""Where a time has to stand, and none is known."""
NEST = 100_000
"""Parts inside the part `at` have places from `(at + 1) * NEST`."""
SHORT = "shortened"
"""Under this name arguments are kept that are no object any more, because they were cut."""
ODD = "arguments"
"""Under this name arguments are kept that never were an object."""
MENDED = "mended"
"""What was done to a block that only had to be put right."""

# Made once: with options, `json.dumps` makes an encoder for each call.
compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""JSON without blanks."""
_scan = json.JSONDecoder().raw_decode


def listed(document: Any) -> list[Any] | None:
    """The messages of a list, or of the body of a request."""
    messages = document.get("messages") if isinstance(document, dict) else document
    return messages if isinstance(messages, list) else None


def other_message(raw: Any, index: int) -> Message:
    """What stands among messages and is none."""
    return Message(USER, [Block(OTHER, "", data=raw)], index, raw)


def raw_part(message: Message, block: Block) -> Any:
    """The part of a message that a block was read from, as the provider wrote it; None where there
    is none.
    """
    raw = as_object(message.raw)
    # A line of Claude Code has the provider's message inside of it.
    raw = message_of(raw) or raw
    return element_at(as_list(raw.get("content")), block.at)


def raw_messages(
    conversation: Conversation,
    messages: Sequence[Message],
    new: Callable[[Message], Iterable[Any]],
    changed: Callable[[Message, Message], Any],
) -> list[Any]:
    """What stands for each message: its raw form if nobody touched it, one or several if it is new."""
    raws: list[Any] = []
    for message in messages:
        if message.index == ADDED:
            raws.extend(new(message))
            continue
        original = conversation.messages[message.index]
        raws.append(message.raw if message is original else changed(message, original))
    return raws


def read_json(text: str) -> Any:
    """As `json.loads` does, but much faster where the text is short and nothing stands around the
    value.
    """
    try:
        value, end = _scan(text)
    except ValueError:
        end = -1
    if end == len(text):
        return value
    # Blanks around the value, or an error that says where it is.
    return json.loads(text)


def as_object(value: Any) -> dict[str, Any]:
    """An object; an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list; an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def element_at(elements: Sequence[Any], number: int) -> Any:
    """The element with this number; None where there is none. No number counts from the end."""
    return elements[number] if 0 <= number < len(elements) else None


def type_of(part: Any) -> Any:
    """What a part says that it is; None for what says nothing."""
    return as_object(part).get("type")


def has_direction(content: Any) -> bool:
    """Whether a part's type says if it was sent or received, as those of OpenAI's items alone do."""
    return any(str(type_of(part)).startswith(("input_", "output_")) for part in as_list(content))


def text_of(part: Any) -> str | None:
    """The text of a part that is nothing else."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type") not in TEXTS:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def word(raw: Any, key: str = "type") -> str:
    """A field that is a text; nothing where something else stands."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def joined_text(content: Any) -> str:
    """All text of a content."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        return compact(content)
    return "\n".join(text for text in map(text_of, content) if text is not None)


def result_content(
    content: Any, text: str, left: Mapping[int, Any], text_type: str = "text"
) -> Any:
    """A result's content with another text; of its other parts those that are left, by their
    places.
    """
    if not isinstance(content, list):
        return text
    parts: list[Any] = []
    has_text = False
    for number, part in enumerate(content):
        if number in left:
            parts.append(left[number])
        elif text_of(part) is not None and not has_text:
            # All text of a result is one block, so its first part has what is left of it.
            has_text = True
            parts.append({**part, "text": text} if isinstance(part, dict) else text)
    return parts if has_text else [{"type": text_type, "text": text}, *parts]


def changed_result(
    blocks: Iterable[Block], new_part: Callable[[Block], Any]
) -> tuple[Block | None, dict[int, Any]]:
    """The result among the blocks of a tool's message, and what else is left of it, by place."""
    result: Block | None = None
    left: dict[int, Any] = {}
    for block in blocks:
        if block.kind == RESULT and result is None:
            result = block
        else:
            left[block.at] = new_part(block) if block.data is None else block.data
    return result, left


def arguments(call: Block) -> dict[str, Any]:
    """The arguments of a call, whatever became of them."""
    text = call.text
    if not text.strip():
        return {}
    try:
        value = read_json(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    # Providers take nothing but an object, so what is none is kept inside of one.
    return {ODD if call.action in ("", MENDED) else SHORT: text}


def text_of_arguments(value: Any) -> str:
    """Arguments as a call has them: some formats write JSON inside of JSON."""
    return value if isinstance(value, str) else compact(value)


def shortened(message: Message, original: Message) -> bool:
    """Whether a message says less than it did."""
    if len(message.blocks) < len(original.blocks):
        return True
    now, before = (sum(len(block.text) for block in one.blocks) for one in (message, original))
    return now < before


def role_by_blocks(role: str, blocks: Sequence[Block]) -> str:
    """Messages that hold nothing but results are those of tools, whoever the provider says."""
    if role != USER or not has_kind(blocks, RESULT):
        return role
    # Behind a result stands what is inside of it.
    only_results = all(block.kind == RESULT or block.at >= NEST for block in blocks)
    return TOOL if only_results else role


def speaker_of(message: Message) -> str:
    """The role in which a message is written that has no results of calls."""
    # What a tool says without a call is what somebody observed.
    return USER if message.role == TOOL else message.role


def mark_observations(messages: Sequence[Message]) -> None:
    """Without calls that are marked as such, what the user says after an answer is what a tool
    said.
    """
    is_answered = False
    for message in messages:
        if message.role == ASSISTANT:
            is_answered = True
        elif message.role == USER and is_answered:
            for block in message.blocks:
                if block.kind == TEXT:
                    block.kind = RESULT
