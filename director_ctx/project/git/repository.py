"""Where git keeps what it knows about a folder: the repository around it, the commit that is checked out, and what
is tracked. Everything plain is read without running git.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    Identity = tuple[int, int, int]

_POINTER = "gitdir: "
_MOST_LINKS = 5
_INDEX_WITH_WHOLE_NAMES = (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3")
_SPLIT = b"link\0"
"""How the extension begins that names the other part of a split index; its size is never so large."""
_known: dict[str, tuple[Identity, tuple[str, ...]]] = {}


class Repository(Record):
    """A working tree."""

    top: str
    folder: str
    """Git's own for it."""
    shared: str
    """Git's own for all working trees of this repository; the same one where there is no other
    tree.
    """


def repository(here: str) -> Repository | None:
    """The one around a real path. In another working tree, or a submodule, `.git` is a file that
    names git's folder.
    """
    folder = os.path.join(here, ".git")
    while not os.path.lexists(folder):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
        folder = os.path.join(here, ".git")

    if not os.path.isdir(folder):
        pointer = small_text(folder).strip()
        if not pointer.startswith(_POINTER):
            return None
        folder = os.path.join(here, pointer.removeprefix(_POINTER))

    shared = folder
    common = small_text(os.path.join(folder, "commondir")).strip()
    if common:
        shared = os.path.join(folder, common)
    return Repository(here, folder, shared)


def small_text(location: str) -> str:
    """A small file, whatever it is; `.git` belongs to the user, but may have come from anywhere."""
    try:
        return read_document(location, location).text
    except (OSError, Unreadable):
        return ""


def head_id(root: str) -> str:
    """The id of the commit that HEAD means in the repository around `root`; empty where git's own files do not say it
    plainly.
    """
    git = repository(os.path.realpath(root))
    if git is None:
        return ""
    text = small_text(os.path.join(git.folder, "HEAD")).strip()
    for _ in range(_MOST_LINKS):
        if len(text) in (40, 64) and not text.strip("0123456789abcdef"):
            return text
        name = text.removeprefix("ref: ").strip()
        if name == text or not name.startswith("refs/") or ".." in name:
            return ""
        # A working tree of its own has a HEAD of its own, and shares the branches.
        text = _reference(git.folder, name) or _reference(git.shared, name)
    return ""


def _reference(folder: str, name: str) -> str:
    """What a reference says: from a file of its own, else from the packed ones."""
    own = small_text(os.path.join(folder, *name.split("/"))).strip()
    if own:
        return own
    packed = small_text(os.path.join(folder, "packed-refs"))
    end = packed.find(f" {name}\n")
    if end < 0:
        return ""
    return packed[packed.rfind("\n", 0, end) + 1 : end]


class UnknownIndex(ValueError):
    """An index that git cannot read, or that nobody but git can read where there is no git."""


def tracked_below(folder: str) -> tuple[str, ...]:
    """The paths that git tracks, relative to the folder; an empty one if the folder itself is
    tracked as one thing.
    """
    real = os.path.realpath(folder)
    git = repository(real)
    if git is None:
        return ()
    index = os.path.join(git.folder, "index")
    try:
        status = os.stat(index)
    except OSError:
        # Nothing was added yet.
        return ()
    identity = (status.st_ino, status.st_size, status.st_mtime_ns)
    known = _known.get(real)
    if known and known[0] == identity:
        return known[1]

    any_case = os.path.lexists(os.path.join(git.top, ".GIT"))
    names: tuple[str, ...] = ()
    if real == git.top or _may_be_tracked(index, os.path.basename(real), any_case):
        names = tuple(_tracked(git.top, os.path.relpath(real, git.top), any_case))
    _known[real] = (identity, names)
    return names


def _may_be_tracked(index: str, name: str, any_case: bool) -> bool:
    """By one look at the bytes of an index, which spares running git in nearly all repositories."""
    try:
        with open(index, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UnknownIndex(str(error)) from error
    # Elsewhere names are shortened, or in another file.
    if not data.startswith(_INDEX_WITH_WHOLE_NAMES) or _SPLIT in data:
        return True
    wanted = os.fsencode(name)
    is_there = wanted.lower() in data.lower() if any_case else wanted in data
    if is_there and not _is_whole(data):
        # Git itself would read it as if it ended there.
        raise UnknownIndex("damaged")
    return is_there


def _is_whole(data: bytes) -> bool:
    """Whether an index ends with its own hash, or with the zeros that stand for none."""
    from hashlib import new

    for name, size in (("sha1", 20), ("sha256", 32)):
        own = new(name, data[:-size], usedforsecurity=False).digest()
        if data[-size:] in (own, bytes(size)):
            return True
    return False


def _tracked(top: str, path: str, any_case: bool) -> list[str]:
    from director_ctx.project.git.child import NoAnswer, answer

    how = ["--noglob-pathspecs"]
    if any_case:
        how.append("--icase-pathspecs")
    try:
        printed = answer(top, *how, "ls-files", "-z", "--", path)
    except NoAnswer as error:
        raise UnknownIndex(str(error)) from error
    names = os.fsdecode(printed).split("\0")[:-1]
    if path == os.curdir:
        return names
    return [name[len(path) :].removeprefix("/") for name in names]
