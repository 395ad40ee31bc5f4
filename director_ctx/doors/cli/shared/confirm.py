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


def says_yes(question: str, default: bool = False) -> bool:
    """The answer of whoever sits at the terminal; `default` is what Enter alone means."""
    # A script or an agent that pipes something in has not read the question, so no answer is taken
    # from the pipe.
    if not (sys.stdin and sys.stdin.isatty()):
        raise DctxError(
            "Nothing was done, because nobody can be asked.", "Read it, then say --yes."
        )
    choices = "[y/N]"
    if default:
        choices = "[Y/n]"
    # What is asked about stands on standard output, before the question.
    if sys.stdout:
        sys.stdout.flush()
    speak(f"{question} {choices} ")
    line = sys.stdin.readline()
    # Without a line end nobody pressed Enter: the terminal was closed.
    if line == "\n":
        return default
    return line.strip().casefold() in ("y", "yes")
