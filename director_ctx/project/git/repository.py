"""Where git keeps what it knows about a folder, without running git."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.project.reading.read import Unreadable, read_document

_POINTER = "gitdir: "


class Repository(Record):
    """A working tree."""

    top: str
    folder: str
    """Git's own for it."""
    shared: str
    """Git's own for all working trees of this repository; the same one where there is no other tree."""


def repository(here: str) -> Repository | None:
    """The one around a real path. In another working tree, or a submodule, `.git` is a file that names git's folder."""
    while not os.path.lexists(place := os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent

    folder = place
    if not os.path.isdir(place):
        pointer = small_text(place).strip()
        if not pointer.startswith(_POINTER):
            return None
        folder = os.path.join(here, pointer.removeprefix(_POINTER))

    shared = small_text(os.path.join(folder, "commondir")).strip()
    return Repository(here, folder, os.path.join(folder, shared) if shared else folder)


def small_text(location: str) -> str:
    """A small file, whatever it is; `.git` belongs to the user, but may have come from anywhere."""
    try:
        return read_document(location, location).text
    except (OSError, Unreadable):
        return ""
