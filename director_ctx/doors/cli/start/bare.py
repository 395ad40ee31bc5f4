"""`dctx` without a word: where the project stands and what to do next; outside of one, how to begin."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.clients.hooks.position import standing
from director_ctx.doors.cli.shared.table import put_lines, sentence_lines
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import NoProject, locate
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.next import DONE, READY, UNPLANNED, next_task
from director_ctx.project.templates import is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project

WIDTH = len("dctx assemble interviewer")
_OUTSIDE = (
    ("dctx gives each coding agent the part of your plan that it needs, and no more.", ""),
    ("  dctx setup    begin here: a folder for the plan, and your coding agent", ""),
    ("  dctx --help   every command", ""),
)


def run() -> int:
    try:
        root = locate()
    except NoProject:
        put_lines(_OUTSIDE)
        return OK
    project = load_project(root=root)
    put_lines([*_standing(project), ("", ""), *_ways_on(project)])
    return OK


def _standing(project: Project) -> Iterator[tuple[str, str]]:
    first, *others = standing(project).splitlines()
    yield first, "bold"
    for text in others:
        for line in sentence_lines(text):
            yield line, ""


def _ways_on(project: Project) -> Iterator[tuple[str, str]]:
    """What to do next, and where everything else is."""
    for command, meaning in _commands(project):
        yield f"  {command:<{WIDTH}}  {meaning}", ""


def _commands(project: Project) -> Iterator[tuple[str, str]]:
    if is_template_vision(project.text(f"{FOLDER}/VISION.md")):
        yield "dctx assemble interviewer", f"asks what the project is, for {FOLDER}/VISION.md"
    state = next_task(project).state
    if state == READY:
        yield "dctx assemble builder", "the context for the next task"
        yield "dctx task done REF", "when a task is done"
    elif state == UNPLANNED:
        yield "dctx add --from FILE", "a whole outline of goals, steps and tasks"
    elif state == DONE:
        yield "dctx add", "another goal, step or task"
    else:
        yield "dctx next", "what each task waits for"
    yield "dctx status", "all goals and steps"
    yield "dctx --help", "every command"
