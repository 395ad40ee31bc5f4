"""A scratch copy of a project's `.director/`: whole files only, no links, nothing of the tool's own."""

from __future__ import annotations

import os

from director_ctx.project.reading.model import FOLDER

LARGEST = 200_000_000


def copy_project(root: str, into: str) -> int:
    """Copies it; how many bytes that were. What is larger in all than LARGEST is left behind."""
    copied = 0
    top = os.path.join(root, FOLDER)
    for around, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != ".dctx"]
        there = os.path.join(into, os.path.relpath(around, root))
        os.makedirs(there, exist_ok=True)
        for name in sorted(names):
            path = os.path.join(around, name)
            if os.path.isfile(path) and not os.path.islink(path) and copied + os.path.getsize(path) < LARGEST:
                copied += _copy(path, os.path.join(there, name))
    return copied


def _copy(path: str, there: str) -> int:
    from shutil import copyfile

    try:
        return os.path.getsize(copyfile(path, there))
    except OSError:
        return 0
