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
from director_ctx.other_plans.as_json import counts, ref, taking_json
from director_ctx.other_plans.find import find_plan, folder_of, found_plans, tool_named
from director_ctx.other_plans.place import NEW, REMOVED
from director_ctx.other_plans.side_documents import KEPT, UNFIT
from director_ctx.other_plans.take_over import plan_taking
from director_ctx.other_plans.write import write_taking
from director_ctx.project.origins import taken_plans
from director_ctx.project.project import Project
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.other_plans.take_over import TakenOver, Taking

    Lines = Iterator[tuple[str, str]]

MOST_SHOWN = 12
"""Lines of one kind on a terminal and in a pipe; `--json` has all of them."""
_INDENT = {"goal": "", "step": "  ", "task": "    "}


def run(values: dict[str, Any], root: str) -> int:
    name = tool_named(values["source"])
    found = find_plan(name, root, values["path"] or _before(root, name))
    taking = plan_taking(root, found, values["done"])
    if not values["json"]:
        put_lines(list(_shown(taking)))
    if values["strict"] and taking.remarks:
        if values["json"]:
            put_json(taking_json(taking, False))
        raise _Strict(
            f"Nothing was written, because {counted(len(taking.remarks), 'thing')} could not be taken as it is.",
            "Mend the source, or leave --strict out.",
        )
    if not taking.changes_something or values["dry_run"] or not _agreed(values):
        if values["json"]:
            put_json(taking_json(taking, False))
        elif not taking.changes_something and not values["dry_run"]:
            _see_again(root, taking)
        return OK
    return _write(values, root, taking)


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


def _agreed(values: dict[str, Any]) -> bool:
    # A program that asks for JSON has read nothing yet.
    if values["json"] and not values["yes"]:
        return False
    return agreed(values)


def _see_again(root: str, taking: Taking) -> None:
    """Nothing of the plan is new, but its files are: from now on these count as seen."""
    before = taking.before
    has_plan = os.path.isdir(os.path.join(root, ".director"))
    is_new = dict(taking.seen) != dict(before.seen)
    if has_plan and before.units and is_new:
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
        put_json(taking_json(taking, True))
    else:
        put_lines([(line, "") for line in _next(taking, values["path"])])
        put_lines([(next_line(written.project), "bold")])
    for failure in written.failed:
        say(f"warning: {plain(failure.path)} was not changed: {failure.why}")
    return FAILED if written.failed else OK


def _next(taking: Taking, path: str | None) -> Iterator[str]:
    command = f"dctx init --from {taking.format.name}"
    if taking.path is None and path:
        # Where it is outside the project is written down nowhere: on another machine it is elsewhere.
        command += f" {shlex.quote(plain(path))}"
    yield f"Taken over from {taking.format.title}; its own files were only read."
    yield f"Commit .director/ with origins.json; `{command}` follows later changes."


def _shown(taking: Taking) -> Lines:
    found = counts(taking)
    units = [counted(found[kind], kind[:-1]) for kind in ("goals", "steps", "tasks")]
    where = f" in {plain(taking.path)}/" if taking.path else ""
    yield f"{taking.format.title}{where}: {', '.join(units)}, {found['done']} done", "bold"
    yield from _units(taking)
    yield from _lists(taking)
    yield _summary(taking), "bold"


def _units(taking: Taking) -> Lines:
    tasks: dict[str, list[TakenOver]] = {}
    for unit in taking.units:
        tasks.setdefault(unit.placed.parent, []).append(unit)
    for unit in taking.units:
        placed = unit.placed
        if placed.kind == "task" or placed.state == REMOVED:
            continue
        new = [child for child in tasks.get(placed.key, ()) if child.placed.state == NEW]
        if placed.state != NEW and not (placed.kind == "step" and new):
            continue
        yield f"+ {_INDENT[placed.kind]}{_named(unit)}{_of_tasks(placed.kind, new)}", "green"


def _named(unit: TakenOver) -> str:
    name = unit.text.name if unit.text else unit.placed.other.name
    numbers = unit.placed.numbers
    number = numbers.task or numbers.step or numbers.goal
    return f"{unit.placed.kind.capitalize()} {number}: {plain(name)}"


def _of_tasks(kind: str, new: Sequence[TakenOver]) -> str:
    if kind != "step":
        return ""
    done = sum(1 for unit in new if getattr(unit.placed.other, "done", False))
    more = f", {done} done" if done else ""
    return f" ({counted(len(new), 'new task')}{more})"


def _lists(taking: Taking) -> Lines:
    yield from _list("Changed in the source", _each(taking, _changed), "green")
    yield from _list("Begun in the source", _each(taking, _begun), "green")
    yield from _list("Done in the source", _each(taking, _finished), "green")
    yield from _list("Changed on both sides; yours stays", _each(taking, _kept), "yellow")
    yield from _list("Done here and open there; stays done", _each(taking, _open_there), "yellow")
    yield from _list("Moved in the source; stays where it is", _each(taking, _moved), "yellow")
    yield from _list("Removed here; stays removed", _each(taking, _removed), "dim")
    yield from _list("Gone from the source; stays here", list(taking.gone), "yellow")
    begun_ideas = [plain(idea.name) for idea in taking.begun]
    yield from _list("Out of IDEAS.md, because it is work by now", begun_ideas, "")
    ideas = [
        f"{plain(idea.text)} ({_path(taking, idea.path)}{_line(idea.line)})"
        for idea in taking.ideas
    ]
    yield from _list("To IDEAS.md, because it is no work yet", ideas, "")
    yield from _list(
        "Finished, and left out; --done takes it over, too", list(_left_out(taking)), "dim"
    )
    yield from _list("Documents", list(_documents(taking)), "")
    for kind in dict.fromkeys(remark.kind for remark in taking.remarks):
        yield from _list(kind.capitalize(), list(_remarks(taking, kind)), "yellow")
    without = counts(taking)["without_criteria"]
    if without and taking.is_first:
        tasks = counted(without, "task")
        yield f"{tasks} without a word on how one sees that it is done; none was made up.", "dim"


def _each(taking: Taking, says: Callable[[Taking, TakenOver], str]) -> list[str]:
    """What is to be said of each unit, if anything."""
    return list(filter(None, (says(taking, unit) for unit in taking.units)))


def _changed(taking: Taking, unit: TakenOver) -> str:
    sections = ", ".join(update.section for update in unit.updates)
    return f"{_where(taking, unit)}: {sections}" if sections else ""


def _finished(taking: Taking, unit: TakenOver) -> str:
    return _where(taking, unit) if unit.finish else ""


def _begun(taking: Taking, unit: TakenOver) -> str:
    return _where(taking, unit) if unit.begin else ""


def _kept(taking: Taking, unit: TakenOver) -> str:
    return f"{_where(taking, unit)}: {', '.join(unit.kept)}" if unit.kept else ""


def _moved(taking: Taking, unit: TakenOver) -> str:
    return f"{_where(taking, unit)}: to {plain(unit.moved)}" if unit.moved else ""


def _open_there(taking: Taking, unit: TakenOver) -> str:
    return _where(taking, unit) if unit.open_there else ""


def _removed(taking: Taking, unit: TakenOver) -> str:
    if unit.placed.state != REMOVED or not unit.placed.recorded:
        return ""
    return f"{plain(unit.placed.other.name)} ({_origin(taking, unit)})"


def _left_out(taking: Taking) -> Iterator[str]:
    for one in taking.finished:
        yield f"{plain(one.name)}: {counted(one.tasks, 'task')} ({_path(taking, one.path)})"


def _remarks(taking: Taking, kind: str) -> Iterator[str]:
    for remark in taking.remarks:
        if remark.kind == kind:
            yield f"{_path(taking, remark.path)}{_line(remark.line)} {plain(remark.says)}"


def _documents(taking: Taking) -> Iterator[str]:
    for document in taking.documents:
        if document.writes:
            yield f".director/{plain(document.at)}"
        elif document.state == KEPT and not taking.is_first:
            yield f".director/{plain(document.at)} was changed here; it stays as it is"
        elif document.state == KEPT:
            yield f".director/{plain(document.at)} is there already; it stays as it is"
        elif document.state == UNFIT:
            yield f"{_path(taking, document.origin)} is too long or has an unusual name; it is left where it is"


def _where(taking: Taking, unit: TakenOver) -> str:
    return f"{ref(unit)} {plain(unit.placed.other.name)} ({_origin(taking, unit)})"


def _origin(taking: Taking, unit: TakenOver) -> str:
    other = unit.placed.other
    return f"{_path(taking, other.path)}{_line(other.line)}".rstrip()


def _path(taking: Taking, path: str) -> str:
    """A file of the source as somebody in the project names it."""
    return plain(f"{taking.path}/{path}" if taking.path else path)


def _line(number: int) -> str:
    return f":{number}" if number else ""


def _list(head: str, rows: Sequence[str], style: str) -> Lines:
    if not rows:
        return
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
    pieces: list[str] = []
    for kind in ("goal", "step", "task"):
        new = len(taking.new(kind))
        if new:
            pieces.append(counted(new, f"new {kind}"))
    changed = sum(1 for unit in taking.units if unit.updates or unit.finish or unit.begin)
    if changed:
        pieces.append(counted(changed, "change"))
    if taking.ideas:
        pieces.append(counted(len(taking.ideas), "idea"))
    documents = sum(1 for document in taking.documents if document.writes)
    if documents:
        pieces.append(counted(documents, "document"))
    return f"To take over: {', '.join(pieces) or 'what a run before this one began'}."
