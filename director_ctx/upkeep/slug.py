"""From a name to the words of a file name."""

from __future__ import annotations

import unicodedata

LONGEST = 40


def slug(name: str) -> str:
    """`Links, kept in a file!` is `links-kept-in-a-file`; letters of other alphabets stay, accents
    go.
    """
    bare = name.casefold()
    for apostrophe in ("'", "\u2019"):
        bare = bare.replace(apostrophe, "")

    spaced = ""
    for char in _without_accents(bare):
        if _in_word(char):
            spaced += char
        else:
            spaced += " "
    return _shortened(spaced.split()) or "untitled"


def _in_word(char: str) -> bool:
    # Outside Latin, Greek and Cyrillic a mark is part of its letter.
    is_mark = unicodedata.category(char).startswith("M")
    return is_mark or char.isalnum()


def _without_accents(text: str) -> str:
    """Marks over Latin, Greek and Cyrillic letters go; elsewhere they are part of the letter."""
    letters: list[str] = []
    goes_without = False
    for char in unicodedata.normalize("NFKD", text):
        is_mark = bool(unicodedata.combining(char))
        if is_mark and goes_without:
            continue
        if not is_mark:
            name = unicodedata.name(char, "")
            goes_without = name.startswith(("LATIN", "GREEK", "CYRILLIC"))
        letters.append(char)
    return unicodedata.normalize("NFC", "".join(letters))


def _shortened(words: list[str]) -> str:
    """Whole words, as many as fit; one endless word is cut."""
    short = ""
    for word in words:
        longer = word[:LONGEST]
        if short:
            longer = f"{short}-{word}"
        if len(longer) > LONGEST:
            break
        short = longer
    return short
