"""What may be wrong by its wording: worth a look, never proof."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.selection import task_text
from director_ctx.context.settings.keywords import subject_words
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.tasks.decisions import DEFERRED, Decision, decisions
from director_ctx.project.tasks.fields import bare_name
from director_ctx.project.templates import substance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step

MOST_SHARED = 0.65
FEWEST_WORDS = 2
MOST_COMPARED = 500
"""Decisions that are held against each other, each with each: a plan has dozens, a hostile one
would take hours.
"""


class DecisionWords(Record):
    """A decision with the words that say what it is about, and where it stands."""

    path: str
    step: str
    decision: Decision
    words: frozenset[str]


class Suspicion(Record):
    path: str
    line: int
    says: str
    advice: str


def suspicions(project: Project) -> Iterator[Suspicion]:
    """Names that differ, tasks that do not say what to do, and decisions that do not agree."""
    decided: list[DecisionWords] = []
    yield from _other_names(project, f"{FOLDER}/GAMEPLAN.md", "goal", project.goals())
    for goal in project.goals():
        yield from _other_names(project, f"{goal.path}/GOAL.md", "step", project.steps(goal))
        for step in project.steps(goal):
            path = f"{step.path}/STEP.md"
            name = f"Step {goal.number}/{step.number}"
            of_step = [
                decision_words(plain(path), name, decision)
                for decision in decisions(project.text(path))
            ]
            decided += of_step
            for task in project.pending(step):
                text = project.text(task.path)
                yield from deferred_in_task(of_step, plain(task.path), text)
            yield from _tasks_of(project, step)

    yield from decided_twice(decided)


def _other_names(
    project: Project,
    path: str,
    label: str,
    units: Sequence[Goal | Step],
) -> Iterator[Suspicion]:
    """Goals and steps under another name than their parent's list gives them."""
    titles = {unit.number: project.title(unit) for unit in units}
    for item in listed_units(project.text(path), f"{label}s", label):
        title = titles.get(item.number, "")
        if not title or item.placeholder or _same(item.name, title):
            continue
        says = f"calls {label} {item.number} {plain(item.name)!r}; its own file says {title!r}"
        yield Suspicion(plain(path), item.line, says, "Give both the same name.")


def _tasks_of(project: Project, step: Step) -> Iterator[Suspicion]:
    """Tasks under another name than their STEP gives them, and tasks that do not say what to do."""
    path = f"{step.path}/STEP.md"
    lines = {line.number: line for line in step_lines(project.text(path))}
    for task in project.tasks(step):
        title = project.title(task)
        line = lines.get(task.number)
        if line and not _same(line.title, title):
            listed = plain(line.title)
            says = f"calls task {task.number} {listed!r}; its file says {title!r}"
            yield Suspicion(plain(path), line.line, says, "Give both the same name.")

        if task.done:
            continue
        what_to_do = section(project.text(task.path), "what to do") or ""
        # A template's prompts and placeholders say nothing.
        if next(substance(what_to_do), None) is None:
            says = "does not say what to do"
            yield Suspicion(plain(task.path), 0, says, "Write it under What To Do.")


def _same(name: str, other: str) -> bool:
    """Whether one name is the beginning of the other."""
    first = bare_name(name)
    second = bare_name(other)
    return first.startswith(second) or second.startswith(first)


def decision_words(path: str, step: str, decision: Decision) -> DecisionWords:
    return DecisionWords(path, step, decision, subject_words(decision.text))


def deferred_in_task(
    of_step: Sequence[DecisionWords],
    path: str,
    text: str,
) -> Iterator[Suspicion]:
    """A task of the step that speaks of what the step put off."""
    task = subject_words(task_text(text))
    for item in of_step:
        decision = item.decision
        if decision.kind != DEFERRED:
            continue
        if not _share(item.words, task, item.words):
            continue
        says = f"speaks of what its step deferred: {decision.text}"
        advice = f"See {item.path}:{decision.line}; put it off, or take it off Deferred."
        yield Suspicion(path, 0, says, advice)


def decided_twice(decided: Sequence[DecisionWords]) -> Iterator[Suspicion]:
    """The same subject in two steps, in other words or with another weight."""
    compared = decided[:MOST_COMPARED]
    for index, first in enumerate(compared):
        for later in compared[index + 1 :]:
            before = first.decision
            decision = later.decision
            # What was put off and is decided in a later step is as it should be.
            is_taken_up = before.kind == DEFERRED != decision.kind
            if first.path == later.path or is_taken_up:
                continue
            if _normal_form(before) == _normal_form(decision):
                continue
            shorter = min(first.words, later.words, key=len)
            if _share(first.words, later.words, shorter):
                where = f"{first.path}:{before.line}"
                yield Suspicion(
                    path=later.path,
                    line=decision.line,
                    says=f"{decision.kind}: {decision.text}",
                    advice=f"{first.step} has it as {before.kind}: {before.text} ({where})",
                )


def _share(
    words: frozenset[str],
    others: frozenset[str],
    whole: frozenset[str],
) -> bool:
    """Whether two texts have so many words in common that they are about one subject; most of the
    `whole` have to be among them.
    """
    common = len(words & others)
    # A single word in common is no subject, however short the texts are.
    if common < FEWEST_WORDS:
        return False
    return common >= MOST_SHARED * len(whole)


def _normal_form(decision: Decision) -> tuple[str, str]:
    """What two decisions have in common that say the same in the same words."""
    return decision.kind, " ".join(decision.text.casefold().rstrip(".").split())
