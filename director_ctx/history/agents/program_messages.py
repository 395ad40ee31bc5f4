"""Messages as a program gives them, read as a conversation, and what it is given back: of the same kind. Of LangChain's
message objects, what did not change is the very same object.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import UsageProblem
from director_ctx.history.formats import FORMATS, format_of
from director_ctx.history.formats.parts import arguments
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    IMAGE,
    OTHER,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
    measure,
)
from director_ctx.history.messages.reasons import nameless, reason_is_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count

    ToolCall = dict[str, Any]
    """As LangChain has it: `name`, `args` and `id`."""
    Encode = Callable[[Conversation, Sequence[Message]], Any]

_ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "human": USER,
    "ai": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
_IMAGES = ("image", "image_url", "input_image")
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
_CALLS = 1000
"""From here on places are those of calls, which are beside the content."""


class Processed(list["Any"]):
    """The messages; whoever awaits them gets them too."""

    # The design awaits what `compress` returns; programs that are not asynchronous just take it.
    def __await__(self) -> Generator[Any, None, Processed]:
        async def itself() -> Processed:
            return self

        return itself().__await__()


def decoded(messages: Any) -> tuple[Conversation, Encode]:
    """A conversation out of message objects or of any format that we read, and the way back."""
    # Each of these could be listed, too: by keys, letters or numbers.
    if isinstance(messages, dict | str | bytes):
        raise UsageProblem("These are no messages.", "Give a list of messages.")

    listed = _as_objects(list(messages))
    if fits(listed):
        return decode(listed), encode
    module = format_of(listed)
    if module is not None:
        return module.decode(listed), module.encode
    raise UsageProblem(
        "These messages are in no format that is known.",
        "Give messages of LangChain, or one of: " + ", ".join(FORMATS),
    )


def tokens_of(messages: Any, count: Count) -> int:
    """Of messages of any kind, also of none."""
    listed = list(messages)
    if not listed:
        return 0
    conversation, _ = decoded(listed)
    return measure(conversation.messages, count)


# LangChain's


def is_message_object(value: object) -> bool:
    """Whether it is one of LangChain's messages."""
    # Known by a method of theirs: to ask for their class, LangChain would have to be imported.
    return hasattr(value, "model_copy")


def fits(messages: object) -> bool:
    """Whether these are message objects."""
    if not isinstance(messages, list | tuple) or not messages:
        return False
    return all(map(is_message_object, messages))


def _as_objects(messages: list[Any]) -> list[Any]:
    """Message objects, where LangChain would make some of these: texts, pairs of a role and a text,
    and whatever else stands beside an object.
    """
    if all(map(is_message_object, messages)):
        return messages

    # A list of dictionaries alone is one of our formats, and goes out as it is written.
    has_object = any(map(is_message_object, messages))
    if not has_object and not all(isinstance(one, str) or is_pair(one) for one in messages):
        return messages
    try:
        from langchain_core.messages import convert_to_messages
    except ImportError:
        return messages
    return list(convert_to_messages(messages))


def is_pair(value: object) -> bool:
    """A role and a text."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    role, text = value
    return isinstance(role, str) and isinstance(text, str)


# As a conversation


def decode(messages: Sequence[Any]) -> Conversation:
    tools: dict[str, str] = {}
    found = [_message(source, index, tools) for index, source in enumerate(messages)]
    return Conversation("langchain", found)


def _message(
    source: Any,
    index: int,
    tools: dict[str, str],
) -> Message:
    """`tools` are the names of those that were called, by the calls."""
    # Which of these attributes an object has depends on its class; see `is_message_object`.
    tool_calls = getattr(source, "tool_calls", None)
    answered = getattr(source, "tool_call_id", None)
    status = getattr(source, "status", None)

    calls: list[Block] = []
    for number, tool_call in enumerate(tool_calls or ()):
        call = _call(tool_call, number)
        tools[call.call] = call.tool
        calls.append(call)

    role = _role(source)
    if role != TOOL:
        blocks = _content(source.content, TEXT)
        return Message(role, [*blocks, *calls], index, source)

    call_id = str(answered or "")
    blocks = _content(source.content, RESULT)
    for block in blocks:
        block.call = call_id
        # A result seldom has a name of its own: then it is of the tool that its call named.
        block.tool = source.name or tools.get(call_id, "")
        if status == "error":
            block.error = True
    return Message(role, blocks, index, source)


def _role(source: Any) -> str:
    # A ChatMessage has the type "chat", and says in `role` who speaks.
    kind = str(getattr(source, "role", None) or source.type)
    usual = ASSISTANT if kind == ASSISTANT else USER
    return _ROLES.get(source.type) or _ROLES.get(kind) or usual


def _call(tool_call: ToolCall, number: int) -> Block:
    return Block(
        CALL,
        text=json.dumps(tool_call.get("args"), ensure_ascii=False, default=str),
        at=_CALLS + number,
        call=str(tool_call.get("id") or ""),
        tool=str(tool_call.get("name") or ""),
    )


def _content(content: object, kind: str) -> list[Block]:
    if isinstance(content, str):
        # An answer that only calls has no text, but a result without one is a result.
        if content or kind == RESULT:
            return [Block(kind, content)]
        return []

    parts = content if isinstance(content, list) else [content]
    return [_part(part, at, kind) for at, part in enumerate(parts)]


def _part(part: Any, at: int, kind: str) -> Block:
    if isinstance(part, str):
        return Block(kind, part, at)
    part_type = part.get("type") if isinstance(part, dict) else None
    if part_type == "text":
        text = part.get("text") or ""
        return Block(kind, str(text), at)
    if part_type in _THOUGHTS:
        thought = part.get("thinking") or part.get("reasoning") or ""
        return Block(THINKING, str(thought), at)
    return Block(IMAGE if part_type in _IMAGES else OTHER, "", at, data=part)


# As objects again


def encode(conversation: Conversation, messages: Sequence[Message]) -> list[Any]:
    """The objects again; the old ones are never changed."""
    before = conversation.messages
    objects: list[Any] = []
    for message in messages:
        is_same = message.index != ADDED and before[message.index] is message
        objects.append(message.raw if is_same else _object(message))
    return objects


def _object(message: Message) -> Any:
    source = message.raw
    if source is None:
        return _new_object(message)

    metadata = {**source.response_metadata, "compressed": True}
    update: dict[str, Any] = {
        "content": _new_content(message),
        "response_metadata": metadata,
    }
    tool_calls: list[ToolCall] = []
    for block in message.blocks:
        if block.kind == CALL:
            call = source.tool_calls[block.at - _CALLS]
            # Arguments may have been shortened; they have to be an object.
            tool_calls.append({**call, "args": arguments(block)} if block.action else call)
    if tool_calls:
        update["tool_calls"] = tool_calls
    return source.model_copy(update=update)


def _new_content(message: Message) -> str | list[Any]:
    """The content with the blocks that are left."""
    content = message.raw.content
    own = [block for block in message.blocks if block.at < _CALLS]
    if isinstance(content, str):
        return "".join(block.text for block in own)

    parts = [_new_part(content[block.at], block) for block in own]
    # The provider refuses an item whose id it knows to follow a thought, without that thought.
    if reason_is_gone(content, parts):
        return [nameless(part) for part in parts]
    return parts


def _new_part(part: Any, block: Block) -> Any:
    if not block.action:
        return part
    if isinstance(part, str):
        return block.text
    rest = part if part.get("type") == "text" else {"type": "text"}
    return {**rest, "text": block.text}


def _new_object(message: Message) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    text = "\n".join(block.text for block in message.blocks)
    classes = {SYSTEM: SystemMessage, ASSISTANT: AIMessage}
    message_class = classes.get(message.role, HumanMessage)
    return message_class(content=text, response_metadata={"compressed": True})
