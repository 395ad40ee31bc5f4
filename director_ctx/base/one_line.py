"""A text on one line."""

from __future__ import annotations

LONGEST = 500


def line(text: str, most: int = LONGEST) -> str:
    """On one line, and not longer than this; of what is long, both ends."""
    near = text if len(text) <= 20 * most else f"{text[: 9 * most]} ... {text[-9 * most :]}"
    short = " ".join(near.split())
    if len(short) <= most:
        return short
    return f"{short[: most * 2 // 3].rstrip()} ... {short[-(most // 3) :].lstrip()}"
