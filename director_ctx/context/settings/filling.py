"""How full a window is: two marks, one sentence, and what to do about it in each place; pure.

The marks are data: 160,000 and 180,000 tokens, or `warn` and `urgent` of `hooks` in a project's
`dctx.yaml`.
"""

from __future__ import annotations

FINE = "fine"
WARNING = "warning"
FULL = "full"

PROMPT = "prompt"
SESSION = "session"
STORE = "store"
"""Places: in front of a client's prompt, beside a client's session, and where the store's
conversation is shown.
"""

_MARKS = {
    WARNING: "a warning from {:,} on: it is filling up.",
    FULL: "urgent from {:,} on: it is full.",
}
_ADVICE = {
    (PROMPT, WARNING): (
        "Finish the task in hand before you begin another; plan to compact, or to go on in a fresh session."
    ),
    (PROMPT, FULL): (
        "Write down now what is not written down yet (`{dctx} task done`, notes in .director/), then compact."
    ),
    (SESSION, WARNING): "Finish the task in hand, then compact.",
    (SESSION, FULL): "/compact in the client; `{dctx} history import` keeps it first.",
    (STORE, WARNING): (
        "Finish the task in hand, then `{dctx} history summarize`: a summary takes the place of what was said."
    ),
    (STORE, FULL): "`{dctx} history summarize` puts a summary in the place of what was said.",
}
BY_ITSELF = "(compressed: "
"""How a line begins that stands above a summary which nobody asked for."""


def state_of(tokens: int, warn: int, urgent: int) -> str:
    if tokens >= urgent:
        return FULL
    if tokens >= warn:
        return WARNING
    return FINE


def sentence(tokens: int, warn: int, urgent: int) -> str:
    """What there is to say about so many tokens; nothing, where there is room."""
    state = state_of(tokens, warn, urgent)
    if state == FINE:
        return ""
    passed = warn
    if state == FULL:
        passed = urgent
    mark = _MARKS[state].format(passed)
    return f"Context window: {tokens:,} tokens are in use, {mark}"


def advice(place: str, state: str, dctx: str = "dctx") -> str:
    return _ADVICE[place, state].format(dctx=dctx)


def compressed_line(messages: int, name: str) -> str:
    """The line above a summary that was made because the context was full."""
    many = f"{messages:,} messages"
    if messages == 1:
        many = "1 message"
    return (
        f"{BY_ITSELF}{many} became this summary when the context was full;"
        f" `dctx history show store` shows them, `dctx restore {name}` opens them again)"
    )
