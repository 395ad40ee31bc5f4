"""A change of a client's settings, whatever part of ours it is about: shown first, then written as it was
shown.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.settings_file import (
    HOOKS,
    only_writer,
    read_settings,
    restore_settings,
    write_settings,
)
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class SettingsChange(Record):
    """One file before and after; None where there is no file."""

    path: str
    name: str
    """As it is shown."""
    before: str | None
    after: str | None
    original: str | None
    """What it was, or would be, without us."""
    part: str = HOOKS
    """What of ours is in it."""


def texts_after(changes: Iterable[SettingsChange]) -> dict[str, str | None]:
    """What each file holds once these are written, for whoever plans the next change."""
    return {change.path: change.after for change in changes}


def refuse_links(root: str | None, changes: Iterable[SettingsChange]) -> None:
    """Of files in a project: a link that a repository brings would let it choose what is written over."""
    if root is None:
        return
    top = os.path.realpath(root)
    for change in changes:
        if not inside(os.path.realpath(change.path), top):
            raise DctxError(
                f"{change.name} leads out of the project.", "Remove the link, or use --user."
            )


def carry_out(changes: tuple[SettingsChange, ...]) -> None:
    """Writes what was shown; refuses where a file is no longer what it was then."""
    with only_writer():
        for change in changes:
            now = read_settings(change.path)
            if now == change.after:
                continue  # somebody else did the same meanwhile
            if now != change.before:
                raise DctxError(
                    f"{change.name} was changed meanwhile.", "Look at it, and try again."
                )
            _write(change)


def _write(change: SettingsChange) -> None:
    if change.after is None or change.after == change.original:
        restore_settings(change.path, change.after, change.part)
    else:
        write_settings(change.path, change.after, change.original, change.part)
