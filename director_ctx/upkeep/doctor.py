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
from director_ctx.project.reading.model import FOLDER, FOLDER_FOR_FILE
from director_ctx.project.tasks.next import (
    MISSING,
    WAITING,
    goal_complete,
    next_task,
    places,
    step_needs_missing,
)
from director_ctx.upkeep.advice import advice_on
from director_ctx.upkeep.arranging.journal import is_unfinished
from director_ctx.upkeep.drift import empty_lists, mismatches, parents
from director_ctx.upkeep.leftovers import leftover_files
from director_ctx.upkeep.records.lines import heading_line
from director_ctx.upkeep.status import (
    Question,
    Staleness,
    open_questions,
    staleness,
    unfilled_documents,
)
from director_ctx.upkeep.suspicions import Suspicion, suspicions
from director_ctx.upkeep.sync import GAMEPLAN, rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from director_ctx.project.project import Project

READ_BY_US = (
    "",
    "research",
    "codebase",
    "reference",
    "brainstorms",
    "instructions",
    "templates",
)

DISAGREES = "disagrees"
ODD = "odd"
UNLISTED = "unlisted"
WAITS = "waits"
LEFT = "left over"
NOT_PRIVATE = "not private"


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
    questions: tuple[Question, ...] = ()

    @property
    def is_stale(self) -> bool:
        return bool(self.stale.notes or self.old)


def diagnose(project: Project) -> Diagnosis:
    """Everything is read once; what the parser notes on the way is part of the findings."""
    problems = [
        *_disagreements(project),
        *_waiting(project),
        *_settings(project),
    ]
    for trouble in remarks(project.root):
        problems.append(Finding(NOT_PRIVATE, f"{KEPT}/", 0, trouble.says, trouble.advice))
    worth_checking = list(suspicions(project))
    for document in unfilled_documents(project):
        worth_checking.append(Suspicion(document.path, 0, document.says, "Fill it in."))

    questions = tuple(open_questions(project))

    _read_everything(project)
    completed = sum(goal_complete(project, goal) for goal in project.goals())
    old = tuple(notes for notes in staleness(project, completed) if notes.stale)
    fresh = freshness(project)

    # Last, because all of the above may have made a note.
    problems += _noted(project, {problem.path for problem in problems})
    if is_unfinished(project.root):
        says = "a goal, step or task was being moved or removed, and that was ended in the middle"
        advice = "`dctx doctor --fix` does the rest."
        problems.append(Finding(LEFT, f"{FOLDER}/", 0, says, advice))
    for path in leftover_files(project):
        says = "was left by a write that did not end"
        advice = "`dctx doctor --fix` removes it once it is a minute old."
        problems.append(Finding(LEFT, plain(path), 0, says, advice))
    return Diagnosis(tuple(problems), tuple(worth_checking), fresh, old, questions)


def _noted(project: Project, told: Container[str]) -> Iterator[Finding]:
    for note in project.notes:
        kind = note.text.kind
        # A record that is a folder cannot be brought in line either, and that was said.
        if kind == FOLDER_FOR_FILE and note.path in told:
            continue
        yield Finding(ODD, note.path, 0, note.text, advice_on(kind))


def _disagreements(project: Project) -> Iterator[Finding]:
    """What `dctx doctor --fix` would change, and what is listed wrongly."""
    for mismatch in (*mismatches(project), *empty_lists(project)):
        kind = UNLISTED if mismatch.unlisted else DISAGREES
        says = f"{mismatch.says}. The files say: {mismatch.files_say}"
        yield Finding(kind, mismatch.path, mismatch.line, says, mismatch.advice)
    for parent in parents(project):
        # As the listing has it: a link that leads away was noted, and is not there.
        if parent.path != GAMEPLAN and not project.kind(parent.path):
            says = "is missing"
            yield Finding(ODD, plain(parent.path), 0, says, "Write it; agents get what it says.")
    _, failed = rewrites(project)
    for failure in failed:
        says = f"cannot be brought in line: {failure.why}"
        yield Finding(ODD, plain(failure.path), 0, says, "Put a text file in its place.")


def _waiting(project: Project) -> Iterator[Finding]:
    """Tasks that wait for something that is not there, and a plan in which all wait for each other."""
    upcoming = next_task(project)
    for candidate in upcoming.waiting:
        task = candidate.place.task
        assert task
        why = candidate.readiness.why
        if upcoming.state == WAITING or MISSING in why:
            yield _waits(project, task.path, why)

    for goal in project.goals():
        for step in project.steps(goal):
            for why in step_needs_missing(project, goal, step):
                yield _waits(project, f"{step.path}/STEP.md", why)


def _waits(project: Project, path: str, why: str) -> Finding:
    line = heading_line(project.text(path), "needs first")
    return Finding(WAITS, plain(path), line, why, "Correct its Needs First.")


def _settings(project: Project) -> Iterator[Finding]:
    # Only for what it notes; that is a finding like every other note.
    read_config(project)
    path = f"{FOLDER}/dctx.yaml"
    try:
        load_settings(project)
    except DctxError as error:
        mistakes = error.each
        if not mistakes:
            # The finding has the path already.
            mistakes = (error.message.removeprefix(f"{path} "),)
        for says in mistakes:
            yield Finding(ODD, path, 0, says, error.hint)


def _read_everything(project: Project) -> None:
    """Every document that an agent may get, so that whatever is odd about it is noted."""
    for folder in READ_BY_US:
        base = FOLDER
        if folder:
            base = f"{FOLDER}/{folder}"
        for name in project.listing(base):
            # A folder of that name is odd as well.
            if name.endswith(".md"):
                project.document(f"{base}/{name}")

    for place in places(project):
        assert place.task and place.step
        project.document(place.task.path)
        project.document(f"{place.step.path}/RESEARCH.md")
