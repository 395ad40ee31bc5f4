"""Puts files of a revision into an empty folder of ours, whatever their names and links may be up to."""

from __future__ import annotations

import os
import posixpath

from director_ctx.project.git.revision import contents, entries
from director_ctx.project.reading.read import LARGEST_FILE

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def unpack(root: str, commit: str, folder: str, place: str) -> None:
    """Everything below a folder of the repository, as far as it may be read. Raises ValueError with the reason.

    Links come last, so that no file is written through one, and only those that stay in the folder.
    """
    os.mkdir(place, 0o700)
    start = f"{folder}/"
    found = [entry for entry in entries(root, commit, [folder]) if entry.path.startswith(start)]
    links = []
    for entry, data in contents(root, found, LARGEST_FILE + 1):
        path = entry.path.removeprefix(start)
        if entry.link:
            links.append((path, os.fsdecode(data)))
        else:
            write_new(os.path.join(place, *path.split("/")), data)
    for path, target in links:
        if stays(path, target):
            _link(os.path.join(place, *path.split("/")), target)


def unpack_file(root: str, commit: str, path: str, place: str) -> bool:
    """One file of the repository; False if the revision has no such file."""
    found = [entry for entry in entries(root, commit, [path]) if entry.path == path and not entry.link]
    for _, data in contents(root, found, LARGEST_FILE + 1):
        write_new(place, data)
    return bool(found)


def write_new(place: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        with open(os.open(place, _NEW, 0o600), "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{os.path.basename(place)} cannot be written here: {why}") from error


def stays(path: str, target: str) -> bool:
    """Whether a link leads to something in the same folder."""
    if (
        not target
        or "\0" in target
        or posixpath.isabs(target)
        or (os.name == "nt" and (":" in target or "\\" in target))
    ):
        return False
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return found != ".." and not found.startswith("../")


def _link(place: str, target: str) -> None:
    """A system without links goes without, as git does there."""
    try:
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        os.symlink(target, place)
    except OSError:
        pass
