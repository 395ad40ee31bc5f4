"""What formats share: contents that are a text or a list of parts, pictures, and the arguments of
calls.
"""

from __future__ import annotations

import json

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ADDED, ASSISTANT, RESULT, TEXT, TOOL, USER, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation, Message

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
SHORT, ODD = "shortened", "arguments"
"""Under these names arguments are kept that are no object any more, because they were cut, or that
never were one.
"""
MENDED = "mended"
"""What was done to a block that only had to be put right."""
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_scan = json.JSONDecoder().raw_decode


def listed(document: Any) -> list[Any] | None:
    """The messages of a list, or of the body of a request."""
    messages = document.get("messages") if isinstance(document, dict) else document
    return messages if isinstance(messages, list) else None


def raw_part(message: Message, block: Block) -> Any:
    """The part of a message that a block was read from, as the provider wrote it; None where there
    is none.
    """
    raw = message.raw if isinstance(message.raw, dict) else {}
    inner = raw.get("message")
    if isinstance(inner, dict):
        raw = inner
    content = raw.get("content")
    if not isinstance(content, list) or not 0 <= block.at < len(content):
        return None
    return content[block.at]


def rewritten(
    conversation: Conversation,
    messages: Sequence[Message],
    fresh: Callable[[Message], Iterable[Any]],
    touched: Callable[[Message, Message], Any],
) -> list[Any]:
    """What stands for each message: its raw form if nobody touched it, one or several if it is new."""
    raws: list[Any] = []
    for message in messages:
        if message.index == ADDED:
            raws.extend(fresh(message))
            continue
        original = conversation.messages[message.index]
        if message is original:
            raws.append(message.raw)
        else:
            raws.append(touched(message, original))
    return raws


def compact(value: Any) -> str:
    return _dumps(value)


def read_json(text: str) -> Any:
    """As `json.loads` does, but much faster where the text is short and nothing stands around the
    value.
    """
    try:
        value, end = _scan(text)
    except ValueError:
        end = -1
    return value if end == len(text) else json.loads(text)


def text_of(part: Any) -> str | None:
    """The text of a part that is nothing else."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") in TEXTS and isinstance(part.get("text"), str):
        text: str = part["text"]
        return text
    return None


def word(raw: Any, key: str = "type") -> str:
    """A field that is a text; nothing where something else stands."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def joined(content: Any) -> str:
    """All text of a content."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        return compact(content)

    texts = []
    for part in content:
        text = text_of(part)
        if text is not None:
            texts.append(text)
    return "\n".join(texts)


def retold(content: Any, text: str, left: Mapping[int, Any], kind: str = "text") -> Any:
    """A result's content with another text; of its other parts those that are left, by their
    places.
    """
    if not isinstance(content, list):
        return text

    parts: list[Any] = []
    told = False
    for number, part in enumerate(content):
        if number in left:
            parts.append(left[number])
        elif text_of(part) is not None and not told:
            told = True
            parts.append({**part, "text": text} if isinstance(part, dict) else text)
    if told:
        return parts
    return [{"type": kind, "text": text}, *parts]


def arguments(call: Block) -> dict[str, Any]:
    """The arguments of a call, whatever became of them."""
    text = call.text
    odd = {ODD if call.action in ("", MENDED) else SHORT: text}
    try:
        value = read_json(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return odd
    return value if isinstance(value, dict) else odd


def shortened(message: Message, original: Message) -> bool:
    """Whether a message says less than it did."""
    if len(message.blocks) < len(original.blocks):
        return True
    return _letters(message) < _letters(original)


def _letters(message: Message) -> int:
    return sum(len(block.text) for block in message.blocks)


def spoken(role: str, blocks: Sequence[Block]) -> str:
    """Messages that hold nothing but results are those of tools, whoever the provider says."""
    if role != USER or not any(block.kind == RESULT for block in blocks):
        return role
    return TOOL if _only(blocks) else role


def _only(blocks: Sequence[Block]) -> bool:
    """Whether there is nothing beside results and what is inside of them."""
    return all(block.kind == RESULT or block.at >= NEST for block in blocks)


def observe(messages: Sequence[Message]) -> None:
    """Without calls that are marked as such, what the user says after an answer is what a tool
    said.
    """
    answered = False
    for message in messages:
        if message.role == ASSISTANT:
            answered = True
        elif message.role == USER and answered:
            for block in message.blocks:
                if block.kind == TEXT:
                    block.kind = RESULT


class Picture(Record):
    """An image, however it was written down."""

    media: str
    data: str
    """Base64, or nothing if there is an address."""
    url: str = ""

    @property
    def address(self) -> str:
        return self.url or f"data:{self.media};base64,{self.data}"


def picture(part: Any) -> Picture | None:
    """An image from the raw part of any format."""
    if not isinstance(part, dict):
        return None
    source = part.get("source")
    if isinstance(source, dict):
        return _from(source.get("media_type"), source.get("data"), source.get("url"))
    inline = part.get("inlineData")
    if isinstance(inline, dict):
        return _from(inline.get("mimeType"), inline.get("data"), None)
    address = part.get("image_url")
    if isinstance(address, dict):
        address = address.get("url")
    if isinstance(address, str):
        return _addressed(address)
    return _from(part.get("mime_type"), part.get("base64") or part.get("data"), part.get("url"))


def _from(media: Any, data: Any, url: Any) -> Picture | None:
    if isinstance(data, str):
        return Picture(media if isinstance(media, str) else "image/png", data)
    return Picture("", "", url) if isinstance(url, str) else None


def _addressed(address: str) -> Picture:
    head, mark, data = address.partition(";base64,")
    if mark and head.startswith("data:"):
        return Picture(head.removeprefix("data:"), data)
    return Picture("", "", address)
