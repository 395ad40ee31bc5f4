"""An estimate of o200k_base that needs no tokenizer: what stands beside what, weighed.

Every byte has a class: a lower-case letter, a sign, a blank ... A pattern is a row of classes, such
as `wpn`: a letter, a sign, the end of a line. Wherever a pattern ends, its weight is added. A class
is kept as one large number with a bit for each byte, so that a few shifts find a pattern in all
places at once.

No weight is negative and no pattern looks ahead, so a longer text is never estimated shorter. The
weights are fitted by `python -m benchmarks.fit_estimate`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BAND = "usually within 5%, at worst 8%, on the Markdown of two sample projects"
"""Of o200k_base; nine files in ten are 'usually'. The benchmark measures both numbers."""

TABLE = (
    b"p" * 9 + b"onoon" + b"p" * 18  # tab, line ends; other control counts as signs
    + b"s" + b"p" * 15 + b"d" * 10 + b"p" * 7  # blank, sign, digit
    + b"u" * 26 + b"p" * 6 + b"l" * 26 + b"p" * 5  # upper case, lower case
    + b"c" * 64  # what follows a first byte
    + b"L" * 4 + b"E" * 8 + b"G" * 4 + b"C" * 5 + b"A" * 11  # Latin-1, more Latin, Greek, Cyrillic, Arabic
    + b"IJSK" + b"Z" * 6 + b"H" * 4 + b"Z" * 2 + b"M" * 16  # Indic and Thai, Georgian, sign, kana, Han, Hangul, emoji
)  # fmt: skip
"""The class of each byte, as a letter."""
CODES = b".ludsnpocLEGCAIJSKZHM"
"""Each class by its number. The first is none; those of ASCII need three bits."""
REPEATABLE = "lupo"
"""Classes in which several of the same byte in a row may be one token."""
JOINED = (
    b"", b"%+~", b"!:;X\t", b"<>?@^aflopxAF", b"\"$'(),|\\bcdehikmrsvyBCEILMOY", b"&[]`{}gjnpqtuwzDGHJKNPQRSTUVWZ\0",
)  # fmt: skip
"""How many of the same are one token: 32, 16, 8, 4 and 2; of all others, 64."""

ASCII = {
    "0": 0.016, "1": 0.032, "2": 0.063, "3": 0.125, "4": 0.250, "5": 0.500, "lu": 0.815, "ls": 1.005,
    "ln": 1.028, "lp": 0.728, "lo": 1.124, "us": 0.917, "un": 0.848, "up": 0.511, "uo": 2.619, "dl": 1.424,
    "du": 0.296, "dn": 1.664, "do": 2.247, "ss": 0.008, "nl": 1.066, "nu": 1.026, "ns": 0.604, "ps": 0.364,
    "np": 1.144, "no": 1.024, "pu": 0.300, "pp": 0.565, "oo": 1.185, "rp": 0.871, "wr": 0.766, "wpw": 0.508,
    "wpn": 0.323, "wps": 0.898, "dpd": 1.998, "dps": 1.943, "dpw": 2.709, "dpp": 1.396, "spw": 1.633,
    "sps": 0.675, "npw": 0.760, "ssw": 1.189, "ssd": 2.969, "ssp": 1.102, "dsw": 2.399, "dsd": 2.140,
    "psd": 0.853, "dsp": 1.418, "wdw": 1.284, "wwd": 0.598, "ddu": 1.838, "dlu": 1.939, "uul": 1.841,
    "nnn": 0.064, "nns": 0.900, "pqw": 0.199, "llllllllllll": 0.240, "uuuuuuuu": 0.807, "ddd": 0.338,
    "kkkk": 0.466, "lllllkkk": 0.561,
}  # fmt: skip
BEYOND = {
    "L": 0.614, "L.L": 0.386, "gL": 2.134, "C.C.C.C.C": 0.273, "gC": 1.331, "gS": 0.506, "cn": 2.352,
    "E.E": 1.001, "wE": 2.589, "G": 0.407, "A.A.A": 0.702, "I": 0.381, "J..J": 0.526, "S": 0.063, "T": 1.136,
    "K": 0.767, "Z": 0.723, "H": 0.742, "M": 1.608,
}  # fmt: skip


def estimate(text: str) -> int:
    """About how many tokens: no fewer than words, no more than bytes."""
    if not text:
        return 0
    classes = classify(text)
    weights = ASCII
    if not text.isascii():
        weights = ASCII | BEYOND
    # By `sum`, which adds fractions more exactly than a loop does.
    total = sum(weight * count(pattern, classes) for pattern, weight in weights.items())
    tokens = int(-(-total // 1))

    size = len(text.encode("utf-8", "surrogatepass"))
    blank = classes["s"] | classes["n"] | classes["o"]
    word_starts = ~blank & blank >> 1
    words = word_starts.bit_count()
    return max(words, min(tokens, size), 1)


def count(pattern: str, classes: dict[str, int]) -> int:
    """How many places end such a row; a dot is any byte."""
    ends = classes[pattern[-1]]
    for back, name in enumerate(pattern[-2::-1], 1):
        if not ends:
            return 0
        if name != ".":
            ends &= classes[name] >> back
    return ends.bit_count()


def classify(text: str) -> dict[str, int]:
    """Where each class is: a bit for each byte, the first byte highest.

    `w` is a letter, `k` a consonant, `q` a sign unlike the one before, `g` all but letters, `T` the
    end of an S unlike the one before; `r` is the third or later of the same, no longer of its
    class, and `0` to `5` are these by JOINED.
    """
    raw = text.encode("utf-8", "surrogatepass") or b" "
    tables = KIND
    if text.isascii():
        tables = KIND[:3]
    kind = _read(raw, tables)
    shape = _read(raw, SHAPE)
    joined = _read(raw, JOIN)

    classes: dict[str, int] = {}
    for code, letter in enumerate(CODES[1:].decode(), 1):
        classes[letter] = 0
        # ASCII has fewer planes, in which the codes of other classes cannot be spelled.
        is_beyond_planes = code >> len(kind)
        if not is_beyond_planes:
            classes[letter] = having(code, kind)

    # The third or later of the same is no longer of its class.
    every = [*kind, *shape, *joined]
    changed = changes(every, 1)
    repeatable = 0
    for letter in REPEATABLE:
        repeatable |= classes[letter]
    same = ~changed & repeatable
    again = same & same >> 1
    for letter in REPEATABLE:
        classes[letter] &= ~again
    for code in range(len(JOINED)):
        classes[str(code)] = again & having(code, joined)
    classes["r"] = again

    vowel = shape[0]
    classes["w"] = classes["l"] | classes["u"]
    classes["k"] = classes["l"] & ~vowel
    classes["q"] = classes["p"] & changed
    classes["g"] = again
    for letter in "snpdo":
        classes["g"] |= classes[letter]
    classes["T"] = 0
    if classes["S"]:
        classes["T"] = classes["S"] >> 2 & changes(every, 3)
    return classes


def _read(raw: bytes, tables: Iterable[bytes]) -> list[int]:
    """A number for each table, with a bit for each byte."""
    return [int(raw.translate(table), 2) for table in tables]


def changes(planes: Sequence[int], back: int) -> int:
    """The places unlike those so many bytes before, or which end a row of as many that has such a
    place.
    """
    moved = 0
    for plane in planes:
        moved |= plane ^ plane >> back
    for _ in range(1, back):
        moved |= moved >> 1
    return moved


def having(code: int, planes: Sequence[int]) -> int:
    """Where the planes, each of them one bit of a code, spell this code."""
    places = -1
    for bit, plane in enumerate(planes):
        is_set = code >> bit & 1
        if is_set:
            places &= plane
        else:
            places &= ~plane
    return places


def planes(codes: Iterable[int], bits: int) -> list[bytes]:
    """Tables that translate each byte to a bit of its code, as `0` or `1`."""
    codes = list(codes)
    tables: list[bytes] = []
    for bit in range(bits):
        # The characters 0 and 1, so that a translated text can be read as one binary number.
        digits = [ord("0") + (code >> bit & 1) for code in codes]
        tables.append(bytes(digits))
    return tables


def _shape_of(byte: int) -> int:
    is_letter = ord("A") <= byte <= ord("z")
    if is_letter:
        is_vowel = byte in b"aeiouAEIOU"
        return byte & 6 | is_vowel
    return byte & 7


def _rate_of(byte: int) -> int:
    """Its index in JOINED."""
    for rate, characters in enumerate(JOINED):
        if byte in characters:
            return rate
    return 0


KIND = planes(map(CODES.index, TABLE), 5)
SHAPE = planes(map(_shape_of, range(256)), 3)
"""Tells most neighbours of a class apart; its first bit tells vowels from consonants."""
JOIN = planes(map(_rate_of, range(256)), 3)
