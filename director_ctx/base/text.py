"""Bytes to clean text: any encoding, any line ending, nothing that a terminal or an agent could
trip over.

What is changed is only what is read; the file keeps its bytes.
"""

from __future__ import annotations

_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r") + b"\x7f"
_C1 = dict.fromkeys(range(0x80, 0xA0))
_TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_UNITS_OF_TIME = ((86_400, "day"), (3_600, "hour"), (60, "minute"))

OTHER_ENCODING = "other encoding"
NOT_UTF8 = "not utf-8"
CONTROLS = "controls"
TOO_LONG = "too long"
"""Kinds of what is odd in a text."""


class Remark(str):
    """A sentence about something odd, and which kind of oddity it is about, for whoever decides by
    that.
    """

    kind: str

    def __new__(cls, kind: str, text: str) -> Remark:
        remark = super().__new__(cls, text)
        remark.kind = kind
        return remark


def decode(data: bytes) -> tuple[str, tuple[Remark, ...]]:
    """Text and notes: byte order marks, UTF-16, bad bytes, control characters, line endings."""
    notes: list[Remark] = []
    for mark, name in _BOMS:
        if data.startswith(mark):
            encoding = name
            data = data[len(mark) :]
            break
    else:
        encoding = guess_encoding(data)

    if encoding != "utf-8":
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
        notes.append(Remark(OTHER_ENCODING, f"read as {encoding.upper()}"))
    clean = data.translate(None, _CONTROL)
    try:
        text = clean.decode("utf-8")
    except UnicodeDecodeError:
        text = clean.decode("utf-8", "replace")
        notes.append(Remark(NOT_UTF8, "bytes that are not UTF-8 were replaced"))
    if not text.isascii() and b"\xc2" in clean:
        text = text.translate(_C1)
    if len(clean) != len(data):
        notes.append(Remark(CONTROLS, "control characters were removed"))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, tuple(notes)


def cleaned(text: str) -> str:
    """Text that came from elsewhere, as clean as that of a document, and without a terminal's codes."""
    if "\x1b[" in text:
        text = _without_codes(text)
    return decode(text.encode("utf-8", "replace"))[0]


def well_formed(text: str) -> str:
    """With a mark in the place of each half of a character, which nothing can be sent or kept with."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        pairs = text.encode("utf-16-le", "surrogatepass")
        return pairs.decode("utf-16-le", "replace")
    return text


def _without_codes(text: str) -> str:
    # Hardly any text has them.
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def visible(text: str) -> str:
    """The same for a terminal: without what turns the order around in which a line is read, too."""
    text = cleaned(text)
    if text.isascii():
        return text
    return text.translate(_TURNING)


def whole_characters(data: bytes) -> bytes:
    """The beginning of a text without the character that a limit cut in two."""
    has_mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if has_mark or guess_encoding(data) != "utf-8":
        # UTF-16 has two bytes for each, or two pairs.
        return data[: len(data) // 2 * 2]
    longest = min(4, len(data))
    for back in range(1, longest + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        is_first_of_several = byte >= 0xC0
        if is_first_of_several:
            return data[:-back]
    return data


def characters(text: str, encoding: str = "utf-16-le") -> int:
    """The length as agents' clients count it, most of which are written in JavaScript: an emoji is
    two there.
    """
    if text.isascii():
        return len(text)
    encoded = text.encode(encoding, "surrogatepass")
    if encoding == "utf-8":
        return len(encoded)
    return len(encoded) // 2


def guess_encoding(data: bytes) -> str:
    """UTF-16 without a mark has a NUL in nearly every other place, and hardly any between them."""
    sample = data[:2000]
    if b"\0" not in sample or len(sample) < 4:
        return "utf-8"
    half = len(sample) // 2
    even = sample[0::2].count(0)
    odd = sample[1::2].count(0)
    many, few = half * 0.7, half * 0.3
    if odd > many and even < few:
        return "utf-16-le"
    if even > many and odd < few:
        return "utf-16-be"
    return "utf-8"


def told_apart(name: str, more: str, taken: set[str]) -> str:
    """The name, with more to it where another has it already; it is taken from now on."""
    own = name
    if name in taken:
        own = plain(f"{name} ({more})")
    taken.add(own)
    return own


def counted(number: int, what: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def ago(seconds: float) -> str:
    """How long ago something was, in the largest unit that fits."""
    for size, unit in _UNITS_OF_TIME:
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "just now"


def plain(text: str) -> str:
    """A name made safe to print on one line: no control characters, no lone surrogates."""
    if text.isprintable():
        return text
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown.encode("utf-8", "replace").decode("utf-8")


def has_part(text: str, part: str) -> bool:
    """Enough for whoever reads: a wrong guess is seen, and does no harm."""
    return part in text


def has_words(text: str, words: str) -> bool:
    """Whether whole words of a text are meant, as a change needs it: `foo` is not `A footer`."""
    spaced = f" {' '.join(_words(text))} "
    wanted = " ".join(_words(words))
    return bool(wanted) and f" {wanted} " in spaced


def _words(text: str) -> list[str]:
    spaced = "".join(char if char.isalnum() else " " for char in text.casefold())
    return spaced.split()
