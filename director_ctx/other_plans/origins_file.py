"""`.director/origins.json` written: a unit a line, so that two branches can be merged by git."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import dump
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.project.origins import PATH
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from director_ctx.project.project import Project
    from director_ctx.project.taken import TakenPlan

ABOUT = "Where goals, steps and tasks were taken over from; `dctx init --from` reads and writes it. Commit it."


def write_origins(project: Project, plans: Mapping[str, TakenPlan]) -> None:
    location = project.location(PATH)
    if not inside(os.path.realpath(location), os.path.realpath(project.root)):
        raise DctxError(f"{PATH} is a link that leaves the project.", "Remove the link first.")
    data = ("\n".join(_lines(plans)) + "\n").encode()
    if len(data) > LARGEST_FILE:
        raise DctxError(
            f"{PATH} would be too long to be read again.", "Take over a part of the plan only."
        )
    try:
        if not create_whole(location, data):
            write_whole(location, data)
    except OSError as error:
        raise DctxError(
            f"Could not write {PATH}: {error.strerror or error}.",
            "Run the command again when it can be written; it goes on where it was.",
        ) from error


def _lines(plans: Mapping[str, TakenPlan]) -> Iterator[str]:
    yield "{"
    yield f' "about": {dump(ABOUT)},'
    yield ' "sources": {'
    for index, (name, plan) in enumerate(sorted(plans.items()), 1):
        yield f"  {dump(name)}: {{"
        yield f'   "path": {dump(plan.path)},'
        yield f'   "file": {dump(plan.file)},'
        if plan.unfinished:
            yield '   "unfinished": true,'
        units = {key: [unit.at, dict(unit.marks)] for key, unit in plan.units.items()}
        yield from _members("units", units, ",")
        yield from _members("seen", dict(plan.seen), "")
        yield "  }" + ("," if index < len(plans) else "")
    yield " }"
    yield "}"


def _members(name: str, members: Mapping[str, object], end: str) -> Iterator[str]:
    yield f'   "{name}": {{'
    for index, (key, value) in enumerate(sorted(members.items()), 1):
        comma = "," if index < len(members) else ""
        yield f"    {dump(key)}: {dump(value)}{comma}"
    yield f"   }}{end}"
