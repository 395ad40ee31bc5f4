"""From a name to the words of a file name."""

from __future__ import annotations

import unicodedata

LONGEST = 40


def slug(name: str) -> str:
    """`Links, kept in a file!` is `links-kept-in-a-file`; letters of other alphabets stay, accents
    go.
    """
    bare = name.casefold().replace("'", "").replace("\u2019", "")
    letters = _without_accents(bare)
    spaced = "".join(char if _in_word(char) else " " for char in letters)
    return _shortened(spaced.split()) or "untitled"


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _without_accents(text: str) -> str:
    """Marks over Latin, Greek and Cyrillic letters go; elsewhere they are part of the letter."""
    kept: list[str] = []
    goes_without = False
    for char in unicodedata.normalize("NFKD", text):
        is_mark = bool(unicodedata.combining(char))
        if is_mark and goes_without:
            continue
        if not is_mark:
            name = unicodedata.name(char, "")
            goes_without = name.startswith(("LATIN", "GREEK", "CYRILLIC"))
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _shortened(words: list[str]) -> str:
    """Whole words, as many as fit; one endless word is cut."""
    short = ""
    for word in words:
        longer = f"{short}-{word}" if short else word[:LONGEST]
        if len(longer) > LONGEST:
            break
        short = longer
    return short
