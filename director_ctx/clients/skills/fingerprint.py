"""What consent is bound to: a skill's text, the files around it, and the files and folders that its
commands name.
"""

from __future__ import annotations

import hashlib
import os

from director_ctx.base.hashing import joint_digest
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MOST_FILES = 1_000
MOST_BYTES = 50_000_000
MOST_NAMES = 1_000
MOST_FOLDERS = 50
_FILE = b"file"
_FOLDER = b"folder"
_OTHER = b"other"
_GONE = b"gone"


class TooMuch(Exception):
    """There is more than anybody watches."""


def fingerprint(
    text: str,
    names: Collection[str],
    roots: Sequence[str],
    own: str = "",
) -> str:
    """Of the skill, of what is named in the roots, and of all in its own folder: a changed script
    is a changed skill.

    The first root is the project's. Empty where there is more than anybody watches.
    """
    real_roots = [os.path.realpath(root) for root in roots]
    grounds = tuple(dict.fromkeys((*roots, *real_roots)))
    pieces = [text.encode("utf-8", "surrogatepass")]
    room = MOST_BYTES
    try:
        watched = _watched(names, grounds, own)
        for path in sorted(watched):
            # Asked first, so that nothing large is read only to be given up.
            room -= _size(path)
            if room < 0:
                return ""
            pieces += _pieces(path, grounds)
    except TooMuch:
        return ""
    return joint_digest(pieces)


def _watched(
    names: Collection[str],
    grounds: Sequence[str],
    own: str,
) -> set[str]:
    """Every place that is watched, by its path. What lies outside of the grounds came with nobody's
    repository.
    """
    root = grounds[0]
    project = (root, os.path.realpath(root))
    watched: set[str] = set()
    for path in _named(names, grounds):
        watched.add(path)
        # Every command runs in the project's folder. Naming that folder too says nothing about the
        # folders in it.
        is_deep = path not in project
        _add_below(watched, path, grounds, is_deep)
    if own:
        _add_below(watched, own, grounds)
    return watched


def _named(names: Collection[str], grounds: Sequence[str]) -> list[str]:
    """What has one of these names, in the grounds and in the folders that are named: a command may
    go there first.
    """
    if len(names) > MOST_NAMES:
        raise TooMuch
    paths: list[str] = []
    bases = list(grounds)
    for base in bases:  # grows meanwhile
        for path in _meant(names, base):
            is_there = os.path.lexists(path)
            if not is_there or not _is_in(path, grounds):
                continue
            paths.append(path)
            is_new_folder = os.path.isdir(path) and path not in bases
            if is_new_folder:
                bases.append(path)
            if len(bases) > MOST_FOLDERS:
                raise TooMuch
    return paths


def _is_in(path: str, grounds: Sequence[str]) -> bool:
    return any(inside(path, ground) for ground in grounds)


def _meant(names: Collection[str], base: str) -> Iterator[str]:
    """Places in a folder. `..` behind a link is above what the link leads to, whatever the path
    looks like.
    """
    for name in names:
        if not name or "\0" in name:
            continue
        path = os.path.join(base, name)
        yield os.path.normpath(path)
        if ".." in name:
            yield os.path.realpath(path)


def _add_below(
    watched: set[str],
    folder: str,
    grounds: Sequence[str],
    deep: bool = True,
) -> None:
    """All that is in a folder. Links to other folders are followed as far as the grounds."""
    waiting = [os.path.realpath(folder)]
    walked: set[str] = set()
    while waiting:
        current = waiting.pop()
        # Links may lead in a circle.
        if current in walked or not _is_in(current, grounds):
            continue
        walked.add(current)

        for path in _entries(current):
            is_folder = os.path.isdir(path)
            if is_folder and deep:
                waiting.append(os.path.realpath(path))
            # A folder is what is in it, but a link to one may be turned to another.
            if not is_folder or os.path.islink(path):
                watched.add(path)
        if len(watched) > MOST_FILES:
            raise TooMuch


def _entries(folder: str) -> list[str]:
    """What is in it; nothing where it cannot be read, for then it cannot be run either."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names]


def _size(path: str) -> int:
    if not os.path.isfile(path):
        return 0
    return os.path.getsize(path)


def _pieces(path: str, grounds: Sequence[str]) -> tuple[bytes, ...]:
    """Where it is, where it leads if that is elsewhere, what it is, and what is in it: always as
    many.
    """
    around = [ground for ground in grounds if inside(path, ground)]
    nearest = max(around, key=len)

    number = grounds.index(nearest)
    below = os.path.relpath(path, nearest)

    leads_to = os.path.realpath(path)
    if leads_to == path:
        leads_to = ""
    kind, content = _content(path)
    return (
        str(number).encode(),
        os.fsencode(below),
        os.fsencode(leads_to),
        kind,
        content,
    )


def _content(path: str) -> tuple[bytes, bytes]:
    """What is there, and the hash of a file. One that cannot be read is no file until it can."""
    if os.path.isdir(path):
        return _FOLDER, b""
    if not os.path.exists(path):
        return _GONE, b""
    if not os.path.isfile(path):
        return _OTHER, b""
    try:
        with open(path, "rb") as file:
            content = hashlib.file_digest(file, "sha256")
    except OSError:
        return _OTHER, b""
    return _FILE, content.digest()
