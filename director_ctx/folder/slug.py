"""From a name to the words of a file name."""

from __future__ import annotations

import unicodedata

LONGEST = 40


def slug(name: str) -> str:
    """`Links, kept in a file!` is `links-kept-in-a-file`; letters of other alphabets stay, accents go."""
    simple = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(char for char in simple if not unicodedata.combining(char))
    words = "".join(char if char.isalnum() else " " for char in bare.replace("'", "").replace("\u2019", "")).split()
    return _shortened(words) or "untitled"


def _shortened(words: list[str]) -> str:
    """Whole words, as many as fit; one endless word is cut."""
    short = ""
    for word in words:
        longer = f"{short}-{word}" if short else word[:LONGEST]
        if len(longer) > LONGEST:
            break
        short = longer
    return short
