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
from director_ctx.project.tasks.child_lists import listed_units, lookalike, step_lines
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
from director_ctx.upkeep.suspicions import (
    DecisionWords,
    Suspicion,
    decided_twice,
    deferred_in_task,
    worded,
)
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
    problems = [
        *_disagreements(project),
        *_unlisted(project),
        *_waiting(project),
        *_settings(project),
    ]
    for trouble in remarks(project.root):
        problems.append(Finding(NOT_PRIVATE, f"{KEPT}/", 0, trouble.says, trouble.advice))
    suspicions = tuple(_suspicions(project))

    _read_everything(project)
    completed = sum(goal_complete(project, goal) for goal in project.goals())
    old = tuple(notes for notes in staleness(project, completed) if notes.stale)
    fresh = freshness(project)

    # Last, because all of the above may have made a note.
    for note in project.notes:
        problems.append(Finding(ODD, note.path, 0, note.text, advice_on(note.text)))
    problems += _left(project)
    return Diagnosis(tuple(problems), suspicions, fresh, old)


def _disagreements(project: Project) -> Iterator[Finding]:
    """What the files contradict, and then whatever else `dctx state sync` would change."""
    seen: set[tuple[str, int]] = set()
    for mismatch in mismatches(project):
        path, line = mismatch.path, mismatch.line
        seen.add((path, line))
        kind = UNLISTED if mismatch.says.startswith(UNLISTS) else DISAGREES
        says = f"{mismatch.says}. The files say: {mismatch.files_say}"
        yield Finding(kind, path, line, says, mismatch.advice)

    pending, failed = rewrites(project)
    for rewrite in pending:
        path = plain(rewrite.path)
        for edit in rewrite.edits:
            if (path, edit.line) in seen:
                continue
            old = _on_one_line(edit.old) or "something is missing"
            says = f"{old}. The files say: {_on_one_line(edit.new)}"
            yield Finding(BEHIND, path, edit.line, says, SYNC)

    for failure in failed:
        says = f"cannot be brought in line: {failure.why}"
        yield Finding(ODD, plain(failure.path), 0, says, "Put a text file in its place.")


def _on_one_line(text: str | None) -> str:
    return plain((text or "").strip().replace("\n", " / "))


def _unlisted(project: Project) -> Iterator[Finding]:
    """Parents that are missing, and those that list nothing at all."""
    yield from _lists_nothing(project, f"{FOLDER}/GAMEPLAN.md", "goals", "goal", project.goals())
    for goal in project.goals():
        yield from _missing(project, f"{goal.path}/GOAL.md")
        yield from _lists_nothing(
            project, f"{goal.path}/GOAL.md", "steps", "step", project.steps(goal)
        )
        for step in project.steps(goal):
            yield from _missing(project, f"{step.path}/STEP.md")
            yield from _lists_no_task(project, step)


def _missing(project: Project, path: str) -> Iterator[Finding]:
    if not project.kind(path):
        yield Finding(ODD, plain(path), 0, "is missing", "Write it; agents get what it says.")


def _lists_nothing(
    project: Project, path: str, title: str, label: str, units: Sequence[Goal | Step]
) -> Iterator[Finding]:
    text = project.text(path)
    line = _heading(text, title)
    if not units or not line:
        return
    if all(item.placeholder for item in listed_units(text, title, label)):
        names = ", ".join(plain(unit.name) for unit in units[:5])
        says = f"lists no {label}; there are {len(units)} ({names})"
        yield Finding(UNLISTED, plain(path), line, says, LIST)


def _lists_no_task(project: Project, step: Step) -> Iterator[Finding]:
    path = f"{step.path}/STEP.md"
    tasks = project.tasks(step)
    if not tasks or not project.document(path) or step_lines(project.text(path)):
        return

    names = ", ".join(plain(task.name) for task in tasks[:5])
    says = f"lists no task; it has {len(tasks)} ({names})"
    first = tasks[0]
    likely = lookalike(project.text(path), "tasks", "task", first.number, project.title(first))
    advice = meant("task", first.number) if likely else LIST
    yield Finding(UNLISTED, plain(path), likely, says, advice)


def _heading(text: str, title: str) -> int:
    """The line of a section's heading; 0 if there is none."""
    section = find_section(text, title)
    if not section:
        return 0
    return text.count("\n", 0, section[0]) + 1


def _waiting(project: Project) -> Iterator[Finding]:
    """Tasks that wait for something that is not there, and a plan in which all wait for each other."""
    upcoming = next_task(project)
    for candidate in upcoming.waiting:
        why = candidate.readiness.why
        if "does not exist" in why or upcoming.state == WAITING:
            assert candidate.place.task
            yield _waits(project, candidate.place.task.path, why)

    for goal in project.goals():
        for step in project.steps(goal):
            for why in step_needs_missing(project, goal, step):
                yield _waits(project, f"{step.path}/STEP.md", why)


def _waits(project: Project, path: str, why: str) -> Finding:
    line = _heading(project.text(path), "needs first")
    return Finding(WAITS, plain(path), line, why, "Correct its Needs First.")


def _settings(project: Project) -> Iterator[Finding]:
    read_config(project)
    path = f"{FOLDER}/dctx.yaml"
    try:
        load_settings(project)
    except DctxError as error:
        for says in error.each or (error.message.removeprefix(f"{path} "),):
            yield Finding(ODD, path, 0, says, error.hint)


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
    says = "was left by a write that did not end"
    advice = "`dctx doctor --fix` removes it once it is a minute old."
    for path in leftover_files(project):
        yield Finding(LEFT, plain(path), 0, says, advice)


def _suspicions(project: Project) -> Iterator[Suspicion]:
    decided: list[DecisionWords] = []
    yield from _other_names(project, f"{FOLDER}/GAMEPLAN.md", "goals", project.goals())
    for goal in project.goals():
        yield from _other_names(project, f"{goal.path}/GOAL.md", "steps", project.steps(goal))
        for step in project.steps(goal):
            path = f"{step.path}/STEP.md"
            name = f"Step {goal.number}/{step.number}"
            of_step = [
                worded(plain(path), name, decision) for decision in decisions(project.text(path))
            ]
            decided += of_step
            for task in project.pending(step):
                yield from deferred_in_task(of_step, plain(task.path), project.text(task.path))
            yield from _names(project, Place(goal, step))

    yield from decided_twice(decided)

    for text in unfilled(project):
        path, _, says = text.partition(" ")
        yield Suspicion(path, 0, says, "Fill it in.")


def _other_names(
    project: Project, path: str, title: str, units: Sequence[Goal | Step]
) -> Iterator[Suspicion]:
    """Goals and steps under another name than their parent's list gives them."""
    label = title.removesuffix("s")
    known = {unit.number: project.title(unit) for unit in units}
    for item in listed_units(project.text(path), title, label):
        name = known.get(item.number, "")
        if not name or item.placeholder or _same(item.name, name):
            continue
        says = f"calls {label} {item.number} {plain(item.name)!r}; its own file says {name!r}"
        yield Suspicion(plain(path), item.line, says, "Give both the same name.")


def _names(project: Project, place: Place) -> Iterator[Suspicion]:
    """Tasks under another name than their STEP gives them, and tasks that do not say what to do."""
    assert place.step
    path = f"{place.step.path}/STEP.md"
    lines = {line.number: line for line in step_lines(project.text(path))}
    for task in project.tasks(place.step):
        title = project.title(task)
        line = lines.get(task.number)
        if line and not _same(line.title, title):
            says = f"calls task {task.number} {plain(line.title)!r}; its file says {title!r}"
            yield Suspicion(plain(path), line.line, says, "Give both the same name.")
        if task.done:
            continue

        what_to_do = section(project.text(task.path), "what to do") or ""
        if next(substance(what_to_do), None) is None:
            says = "does not say what to do"
            yield Suspicion(plain(task.path), 0, says, "Write it under What To Do.")


def _same(name: str, other: str) -> bool:
    """Whether one name is the beginning of the other."""
    first = bare_name(name)
    second = bare_name(other)
    return first.startswith(second) or second.startswith(first)
