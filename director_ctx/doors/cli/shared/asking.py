"""Whose files are meant, whether they may be written, and the change as a patch shows it."""

from __future__ import annotations

import sys

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.clients.program import clients_named, is_here
from director_ctx.doors.cli.shared.speak import say, speak
from director_ctx.project.reading.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.table import Client


def scope(values: dict[str, Any]) -> str | None:
    """The project whose files are meant; None for the user's own."""
    if values["user"] and values["project"]:
        raise UsageProblem("--user and --project exclude each other.", "Choose one of them.")
    return None if values["user"] else locate(root=values["root"])


def used_clients(values: dict[str, Any], root: str | None) -> list[Client]:
    """The clients that are meant; with `all`, those that seem to be used here."""
    meant = clients_named(values["client"])
    if values["client"] != "all":
        return list(meant)
    used = [client for client in meant if is_here(client, root)]
    for client in meant:
        if client not in used:
            say(f"{client.title} does not seem to be used here; skipped.")
    return used


def agreed(values: dict[str, Any]) -> bool:
    """Whether what was just shown may be written."""
    if values["dry_run"]:
        return False
    if values["yes"] or says_yes("Write this?"):
        return True
    say("Nothing was written.")
    return False


def says_yes(question: str) -> bool:
    """The answer of whoever sits at the terminal."""
    if not (sys.stdin and sys.stdin.isatty()):
        raise DctxError(
            "Nothing was done, because nobody can be asked.", "Read it, then say --yes."
        )
    speak(f"{question} [y/N] ")
    answer = sys.stdin.readline().strip().casefold()
    return answer in ("y", "yes")


_STYLES = {"+": "green", "-": "red", "@": "dim"}


def patch_lines(
    before: str | None, after: str | None, was: str, now: str, around: int = 3
) -> Iterator[tuple[str, str]]:
    """The lines with their styles, and so many around a change; for `put_lines(..., tabs=True)`."""
    from difflib import unified_diff

    old = (before or "").splitlines()
    new = (after or "").splitlines()
    for line in unified_diff(old, new, was, now, n=around, lineterm=""):
        if line.startswith(("---", "+++")):
            yield line, "bold"
        else:
            yield line, _STYLES.get(line[:1], "")
