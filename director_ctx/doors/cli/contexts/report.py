"""`dctx report`: the pages as one file, to be read without a server."""

from __future__ import annotations

import os

from director_ctx.base.errors import OK
from director_ctx.doors.cli.shared.output import expect_file, put, put_file
from director_ctx.doors.cli.shared.speak import say
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USUAL_FILE = "report.html"
STDOUT = "-"
MARK_WITHIN = 200
"""Characters: what we wrote says so in its second line."""


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    path = values["output"] or USUAL_FILE
    from director_ctx.doors.ui.sharing.report import MARK, report

    if path != STDOUT:
        expect_file(path)
        if not values["force"]:
            _expect_ours(path, MARK)
    text = report(project)
    if path == STDOUT:
        put(text)
        return OK
    put_file(path, text)
    put(f"{path}\n")
    say(
        "Open it in a browser. What looks like a password or a key is hidden; read it before you share it."
    )
    return OK


def _expect_ours(path: str, mark: str) -> None:
    """Somebody's file is not written over, unless they say so."""
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        if mark in file.read(MARK_WITHIN):
            return
    from director_ctx.doors.cli.shared.overwriting import expect_overwriting

    expect_overwriting(path, "was not written by `dctx report`", "-o")
