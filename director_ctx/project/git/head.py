"""Which commit is checked out, read from git's own files without running git.

Only the plain cases: anything else (no repository, a new kind of store, something odd) is "not
known".
"""

from __future__ import annotations

import os

from director_ctx.project.git.repository import repository, small_text

_MOST_LINKS = 5


def head_id(root: str) -> str:
    """The id of the commit that HEAD means in the repository around `root`, or an empty string."""
    git = repository(os.path.realpath(root))
    if git is None:
        return ""
    places = dict.fromkeys((git.folder, git.shared))
    found = small_text(os.path.join(git.folder, "HEAD")).strip()
    for _ in range(_MOST_LINKS):
        if _is_id(found):
            return found
        name = found.removeprefix("ref: ").strip()
        if name == found or not name.startswith("refs/") or ".." in name:
            return ""
        found = next((text for place in places if (text := _reference(place, name))), "")
    return ""


def _reference(place: str, name: str) -> str:
    """What a reference says: from a file of its own, else from the packed ones."""
    if own := small_text(os.path.join(place, *name.split("/"))).strip():
        return own
    packed = small_text(os.path.join(place, "packed-refs"))
    end = packed.find(f" {name}\n")
    return packed[packed.rfind("\n", 0, end) + 1 : end] if end >= 0 else ""


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")
