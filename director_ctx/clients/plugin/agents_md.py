"""Our section of AGENTS.md and its like: decided, then written."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.escape import escape_tags
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.plugin.agents_md_section import (
    FILES,
    HEADS,
    Odd,
    section_text,
    with_section,
    without_section,
)
from director_ctx.clients.program import program
from director_ctx.project.reading.locate import inside
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

LARGEST = 10_000_000
ENDINGS = (".md", ".mdc")
"""What a link may lead to: AGENTS.md and CLAUDE.md are often one file."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Change(Record):
    """One file before and after; None where there is no file."""

    path: str
    """In the project."""
    place: str
    before: bytes | None
    after: bytes | None


def plan(project: Project, client: str, remove: bool) -> Change:
    """What would be written for a client."""
    path = FILES[client]
    place = _place(project.root, path)
    before, head = _read(place, path), HEADS.get(client, "")
    try:
        if not remove:
            name, _ = escape_tags(project_name(project))
            after: bytes | None = with_section(before, section_text(name, program()), head)
        else:
            after = None if before is None else without_section(before, head)
    except Odd as error:
        raise DctxError(
            f"{path}: {error}.", "Put the marks right, or take them out, and try again."
        ) from error
    return Change(path, place, before, after)


def _place(root: str, path: str) -> str:
    place = os.path.join(root, *path.split("/"))
    real, base = os.path.realpath(place), os.path.realpath(root)
    if not inside(real, base) or ".git" in real[len(base) :].split(os.sep):
        raise DctxError(f"{path} leads out of the project.", "Remove the link.")
    if os.path.islink(place) and not real.endswith(ENDINGS):
        raise DctxError(f"{path} is a link to something that is no document.", "Remove the link.")
    return place


def _read(place: str, path: str) -> bytes | None:
    try:
        if os.path.lexists(place) and not os.path.isfile(place):
            raise DctxError(f"{path} is not a regular file.", "Move it away, and try again.")
        with open(place, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DctxError(
            f"{path} cannot be read: {error.strerror}.", "Mend that, and try again."
        ) from error
    if len(data) > LARGEST or data[:2] in _UTF_16:
        raise DctxError(f"{path} is too large, or not UTF-8.", "Write it as UTF-8, and try again.")
    return data


def carry_out(change: Change) -> None:
    if change.after is None:
        os.unlink(change.place)
        return
    os.makedirs(os.path.dirname(change.place), exist_ok=True)
    write_whole(change.place, change.after)
