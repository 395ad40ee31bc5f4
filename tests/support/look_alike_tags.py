"""Tags in letters that look the same."""

from __future__ import annotations

import unicodedata

UNSEEN = (
    0x01, 0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
    *range(0x2060, 0x2070), 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xE007F,
    0xE0100,
)  # fmt: skip


BLANKS = "\t\n\u00a0\u1680\u2000\u2003\u2009\u200a\u202f\u205f\u3000\u2028\u2029\u0085\u2800"


BRACKETS = "＜﹤‹〈⟨〈❮❰˂≮"


SLASHES = "/／⁄∕⧸\\＼"


LOOK_ALIKES = {
    "a": "аαɑᴀ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еεᴇ", "g": "ɡ", "h": "һн", "i": "іıιɪ1lΙІ", "k": "кκᴋ", "m": "мᴍ",
    "n": "пոɴ", "o": "оοօ0σΟ", "p": "рρᴘ", "r": "гʀ", "s": "ѕꜱſ", "t": "тτᴛ", "u": "υսᴜ", "v": "νѵᴠ", "_": "＿‿-",
}  # fmt: skip
"""Written by hand, from what attackers use; the product's own table comes from elsewhere."""


_DROPPED = ("Cf", "Cc", "Mn", "Me", "Cn")


_FILLERS = "\u115f\u1160\u3164\uffa0"


_CONFUSED = str.maketrans(
    {other: letter for letter, others in LOOK_ALIKES.items() for other in others}
)


def as_read(text: str) -> str:
    """As a lenient reader sees it, who is not the product: what shows nothing is not there."""
    text = unicodedata.normalize("NFKD", text.replace("\u2800", " "))
    kept = (
        one
        for one in text
        if one.isspace() or (unicodedata.category(one) not in _DROPPED and one not in _FILLERS)
    )
    return "".join(kept)


def readings(text: str) -> list[str]:
    """Plain, and with letters that are taken for others."""
    seen = as_read(text)
    return [
        seen.casefold(),
        seen.translate(_CONFUSED).casefold(),
        seen.casefold().translate(_CONFUSED),
    ]
