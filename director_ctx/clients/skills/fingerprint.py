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


def fingerprint(text: str, names: Collection[str], roots: Sequence[str], own: str = "") -> str:
    """Of the skill, of what is named in the roots, and of all in its own folder: a changed script
    is a changed skill.

    The first root is the project's. Empty where there is more than anybody watches.
    """
    real = (os.path.realpath(root) for root in roots)
    grounds = tuple(dict.fromkeys((*roots, *real)))
    try:
        places = _watched(names, grounds, own)
        pieces = [text.encode("utf-8", "surrogatepass")]
        room = MOST_BYTES
        for place in sorted(places):
            room -= _size(place)
            if room < 0:
                return ""
            pieces += _pieces(place, grounds)
    except TooMuch:
        return ""
    return joint_digest(pieces)


def _watched(names: Collection[str], grounds: Sequence[str], own: str) -> set[str]:
    """Every place that is watched, by its path. What lies outside of the grounds came with nobody's
    repository.
    """
    project = (grounds[0], os.path.realpath(grounds[0]))
    places = set[str]()
    for place in _named(names, grounds):
        places.add(place)
        # Every command runs in the project's folder. Naming that folder too says nothing about the
        # folders in it.
        _add_below(places, place, grounds, deep=place not in project)
    if own:
        _add_below(places, own, grounds)
    return places


def _named(names: Collection[str], grounds: Sequence[str]) -> list[str]:
    """What has one of these names, in the grounds and in the folders that are named: a command may
    go there first.
    """
    if len(names) > MOST_NAMES:
        raise TooMuch
    found = list[str]()
    bases = list(grounds)
    for base in bases:  # grows meanwhile
        for place in _meant(names, base):
            if not any(inside(place, ground) for ground in grounds) or not os.path.lexists(place):
                continue
            found.append(place)
            if os.path.isdir(place) and place not in bases:
                bases.append(place)
            if len(bases) > MOST_FOLDERS:
                raise TooMuch
    return found


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


def _add_below(places: set[str], folder: str, grounds: Sequence[str], deep: bool = True) -> None:
    """All that is in a folder. Links to other folders are followed as far as the grounds."""
    waiting, walked = [os.path.realpath(folder)], set[str]()
    while waiting:
        here = waiting.pop()
        if here in walked or not any(inside(here, ground) for ground in grounds):
            continue
        walked.add(here)
        for place in _entries(here):
            is_folder = os.path.isdir(place)
            if is_folder and deep:
                waiting.append(os.path.realpath(place))
            if not is_folder or os.path.islink(place):
                places.add(place)
        if len(places) > MOST_FILES:
            raise TooMuch


def _entries(folder: str) -> list[str]:
    """What is in it; nothing where it cannot be read, for then it cannot be run either."""
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _size(place: str) -> int:
    return os.path.getsize(place) if os.path.isfile(place) else 0


def _pieces(place: str, grounds: Sequence[str]) -> tuple[bytes, ...]:
    """Where it is, where it leads if that is elsewhere, what it is, and what is in it: always as
    many.
    """
    ground = max((ground for ground in grounds if inside(place, ground)), key=len)
    path = os.path.relpath(place, ground)
    real = os.path.realpath(place)
    leads = real if real != place else ""
    return (
        str(grounds.index(ground)).encode(),
        os.fsencode(path),
        os.fsencode(leads),
        *_content(place),
    )


def _content(place: str) -> tuple[bytes, bytes]:
    """What is there, and the hash of a file. One that cannot be read is no file until it can."""
    import hashlib

    if os.path.isdir(place):
        return _FOLDER, b""
    if not os.path.exists(place):
        return _GONE, b""
    if not os.path.isfile(place):
        return _OTHER, b""
    try:
        with open(place, "rb") as file:
            return _FILE, hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return _OTHER, b""
