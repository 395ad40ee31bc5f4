"""A file that is there already and not of the kind that would be written: nobody's is written over,
unless they say so.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.speak import is_terminal


def expect_overwriting(path: str, what_it_is_not: str, flag: str) -> None:
    """Whoever sits at the terminal is asked; to everybody else it is refused."""
    refusal = DctxError(
        f"{plain(path)} is there already, and {what_it_is_not}.",
        f"Name another file with {flag}, or say --force.",
    )
    if not is_terminal():
        raise refusal
    if not says_yes(f"{plain(path)} is there already. Write over it?"):
        raise refusal
