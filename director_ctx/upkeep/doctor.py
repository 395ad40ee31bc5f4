"""Everything in a folder that disagrees, is odd, or is worth a look, and the repair of what is safe
to repair.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.project.config_json import read_config
from director_ctx.project.dctx_folder import KEPT, remarks
from director_ctx.project.notes.freshness import Freshness, freshness
from director_ctx.project.notes.staleness import staleness
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.markdown import find_section, section
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.tasks.child_lists import listed, lookalike, step_lines
from director_ctx.project.tasks.decisions import decisions
from director_ctx.project.tasks.fields import bare_name
from director_ctx.project.tasks.next import (
    WAITING,
    goal_complete,
    next_task,
    places,
    step_needs_missing,
)
from director_ctx.project.templates import substance
from director_ctx.upkeep.advice import advice_on
from director_ctx.upkeep.leftovers import leftover_files
from director_ctx.upkeep.records.drift import LIST, SYNC, UNLISTS, meant, mismatches
from director_ctx.upkeep.status import unfilled
from director_ctx.upkeep.suspicions import Suspicion, decided_twice, deferred_in_task, worded
from director_ctx.upkeep.sync import rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.notes.staleness import Staleness
    from director_ctx.project.reading.model import Goal, Step

READ_BY_US = ("", "research", "codebase", "reference", "brainstorms", "instructions", "templates")
DISAGREES, BEHIND, ODD, UNLISTED = "disagrees", "behind", "odd", "unlisted"
WAITS, LEFT, NOT_PRIVATE = "waits", "left over", "not private"


class Finding(Record):
    """One thing that is wrong, where, and what to do."""

    kind: str
    path: str
    line: int
    says: str
    advice: str


class Diagnosis(Record):
    problems: tuple[Finding, ...]
    worth_checking: tuple[Suspicion, ...]
    stale: Freshness
    old: tuple[Staleness, ...]
    """Sets of notes that two or more goals were finished after."""

    @property
    def is_stale(self) -> bool:
        return bool(self.stale.notes or self.old)


def diagnose(project: Project) -> Diagnosis:
    """Everything is read once; what the parser notes on the way is part of the findings."""
    found = [*_disagreements(project), *_unlisted(project), *_waiting(project), *_settings(project)]
    found += [
        Finding(NOT_PRIVATE, f"{KEPT}/", 0, one.says, one.advice) for one in remarks(project.root)
    ]
    suspicions = tuple(_suspicions(project))
    _read_everything(project)
    completed = sum(goal_complete(project, goal) for goal in project.goals())
    old = tuple(one for one in staleness(project, completed) if one.stale)
    fresh = freshness(project)
    notes = [Finding(ODD, note.path, 0, note.text, advice_on(note.text)) for note in project.notes]
    return Diagnosis((*found, *notes, *_left(project)), suspicions, fresh, old)


def _disagreements(project: Project) -> Iterator[Finding]:
    """What the files contradict, and then whatever else `dctx state sync` would change."""
    seen = set()
    for one in mismatches(project):
        kind = UNLISTED if one.says.startswith(UNLISTS) else DISAGREES
        seen.add((one.path, one.line))
        yield Finding(
            kind, one.path, one.line, f"{one.says}. The files say: {one.files_say}", one.advice
        )
    found, failed = rewrites(project)
    for edit, path in ((edit, plain(rewrite.path)) for rewrite in found for edit in rewrite.edits):
        if (path, edit.line) not in seen:
            says, new = (
                plain((text or "").strip().replace("\n", " / ")) for text in (edit.old, edit.new)
            )
            yield Finding(
                BEHIND,
                path,
                edit.line,
                f"{says or 'something is missing'}. The files say: {new}",
                SYNC,
            )
    for failure in failed:
        says = f"cannot be brought in line: {failure.why}"
        yield Finding(ODD, plain(failure.path), 0, says, "Put a text file in its place.")


def _unlisted(project: Project) -> Iterator[Finding]:
    """Parents that are missing, and those that list nothing at all."""
    yield from _lists_nothing(project, f"{FOLDER}/GAMEPLAN.md", "goals", "goal", project.goals())
    for goal in project.goals():
        yield from _missing(project, f"{goal.path}/GOAL.md")
        yield from _lists_nothing(
            project, f"{goal.path}/GOAL.md", "steps", "step", project.steps(goal)
        )
        for step in project.steps(goal):
            path = f"{step.path}/STEP.md"
            yield from _missing(project, path)
            tasks = project.tasks(step)
            if tasks and project.document(path) and not step_lines(project.text(path)):
                names = ", ".join(plain(task.name) for task in tasks[:5])
                likely = lookalike(
                    project.text(path), "tasks", "task", tasks[0].number, project.title(tasks[0])
                )
                says = f"lists no task; it has {len(tasks)} ({names})"
                yield Finding(
                    UNLISTED,
                    plain(path),
                    likely,
                    says,
                    meant("task", tasks[0].number) if likely else LIST,
                )


def _missing(project: Project, path: str) -> Iterator[Finding]:
    if not project.kind(path):
        yield Finding(ODD, plain(path), 0, "is missing", "Write it; agents get what it says.")


def _lists_nothing(
    project: Project, path: str, title: str, label: str, units: Sequence[Goal | Step]
) -> Iterator[Finding]:
    text = project.text(path)
    found = find_section(text, title)
    if units and found and not [one for one in listed(text, title, label) if not one.placeholder]:
        line = text.count("\n", 0, found[0]) + 1
        names = ", ".join(plain(unit.name) for unit in units[:5])
        yield Finding(
            UNLISTED, plain(path), line, f"lists no {label}; there are {len(units)} ({names})", LIST
        )


def _waiting(project: Project) -> Iterator[Finding]:
    """Tasks that wait for something that is not there, and a plan in which all wait for each other."""
    upcoming = next_task(project)
    for one in upcoming.waiting:
        if "does not exist" in one.readiness.why or upcoming.state == WAITING:
            assert one.place.task
            path = one.place.task.path
            yield Finding(
                WAITS,
                plain(path),
                _needs_line(project, path),
                one.readiness.why,
                "Correct its Needs First.",
            )
    for goal in project.goals():
        for step in project.steps(goal):
            path = f"{step.path}/STEP.md"
            for why in step_needs_missing(project, goal, step):
                yield Finding(
                    WAITS, plain(path), _needs_line(project, path), why, "Correct its Needs First."
                )


def _needs_line(project: Project, path: str) -> int:
    text = project.text(path)
    found = find_section(text, "needs first")
    return text.count("\n", 0, found[0]) + 1 if found else 0


def _settings(project: Project) -> Iterator[Finding]:
    read_config(project)
    path = f"{FOLDER}/dctx.yaml"
    try:
        load_settings(project)
    except DctxError as error:
        says = error.each or (error.message.removeprefix(f"{path} "),)
        yield from (Finding(ODD, path, 0, one, error.hint) for one in says)


def _read_everything(project: Project) -> None:
    """Every document that an agent may get, so that whatever is odd about it is noted."""
    for folder in READ_BY_US:
        base = f"{FOLDER}/{folder}" if folder else FOLDER
        for name, kind in project.listing(base).items():
            if kind == FILE and name.endswith(".md"):
                project.document(f"{base}/{name}")
    for place in places(project):
        assert place.task and place.step
        project.document(place.task.path)
        project.document(f"{place.step.path}/RESEARCH.md")


def _left(project: Project) -> Iterator[Finding]:
    for path in leftover_files(project):
        says = "was left by a write that did not end"
        yield Finding(
            LEFT, plain(path), 0, says, "`dctx doctor --fix` removes it once it is a minute old."
        )


def _suspicions(project: Project) -> Iterator[Suspicion]:
    every = []
    yield from _other_names(project, f"{FOLDER}/GAMEPLAN.md", "goals", project.goals())
    for goal in project.goals():
        yield from _other_names(project, f"{goal.path}/GOAL.md", "steps", project.steps(goal))
        for step in project.steps(goal):
            path = plain(f"{step.path}/STEP.md")
            name = f"Step {goal.number}/{step.number}"
            items = [
                worded(path, name, one) for one in decisions(project.text(f"{step.path}/STEP.md"))
            ]
            every += items
            for task in project.pending(step):
                yield from deferred_in_task(items, plain(task.path), project.text(task.path))
            yield from _names(project, Place(goal, step))
    yield from decided_twice(every)
    yield from (
        Suspicion(text.partition(" ")[0], 0, text.partition(" ")[2], "Fill it in.")
        for text in unfilled(project)
    )


def _other_names(
    project: Project, path: str, title: str, units: Sequence[Goal | Step]
) -> Iterator[Suspicion]:
    """Goals and steps under another name than their parent's list gives them."""
    label = title.removesuffix("s")
    known = {unit.number: project.title(unit) for unit in units}
    for one in listed(project.text(path), title, label):
        name = known.get(one.number, "")
        if name and not one.placeholder and not _same(one.name, name):
            says = f"calls {label} {one.number} {plain(one.name)!r}; its own file says {name!r}"
            yield Suspicion(plain(path), one.line, says, "Give both the same name.")


def _names(project: Project, place: Place) -> Iterator[Suspicion]:
    """Tasks under another name than their STEP gives them, and tasks that do not say what to do."""
    assert place.step
    path = f"{place.step.path}/STEP.md"
    lines = {line.number: line for line in step_lines(project.text(path))}
    for task in project.tasks(place.step):
        title, line = project.title(task), lines.get(task.number)
        if line and not _same(line.title, title):
            says = f"calls task {task.number} {plain(line.title)!r}; its file says {title!r}"
            yield Suspicion(plain(path), line.line, says, "Give both the same name.")
        if (
            not task.done
            and next(substance(section(project.text(task.path), "what to do") or ""), None) is None
        ):
            yield Suspicion(
                plain(task.path), 0, "does not say what to do", "Write it under What To Do."
            )


def _same(one: str, other: str) -> bool:
    first, second = bare_name(one), bare_name(other)
    return first.startswith(second) or second.startswith(first)
