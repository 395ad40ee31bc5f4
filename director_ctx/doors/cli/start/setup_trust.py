"""`dctx setup --trust`: what a project has agents told in its own words, and the user's word on it."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.context.settings.agreement import agree, take_back
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.consent import QUESTION, lines_of
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def trust(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    if values["undo"]:
        was_allowed = take_back(project)
        put_lines([("Taken back." if was_allowed else "There was nothing to take back.", "bold")])
        return OK

    unused = not_agreed(project)
    said = "Nothing to do: this project has agents told nothing that you have not agreed to."
    if unused:
        put_unstyled(lines_of(project, unused))
        if not values["yes"] and not says_yes(QUESTION):
            put_lines([("Nothing was allowed.", "bold")])
            return FAILED
        agree(project, unused)
        said = "Allowed, until one of these changes."
    put_lines([(said, "bold")])
    return OK
