"""A text on one line."""

from __future__ import annotations

LONGEST = 500


def line(text: str, most: int = LONGEST) -> str:
    """On one line, and not longer than this; of what is long, both ends."""
    if len(text) > 20 * most:
        # Of a text of megabytes only the ends are split into words.
        text = f"{text[: 9 * most]} ... {text[-9 * most :]}"
    short = " ".join(text.split())
    if len(short) <= most:
        return short
    beginning = short[: most * 2 // 3].rstrip()
    end = short[-(most // 3) :].lstrip()
    return f"{beginning} ... {end}"


def begun(text: str, most: int) -> str:
    """Its beginning, cut behind a word; an ellipsis says that there is more."""
    if len(text) <= most:
        return text
    short = text[: most - 1]
    words, _, _ = short.rpartition(" ")
    # One long word is cut all the same.
    if len(words) < most // 2:
        words = short
    return words.rstrip(" ,;:.") + "\N{HORIZONTAL ELLIPSIS}"
