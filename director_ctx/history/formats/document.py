"""From bytes to a conversation and back. What nobody touched is written as it was: lines by their
bytes, JSON by its value.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.history.formats import FORMATS, Unread, format_of, load, proper
from director_ctx.history.formats.lines import (
    SAMPLE,
    Lines,
    OtherLine,
    broken,
    has_lines,
    line_of,
    spans_of,
    starts_lines,
    write_lines,
)
from director_ctx.history.formats.openai_chat import KEYS
from director_ctx.history.messages.json_style import COMPACT, Style, style_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.formats import Format
    from director_ctx.history.messages.message import Conversation, Message

_SOMETHING = re.compile(rb"\S")
_ASTRAL = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
_SHAPE = "Give a history as an agent's client or an API writes it."
_LEADS = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
_HINT = "Name the format with --from: " + ", ".join(FORMATS) + "."


class Around(Record):
    """How a conversation was written down, around what its format keeps."""

    frame: Any
    style: Style
    lines: Lines | None = None


def read(data: bytes, name: str | None = None) -> Conversation:
    """The conversation in these bytes, in a format that is named or found."""
    data, notes = _unified(data)
    if _SOMETHING.search(data) is None:
        raise Unread(
            "There is nothing in this history: it is empty.", "Give a file with messages in it."
        )
    if not starts_lines(data):
        try:
            return _read_document(data, name, notes)
        except Unread as unread:
            if unread.hint != _SHAPE or not has_lines(data):
                raise
    return _read_lines(data, name, notes)


def _read_document(data: bytes, name: str | None, notes: tuple[str, ...]) -> Conversation:
    value, odd = _parsed(data)
    module = load(name) if name else format_of(value)
    if module is None and _is_empty(value):
        raise Unread("There are no messages in this history.", "Give a file with messages in it.")

    may_be_line = isinstance(value, dict) and _may_be_line(data, module)
    if may_be_line and not (module and module.fits(value)):
        return _read_lines(data, name, notes)
    if module is None:
        raise Unread("These are not the messages of a conversation.", _HINT)
    return _kept(module.decode(value), Around(None, style_of(data)), notes + odd)


def _may_be_line(data: bytes, module: Format | None) -> bool:
    """Whether one value may be the only line of a format that has lines."""
    if module is None:
        return data.strip().find(b"\n") < 0
    return getattr(module, "LINES", False)


def _is_empty(value: Any) -> bool:
    return value == [] or (isinstance(value, dict) and any(value.get(key) == [] for key in KEYS))


def _decoded(module: Format, document: Any, name: str | None) -> Conversation:
    """What is of another format than the one that was named has no messages of it."""
    conversation = module.decode(document)
    if name and not conversation.messages and not module.fits(document):
        raise Unread(
            f"There are no messages of {name} in this.", "Leave --from out, or name another format."
        )
    return conversation


def _kept(conversation: Conversation, around: Around, notes: tuple[str, ...]) -> Conversation:
    around = around.replace(frame=conversation.frame)
    return conversation.replace(frame=around, notes=notes + conversation.notes)


def _unified(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """As UTF-8 without a mark."""
    encoding = json.detect_encoding(data[:4])
    if encoding == "utf-8":
        return data, ()
    if encoding == "utf-8-sig":
        return data[3:], ()
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    note = f"The history was {encoding.upper()}; what is written is UTF-8."
    return text.encode("utf-8", "surrogatepass"), (note,)


def _parsed(data: bytes) -> tuple[Any, tuple[str, ...]]:
    notes: tuple[str, ...] = ()
    source = data
    if any(data.find(lead) >= 0 for lead in _LEADS):
        # As escapes, characters beyond the first 65,536 do not make every other one four bytes
        # wide.
        source = _ASTRAL.sub(_escaped, data)
    try:
        text = source.decode()
    except UnicodeDecodeError:
        text = source.decode("utf-8", "surrogateescape")
        notes = ("Some bytes are not UTF-8; they become escapes.",)
    # It may be large, and nobody needs it beside the text.
    del source
    try:
        return json.loads(text), notes
    except RecursionError:
        raise Unread("This JSON is nested too deeply to be a conversation.", _HINT) from None
    except ValueError as error:
        raise Unread(f"This is neither JSON nor JSON lines: {error}.", _SHAPE) from None


def _escaped(character: re.Match[bytes]) -> bytes:
    """A character as the two halves of its surrogate pair."""
    try:
        beyond = ord(character[0].decode()) - 0x10000
    except UnicodeDecodeError:
        return character[0]
    return b"\\u%04x\\u%04x" % (0xD800 + (beyond >> 10), 0xDC00 + (beyond & 0x3FF))


def _read_lines(data: bytes, name: str | None, notes: tuple[str, ...]) -> Conversation:
    spans = list(spans_of(data))
    values = [line_of(data, spans, number) for number in range(min(SAMPLE, len(spans)))]
    sample = [value for value in values if not isinstance(value, OtherLine)]
    module = load(name) if name else format_of(sample)
    if module is None:
        raise _unknown(sample)

    wanted = getattr(module, "wanted", None)
    for number in range(SAMPLE, len(spans)):
        value = line_of(data, spans, number)
        if wanted is not None and not isinstance(value, OtherLine) and not wanted(value):
            value = OtherLine(number)
        values.append(value)
    lines = Lines(data, spans, values)

    document = values
    if not getattr(module, "LINES", False):
        # Only formats of lines know what else may stand in one; to the others it is no message.
        document = [value for value in values if not isinstance(value, OtherLine)]
    conversation = _decoded(module, document, name)
    return _kept(conversation, Around(None, COMPACT, lines), notes + broken(lines))


def _unknown(sample: Sequence[dict[str, Any]]) -> Unread:
    if not sample:
        return Unread("This is neither JSON nor JSON lines.", _SHAPE)
    if any(isinstance(sample[0].get(key), list) for key in KEYS):
        return Unread(
            "There is a whole conversation on each of these lines.",
            "Give one of them at a time; sed -n 1p FILE prints the first.",
        )
    return Unread("These are not the messages of a conversation.", _HINT)


def write(conversation: Conversation, messages: Sequence[Message], to: str | None = None) -> bytes:
    """The conversation with these messages, in its own format or another one."""
    if to and proper(to) != conversation.format:
        from director_ctx.history.formats.convert import convert

        conversation = convert(conversation, messages, to)
        messages = conversation.messages

    module = load(conversation.format)
    around = conversation.frame
    if not isinstance(around, Around):
        return _written(module.encode(conversation, messages), conversation)
    value = module.encode(conversation.replace(frame=around.frame), messages)
    try:
        if around.lines:
            return write_lines(value, around.lines)
        return written(value, around.style)
    except RecursionError:
        raise DctxError(
            "This history is nested too deeply to be written.", "Nothing was changed."
        ) from None


def _written(value: Any, conversation: Conversation) -> bytes:
    """A document that was no file before."""
    if getattr(load(conversation.format), "LINES", False) and isinstance(value, list):
        return write_lines(value, Lines(b"", [], []))
    return written(value, Style(indent="  "))
