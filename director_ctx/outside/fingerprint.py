"""What consent is bound to: a skill's text, the files around it, and those that its commands name."""

from __future__ import annotations

import os
from itertools import islice

from director_ctx.digest import digest
from director_ctx.folder.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MOST_FILES, MOST_BYTES, MOST_NAMES, MOST_FOLDERS = 1_000, 50_000_000, 1_000, 50


def fingerprint(text: str, names: Collection[str], folders: Sequence[str], own: str = "") -> str:
    """Of the skill, each file that is named in these folders, and all in its own: a changed script is a changed skill.

    Empty where that is more than anybody watches.
    """
    files = sorted({*_named(names, folders), *islice(_below(own), MOST_FILES + 1)}) if len(names) <= MOST_NAMES else []
    if len(names) > MOST_NAMES or len(files) > MOST_FILES or sum(map(_size, files)) > MOST_BYTES:
        return ""
    lines = [digest(text.encode("utf-8", "surrogatepass")), *(f"{file} {_content(file)}" for file in files)]
    return digest("\n".join(lines).encode("utf-8", "surrogateescape"))


def _named(names: Collection[str], folders: Sequence[str]) -> set[str]:
    """Files by these names in these folders, and in those that are named as well: a command may go there first.

    What lies elsewhere on the machine came with neither the project nor the skill.
    """
    files, bases = set[str](), list(dict.fromkeys(folders))
    for base in bases:  # grows meanwhile
        for name in names:
            place = os.path.normpath(os.path.join(base, name))
            if "\0" in name or not any(inside(place, folder) for folder in folders):
                continue
            if os.path.isfile(place):
                files.add(place)
            elif place not in bases and len(bases) < MOST_FOLDERS and os.path.isdir(place):
                bases.append(place)
    return files


def _below(folder: str) -> Iterator[str]:
    """All files of a folder, and links, which are not followed into other folders."""
    for here, folders, files in os.walk(folder) if folder else ():
        yield from (os.path.join(here, name) for name in files)
        yield from (place for name in folders if os.path.islink(place := os.path.join(here, name)))


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.isfile(path) else 0


def _content(path: str) -> str:
    """One that cannot be read cannot be run either, until it can: then it is another."""
    import hashlib

    try:
        leads = os.readlink(path) if os.path.islink(path) else ""
        if not os.path.isfile(path):
            return leads
        with open(path, "rb") as file:
            return f"{leads} {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError:
        return ""
