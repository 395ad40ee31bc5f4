"""The id that teammates share: a line in the committed `dctx.yaml`, appended, with every other byte
kept.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.context.settings.config import parse_config
from director_ctx.memory.store.by_url import SETTINGS
from director_ctx.memory.store.file import file_place, workflow_in_file
from director_ctx.memory.store.store import new_id
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.lock import alone_in_project


def coming_id(root: str) -> str:
    """The id that a project gets: the one its own file has, so that a copy of it is the same
    workflow; or a new one.
    """
    place = file_place(root, write=False)
    # A link instead of a file is nobody's store.
    if not place or os.path.islink(place):
        return new_id()
    return workflow_in_file(place) or new_id()


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
        if not _reads_as(after, workflow):
            raise _by_hand(workflow, "does not take a line at its end")
        write_whole(location, after)
        return workflow


def _reads_as(data: bytes, workflow: str) -> bool:
    """Behind an open list or a text over several lines, the new line would mean something else."""
    try:
        return _id_in(data, workflow) == workflow
    except DctxError:
        return False


def _id_in(data: bytes, workflow: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _by_hand(workflow, "is not UTF-8") from None
    return parse_config(parse_yaml(text, SETTINGS)).workflow_id or ""


def _appended(before: bytes, workflow: str) -> bytes:
    """In the line ends of the file."""
    end = b"\n"
    if before.endswith(b"\r\n"):
        end = b"\r\n"
    if before and not before.endswith(b"\n"):
        before += end
    return before + f"workflow_id: {workflow}".encode() + end


def _by_hand(workflow: str, why: str) -> DctxError:
    return DctxError(f"{SETTINGS} {why}.", f"Write it in by hand: workflow_id: {workflow}")
