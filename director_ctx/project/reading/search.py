"""Where the nearest project is, and whose it is. A hook asks this before anything else of dctx is
loaded.
"""

from __future__ import annotations

import os
from stat import S_ISLNK

FOLDER = ".director"
"""The same as in `model`, which would take longer to load than the search takes."""
LONGEST = 4_000
SAFE, EVERY = "DCTX_SAFE_DIRECTORY", "*"
"""Projects of other users that this one trusts all the same: their folders, or all of them."""


def nearest(start: str, beyond_repository: bool = True) -> str:
    """The nearest folder, from `start` upwards, that has a `.director` in it; an empty string where
    none has.
    """
    here = start
    while os.path.isabs(here):
        if os.path.lexists(os.path.join(here, FOLDER)):
            return here
        if os.path.lexists(os.path.join(here, ".git")):
            # What git does not track is in the main worktree alone.
            main = _main_worktree(here)
            if main:
                found = nearest(
                    os.path.normpath(os.path.join(main, os.path.relpath(start, here))), False
                )
                if found:
                    return found
            if not beyond_repository:
                return ""
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return ""


def _main_worktree(top: str) -> str:
    """The main worktree of a repository, seen from another one; empty for all else."""
    try:
        with open(os.path.join(top, ".git"), encoding="utf-8") as file:
            folder = os.path.join(top, file.read(LONGEST).removeprefix("gitdir: ").strip())
        with open(os.path.join(folder, "commondir"), encoding="utf-8") as file:
            shared = os.path.realpath(os.path.join(folder, file.read(LONGEST).strip()))
    except (OSError, ValueError):
        return ""
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else ""


def belongs_to_another(root: str) -> str:
    """What of a project another user owns, who could tell this one's agents what to do; nothing
    where none does.
    """
    folder = os.path.join(root, FOLDER)
    for place in (folder, os.path.join(folder, ".dctx")):
        if not may_be_owned_by(_owners(place), root):
            return place
    return ""


def may_be_owned_by(users: set[int], root: str) -> bool:
    """Whether what these users own in a project is this one's, or of somebody whom this one trusts
    there.
    """
    if not hasattr(os, "geteuid"):
        # Windows has other rules for who may write where.
        return True
    return users <= _mine() or _is_safe(root)


def _mine() -> set[int]:
    """The user's own ids. Whoever says sudo means the folders that are theirs without it, as git
    sees it.
    """
    mine = {os.geteuid()}
    before = os.environ.get("SUDO_UID", "")
    if 0 in mine and before.isdecimal():
        mine.add(int(before))
    return mine


def _owners(place: str) -> set[int]:
    """Of what is there and, behind a link, of what that leads to."""
    try:
        status = os.lstat(place)
        owners = {status.st_uid}
        if S_ISLNK(status.st_mode):
            owners.add(os.stat(place).st_uid)
        return owners
    except (OSError, ValueError):
        return set()


def _is_safe(root: str) -> bool:
    named = os.environ.get(SAFE, "").split(os.pathsep)
    if EVERY in named:
        return True
    # A relative one would be another folder wherever dctx is called.
    absolute = filter(os.path.isabs, named)
    return os.path.realpath(root) in map(os.path.realpath, absolute)
