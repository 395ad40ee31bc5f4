"""What to do about each kind of note that reading a folder makes."""

from __future__ import annotations

_ADVICE = (
    ("has no number in its name", "Rename it to NN-name, or move it out of goals/."),
    (
        "exists beside its .done.md",
        "Remove one of the two; `dctx doctor --fix` does, where both say the same.",
    ),
    ("more than once", "Give one of the two another number."),
    ("only .md in small letters", "Rename it to end in .md."),
    ("counts as pending", "End its name in .done.md if it is done."),
    ("a file where a folder should be", "Move it away."),
    ("is a link", "Remove the link, or let it lead to something in .director/."),
    ("not a regular file", "Remove it."),
    ("cannot be listed", "Make it readable."),
    ("cannot be read", "Make it readable."),
    ("read as UTF-16", "Save it as UTF-8."),
    ("not UTF-8", "Save it as UTF-8."),
    ("control characters", "Save it without them."),
    ("only the first", "Shorten it, or move it out of .director/."),
    ("not valid JSON", "Correct it; `python -m json.tool` shows where it breaks."),
    ("not a JSON object", "Begin it with { and end it with }."),
)


def advice_on(text: str) -> str:
    return next((advice for needle, advice in _ADVICE if needle in text), "Look at it.")
