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
    # A working tree of its own has a HEAD of its own, and shares the branches.
    folders = dict.fromkeys((git.folder, git.shared))
    text = small_text(os.path.join(git.folder, "HEAD")).strip()
    for _ in range(_MOST_LINKS):
        if _is_id(text):
            return text
        name = text.removeprefix("ref: ").strip()
        is_reference = name != text and name.startswith("refs/")
        if not is_reference or ".." in name:
            return ""
        text = ""
        for folder in folders:
            text = text or _reference(folder, name)
    return ""


def _reference(folder: str, name: str) -> str:
    """What a reference says: from a file of its own, else from the packed ones."""
    own_file = os.path.join(folder, *name.split("/"))
    own = small_text(own_file).strip()
    if own:
        return own
    packed = small_text(os.path.join(folder, "packed-refs"))
    end = packed.find(f" {name}\n")
    if end < 0:
        return ""
    start = packed.rfind("\n", 0, end) + 1
    return packed[start:end]


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")
