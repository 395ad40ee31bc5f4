"""`dctx demo`: the bundled example, from its plan to an agent that is handed its context."""

from __future__ import annotations

import os
from shlex import quote
from tempfile import TemporaryDirectory

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import OK
from director_ctx.clients.demo.example import NAME, make_example
from director_ctx.clients.demo.receiving import YOU_SAY, client_is_here, receive
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.doors.cli.shared.table import line_width, put_columns
from director_ctx.doors.cli.start.demo_beats import (
    ASIDE,
    CAPTION,
    COMMAND,
    WIDTH,
    context_lines,
    cutting_lines,
    plan_lines,
    receiving_lines,
)
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import absolute
from director_ctx.upkeep.status import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Lines = Iterator[tuple[str, str]]

SMALL_BUDGET = "2150"
"""Tokens, so few that something of every kind has to go, and so many that the rest fits."""


def run(values: dict[str, Any]) -> int:
    kept = values["keep"]
    if kept:
        _show(absolute(kept), in_line=True)
        put_columns(list(_to_play(kept)))
        return OK

    with TemporaryDirectory(prefix="dctx-demo-", ignore_cleanup_errors=True) as folder:
        _show(os.path.join(os.path.realpath(folder), NAME))
    put_columns(list(_to_keep()))
    return OK


def _show(root: str, in_line: bool = False) -> None:
    lacking = make_example(root, in_line)
    if lacking:
        say(lacking)
    project = load_project(root=root)
    width = min(line_width(), WIDTH)
    put_columns(list(_opening()))
    put_columns(_beat(plan_lines(project, status(project))))

    whole = assemble(project, "builder")
    put_columns(_beat(context_lines(whole, width)))

    if client_is_here() and is_terminal():
        say("Running Claude Code, offline; this takes a few seconds.")
    received = receive(root)
    put_columns(_beat(receiving_lines(whole, received, width)))

    cut = assemble(project, "builder", budget=SMALL_BUDGET)
    put_columns(_beat(cutting_lines(whole, cut)))


def _beat(lines: Lines) -> list[tuple[str, str]]:
    return [*lines, ("", "")]


def _opening() -> Lines:
    yield "The example is Reading List, a small web app: one goal is done, one half way.", ""
    yield (
        "It has a folder of its own; no network is used, and nothing of yours is touched.",
        ASIDE,
    )
    yield "", ""


def _to_play(kept: str) -> Lines:
    yield "The example is yours to play with:", CAPTION
    yield f"   cd {quote(kept)}", COMMAND
    yield "   dctx status                 where the plan stands", ""
    yield "   dctx assemble builder       the whole context, as an agent gets it", ""
    yield "   dctx task done 3            finish a task; then assemble the next one", ""
    yield "   dctx setup                  put dctx into your client; then start it, say:", ""
    yield f"                               {YOU_SAY}", ""


def _to_keep() -> Lines:
    yield "That folder is gone again. What to type next:", CAPTION
    yield f"   dctx demo --keep {NAME}   the same, and the folder stays to play in", ""
    yield "   dctx setup                      the same for a project of your own", ""
