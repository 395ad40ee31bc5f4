"""An estimate of o200k_base that needs no tokenizer: what stands beside what, weighed.

Every byte has a class: a lower-case letter, a sign, a blank ... A pattern is a row of classes, such as `wpn`: a letter,
a sign, the end of a line. Wherever a pattern ends, its weight is added. A class is kept as one large number with a bit
for each byte, so that a few shifts find a pattern in all places at once.

No weight is negative and no pattern looks ahead, so a longer text is never estimated shorter. The weights are fitted by
`python -m benchmarks.fit_estimate`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BAND = "usually within 5%, at worst 10%, on the Markdown of two sample projects"
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
JOINED = (
    b"", b"%+~", b"!:;X\t", b"<>?@^aflopxAF", b"\"$'(),|\\bcdehikmrsvyBCEILMOY", b"&[]`{}gjnpqtuwzDGHJKNPQRSTUVWZ\0",
)  # fmt: skip
"""How many of the same are one token: 32, 16, 8, 4 and 2; of all others, 64."""

ASCII = {
    "ps": 0.436, "0": 0.016, "1": 0.033, "2": 0.063, "3": 0.125, "4": 0.250, "5": 0.500, "lu": 0.825,
    "ls": 1.004, "ln": 1.022, "lp": 0.669, "lo": 1.129, "us": 0.924, "un": 0.817, "up": 0.470, "uo": 2.430,
    "dl": 1.464, "du": 0.345, "dn": 1.774, "do": 2.222, "ss": 0.008, "nl": 1.060, "nu": 1.045, "ns": 0.653,
    "np": 1.127, "no": 1.156, "pu": 0.282, "pp": 0.566, "oo": 1.036, "rp": 0.864, "wr": 0.714, "wpw": 0.570,
    "wpn": 0.372, "wps": 0.894, "dpd": 1.981, "dps": 2.392, "dpw": 2.722, "dpp": 1.451, "spw": 1.625,
    "sps": 0.479, "npw": 0.925, "ssw": 1.167, "ssd": 2.894, "ssp": 1.110, "dsw": 2.532, "dsd": 2.012,
    "psd": 0.188, "dsp": 1.823, "wdw": 1.270, "wwd": 0.521, "ddu": 1.820, "dlu": 1.887, "uul": 1.888,
    "nnn": 0.064, "nns": 0.910, "pqw": 0.233, "llllllllllll": 0.243, "uuuuuuuu": 0.808, "ddd": 0.337,
    "kkkk": 0.479, "lllllkkk": 0.546,
}  # fmt: skip
BEYOND = {
    "L": 0.618, "L.L": 0.382, "gL": 2.081, "C.C.C.C.C": 0.277, "gC": 1.307, "gS": 0.547, "cn": 2.359,
    "E.E": 1.001, "wE": 2.580, "G": 0.406, "A.A.A": 0.699, "I": 0.381, "J..J": 0.526, "S": 0.063, "T": 1.107,
    "K": 0.767, "Z": 0.722, "H": 0.739, "M": 1.615,
}  # fmt: skip


def estimate(text: str) -> int:
    """About how many tokens: no fewer than words, no more than bytes."""
    classes = classify(text)
    weights = ASCII if text.isascii() else ASCII | BEYOND
    total = sum(weight * count(pattern, classes) for pattern, weight in weights.items())
    blank = classes["s"] | classes["n"] | classes["o"]
    words = (~blank & blank >> 1).bit_count()
    return max(words, min(int(-(-total // 1)), len(text.encode("utf-8", "surrogatepass"))), 1) if text else 0


def count(pattern: str, classes: dict[str, int]) -> int:
    """How many places end such a row; a dot is any byte."""
    found = classes[pattern[-1]]
    for back, name in enumerate(pattern[-2::-1], 1):
        if not found:
            return 0
        if name != ".":
            found &= classes[name] >> back
    return found.bit_count()


def classify(text: str) -> dict[str, int]:
    """Where each class is: a bit for each byte, the first byte highest.

    `w` is a letter, `k` a consonant, `q` a sign unlike the one before, `g` all but letters, `T` the end of an S unlike
    the one before; `r` is the third or later of the same, no longer of its class, and `0` to `5` are these by JOINED.
    """
    raw = text.encode("utf-8", "surrogatepass") or b" "

    def read(tables: Iterable[bytes]) -> list[int]:
        return [int(raw.translate(table), 2) for table in tables]

    kind, shape, joined = read(KIND[: 3 if text.isascii() else 5]), read(SHAPE), read(JOIN)
    every = [*kind, *shape, *joined]
    changed = changes(every, 1)
    found = {chr(name): 0 if code >> len(kind) else having(code, kind) for code, name in enumerate(CODES) if code}
    same = ~changed & (found["l"] | found["u"] | found["p"] | found["o"])
    again = same & same >> 1
    for name in "lupo":
        found[name] &= ~again
    found |= {str(code): again & having(code, joined) for code in range(len(JOINED))}
    found["r"] = again
    found["w"] = found["l"] | found["u"]
    found["k"] = found["l"] & ~shape[0]
    found["q"] = found["p"] & changed
    found["g"] = found["s"] | found["n"] | found["p"] | found["d"] | found["o"] | again
    found["T"] = found["S"] and found["S"] >> 2 & changes(every, 3)
    return found


def changes(planes: Sequence[int], back: int) -> int:
    """The places unlike those so many bytes before, or which end a row of as many that has such a place."""
    moved = 0
    for plane in planes:
        moved |= plane ^ plane >> back
    for _ in range(1, back):
        moved |= moved >> 1
    return moved


def having(code: int, planes: Sequence[int]) -> int:
    """Where the planes, each of them one bit of a code, spell this code."""
    found = -1
    for bit, plane in enumerate(planes):
        found &= plane if code >> bit & 1 else ~plane
    return found


def planes(codes: Iterable[int], bits: int) -> list[bytes]:
    """Tables that translate each byte to a bit of its code, as `0` or `1`."""
    codes = list(codes)
    return [bytes(48 + (code >> bit & 1) for code in codes) for bit in range(bits)]


KIND = planes(map(CODES.index, TABLE), 5)
SHAPE = planes(((byte & 6) | (byte in b"aeiouAEIOU" if 65 <= byte < 123 else byte & 1) for byte in range(256)), 3)
"""Tells most neighbours of a class apart; its first bit tells vowels from consonants."""
JOIN = planes((next((rate for rate, those in enumerate(JOINED) if byte in those), 0) for byte in range(256)), 3)
