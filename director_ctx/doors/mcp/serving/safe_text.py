"""What leaves by an answer, whatever a file, a page or a conversation had in it."""

from __future__ import annotations


def safe(text: str) -> str:
    """Without secrets, as far as they are known by their name or form."""
    # A server that is only asked for its tools does without.
    from director_ctx.base.secrets import redact

    return redact(text)
