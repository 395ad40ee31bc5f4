"""The tool's own corner of the project, `.director/.dctx/`: what may be lost without harm, ignored by git."""

from __future__ import annotations

import os

from director_ctx.folder.locate import inside
from director_ctx.folder.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = f"{FOLDER}/.dctx"


def kept(root: str, name: str) -> str:
    """Where something of ours is on disk, or an empty string if the corner is not a folder of ours."""
    corner = os.path.join(root, FOLDER, ".dctx")
    ours = os.path.isdir(corner) and not os.path.islink(corner) and not _leaves(root)
    return os.path.join(corner, *name.split("/")) if ours else ""


def _leaves(root: str) -> bool:
    """Whether `.director/` is a link to somewhere else; whoever asks before it was looked at is told so."""
    folder = os.path.join(root, FOLDER)
    return os.path.islink(folder) and not inside(os.path.realpath(folder), os.path.realpath(root))


def kept_rows(root: str, name: str, largest: int) -> list[Any]:
    """What is in a list of ours; nothing where it is none, or not ours."""
    from director_ctx.light_json import parse

    place = kept(root, name)
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            found = parse(os.read(descriptor, largest).decode("utf-8", "replace"))
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def make_kept(root: str, name: str) -> str:
    """The same, made where it is missing, with everything above it. Raises OSError where that is not possible."""
    corner = os.path.join(root, FOLDER, ".dctx")
    if not os.path.isdir(corner) and not os.path.islink(corner) and not _leaves(root):
        os.makedirs(corner, 0o700, exist_ok=True)
    place = kept(root, name)
    if not place:
        raise OSError(f"{KEPT} is not a folder")
    _ignore(corner)
    folder = os.path.dirname(place)
    around = folder
    while around != corner:
        if os.path.islink(around):
            raise OSError(f"{around} is a link")
        around = os.path.dirname(around)
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
    return place


def _ignore(corner: str) -> None:
    """Git is told by the folder itself, so that nobody's own `.gitignore` is touched."""
    place = os.path.join(corner, ".gitignore")
    try:
        if os.lstat(place).st_size:
            return
    except FileNotFoundError:
        pass
    # Made beside, because a full disk would leave it empty, and git would then see everything.
    beside = f"{place}.{os.urandom(4).hex()}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, b"*\n")
        os.replace(beside, place)
    except OSError:
        os.unlink(beside)
        raise
    finally:
        os.close(descriptor)
