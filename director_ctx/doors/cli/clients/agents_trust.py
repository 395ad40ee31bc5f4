"""`dctx agents trust`: what a project has agents told in its own words, and the user's word on it."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.text import plain
from director_ctx.context.settings.agreement import agree, take_back
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.consent import QUESTION, lines_of
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.context.settings.agreement import Override


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    if values["revoke"]:
        if take_back(project):
            _put("Taken back.")
        else:
            _put("There was nothing to take back.")
        return OK

    unused = not_agreed(project)
    if not unused:
        _put("Nothing to do: this project has agents told nothing that you have not agreed to.")
        return OK

    put_unstyled(lines_of(project, unused))
    if not values["yes"] and not says_yes(QUESTION):
        _put("Nothing was allowed.")
        return FAILED
    agree(project, unused)
    _put("Allowed, until one of these changes.")
    return OK


def _put(line: str) -> None:
    put_lines([(line, "bold")])


def override_names(unused: Sequence[Override]) -> str:
    return ", ".join(plain(override.thing) for override in unused)
