"""Where a project stands, counted from file names and nothing else."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.config_json import read_config
from director_ctx.project.origins import changed_plans
from director_ctx.project.project import note_names
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER, Note, Place
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.next import Next, current_place, goal_complete, next_task
from director_ctx.project.tasks.progress import GoalProgress, goal_progress
from director_ctx.project.templates import (
    is_italic,
    is_template_gameplan,
    is_template_vision,
    leftovers,
)
from director_ctx.upkeep.drift import Mismatch, mismatches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project
    from director_ctx.project.taken import ChangedPlan


GOALS_UNTIL_STALE = 2


class Question(Record):
    """An `[UNCLEAR]` mark that nobody has settled."""

    path: str
    line: int
    text: str


class Unfilled(Record):
    """A document that nobody has filled in yet, or not all of it."""

    path: str
    says: str


class Staleness(Record):
    """One set of notes, how old it says it is, and how many goals were finished since."""

    folder: str
    goals_since: int
    generated_at: str
    analysis_date: str
    stale: bool


class Status(Record):
    name: str
    goals: tuple[GoalProgress, ...]
    current: Place | None
    next: Next
    questions: tuple[Question, ...]
    stale: tuple[Staleness, ...]
    mismatches: tuple[Mismatch, ...]
    notes: tuple[Note, ...]
    templates: tuple[str, ...]
    sources: tuple[ChangedPlan, ...] = ()
    """Plans of other tools that have changed since they were taken over."""


def status(project: Project) -> Status:
    """Everything `dctx status` shows."""
    completed = sum(goal_complete(project, goal) for goal in project.goals())
    return Status(
        name=project_name(project),
        goals=tuple(goal_progress(project, goal) for goal in project.goals()),
        current=current_place(project),
        next=next_task(project),
        questions=tuple(open_questions(project)),
        stale=tuple(staleness(project, completed)),
        mismatches=tuple(mismatches(project)),
        templates=tuple(f"{one.path} {one.says}" for one in unfilled_documents(project)),
        sources=tuple(changed_plans(project)),
        # Last: whatever is read above may have made a note.
        notes=tuple(project.notes),
    )


def project_name(project: Project) -> str:
    """The first line under `## Project Name`, else the folder's name."""
    text = section(project.text(f"{FOLDER}/VISION.md"), "project name") or ""
    for line in map(str.strip, text.split("\n")):
        # A template's prompt, a placeholder or markup is no name.
        if line and not is_italic(line) and line[0] not in "[<>#":
            return plain(line)
    # A path on Windows may have either slash.
    root = project.root.replace("\\", "/").rstrip("/")
    return plain(root.rpartition("/")[2])


def open_questions(project: Project) -> Iterator[Question]:
    """`[UNCLEAR]` with something beside it, in the vision, the gameplan and what is not done yet."""
    for path in _questioned(project):
        for number, line in enumerate(project.text(path).split("\n"), 1):
            if "[UNCLEAR]" not in line:
                continue
            question = line.replace("[UNCLEAR]", "").strip(" -*_|\t:")
            if question:
                yield Question(plain(path), number, plain(question))


def _questioned(project: Project) -> Iterator[str]:
    yield f"{FOLDER}/VISION.md"
    yield f"{FOLDER}/GAMEPLAN.md"
    for goal in project.goals():
        if goal_complete(project, goal):
            continue
        yield f"{goal.path}/GOAL.md"
        for step in project.steps(goal):
            yield f"{step.path}/STEP.md"
            for task in project.pending(step):
                yield task.path


def unfilled_documents(project: Project) -> Iterator[Unfilled]:
    """Documents that are still templates, or have a template's phrase left in them."""
    for name, is_template in (
        ("VISION.md", is_template_vision),
        ("GAMEPLAN.md", is_template_gameplan),
    ):
        path = f"{FOLDER}/{name}"
        text = project.text(path)
        if is_template(text):
            yield Unfilled(path, "is still a template")
        elif leftovers(text):
            yield Unfilled(path, "still has a template's placeholder in it")


def staleness(project: Project, completed: int) -> list[Staleness]:
    """A verdict for each of `research/` and `codebase/` that exists."""
    generation = read_config(project).get("context_generation")
    if not isinstance(generation, dict):
        generation = {}
    completed_then = generation.get("completed_goals_at_generation", 0)
    # In JSON `true` is no number, in Python it is one.
    if not isinstance(completed_then, int) or isinstance(completed_then, bool):
        completed_then = 0
    generated_at = generation.get("generated_at")
    if not isinstance(generated_at, str):
        generated_at = ""

    goals_since = max(0, completed - completed_then)
    is_stale = goals_since >= GOALS_UNTIL_STALE
    verdicts: list[Staleness] = []
    for name in ("research", "codebase"):
        names = note_names(project, f"{FOLDER}/{name}")
        if names:
            texts = (project.text(f"{FOLDER}/{name}/{note}.md") for note in names)
            dates = filter(None, (field(text, "Analysis Date")[0] for text in texts))
            oldest = min(dates, default="")
            verdicts.append(Staleness(name, goals_since, generated_at, oldest, is_stale))
    return verdicts
