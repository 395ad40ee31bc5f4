"""From bytes to a conversation and back. What nobody touched is written as it was: lines by their
bytes, JSON by its value.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.json_bytes import (
    COMPACT,
    SAMPLE,
    Lines,
    OtherLine,
    Style,
    has_lines,
    notes_on_broken,
    starts_lines,
    style_of,
    written,
)
from director_ctx.base.record import Record
from director_ctx.history.formats import FORMATS, TRAITS, Unread, format_name, format_of, load
from director_ctx.history.formats.openai_chat import KEYS, messages_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.formats import Format
    from director_ctx.history.messages.message import Conversation, Message

    Notes = tuple[str, ...]

_SOMETHING = re.compile(rb"\S")
_ASTRAL = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
"""A character beyond the first 65,536, in UTF-8."""
_ASTRAL_LEADS = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
_WITH_MESSAGES = "Give a file with messages in it."
_SHAPE = "Give a history as an agent's client or an API writes it."
_AS_TEXT = "Write it as a text, in quotes; numbers have 4,300 digits at most."
_HINT = "Name the format with --from: " + ", ".join(FORMATS) + "."


class Around(Record):
    """How a conversation was written down, around what its format keeps."""

    frame: Any
    style: Style
    lines: Lines | None = None
    broken: tuple[int, ...] = ()
    """The numbers of lines that are no JSON."""


def read(data: bytes, name: str | None = None) -> Conversation:
    """The conversation in these bytes, in a format that is named or found."""
    data, notes = _as_utf8(data)
    if _SOMETHING.search(data) is None:
        raise Unread("There is nothing in this history: it is empty.", _WITH_MESSAGES)
    if starts_lines(data):
        return _read_lines(data, name, notes)

    try:
        return _read_document(data, name, notes)
    except Unread as unread:
        # Lines, of which the first is broken, are no JSON as a whole.
        if unread.hint != _SHAPE or not has_lines(data):
            raise
    return _read_lines(data, name, notes)


def _read_document(data: bytes, name: str | None, notes: Notes) -> Conversation:
    value, odd = _parsed(data)
    module = _format(value, name)
    if module is None and _is_empty(value):
        raise Unread("There are no messages in this history.", _WITH_MESSAGES)

    if isinstance(value, dict) and _may_be_line(data, module):
        return _read_lines(data, name, notes)
    if module is None:
        raise Unread("These are not the messages of a conversation.", _HINT)
    conversation = module.decode(value)
    if name and not _is_empty(value):
        _expect_messages(conversation, module, value, name)
    around = Around(None, style_of(data))
    return _with_around(conversation, around, notes + odd)


def _expect_messages(
    conversation: Conversation,
    module: Format,
    document: Any,
    name: str,
) -> None:
    """A format that somebody named may be the wrong one."""
    if any(message.blocks for message in conversation.messages) or module.fits(document):
        return
    raise Unread(
        f"There are no messages of {name} in this.",
        "Leave --from out, or name another format.",
    )


def _format(document: Any, name: str | None) -> Format | None:
    """The format that is named, else the one that the document is in."""
    return load(name) if name else format_of(document)


def _may_be_line(data: bytes, module: Format | None) -> bool:
    """Whether one value may be the only line of a format that has lines."""
    if module is None:
        return b"\n" not in data.strip()
    return TRAITS[module.NAME].lines


def _is_empty(value: Any) -> bool:
    """Whether it is a conversation in which nobody said anything yet."""
    return any(value.get(key) == [] for key in KEYS) if isinstance(value, dict) else value == []


def _with_around(conversation: Conversation, around: Around, notes: Notes) -> Conversation:
    around = around.replace(frame=conversation.frame)
    return conversation.replace(frame=around, notes=notes + conversation.notes)


def _as_utf8(data: bytes) -> tuple[bytes, Notes]:
    """As UTF-8 without a mark."""
    encoding = json.detect_encoding(data[:4])
    if encoding == "utf-8":
        return data, ()
    if encoding == "utf-8-sig":
        return data[3:], ()

    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    note = f"The history was {encoding.upper()}; what is written is UTF-8."
    return text.encode("utf-8", "surrogatepass"), (note,)


def _parsed(data: bytes) -> tuple[Any, Notes]:
    notes: Notes = ()
    source = data
    if any(lead in data for lead in _ASTRAL_LEADS):
        # As escapes, characters beyond the first 65,536 do not make every other one four bytes
        # wide.
        source = _ASTRAL.sub(_as_escape, data)
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
        if "int_max_str_digits" in str(error):
            raise Unread(
                "A number in this history has too many digits to be read.", _AS_TEXT
            ) from None
        raise Unread(f"This is neither JSON nor JSON lines: {error}.", _SHAPE) from None


def _as_escape(character: re.Match[bytes]) -> bytes:
    """A character as the two halves of its surrogate pair."""
    try:
        code = ord(character[0].decode())
    except UnicodeDecodeError:
        # Four bytes of this form may still be no character, such as one beyond the last.
        return character[0]
    beyond = code - 0x10000
    high = 0xD800 + (beyond >> 10)
    low = 0xDC00 + (beyond & 0x3FF)
    return b"\\u%04x\\u%04x" % (high, low)


def _read_lines(data: bytes, name: str | None, notes: Notes) -> Conversation:
    lines = Lines(data)
    numbers = range(len(lines.spans))
    lines.values += map(lines.read, numbers[:SAMPLE])
    sample = [value for value in lines.values if not isinstance(value, OtherLine)]
    module = _format(sample, name)
    if module is None:
        raise _no_format(sample)

    has_lines_of_own = TRAITS[module.NAME].lines
    may_be_read = getattr(module, "may_be_read", None)
    for number in numbers[SAMPLE:]:
        value = lines.read(number)
        # Of lines that cannot be of the conversation only the number is held in memory.
        if may_be_read and isinstance(value, dict) and not may_be_read(value):
            value = OtherLine(number)
        lines.values.append(value)
    document = lines.values
    if not has_lines_of_own:
        # Only formats of lines know what else may stand in one; to the others it is no message.
        document = [value for value in document if not isinstance(value, OtherLine)]

    conversation = module.decode(document)
    if name:
        _expect_messages(conversation, module, document, name)
    broken = lines.broken()
    around = Around(None, COMPACT, lines, tuple(broken))
    return _with_around(conversation, around, notes + notes_on_broken(broken, len(numbers)))


def _no_format(sample: Sequence[dict[str, Any]]) -> Unread:
    if not sample:
        return Unread("This is neither JSON nor JSON lines.", _SHAPE)
    # A line of a data set has a whole list of messages.
    if messages_in(sample[0]) is not None:
        return Unread(
            "There is a whole conversation on each of these lines.",
            "Give one of them at a time; sed -n 1p FILE prints the first.",
        )
    return Unread("These are not the messages of a conversation.", _HINT)


def write(conversation: Conversation, messages: Sequence[Message], to: str | None = None) -> bytes:
    """The conversation with these messages, in its own format or another one."""
    if to and format_name(to) != conversation.format:
        # Most histories stay in their format.
        from director_ctx.history.formats.convert import convert

        conversation = convert(conversation, messages, to)
        messages = conversation.messages

    module = load(conversation.format)
    around = conversation.frame
    if not isinstance(around, Around):
        value = module.encode(conversation, messages)
        return _written_first(value, conversation.format)

    conversation = conversation.replace(frame=around.frame)
    value = module.encode(conversation, messages)
    try:
        if around.lines:
            return around.lines.written(value)
        return written(value, around.style)
    except RecursionError:
        raise DctxError(
            "This history is nested too deeply to be written.",
            "Nothing was changed.",
        ) from None


def _written_first(value: Any, name: str) -> bytes:
    """A document that was no file before."""
    if TRAITS[name].lines:
        return Lines().written(value)
    return written(value, Style(indent="  "))
