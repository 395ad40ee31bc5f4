"""The tool's own corner of the project, `.director/.dctx/`: what may be lost without harm, ignored
by git.

It is private. So it is ours only while nobody else put it there: no link, no other user, and no
repository. Whatever git tracks in it came from somebody or goes to everybody; then nothing there is
read, and nothing is written.
"""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISLNK, S_ISREG

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.git.repository import UnknownIndex, tracked_below
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.search import may_be_owned_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = f"{FOLDER}/.dctx"
IGNORE, EVERYTHING = ".gitignore", b"*\n"
OTHERS = 0o077
"""The permissions of everybody but the owner."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MOVE = "Move it away, and look at who put it there."
_UNTRACK = (
    f"`git rm -rf {KEPT}` if it came with the repository, `git rm -r --cached {KEPT}` if it is your own;"
    " then commit that."
)


class Trouble(Record):
    """Why the corner is not ours, or not as private as it should be."""

    says: str
    advice: str


class NotOurs(OSError):
    """The corner is somebody else's."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(trouble.says)


def corner_of(root: str) -> str:
    return os.path.join(root, FOLDER, ".dctx")


def kept_path(root: str, name: str) -> str:
    """Where something of ours is on disk, or an empty string if the corner is not a folder of ours."""
    corner = corner_of(root)
    if not os.path.isdir(corner) or trouble(root) is not None:
        return ""
    return os.path.join(corner, *name.split("/"))


def trouble(root: str) -> Trouble | None:
    """Why nothing may be kept in the corner; None where it is ours, or not there yet."""
    corner = corner_of(root)
    if _leaves(root):
        return Trouble(
            f"{FOLDER}/ is a link that leaves the project",
            "Name the project it points to with --root.",
        )
    try:
        status = os.lstat(corner)
    except OSError:
        # Not there yet; git may track it all the same.
        return _tracked(corner)
    if not S_ISDIR(status.st_mode):
        return Trouble(f"{KEPT} is not a folder", _MOVE)
    if not may_be_owned_by({status.st_uid}, root):
        return Trouble(f"{KEPT} belongs to another user", _MOVE)
    return _tracked(corner)


def _tracked(corner: str) -> Trouble | None:
    try:
        tracked = tracked_below(corner)
    except UnknownIndex as error:
        # It may track anything, then.
        return Trouble(
            f"git's index cannot be read ({plain(str(error))})", "`git status` may say more."
        )
    # Its own `.gitignore` says nothing about whoever put it there.
    names = [name for name in tracked if name != IGNORE]
    if not names:
        return None
    says = f"git tracks {KEPT}/{plain(names[0])}".rstrip("/")
    if len(names) > 1:
        says += f" and {len(names) - 1:,} more"
    return Trouble(says, _UNTRACK)


def remarks(root: str) -> list[Trouble]:
    """All that is to be said about the corner: why it is not used, or what of it is not as it
    should be.
    """
    serious = trouble(root)
    if serious:
        return [serious]
    corner = corner_of(root)
    if IGNORE in tracked_below(corner):
        return [
            Trouble(
                f"git tracks {KEPT}/{IGNORE}",
                f"`git rm --cached {KEPT}/{IGNORE}`, and commit that.",
            )
        ]
    if os.path.isdir(corner) and not _is_ignored(corner):
        return [
            Trouble(
                f"{KEPT}/{IGNORE} does not keep git out",
                "The next command that keeps something mends it.",
            )
        ]
    return []


def _leaves(root: str) -> bool:
    """Whether `.director/` is a link to somewhere else; whoever asks before it was looked at is
    told so.
    """
    folder = os.path.join(root, FOLDER)
    return os.path.islink(folder) and not inside(os.path.realpath(folder), os.path.realpath(root))


def kept_rows(root: str, name: str, largest: int) -> list[Any]:
    """What is in a list of ours; nothing where it is none, or not ours."""
    from director_ctx.base.light_json import parse

    path = kept_path(root, name)
    try:
        descriptor = os.open(path, _READ)
        try:
            data = os.read(descriptor, largest)
        finally:
            os.close(descriptor)
        rows = parse(data.decode("utf-8", "replace"))
    except (OSError, ValueError):
        return []
    if not isinstance(rows, list):
        return []
    return rows


def write_kept(root: str, name: str, data: bytes) -> None:
    """Replaces a file of ours, for nobody else to read. Raises OSError where that is not possible."""
    from director_ctx.base.system.write import write_private

    path = make_kept_path(root, name)
    is_other_kind = os.path.exists(path) and not os.path.isfile(path)
    if os.path.islink(path) or is_other_kind:
        raise OSError(f"{path} is not a file of ours")
    write_private(path, lambda file: file.write(data))


def make_kept_path(root: str, name: str) -> str:
    """Where something of ours is, made where it is missing, with everything above it. Raises
    OSError if it cannot.
    """
    serious = trouble(root)
    if serious:
        raise NotOurs(serious)
    corner = corner_of(root)
    os.makedirs(corner, 0o700, exist_ok=True)
    close(root)

    path = os.path.join(corner, *name.split("/"))
    folder = os.path.dirname(path)
    around = folder
    while around != corner:
        if os.path.islink(around):
            raise OSError(f"{around} is a link")
        around = os.path.dirname(around)
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
    make_private(path)
    return path


def close(root: str) -> None:
    """Keeps git and other users out of the corner. Raises OSError where that is not possible."""
    corner = corner_of(root)
    if not _is_ignored(corner):
        _ignore(corner)
    if os.name == "nt" or not os.lstat(corner).st_mode & OTHERS:
        return

    # Somebody else could read it until now, so every file in it is looked at, this once.
    for folder, folders, files in os.walk(corner):
        for name in files:
            make_private(os.path.join(folder, name))
        for name in folders:
            make_private(os.path.join(folder, name), 0o700)
    os.chmod(corner, 0o700)


def make_private(place: str, mode: int = 0o600) -> None:
    """Takes away what others may do with it. A link stays, and so does what is not there."""
    try:
        status = os.lstat(place)
    except OSError:
        return
    # Windows keeps no such permissions, and of a link its target would be changed.
    if os.name == "nt" or S_ISLNK(status.st_mode):
        return
    if status.st_mode & OTHERS:
        os.chmod(place, mode)


def _is_ignored(corner: str) -> bool:
    """Whether the folder itself tells git to leave everything in it alone. Git follows no link
    there.
    """
    path = os.path.join(corner, IGNORE)
    try:
        if not S_ISREG(os.lstat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return file.read(len(EVERYTHING) + 1) == EVERYTHING
    except OSError:
        return False


def _ignore(corner: str) -> None:
    """By a file of the folder's own, so that nobody's own `.gitignore` is touched."""
    path = os.path.join(corner, IGNORE)
    # Made beside, because a full disk would leave it empty, and git would then see everything. It
    # takes the place of a link, too. A hook has no time to wait for the disk; what is not there
    # after a crash is made again.
    beside = f"{path}.{os.urandom(4).hex()}"
    descriptor = os.open(beside, _NEW, 0o600)
    try:
        with open(descriptor, "wb", 0) as file:
            file.write(EVERYTHING)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise
