"""Why an answer is not a whole one, in words; pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.exchange import Reply

REFUSAL = "refusal"
GO_ON = "Say 'Go on.', and it goes on."
_TOO_LONG = ("The answer was cut off: it has as many tokens as an answer may have.", GO_ON)
_REASONS = {
    "max_output_tokens": _TOO_LONG,
    "max_tokens": _TOO_LONG,
    "content_filter": (
        "The answer was cut off: a filter of the provider stopped it.",
        "Say it in other words.",
    ),
    REFUSAL: ("The model refused to answer.", "Say it in other words."),
    "pause_turn": ("The answer was cut off: the provider paused it.", GO_ON),
    "model_context_window_exceeded": (
        "The answer was cut off: the model's window is full.",
        "/compress makes the conversation smaller; so does a smaller --limit.",
    ),
}
"""By what providers say."""
_CALL_LOST = " A call of a tool was cut off with it, and was not carried out."


def why_incomplete(reply: Reply) -> tuple[str, str]:
    """A sentence and a hint; empty ones for an answer that is whole."""
    if reply.cut:
        unknown = (f"The answer was cut off: {reply.cut.replace('_', ' ')}.", GO_ON)
        why, hint = _REASONS.get(reply.cut, unknown)
        if reply.lost_call:
            why += _CALL_LOST
        return why, hint
    if not reply.text.strip() and not reply.compaction:
        return "The model answered nothing.", "Say it again, or in other words."
    return "", ""
