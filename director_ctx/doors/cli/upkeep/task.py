"""`dctx task`: one task shown, taken, given back, marked done, or opened again."""

from __future__ import annotations

from director_ctx.assembling.material import read_task
from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.place import taken_by_words, task_json
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.upkeep.changes import present
from director_ctx.memory.plans.set_task import follow_folder
from director_ctx.project.claims import (
    forget,
    shown_minute,
    start,
    worker_here,
)
from director_ctx.project.project import load_project
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import readiness
from director_ctx.upkeep.tasks import Upkeep, finish, reopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


def show(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    place = find_task(project, values["task"])
    assert place.task
    text = read_task(project, place.task.path)
    for taken in taken_by_words(project, place, values["task"]):
        say(taken)

    if values["json"]:
        about = task_json(project, place) or {}
        put_json(
            {
                **about,
                "done": place.task.done,
                "why": _waits(project, place),
                "listed_as": _line_in_step(project, place),
                "text": text,
            }
        )
    else:
        text_lines = text.rstrip("\n").split("\n")
        put_lines([*_heading(project, place), ("", ""), *((line, "") for line in text_lines)])

    # What is odd about other files is for `dctx status` to say.
    for note in project.notes:
        if note.path == plain(place.task.path):
            say(f"warning: {note.path} {note.text}")
    return OK


def _heading(project: Project, place: Place) -> Iterator[tuple[str, str]]:
    assert place.task and place.step
    yield f"{place.ref}  {project.title(place.task)}", "bold"
    goal, step = project.title(place.goal), project.title(place.step)
    yield f"Goal {place.goal.number}: {goal}, step {place.step.number}: {step}", ""
    yield plain(place.task.path), "dim"

    waits = _waits(project, place)
    if place.task.done:
        yield "Done.", ""
    elif waits:
        yield f"Waits: {waits}.", ""
    else:
        yield f"Ready ({readiness(project, place).kind}).", ""

    listed = _line_in_step(project, place)
    if listed:
        yield f"In STEP.md: {listed}", "dim"
    else:
        yield "STEP.md does not list it.", "dim"


def _waits(project: Project, place: Place) -> str:
    if place.task is None or place.task.done:
        return ""
    return readiness(project, place).why


def _line_in_step(project: Project, place: Place) -> str:
    assert place.step and place.task
    text = project.text(f"{place.step.path}/STEP.md")
    for line in step_lines(text):
        if line.number == place.task.number:
            return plain(line.text)
    return ""


def begin(values: dict[str, Any]) -> int:
    """`dctx task start`."""
    project = load_project(root=values["root"])
    place = find_task(project, values["task"])
    assert place.task
    if place.task.done:
        raise DctxError(
            f"Task {place.ref} is done.", f"To open it again: dctx task done {place.ref} --undo"
        )
    waits = readiness(project, place).why
    if waits:
        say(f"warning: task {place.ref} is not ready: {waits}")
    claim = start(project, place, worker_here(values["agent"] or "", values["claim"] or ""))
    if values["json"]:
        put_json({**(task_json(project, place) or {}), **claim.as_json()})
        return OK
    put_lines(
        [
            (f"Started: {place.ref}  {project.title(place.task)}", "bold"),
            (f"Claim {claim.id}, until {shown_minute(claim.until)}.", ""),
            (f"When it is done: dctx task done {place.ref}", "dim"),
        ]
    )
    return OK


def stop(values: dict[str, Any]) -> int:
    """Whoever has it: a person has to be able to give back what a lost agent holds."""
    project = load_project(root=values["root"])
    place = find_task(project, values["task"])
    claim = project.claims().get(place.names)
    if claim:
        forget(project, lambda one: one.id == claim.id)
    if values["json"]:
        put_json({**(task_json(project, place) or {}), "was": claim.says if claim else ""})
    elif claim:
        put_lines([(f"Free again: {place.ref}; it was {claim.says}.", "")])
    else:
        put_lines([(f"Nobody had task {place.ref}.", "")])
    return OK


def done(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    if values["undo"]:
        if values["write_back"]:
            raise UsageProblem("--undo and --write-back exclude each other.", "Give one of them.")
        result = reopen(root, values["task"], now())
        _follow(result, "open again")
        return _present(values, result, "Open again")
    if values["write_back"]:
        # Plans of other tools are read for whoever asks for it.
        from director_ctx.doors.cli.upkeep import write_back

        back = write_back.planned(root, values["task"])
    result = finish(root, values["task"], now())
    _follow(result, "completed")
    code = _present(values, result, "Done")
    if values["write_back"]:
        write_back.carry_out(root, back)
    return code


def _follow(result: Upkeep, status: str) -> None:
    """The plan's history has it, too, where a plan is kept."""
    if not result.renamed or result.place is None:
        return
    trouble = follow_folder(result.project, f"Task {result.place.ref}: {status}")
    if trouble:
        say(f"warning: the plan's history lacks this: {trouble}")


def _present(values: dict[str, Any], result: Upkeep, verb: str) -> int:
    assert result.place and result.place.task
    if not result.renamed:
        # The file had the right name already.
        verb = "In line" if result.rewrites else "Nothing to change"
    title = result.project.title(result.place.task)
    return present(values, result, f"{verb}: {result.place.ref}  {title}")
