"""Whoever sits at the terminal is asked before something is written or deleted."""

from __future__ import annotations

import sys

from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.shared.speak import end_line, say, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


NO_ANSWER = "Nothing was done, because no answer came."


class NobodyAnswered(DctxError):
    """The input ended where a question was asked: nobody has said yes, and nobody no."""


def agreed(values: dict[str, Any]) -> bool:
    """Whether what was just shown may be written."""
    if values["dry_run"]:
        return False
    if values["yes"] or says_yes("Write this?"):
        return True
    say("Nothing was written.")
    return False


def says_yes(question: str, default: bool = False, explained: str = "") -> bool:
    """The answer of whoever sits at the terminal; `default` is what Enter alone means. A terminal
    that is closed agrees to nothing.
    """
    try:
        return answers_yes(question, default, explained)
    except NobodyAnswered:
        return False


def answers_yes(question: str, default: bool = False, explained: str = "") -> bool:
    """The same for who has to tell a no from no answer. What is neither yes nor no is explained and
    asked again.
    """
    # A script or an agent that pipes something in has not read the question, so no answer is taken
    # from the pipe.
    if not (sys.stdin and sys.stdin.isatty()):
        raise DctxError(
            "Nothing was done, because nobody can be asked.",
            "Read what would change, then say --yes.",
        )
    choices = "[y/N]"
    if default:
        choices = "[Y/n]"
    while True:
        # What is asked about stands on standard output, before the question.
        if sys.stdout:
            sys.stdout.flush()
        speak(f"{question} {choices} ")
        line = sys.stdin.readline()
        # Without a line end nobody pressed Enter: the terminal was closed.
        if not line.endswith("\n"):
            end_line()
            raise NobodyAnswered(NO_ANSWER)
        answer = line.strip().casefold()
        if not answer:
            return default
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
        say(_how_to_answer(answer, default, explained))


def _how_to_answer(answer: str, default: bool, explained: str) -> str:
    alone = "no"
    if default:
        alone = "yes"
    keys = f"Type y for yes or n for no; Enter alone is {alone}."
    if answer == "?":
        return f"{explained} {keys}".strip()
    return f"{answer!r} is neither yes nor no. {keys}"
