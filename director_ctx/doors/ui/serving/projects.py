"""Which projects are shown: the one that is meant, or all those below the folder one is in."""

from __future__ import annotations

import os
import re

from director_ctx.base.errors import DctxError
from director_ctx.project.reading.locate import NoProject, absolute, locate
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 3
"""Folders below the one that is started in."""
MOST = 50
OTHERS = frozenset(("node_modules", "venv", "site-packages"))
"""Folders with what others wrote."""
OWN_WORDS = frozenset(("assets",))
"""Addresses that no project can have."""


def served_projects(root: str | None) -> dict[str, str]:
    """By the name in their addresses, the roots of projects."""
    try:
        roots = [locate(root=root)]
    except NoProject:
        roots = list(_below(absolute("."), DEEPEST))[:MOST]
        if not roots:
            raise
    names: dict[str, str] = {}
    for path in roots:
        names[_free_name(path, names)] = path
    return names


def _below(folder: str, depth: int) -> Iterator[str]:
    """The first `.director/` on each way down."""
    if os.path.isdir(os.path.join(folder, FOLDER)):
        try:
            yield locate(root=folder)
        except DctxError:
            # Somebody else's, or a link that leads away: it is not shown.
            return
        return
    if not depth:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        is_hidden = entry.name.startswith(".") or entry.name in OTHERS
        if not is_hidden and entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, depth - 1)


def _free_name(root: str, taken: dict[str, str]) -> str:
    words = re.findall(r"[a-z0-9]+", os.path.basename(root).casefold())
    name = "-".join(words) or "project"
    number = 1
    free = name
    while free in taken or free in OWN_WORDS:
        number += 1
        free = f"{name}-{number}"
    return free
