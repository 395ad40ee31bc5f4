"""`dctx init --from`: another tool's plan taken over, shown before it is written."""

from __future__ import annotations

import os
import shlex

from director_ctx.base.errors import FAILED, INTERRUPTED, OK, STRICT, DctxError
from director_ctx.base.text import counted, plain
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import end_line, say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.upkeep.changes import next_line
from director_ctx.other_plans.find import find_plan, folder_of, found_plans, tool_named
from director_ctx.other_plans.take_over import (
    KEPT,
    NEW,
    REMOVED,
    UNFIT,
    PlanUnit,
    Taking,
    plan_taking,
)
from director_ctx.other_plans.write import write_taking
from director_ctx.project.origins import taken_plans
from director_ctx.project.project import Project
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Lines = Iterator[tuple[str, str]]

MOST_SHOWN = 12
"""Lines of one kind on a terminal and in a pipe; `--json` has all of them."""


def run(values: dict[str, Any], root: str) -> int:
    name = tool_named(values["source"])
    found = find_plan(name, root, values["path"] or _before(root, name))
    taking = plan_taking(root, found, values["done"])
    if not values["json"]:
        put_lines(list(_shown(taking)))
    if values["strict"] and taking.remarks:
        if values["json"]:
            put_json(taking.as_json(written=False))
        raise _Strict(
            f"Nothing was written, because {counted(len(taking.remarks), 'thing')} could not be taken as it is.",
            "Mend the source, or leave --strict out.",
        )
    # A program that asks for JSON has read nothing yet.
    is_asked = not values["json"] or values["yes"]
    if taking.changes_something and not values["dry_run"] and is_asked and agreed(values):
        return _write(values, root, taking)
    if values["json"]:
        put_json(taking.as_json(written=False))
    elif not taking.changes_something and not values["dry_run"]:
        _see_again(root, taking)
    return OK


def _before(root: str, name: str) -> str | None:
    """Where the plan was when it was taken over, if that is not the project's own folder."""
    plan = taken_plans(Project(root)).get(name)
    here = {found.format.name for found in found_plans(root, True)}
    if plan and plan.path is None and name not in here:
        raise DctxError(
            f"The plan of {TITLES[name]} was taken over from outside this project.",
            f"Name its folder again: dctx init --from {name} PATH.",
        )
    folder = folder_of(root, plan) if plan else ""
    if plan is None or not folder:
        return None
    place = os.path.join(folder, plan.file) if plan.file else folder
    return place if place != root else None


class _Strict(DctxError):
    exit_code = STRICT


class _HalfWay(DctxError):
    exit_code = INTERRUPTED


def _see_again(root: str, taking: Taking) -> None:
    """Nothing of the plan is new, but its files are: from now on these count as seen."""
    has_plan = os.path.isdir(os.path.join(root, ".director"))
    if has_plan and not taking.is_first and dict(taking.seen) != dict(taking.before.seen):
        write_taking(root, taking, now())


def _write(values: dict[str, Any], root: str, taking: Taking) -> int:
    try:
        written = write_taking(root, taking, now())
    except KeyboardInterrupt as error:
        # The terminal shows ^C, and no line end behind it.
        end_line()
        raise _HalfWay(
            "It was stopped half-way.", "Run the same command again; it goes on where it was."
        ) from error
    if values["json"]:
        put_json(taking.as_json(written=True))
    else:
        command = f"dctx init --from {taking.format.name}"
        if taking.path is None and values["path"]:
            # Where it is outside the project is written down nowhere: on another machine it is elsewhere.
            command += f" {shlex.quote(plain(values['path']))}"
        lines = (
            f"Taken over from {taking.format.title}; its own files were only read.",
            f"Commit .director/ with origins.json; `{command}` follows later changes.",
        )
        put_lines([*((line, "") for line in lines), (next_line(written.project), "bold")])
    for failure in written.failed:
        say(f"warning: {plain(failure.path)} was not changed: {failure.why}")
    return FAILED if written.failed else OK


# --- What is shown ---


def _shown(taking: Taking) -> Lines:
    found = taking.counts()
    units = [counted(found[kind], kind[:-1]) for kind in ("goals", "steps", "tasks")]
    where = f" in {plain(taking.path)}/" if taking.path else ""
    yield f"{taking.format.title}{where}: {', '.join(units)}, {found['done']} done", "bold"
    yield from _new_units(taking)
    yield from _changed_units(taking)
    yield from _rest(taking)
    without = found["without_criteria"]
    if without and taking.is_first:
        tasks = counted(without, "task")
        yield f"{tasks} without a word on how one sees that it is done; none was made up.", "dim"
    yield _summary(taking), "bold"


def _new_units(taking: Taking) -> Lines:
    new_tasks: dict[str, list[PlanUnit]] = {}
    for unit in taking.new("task"):
        new_tasks.setdefault(unit.parent, []).append(unit)
    for unit in taking.units:
        new = new_tasks.get(unit.key, [])
        if unit.kind == "task" or unit.state == REMOVED or (unit.state != NEW and not new):
            continue
        line = f"{unit.kind.capitalize()} {unit.number}: {plain(unit.name)}"
        if unit.kind == "step":
            done = sum(task.done_there for task in new)
            more = f", {done} done" if done else ""
            line = f"  {line} ({counted(len(new), 'new task')}{more})"
        yield f"+ {line}", "green"


def _changed_units(taking: Taking) -> Lines:
    kinds = (
        (
            "Changed in the source",
            "green",
            lambda unit: [update.section for update in unit.updates],
        ),
        ("Begun in the source", "green", lambda unit: unit.begin),
        ("Done in the source", "green", lambda unit: unit.finish),
        ("Changed on both sides; yours stays", "yellow", lambda unit: unit.kept),
        ("Done here and open there; stays done", "yellow", lambda unit: unit.open_there),
        (
            "Moved in the source; stays where it is",
            "yellow",
            lambda unit: [f"to {plain(unit.moved)}"] if unit.moved else [],
        ),
    )
    for head, style, says in kinds:
        rows: list[str] = []
        for unit in taking.units:
            said = says(unit)
            if said:
                more = f": {', '.join(said)}" if said is not True else ""
                rows.append(f"{unit.ref} {plain(unit.other.name)} ({_origin(taking, unit)}){more}")
        yield from _list(head, rows, style)


def _rest(taking: Taking) -> Lines:
    removed = [
        f"{plain(unit.other.name)} ({_origin(taking, unit)})"
        for unit in taking.units
        if unit.state == REMOVED and unit.recorded
    ]
    yield from _list("Removed here; stays removed", removed, "dim")
    yield from _list("Gone from the source; stays here", taking.gone, "yellow")
    begun = list(map(plain, taking.begun.values()))
    yield from _list("Out of IDEAS.md, because it is work by now", begun, "")
    ideas = [f"{plain(idea.text)} ({_file(taking, idea.path, idea.line)})" for idea in taking.ideas]
    yield from _list("To IDEAS.md, because it is no work yet", ideas, "")
    finished = [
        f"{plain(unit.name)}: {counted(unit.tasks, 'task')} ({_file(taking, unit.path)})"
        for unit in taking.finished
    ]
    yield from _list("Finished, and left out; --done takes it over, too", finished, "dim")
    yield from _list("Documents", list(_documents(taking)), "")
    for kind in dict.fromkeys(remark.kind for remark in taking.remarks):
        remarks = [
            f"{_file(taking, remark.path, remark.line)} {plain(remark.says)}"
            for remark in taking.remarks
            if remark.kind == kind
        ]
        yield from _list(kind.capitalize(), remarks, "yellow")


def _documents(taking: Taking) -> Iterator[str]:
    how = "is there already" if taking.is_first else "was changed here"
    for document in taking.documents:
        at = f".director/{plain(document.at)}"
        if document.writes:
            yield at
        elif document.state == KEPT:
            yield f"{at} {how}; it stays as it is"
        elif document.state == UNFIT:
            yield f"{_file(taking, document.origin)} is too long or has an unusual name; it is left where it is"


def _origin(taking: Taking, unit: PlanUnit) -> str:
    return _file(taking, unit.other.path, unit.other.line).rstrip()


def _file(taking: Taking, path: str, line: int = 0) -> str:
    """A file of the source as somebody in the project names it."""
    return plain(f"{taking.path}/{path}" if taking.path else path) + (f":{line}" if line else "")


def _list(head: str, rows: Sequence[str], style: str) -> Lines:
    if rows:
        yield f"{head}:", "bold"
    for row in rows[:MOST_SHOWN]:
        yield f"  {row}", style
    if len(rows) > MOST_SHOWN:
        yield f"  and {len(rows) - MOST_SHOWN:,} more (--json has all of them)", "dim"


def _summary(taking: Taking) -> str:
    if not taking.changes_something:
        if taking.finished and not taking.units:
            return "Everything in it is finished; --done takes it over all the same."
        if taking.is_first:
            return "There is nothing to take over."
        return "Nothing new: what is here is what the source has."
    changed = [unit for unit in taking.units if unit.updates or unit.finish or unit.begin]
    counts = {
        **{f"new {kind}": len(taking.new(kind)) for kind in ("goal", "step", "task")},
        "change": len(changed),
        "idea": len(taking.ideas),
        "document": sum(document.writes for document in taking.documents),
    }
    pieces = [counted(number, kind) for kind, number in counts.items() if number]
    return f"To take over: {', '.join(pieces) or 'what a run before this one began'}."
