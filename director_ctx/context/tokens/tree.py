"""Files and folders, read as contexts read them, and counted; and the same as a tree of folders."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.base.text import CONTROLS, OTHER_ENCODING
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

SKIPPED_FOLDERS = (".git", ".dctx")
_PEEK = 8_000
LARGEST_TEXT = 200_000_000
"""Bytes. It has to fit into memory several times over."""


class CountedText(Record):
    """One text and its count."""

    path: str
    tokens: int
    chars: int


class Skipped(Record):
    """Something that was not counted, and why."""

    path: str
    why: str


def count_files(
    paths: Sequence[str], count: Callable[[str], int]
) -> tuple[list[CountedText], list[Skipped]]:
    """Every text file among these files and folders, each once, in order."""
    counted: list[CountedText] = []
    skipped: list[Skipped] = []
    # By its location: a file may be named itself and lie in a folder that is named.
    by_location: dict[str, str] = {}
    for named in map(os.path.expanduser, paths):
        is_folder = os.path.isdir(named)
        for path in _below(named, os.path.realpath(named), skipped) if is_folder else (named,):
            by_location.setdefault(os.path.abspath(path), path)

    for path in by_location.values():
        text = _text(path, skipped)
        if text is not None:
            counted.append(CountedText(path, count(text), len(text)))
    return counted, skipped


def sorted_files(counted: Sequence[CountedText], by_size: bool) -> list[CountedText]:
    return sorted(counted, key=lambda file: -file.tokens if by_size else 0)


class Branch(Record):
    """A file, or a folder with what is in it."""

    name: str
    path: str
    tokens: int
    inside: tuple[Branch, ...] = ()

    @property
    def is_folder(self) -> bool:
        return bool(self.inside)

    def as_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"name": self.name, "path": self.path, "tokens": self.tokens}
        if self.is_folder:
            row["inside"] = [branch.as_json() for branch in self.inside]
        return row


def tree(counted: Sequence[CountedText], by_size: bool = False) -> tuple[Branch, ...]:
    """The files in their folders, each folder with the sum of what is in it. Folders that have nothing
    but a folder in them are one with it.
    """
    return _branches((), [(file.path.split(os.sep), file.tokens) for file in counted], by_size)


def _branches(
    folder: tuple[str, ...], files: Sequence[tuple[list[str], int]], by_size: bool
) -> tuple[Branch, ...]:
    """What is in one folder, given the files below it by the parts of their paths."""
    depth = len(folder)
    by_name: dict[str, list[tuple[list[str], int]]] = {}
    for parts, tokens in files:
        by_name.setdefault(parts[depth], []).append((parts, tokens))

    branches = []
    for name, below in by_name.items():
        path = (*folder, name)
        tokens = sum(size for _, size in below)
        inside: tuple[Branch, ...] = ()
        if any(len(parts) > len(path) for parts, _ in below):
            inside = _branches(path, below, by_size)
        if len(inside) == 1 and inside[0].is_folder:
            branches.append(inside[0].replace(name=f"{name}{os.sep}{inside[0].name}"))
        else:
            branches.append(Branch(name, os.sep.join(path), tokens, inside))
    if by_size:
        branches.sort(key=lambda branch: -branch.tokens)
    return tuple(branches)


def with_depth(branches: Sequence[Branch], depth: int = 0) -> Iterator[tuple[int, Branch]]:
    """Every branch below the one that it is in."""
    for branch in branches:
        yield depth, branch
        yield from with_depth(branch.inside, depth + 1)


def _below(folder: str, top: str, skipped: list[Skipped]) -> Iterator[str]:
    """No link is followed into a folder, and none out of the one that was named."""
    try:
        with os.scandir(folder) as unsorted:
            entries = sorted(unsorted, key=lambda entry: entry.name)
    except OSError as error:
        skipped.append(Skipped(folder, error.strerror or "cannot be listed"))
        return

    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED_FOLDERS:
                yield from _below(entry.path, top, skipped)
        elif entry.is_symlink() and not _stays(entry.path, top):
            skipped.append(Skipped(entry.path, "a link that is not followed"))
        else:
            yield entry.path


def _stays(link: str, top: str) -> bool:
    try:
        target = os.path.realpath(link)
    except OSError:
        return False  # where it leads may not be looked at, as in another's `/proc`
    return os.path.isfile(target) and target.startswith(os.path.join(top, ""))


def _text(path: str, skipped: list[Skipped]) -> str | None:
    try:
        if os.stat(path).st_size > LARGEST_TEXT:
            raise Unreadable(f"larger than {LARGEST_TEXT:,} bytes")
        document = read_document(path, path, LARGEST_TEXT)
        kinds = [note.kind for note in document.notes]
        # Text has no NUL, unless it is UTF-16.
        if CONTROLS in kinds and OTHER_ENCODING not in kinds:
            with open(path, "rb") as file:
                if b"\0" in file.read(_PEEK):
                    raise Unreadable("not text")
        return document.text
    except FileNotFoundError:
        why = "there is no such file"
    except OSError as error:
        why = error.strerror or str(error)
    except (Unreadable, ValueError) as error:
        why = str(error)
    skipped.append(Skipped(path, why))
    return None
