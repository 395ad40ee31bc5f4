"""Counted files as a tree of folders, each with the sum of what is in it."""

from __future__ import annotations

import os

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.context.tokens.tree import CountedText

BY_PATH, BY_TOKENS = "path", "tokens"


class _Counted(Record):
    """A file by the parts of its path."""

    parts: tuple[str, ...]
    tokens: int


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


def tree(counted: Sequence[CountedText], sort: str = BY_PATH) -> tuple[Branch, ...]:
    """The files in their folders. Folders that have nothing but a folder in them are one with it."""
    files = []
    for file in counted:
        parts = tuple(file.path.split(os.sep))
        files.append(_Counted(parts, file.tokens))
    return _inside((), files, sort)


def sorted_files(counted: Sequence[CountedText], sort: str) -> list[CountedText]:
    if sort == BY_TOKENS:
        return sorted(counted, key=lambda file: -file.tokens)
    return list(counted)


def with_depth(branches: Sequence[Branch], depth: int = 0) -> Iterator[tuple[int, Branch]]:
    """Every branch below the one that it is in."""
    for branch in branches:
        yield depth, branch
        yield from with_depth(branch.inside, depth + 1)


def _inside(folder: tuple[str, ...], files: Sequence[_Counted], sort: str) -> tuple[Branch, ...]:
    """What is in one folder, given the files that are in it or below it."""
    depth = len(folder)
    by_name: dict[str, list[_Counted]] = {}
    for file in files:
        name = file.parts[depth]
        below = by_name.setdefault(name, [])
        below.append(file)

    branches = []
    for name, below in by_name.items():
        branch = _branch((*folder, name), below, sort)
        branches.append(branch)
    if sort == BY_TOKENS:
        branches.sort(key=lambda branch: -branch.tokens)
    return tuple(branches)


def _branch(parts: tuple[str, ...], files: Sequence[_Counted], sort: str) -> Branch:
    """A file, or a folder that all of these files are in."""
    name = parts[-1]
    path = os.sep.join(parts)
    tokens = sum(file.tokens for file in files)
    if all(file.parts == parts for file in files):
        return Branch(name, path, tokens)

    inside = _inside(parts, files, sort)
    if len(inside) == 1 and inside[0].is_folder:
        (only,) = inside
        return only.replace(name=f"{name}{os.sep}{only.name}")
    return Branch(name, path, tokens, inside)
