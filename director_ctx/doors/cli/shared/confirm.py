"""Whoever sits at the terminal is asked before something is written or deleted."""

from __future__ import annotations

import sys

from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.shared.speak import say, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def agreed(values: dict[str, Any]) -> bool:
    """Whether what was just shown may be written."""
    if values["dry_run"]:
        return False
    if values["yes"] or says_yes("Write this?"):
        return True
    say("Nothing was written.")
    return False


def says_yes(question: str, usual: bool = False) -> bool:
    """The answer of whoever sits at the terminal; who says nothing means what is usual."""
    # A script or an agent that pipes something in has not read the question, so no answer is taken
    # from the pipe.
    if not (sys.stdin and sys.stdin.isatty()):
        raise DctxError(
            "Nothing was done, because nobody can be asked.", "Read it, then say --yes."
        )
    choice = "[y/N]"
    if usual:
        choice = "[Y/n]"
    speak(f"{question} {choice} ")
    line = sys.stdin.readline()
    answer = line.strip().casefold()
    # Whoever ends the input has answered nothing, and a return says what is usual.
    if usual and line and not answer:
        return True
    return answer in ("y", "yes")
