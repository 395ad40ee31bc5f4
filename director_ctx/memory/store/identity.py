"""The id that teammates share: a line in the committed `dctx.yaml`, appended, with every other byte
kept.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.context.settings.config import parse_config
from director_ctx.memory.store.file import LOCAL, META, file_place
from director_ctx.memory.store.store import new_id
from director_ctx.memory.store.teams import SETTINGS
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.lock import alone_in_project


def coming_id(root: str) -> str:
    """The id that a project gets: the one its own file has, so that a copy of it is the same
    workflow; or a new one.
    """
    place = file_place(root, write=False)
    if not place or not os.path.isfile(place) or os.path.islink(place):
        return new_id()
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        row = engine.row(META, (LOCAL,))
    finally:
        engine.close()
    return str(row[0]) if row else new_id()


def write_id(root: str, workflow: str) -> str:
    """Appends the line; the id that is there then, which may be one that somebody else wrote just
    now.
    """
    with alone_in_project(root):
        project = Project(root)
        location = project.location(SETTINGS)
        if not os.path.lexists(location):
            if create_whole(location, f"workflow_id: {workflow}\n".encode()):
                return workflow
        elif project.kind(SETTINGS) != FILE:
            raise _by_hand(workflow, "is no regular file of this folder")
        with open(location, "rb") as file:
            before = file.read()
        known = _id_in(before, workflow)
        if known:
            return known
        after = _appended(before, workflow)
        try:
            written = _id_in(after, workflow)
        except DctxError:
            written = ""
        if written != workflow:
            raise _by_hand(workflow, "does not take a line at its end")
        write_whole(location, after)
        return workflow


def _id_in(data: bytes, workflow: str) -> str:
    from director_ctx.base.system.yaml_file import parse_yaml

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _by_hand(workflow, "is not UTF-8") from None
    return parse_config(parse_yaml(text, SETTINGS)).workflow_id or ""


def _appended(before: bytes, workflow: str) -> bytes:
    """In the line ends of the file."""
    end = b"\r\n" if before.endswith(b"\r\n") else b"\n"
    start = b"" if not before or before.endswith(b"\n") else end
    return before + start + f"workflow_id: {workflow}".encode() + end


def _by_hand(workflow: str, why: str) -> DctxError:
    return DctxError(f"{SETTINGS} {why}.", f"Write it in by hand: workflow_id: {workflow}")
