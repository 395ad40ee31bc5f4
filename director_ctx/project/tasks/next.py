"""What to do now: which tasks can start, by file names and by what "Needs First" says, and the
first of them in order.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import listed_goals
from director_ctx.project.tasks.needs import (
    ASSUMED,
    DECLARED,
    EXPLICIT,
    NeededUnit,
    Needs,
    parse_needs,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.claims import Claim
    from director_ctx.project.project import Project

    Predecessor = tuple[str, bool]
    """What stands before a unit, and whether it is complete."""


class Readiness(Record):
    """Whether a pending task can start, on what ground, and if not, why."""

    kind: str
    why: str = ""
    is_prose: bool = False
    """Whether what it needs is said in words that only a person can judge."""

    @property
    def ground(self) -> str:
        """Why it can start."""
        if self.is_prose:
            return _GROUND_OF_PROSE
        return _GROUNDS[self.kind]

    @property
    def ready(self) -> bool:
        return not self.why


def places(project: Project) -> Iterator[Place]:
    """Every task in order: by goal, step and task number."""
    for goal in project.goals():
        for step in project.steps(goal):
            for task in project.tasks(step):
                yield Place(goal, step, task)


def pending_places(project: Project) -> Iterator[Place]:
    """The tasks that are not done, in order."""
    for goal in project.goals():
        for step in project.steps(goal):
            # By names alone: most steps of an old project are passed over here.
            if not project.has_pending(step):
                continue
            for task in project.pending(step):
                yield Place(goal, step, task)


def current_place(project: Project) -> Place | None:
    """Where the project stands: the first pending task in order, ready or not."""
    return next(pending_places(project), None)


def place_at(project: Project, names: Sequence[str]) -> Place | None:
    """The task with these names of goal, step and task on disk, in any case of letters."""
    goal_name, step_name, name = (name.casefold() for name in names)
    for goal in project.goals():
        for step in project.steps(goal) if goal.name.casefold() == goal_name else ():
            for task in project.tasks(step) if step.name.casefold() == step_name else ():
                if task.name.casefold() == name:
                    return Place(goal, step, task)
    return None


def step_complete(project: Project, step: Step) -> bool:
    """An empty step is unplanned, not complete."""
    return bool(project.tasks(step)) and not project.pending(step)


def goal_complete(project: Project, goal: Goal) -> bool:
    steps = project.steps(goal)
    return bool(steps) and all(step_complete(project, step) for step in steps)


def readiness(
    project: Project,
    place: Place,
    needs: Needs | None = None,
) -> Readiness:
    """Judge one pending task; whoever has read what it needs can say so."""
    assert place.step and place.task
    if needs is None:
        text = project.text(place.task.path)
        needs = parse_needs(section(text, "needs first") or "")
    if needs.kind == ASSUMED:
        return Readiness(ASSUMED, _out_of_order(project, place), needs.is_prose)
    reasons = [_unmet(project, place, reference) for reference in needs.references]
    return Readiness(needs.kind, "; ".join(filter(None, reasons)))


def step_needs_missing(project: Project, goal: Goal, step: Step) -> Iterator[str]:
    """Units that a step's own Needs First names and that do not exist."""
    text = project.text(f"{step.path}/STEP.md")
    place = Place(goal, step)
    for reference in parse_needs(section(text, "needs first") or "").references:
        # A step that needs a task needs the step that the task is in.
        if not reference.relative and not _meant(project, place, reference, whole=False):
            yield _missing(reference)


def _out_of_order(project: Project, place: Place) -> str:
    """Why a task that names nothing must wait for what stands before it."""
    assert place.step and place.task
    for goal in project.goals():
        if goal == place.goal:
            break
        if not goal_complete(project, goal):
            return f"goal {goal.number} comes before it and is not complete"
    for step in project.steps(place.goal):
        if step == place.step:
            break
        if not step_complete(project, step):
            state = "is not complete" if project.tasks(step) else "has no tasks yet"
            return f"step {step.number} comes before it and {state}"
    first = project.pending(place.step)[0]
    if first == place.task:
        return ""
    return f"task {first.number} comes before it and is not done"


def _unmet(project: Project, place: Place, reference: NeededUnit) -> str:
    """Why a unit that is needed keeps the task waiting; empty where it does not."""
    if reference.relative:
        before = _before(project, place, reference.unit)
        if reference.relative != "earlier":
            before = before[-1:]
        for name, is_complete in before:
            if not is_complete:
                return f"it needs {reference}, and {name} is open"
        return ""
    units = _meant(project, place, reference)
    if not units:
        return _missing(reference)
    if all(_is_complete(project, unit) for unit in units):
        return ""
    ending = "is not done" if reference.unit == "task" else "is not complete"
    named = f"{reference.unit} {needed_id(place, reference)} ({project.title(units[0])})"
    return f"it needs {named}, which {ending}"


def _is_complete(project: Project, unit: Goal | Step | Task) -> bool:
    if isinstance(unit, Task):
        return unit.done
    if isinstance(unit, Step):
        return step_complete(project, unit)
    return goal_complete(project, unit)


def _missing(reference: NeededUnit) -> str:
    return f"it needs {reference}, {MISSING}"


def _meant(
    project: Project, place: Place, reference: NeededUnit, whole: bool = True
) -> Sequence[Goal | Step | Task]:
    """Two folders may have the same number: then all of them are meant. Without `whole` no task is looked for."""
    goal, *below = _needed_numbers(place, reference)
    goals = [one for one in project.goals() if one.number == goal]
    if not below:
        return goals
    steps = [step for one in goals for step in project.steps(one) if step.number == below[0]]
    if len(below) == 1 or not whole:
        return steps
    return [task for step in steps for task in project.tasks(step) if task.number == below[1]]


def _needed_numbers(place: Place, reference: NeededUnit) -> tuple[int, ...]:
    """Of goal, step and task, as deep as the reference goes; what it leaves out is where the task is."""
    if reference.unit == "goal":
        return (reference.number,)
    goal = place.goal.number if reference.goal is None else reference.goal
    if reference.unit == "step":
        return goal, reference.number
    assert place.step
    step = place.step.number if reference.step is None else reference.step
    return goal, step, reference.number


def needed_id(place: Place, reference: NeededUnit) -> str:
    """The id of the unit that a reference names; nothing where it is only said to come before."""
    if reference.relative:
        return ""
    return "/".join(map(str, _needed_numbers(place, reference)))


def _before(project: Project, place: Place, unit: str) -> list[Predecessor]:
    """What stands before it in the same parent; before the first one stands what is before the parent."""
    assert place.step
    units: Sequence[Goal | Step | Task] = project.goals()
    own: Goal | Step | Task | None = place.goal
    above = ""
    if unit == "step":
        units, own, above = project.steps(place.goal), place.step, "goal"
    elif unit == "task":
        units, own, above = project.tasks(place.step), place.task, "step"
    assert own
    before = [
        (f"{unit} {one.number}", _is_complete(project, one))
        for one in units
        if one.number < own.number
    ]
    if before or not above:
        return before
    return _before(project, place, above)[-1:]


_GROUNDS = {
    DECLARED: "it needs nothing first",
    EXPLICIT: "everything that it needs is done",
    ASSUMED: "everything before it is done",
}
_GROUND_OF_PROSE = "everything before it is done. What it needs first is described in words: read it before you start"
MISSING = "which does not exist"
READY, WAITING, UNPLANNED, DONE = "ready", "waiting", "unplanned", "done"
MOST_NAMED = 3


class Candidate(Record):
    place: Place
    readiness: Readiness
    claim: Claim | None = None
    """Who has it, or had it last."""


class Next(Record):
    """The state of the plan and the pending tasks, sorted by what can be done with them."""

    state: str
    task: Candidate | None = None
    also_ready: tuple[Candidate, ...] = ()
    begun: tuple[Candidate, ...] = ()
    """Tasks that somebody has now."""
    waiting: tuple[Candidate, ...] = ()
    unplanned: tuple[str, ...] = ()
    why: str = ""


def choose(project: Project) -> Candidate | None:
    """The next task alone, reading no more files than it needs."""
    return next(ready_and_free(project), None)


def ready_and_free(project: Project) -> Iterator[Candidate]:
    """The tasks that can be started, in order; first what the session that asks has begun."""
    taken = project.claims()
    if project.session and taken:
        for place in pending_places(project):
            claim = taken.get(place.names)
            if claim and claim.session == project.session:
                yield Candidate(place, readiness(project, place), claim)
    for place in pending_places(project):
        if taken and place.names in taken:
            continue
        candidate = Candidate(place, readiness(project, place))
        if candidate.readiness.ready:
            yield candidate


def ready_places(project: Project) -> Iterator[Place]:
    """The tasks that can be started, whoever has them."""
    for place in pending_places(project):
        if readiness(project, place).ready:
            yield place


def free_refs(project: Project) -> str:
    """The first tasks that can be started, in a few words."""
    refs = [candidate.place.ref for candidate in ready_and_free(project)]
    return ", ".join(_shortened(refs))


def next_task(project: Project) -> Next:
    """Every pending task judged."""
    taken = project.claims()
    before = project.claims_before()
    judged: list[Candidate] = []
    begun: list[Candidate] = []
    ready: list[Candidate] = []
    waiting: list[Candidate] = []
    for place in pending_places(project):
        task = place.names
        claim = taken.get(task)
        candidate = Candidate(place, readiness(project, place), claim or before.get(task))
        judged.append(candidate)
        if claim:
            begun.append(candidate)
        elif candidate.readiness.ready:
            ready.append(candidate)
        else:
            waiting.append(candidate)

    holes = tuple(unplanned(project))
    found = Next(WAITING, begun=tuple(begun), waiting=tuple(waiting), unplanned=holes)
    if ready:
        chosen, *others = ready
        why = _why(chosen, judged[0])
        return found.replace(state=READY, task=chosen, also_ready=tuple(others), why=why)
    if begun:
        who = _shortened([f"{one.place.ref} is {one.claim.says}" for one in begun if one.claim])
        return found.replace(why=f"every task that is ready is taken: {'; '.join(who)}")
    if waiting:
        many = f"all {len(waiting)} tasks left wait"
        return found.replace(why=many if len(waiting) > 1 else "the one task left waits")
    has_tasks = next(places(project), None) is not None
    if not has_tasks:
        return Next(UNPLANNED, unplanned=holes, why="no goal has a task file yet")
    if holes:
        why = "what is left to do has no task file yet"
        return Next(UNPLANNED, unplanned=holes, why=why)
    return Next(DONE, why="every task is done")


def _shortened(names: list[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(names) - MOST_NAMED
    if more > 0:
        names[MOST_NAMED:] = [f"and {more:,} more"]
    return names


def _why(chosen: Candidate, first: Candidate) -> str:
    ground = chosen.readiness.ground
    if chosen is first:
        return f"the first open task in order; {ground}"
    before = f"waits ({first.readiness.why})"
    if first.readiness.ready and first.claim:
        before = f"is {first.claim.says}"
    return f"{ground}; {first.place.ref} stands before it but {before}"


def unplanned(project: Project) -> list[str]:
    """What is in the plan but has no tasks: listed goals without a folder, goals without steps,
    empty steps.
    """
    holes: list[str] = []
    goals = project.goals()
    numbers = {goal.number for goal in goals}
    for number, name in listed_goals(project.text(f"{FOLDER}/GAMEPLAN.md")):
        if number not in numbers:
            holes.append(f"goal {number} ({name}) is in GAMEPLAN.md and has no folder yet")
    for goal in goals:
        steps = project.steps(goal)
        if not steps:
            holes.append(f"goal {goal.number} has no steps yet")
        for step in steps:
            if not project.tasks(step):
                holes.append(f"step {step.number} of goal {goal.number} has no tasks yet")
    return holes
