"""Which commit is checked out, read from git's own files without running git.

Only the plain cases: anything else (no repository, a new kind of store, something odd) is "not known".
"""

from __future__ import annotations

import os

from director_ctx.folder.read import Unreadable, read_document

_MOST_LINKS = 5


def head_id(root: str) -> str:
    """The id of the commit that HEAD means in the repository around `root`, or an empty string."""
    folder = _git_folder(os.path.realpath(root))
    if not folder:
        return ""
    shared = _text(os.path.join(folder, "commondir")).strip()
    places = (folder, os.path.join(folder, shared)) if shared else (folder,)
    found = _text(os.path.join(folder, "HEAD")).strip()
    for _ in range(_MOST_LINKS):
        if _is_id(found):
            return found
        name = found.removeprefix("ref: ").strip()
        if name == found or not name.startswith("refs/") or ".." in name:
            return ""
        found = next((text for place in places if (text := _reference(place, name))), "")
    return ""


def _git_folder(here: str) -> str:
    """`.git`, here or above; in a worktree or a submodule it is a file that says where the folder is."""
    while not os.path.lexists(place := os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent
    if os.path.isdir(place):
        return place
    pointer = _text(place).strip()
    return os.path.join(here, pointer.removeprefix("gitdir: ")) if pointer.startswith("gitdir: ") else ""


def _reference(place: str, name: str) -> str:
    """What a reference says: from a file of its own, else from the packed ones."""
    if own := _text(os.path.join(place, *name.split("/"))).strip():
        return own
    packed = _text(os.path.join(place, "packed-refs"))
    end = packed.find(f" {name}\n")
    return packed[packed.rfind("\n", 0, end) + 1 : end] if end >= 0 else ""


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _text(location: str) -> str:
    """A small file, whatever it is; `.git` belongs to the user, but may have come from anywhere."""
    try:
        return read_document(location, location).text
    except (OSError, Unreadable):
        return ""
