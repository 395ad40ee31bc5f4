"""What consent is bound to: a skill's text, the files around it, and the files and folders that its
commands name.
"""

from __future__ import annotations

import os

from director_ctx.base.hashing import joint_digest
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MOST_FILES, MOST_BYTES, MOST_NAMES, MOST_FOLDERS = 1_000, 50_000_000, 1_000, 50
_FILE, _FOLDER, _OTHER, _GONE = b"file", b"folder", b"other", b"gone"


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
    real = [os.path.realpath(root) for root in roots]
    grounds = tuple(dict.fromkeys((*roots, *real)))
    pieces = [text.encode("utf-8", "surrogatepass")]
    room = MOST_BYTES
    try:
        for path in sorted(_watched(names, grounds, own)):
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
    project = (grounds[0], os.path.realpath(grounds[0]))
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
            if not _is_in(path, grounds) or not os.path.lexists(path):
                continue
            paths.append(path)
            if os.path.isdir(path) and path not in bases:
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
        if current in walked or not _is_in(current, grounds):
            continue
        walked.add(current)

        for path in _entries(current):
            is_folder = os.path.isdir(path)
            if is_folder and deep:
                waiting.append(os.path.realpath(path))
            if not is_folder or os.path.islink(path):
                watched.add(path)
        if len(watched) > MOST_FILES:
            raise TooMuch


def _entries(folder: str) -> list[str]:
    """What is in it; nothing where it cannot be read, for then it cannot be run either."""
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _size(path: str) -> int:
    if not os.path.isfile(path):
        return 0
    return os.path.getsize(path)


def _pieces(path: str, grounds: Sequence[str]) -> tuple[bytes, ...]:
    """Where it is, where it leads if that is elsewhere, what it is, and what is in it: always as
    many.
    """
    around = [ground for ground in grounds if inside(path, ground)]
    ground = max(around, key=len)
    number = grounds.index(ground)
    below = os.path.relpath(path, ground)

    real = os.path.realpath(path)
    leads = "" if real == path else real
    kind, content = _content(path)
    return str(number).encode(), os.fsencode(below), os.fsencode(leads), kind, content


def _content(path: str) -> tuple[bytes, bytes]:
    """What is there, and the hash of a file. One that cannot be read is no file until it can."""
    import hashlib

    if os.path.isdir(path):
        return _FOLDER, b""
    if not os.path.exists(path):
        return _GONE, b""
    if not os.path.isfile(path):
        return _OTHER, b""
    try:
        with open(path, "rb") as file:
            return _FILE, hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return _OTHER, b""
