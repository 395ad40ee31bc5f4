"""What to do about each kind of note that reading a folder makes."""

from __future__ import annotations

from director_ctx.base.text import CONTROLS, NOT_UTF8, OTHER_ENCODING, TOO_LONG
from director_ctx.project.reading.model import (
    DONE_AND_NOT,
    DONE_IN_OTHER_CASE,
    FILE_FOR_FOLDER,
    FOLDER_FOR_FILE,
    IRREGULAR,
    LEADS_AWAY,
    NO_JSON,
    NO_NUMBER,
    NO_OBJECT,
    OTHER_CASE,
    SAME_NUMBER,
    UNLISTABLE,
    UNREADABLE,
)

_ADVICE = {
    NO_NUMBER: "Rename it to NN-name, or move it out of goals/.",
    DONE_AND_NOT: "Remove one of the two; `dctx doctor --fix` does, where both say the same.",
    SAME_NUMBER: "Give one of the two another number.",
    OTHER_CASE: "Rename it to end in .md.",
    DONE_IN_OTHER_CASE: "End its name in .done.md if it is done.",
    FILE_FOR_FOLDER: "Move it away.",
    FOLDER_FOR_FILE: "Move it away.",
    LEADS_AWAY: "Remove the link, or let it lead to something in .director/.",
    IRREGULAR: "Remove it.",
    UNLISTABLE: "Make it readable.",
    UNREADABLE: "Make it readable.",
    OTHER_ENCODING: "Save it as UTF-8.",
    NOT_UTF8: "Save it as UTF-8.",
    CONTROLS: "Save it without them.",
    TOO_LONG: "Shorten it, or move it out of .director/.",
    NO_JSON: "Correct it; `python -m json.tool` shows where it breaks.",
    NO_OBJECT: "Begin it with { and end it with }.",
}


def advice_on(kind: str) -> str:
    return _ADVICE.get(kind, "Look at it.")
