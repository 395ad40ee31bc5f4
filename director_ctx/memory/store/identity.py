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

    def by_hand(why: str) -> DctxError:
        return DctxError(f"{SETTINGS} {why}.", f"Write it in by hand: workflow_id: {workflow}")

    def id_in(data: bytes) -> str:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise by_hand("is not UTF-8") from None
        return parse_config(parse_yaml(text, SETTINGS)).workflow_id or ""

    with alone_in_project(root):
        project = Project(root)
        location = project.location(SETTINGS)
        line = f"workflow_id: {workflow}".encode()
        if not os.path.lexists(location):
            if create_whole(location, line + b"\n"):
                return workflow
        elif project.kind(SETTINGS) != FILE:
            raise by_hand("is no regular file of this folder")
        with open(location, "rb") as file:
            before = file.read()
        known = id_in(before)
        if known:
            return known

        end = b"\r\n" if before.endswith(b"\r\n") else b"\n"
        if before and not before.endswith(b"\n"):
            before += end
        after = before + line + end
        # Behind an open list or a text over several lines, the new line would mean something else.
        try:
            reads_well = id_in(after) == workflow
        except DctxError:
            reads_well = False
        if not reads_well:
            raise by_hand("does not take a line at its end")
        write_whole(location, after)
        return workflow
