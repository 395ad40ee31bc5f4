"""Changes documents in place: each is written whole, and only if nobody else wrote it in the
meantime.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.base.text import plain
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE
from director_ctx.upkeep.records.source import parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from director_ctx.upkeep.records.source import Edit, Source


TRIES = 5


class Rewrite(Record):
    """One document before and after."""

    path: str
    before: bytes
    after: bytes
    edits: tuple[Edit, ...] = ()


class WriteFailure(Record):
    """A document that could not be changed, and why."""

    path: str
    why: str


class Unchangeable(Exception):
    """Why a document that exists is left alone."""


def source_at(project: Project, path: str) -> tuple[bytes, Source] | None:
    """A document's bytes and lines; None where there is none. Raises `Unchangeable`."""
    if project.kind(path) != FILE:
        if os.path.lexists(project.location(path)):
            raise Unchangeable("it is no regular file of this folder")
        return None
    try:
        with open(project.location(path), "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Unchangeable(f"it cannot be read: {error.strerror}") from error

    # Of a longer file only a part was read, and to write that back would cut it off.
    source = None
    if len(data) <= LARGEST_FILE:
        source = parse_source(data)
    if source is None:
        raise Unchangeable("it is too large, or no text, to be changed safely")
    return data, source


def rewrites_for(
    path: str,
    data: bytes,
    source: Source,
    edits: Iterable[Edit],
) -> list[Rewrite]:
    """The rewrite that the edits amount to, if any."""
    every_edit = tuple(edits)
    after = source.edited(every_edit).data()
    if after == data:
        return []
    return [Rewrite(path, data, after, every_edit)]


def write(project: Project, rewrite: Rewrite) -> bool:
    """Puts the new bytes in place; False if the document is no longer what was read."""
    location = project.location(rewrite.path)
    # Compared as late as can be: people and agents edit these files at any time.
    with open(location, "rb") as file:
        if file.read(len(rewrite.before) + 1) != rewrite.before:
            return False
    write_whole(location, rewrite.after)
    return True


def merged(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Several changes of one document are one; the first has what was there before."""
    by_path: dict[str, Rewrite] = {}
    for rewrite in rewrites:
        first = by_path.get(rewrite.path, rewrite)
        edits = () if first is rewrite else first.edits
        by_path[rewrite.path] = rewrite.replace(before=first.before, edits=(*edits, *rewrite.edits))
    return list(by_path.values())


def rename(project: Project, old: str, new: str) -> None:
    """Gives a file another name in its folder; never over something that is there."""
    source = project.location(old)
    target = project.location(new)
    if os.path.lexists(target):
        raise DctxError(
            f"{plain(new)} is there already.", "Move one of the two away; then try again."
        )
    try:
        _move(source, target)
    except OSError as error:
        raise DctxError(
            f"Could not rename {plain(old)}: {error.strerror or error}.",
            "Nothing was changed; check its folder.",
        ) from error


def _move(source: str, target: str) -> None:
    """By a second name where there are hard links, because a plain rename would replace a file made
    just now.
    """
    if os.path.islink(source):
        os.rename(source, target)
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # A disk without hard links.
        os.rename(source, target)
        return
    os.unlink(source)


def writable_folder(project: Project, path: str) -> str:
    """A folder of the project on disk, made if missing; refused if it leads out of `.director/`."""
    location = project.location(path)
    base = os.path.realpath(project.location(FOLDER))
    if not inside(os.path.realpath(location), base):
        raise DctxError(
            f"{plain(path)} is a link that leaves .director/.", "Remove the link and try again."
        )
    try:
        os.makedirs(location, exist_ok=True)
    except OSError as error:
        raise DctxError(
            f"Could not make {plain(path)}: {error.strerror or error}.",
            "Check that the folder can be written.",
        ) from error
    return location


def would_change(
    project: Project,
    path: str,
    edits: Callable[[Source], list[Edit]],
) -> tuple[list[Rewrite], list[WriteFailure]]:
    """What `change` would write, where the document is there."""
    try:
        document = source_at(project, path)
    except Unchangeable as error:
        return [], [WriteFailure(path, str(error))]
    if document is None:
        return [], []
    data, source = document
    return rewrites_for(path, data, source, edits(source)), []


def change(
    project: Project,
    path: str,
    edits: Callable[[Source], list[Edit]],
    new: str = "",
) -> tuple[list[Rewrite], list[WriteFailure]]:
    """Edits one document, made of `new` if missing; one that somebody else writes meanwhile is read
    again.
    """
    try:
        for _ in range(TRIES):
            if new and not project.kind(path):
                create_whole(project.location(path), new.encode())
                # Another project: this one has listed the folder without the document.
                project = Project(project.root)
            document = source_at(project, path)
            if document is None:
                return [], [WriteFailure(path, "it is no file of this folder")]
            data, source = document
            rewrites = rewrites_for(path, data, source, edits(source))
            if all(write(project, rewrite) for rewrite in rewrites):
                return rewrites, []
    except Unchangeable as error:
        return [], [WriteFailure(path, str(error))]
    except OSError as error:
        return [], [WriteFailure(path, error.strerror or str(error))]
    return [], [WriteFailure(path, "somebody else keeps writing it")]
