"""What the exception of a vendor's client means: which kind of failure, in a sentence without the key."""

from __future__ import annotations

from director_ctx.base.safe_text import safe
from director_ctx.base.text import plain
from director_ctx.chat.exchange import (
    BROKEN,
    KEEPS_NOTHING,
    LATER,
    REFUSED,
    TOO_LARGE,
    UNKNOWN_ID,
    ExchangeFailure,
)

WORDS: tuple[tuple[str, str], ...] = (
    ("previous_response_not_found", UNKNOWN_ID),
    ("previous response with id", UNKNOWN_ID),
    ("previous_response_id", KEEPS_NOTHING),
    ("thread_not_found", UNKNOWN_ID),
    ("thread_already_continued", UNKNOWN_ID),
    ("thread_continue_in_flight", UNKNOWN_ID),
    ("thread_unsupported_request", KEEPS_NOTHING),
    ("context_length_exceeded", TOO_LARGE),
    ("context window", TOO_LARGE),
    ("context length", TOO_LARGE),
    ("prompt is too long", TOO_LARGE),
    ("no tool output found", BROKEN),
    ("no tool call found", BROKEN),
    ("required 'reasoning' item", BROKEN),
    ("required following item", BROKEN),
)
"""Words by which providers say what is wrong; the first that is there counts."""
MENDABLE = (400, 404, 409, 413, 422)
"""Statuses whose words are worth a look."""
PASSING = (408, 409, 425, 429)
"""Statuses, besides those from 500 on, after which the same may go well."""
LONGEST = 300
HINTS = {
    401: "Look at the key: OPENAI_API_KEY or ANTHROPIC_API_KEY.",
    403: "The key does not allow this.",
    404: "Look at --model and --base-url.",
    429: "Wait a moment, then say it again; nothing is lost.",
}
AGAIN = "Say it again; nothing is lost."


def failure_of(error: Exception, key: str) -> ExchangeFailure:
    """Whatever a library of somebody else raises is one sentence."""
    status = getattr(error, "status_code", None)
    why = _sentence(error, key)
    kind = _kind(error, status)
    hint = ""
    if kind in (LATER, REFUSED):
        hint = HINTS.get(status or 0, AGAIN if kind == LATER else "")
    return ExchangeFailure(kind, why, hint)


def _kind(error: Exception, status: int | None) -> str:
    if status in MENDABLE:
        said = f"{getattr(error, 'code', '')} {error}".casefold()
        for words, kind in WORDS:
            if words in said:
                return kind
    # No status: the connection broke, or what came was no answer.
    if status is None or status in PASSING or status >= 500:
        return LATER
    return REFUSED


def _sentence(error: Exception, key: str) -> str:
    said = str(getattr(error, "message", "") or error).strip()
    if key:
        said = said.replace(key, "[hidden]")
    first_line, _, _ = said.partition("\n")
    words = plain(safe(first_line))[:LONGEST].rstrip(". ")
    return f"{words or type(error).__name__}."
