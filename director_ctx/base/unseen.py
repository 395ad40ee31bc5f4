"""Characters that nobody sees: which they are, where they have a meaning, and how they are shown
where they have none.

A reader sees nothing of them and a model may read them, so that a text can say something else than
it shows. Writing needs some: joiners in Persian and Hindi, selectors behind emoji, hyphens that
show only at the end of a line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Ranges = tuple[tuple[int, int], ...]
    Rule = Callable[[str, str], bool]

_ASCII = bytes(range(128))
_LOW: Ranges = (
    (0x80, 0x9F),  # control characters
    (0xAD, 0xAD),  # soft hyphen
    (0x34F, 0x34F),  # joiner of graphemes
    (0x61C, 0x61C),  # mark of direction
    (0x115F, 0x1160),  # fillers of Hangul
    (0x17B4, 0x17B5),  # unwritten vowels of Khmer
    (0x180B, 0x180F),  # selectors of Mongolian
    (0x200B, 0x200F),  # blank of no width, joiners, marks of direction
    (0x202A, 0x202E),  # direction of what follows
    (0x2060, 0x206F),  # joiner of words, operators, direction of what follows
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),  # selectors of variants
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),  # notes between lines
    (0x1BCA0, 0x1BCA3),  # shorthand
    (0x1D173, 0x1D17A),  # music
)
_FEW = frozenset(chr(code) for first, last in _LOW for code in range(first, last + 1))
_PRINTABLE = "".join(sorted(char for char in _FEW if char.isprintable()))
_WIDE_BLANK, _HIGH_BYTE = "\u3000", b"\xf3"
_HIGH = ("\U000e0000", "\U000e0fff")
"""A plane of letters that show nothing, and of more selectors."""


def is_unseen(char: str) -> bool:
    return char in _FEW or _HIGH[0] <= char <= _HIGH[1]


def unseen_in(text: str) -> frozenset[str]:
    """Those that a text has. Most texts have few characters beyond ASCII, so the others are taken
    out first.
    """
    if text.isascii():
        return frozenset()
    encoded = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    beyond = encoded.decode("utf-8", "surrogatepass")
    if _is_plainly_seen(beyond, encoded):
        return frozenset()
    chars = set(beyond)
    if _FEW.isdisjoint(chars) and max(chars) < _HIGH[0]:
        return frozenset()
    return frozenset(filter(is_unseen, chars))


def _is_plainly_seen(beyond: str, encoded: bytes) -> bool:
    """Whether a quick look at a text of another script is enough, without one at each of its
    characters.
    """
    if _HIGH_BYTE in encoded or not beyond.replace(_WIDE_BLANK, "").isprintable():
        return False
    return not [char for char in _PRINTABLE if char in beyond]


def without_unseen(text: str) -> str:
    present = unseen_in(text)
    if not present:
        return text
    return text.translate(dict.fromkeys(map(ord, present)))


def show_unseen(text: str) -> str:
    """The text with those that mean nothing where they stand written as JSON writes them:
    `\\u200b`.
    """
    present = unseen_in(text)
    if not present:
        return text
    rules = _RULES
    if not present.isdisjoint(_MARKS) and _is_leftward(text):
        rules = _RULES + _LEFTWARD_RULES
    ruled: list[tuple[str, Rule]] = []
    never = set(present)
    for first, last, rule in rules:
        for char in sorted(present):
            if first <= char <= last:
                ruled.append((char, rule))
                never.discard(char)
    # At once, because a text may have thousands of different ones.
    if never:
        text = text.translate({ord(char): written(char) for char in never})
    for char, rule in ruled:
        text = _show_where_idle(text, char, rule)
    return text


def written(char: str) -> str:
    """A character as an escape; beyond the first plane as the pair that JSON makes of it."""
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _show_where_idle(text: str, char: str, rule: Rule) -> str:
    """One of them, shown wherever its rule does not find a meaning for it. A second one in a row
    has none.
    """
    first, *rest = text.split(char)
    pieces = [first]
    before = first[-1:]
    stands: dict[tuple[str, str], str] = {}
    for piece in rest:
        after = piece[:1]
        between = (before, after)
        # A text has the same neighbours again and again.
        if between not in stands:
            has_meaning = rule(before, after)
            stands[between] = char if has_meaning else written(char)
        pieces.append(stands[between])
        pieces.append(piece)
        before = piece[-1:] or char
    return "".join(pieces)


def _is_leftward(text: str) -> bool:
    """Whether any of it is written from right to left."""
    return any(_within(char, _LEFTWARD) for char in set(text))


def _within(char: str, ranges: Ranges) -> bool:
    if not char:
        return False
    code = ord(char)
    return any(first <= code <= last for first, last in ranges)


_IDEOGRAPHS: Ranges = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_PICTURES: Ranges = ((0x2190, 0x2BFF), (0x3030, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF))
_SELECTED: Ranges = (
    *(
        (0x23, 0x23),
        (0x2A, 0x2A),
        (0x30, 0x39),
        (0xA9, 0xA9),
        (0xAE, 0xAE),
    ),  # keys such as #️⃣, © and ®
    *((0x1000, 0x109F), (0x203C, 0x2049), (0x2100, 0x218F), (0xA840, 0xA877)),
    *_PICTURES,
    *_IDEOGRAPHS,
)
"""What has variants."""
_JOINED: Ranges = (
    *((0x590, 0x1CFF), (0xA800, 0xABFF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC)),
    *((0x10A00, 0x11FFF), (0x1E900, 0x1E95F), (0xFE0F, 0xFE0F)),
    *_PICTURES,
)
"""Scripts whose letters join, and emoji."""
_WITHOUT_BLANKS: Ranges = ((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1AAF))
"""Thai, Lao, Burmese and Khmer, whose lines break where a blank of no width stands."""
_LEFTWARD: Ranges = (
    (0x590, 0x8FF),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10800, 0x10FFF),
    (0x1E800, 0x1EFFF),
)


def _selects(before: str, after: str) -> bool:
    return _within(before, _SELECTED)


def _selects_ideograph(before: str, after: str) -> bool:
    return _within(before, _IDEOGRAPHS)


def _selects_mongolian(before: str, after: str) -> bool:
    return _within(before, ((0x1820, 0x18AA),))


def _joins(before: str, after: str) -> bool:
    return _within(before, _JOINED) and (before == "\ufe0f" or not is_unseen(before))


def _parts_words(before: str, after: str) -> bool:
    return _within(before, _WITHOUT_BLANKS)


def _hyphenates(before: str, after: str) -> bool:
    return before.isalpha() and after.isalpha()


def _turns(before: str, after: str) -> bool:
    return not is_unseen(before)


def _begins(before: str, after: str) -> bool:
    return not before


_RULES: tuple[tuple[str, str, Rule], ...] = (
    ("\ufe00", "\ufe0f", _selects),
    ("\U000e0100", "\U000e01ef", _selects_ideograph),
    ("\u180b", "\u180f", _selects_mongolian),
    ("\u200c", "\u200d", _joins),
    ("\u200b", "\u200b", _parts_words),
    ("\xad", "\xad", _hyphenates),
    ("\ufeff", "\ufeff", _begins),
)
"""Where each has a meaning. A rule looks at what stands before, so selectors come before the
joiners behind them.
"""
_MARKS = frozenset("\u200e\u200f\u061c")
_LEFTWARD_RULES: tuple[tuple[str, str, Rule], ...] = (
    ("\u200e", "\u200f", _turns),
    ("\u061c", "\u061c", _turns),
)
"""The same for marks of direction, in a text that has letters from right to left."""
