"""Where units were taken over from another tool's plan, after they were moved or renamed: the line of each names its
place, and a plan that does not find it there takes it for removed.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import partial

from director_ctx.base.light_json import dump, parse
from director_ctx.project.origins import PATH
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.rewrite import would_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.project.project import Project
    from director_ctx.upkeep.arranging.documents import Renaming
    from director_ctx.upkeep.records.source import Source
    from director_ctx.upkeep.rewrite import Rewrite, WriteFailure

_PLACE = re.compile(r'"goals/(?:[^"\\]|\\.)*"(?!\s*:)')
"""A value, and no key."""


def with_new_places(
    project: Project, renamed: Sequence[Renaming]
) -> tuple[list[Rewrite], list[WriteFailure]]:
    places: dict[str, str] = {}
    for renaming in renamed:
        places[_place(renaming.old)] = _place(renaming.new)
    return would_change(project, PATH, partial(_edits, places=places))


@contextmanager
def time_kept(project: Project) -> Iterator[None]:
    """Whatever is newer than the file is looked at in a source, and a new name here is no look at it."""
    location = project.location(PATH)
    try:
        status = os.stat(location)
    except OSError:
        yield
        return
    yield
    try:
        os.utime(location, ns=(status.st_atime_ns, status.st_mtime_ns))
    except OSError:
        # Then such a change is told by `dctx status` alone.
        pass


def _place(path: str) -> str:
    """As the file says it: below `.director/`, and a task without an ending."""
    return path.removeprefix(f"{FOLDER}/").removesuffix(".md").removesuffix(".done")


def _edits(source: Source, places: Mapping[str, str]) -> list[Edit]:
    edits: list[Edit] = []
    for number in range(1, len(source.lines) + 1):
        line = source.line(number)
        after = _PLACE.sub(partial(_moved, places=places), line)
        if after != line:
            edits.append(Edit(number, line, after))
    return edits


def _moved(value: re.Match[str], places: Mapping[str, str]) -> str:
    try:
        at = parse(value[0])
    except ValueError:
        return value[0]
    above = at
    while above:
        if above in places:
            return dump(places[above] + at.removeprefix(above))
        above = above.rpartition("/")[0]
    return value[0]
