"""What leaves by an answer, whatever a file, a page or a conversation had in it."""

from __future__ import annotations

MOST_KNOWN = 32
"""Texts that are remembered; most folders are asked about the same few again and again."""
MOST_CHARACTERS = 4_000_000
"""Of all of them together."""
_KNOWN: dict[str, str] = {}


def safe(text: str) -> str:
    """Without secrets, as far as they are known by their name or form.

    To look for them takes longer than to assemble a context, so an answer that is the same as
    before is not looked through again.
    """
    known = _KNOWN.get(text)
    if known is not None:
        return known

    # A server that is only asked for its tools does without.
    from director_ctx.base.secrets import redact

    shown = redact(text)
    size = len(text) + sum(map(len, tuple(_KNOWN)))
    if len(_KNOWN) >= MOST_KNOWN or size > MOST_CHARACTERS:
        # Two threads may both make room, and then there is more of it.
        _KNOWN.clear()
    _KNOWN[text] = shown
    return shown
