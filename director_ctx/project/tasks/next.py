"""What to do now: which tasks can start, by file names and by what "Needs First" says, and the
first of them in order.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import listed_goals
from director_ctx.project.tasks.needs import ASSUMED, EXPLICIT, NeededUnit, Needs, parse_needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project


class Readiness(Record):
    """Whether a pending task can start, on what ground, and if not, why."""

    kind: str
    why: str = ""

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
            if project.has_pending(step):
                yield from (Place(goal, step, task) for task in project.pending(step))


def step_complete(project: Project, step: Step) -> bool:
    """An empty step is unplanned, not complete."""
    return bool(project.tasks(step)) and not project.pending(step)


def goal_complete(project: Project, goal: Goal) -> bool:
    steps = project.steps(goal)
    return bool(steps) and all(step_complete(project, step) for step in steps)


def readiness(project: Project, place: Place, needs: Needs | None = None) -> Readiness:
    """Judge one pending task; whoever has read what it needs can say so."""
    assert place.step and place.task
    if needs is None:
        text = project.text(place.task.path)
        needs = parse_needs(section(text, "needs first") or "")
    if needs.kind == EXPLICIT:
        reasons = (_unmet(project, place, reference) for reference in needs.references)
        return Readiness(EXPLICIT, "; ".join(filter(None, reasons)))
    if needs.kind == ASSUMED:
        return Readiness(ASSUMED, _out_of_order(project, place))
    return Readiness(needs.kind)


def step_needs_missing(project: Project, goal: Goal, step: Step) -> Iterator[str]:
    """Units that a step's own Needs First names and that do not exist."""
    text = project.text(f"{step.path}/STEP.md")
    for reference in parse_needs(section(text, "needs first") or "").references:
        place = Place(goal, step)
        goals = [one for one in project.goals() if one.number == _goal_number(place, reference)]
        steps = [
            one
            for goal in goals
            for one in project.steps(goal)
            if one.number == _step_number(place, reference)
        ]
        if not reference.relative and (
            why := _missing(reference, goals if reference.unit == "goal" else steps)
        ):
            yield why


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
            return f"step {step.number} comes before it and {_state(project, step)}"
    first = project.pending(place.step)[0]
    if first == place.task:
        return ""
    return f"task {first.number} comes before it and is not done"


def _state(project: Project, step: Step) -> str:
    return "is not complete" if project.tasks(step) else "has no tasks yet"


def _unmet(project: Project, place: Place, reference: NeededUnit) -> str:
    if reference.relative:
        return _unmet_relative(project, place, reference)
    goals = [goal for goal in project.goals() if goal.number == _goal_number(place, reference)]
    if reference.unit == "goal":
        return _missing(reference, goals) or _open(
            reference, [goal_complete(project, goal) for goal in goals]
        )
    steps = [
        step
        for goal in goals
        for step in project.steps(goal)
        if step.number == _step_number(place, reference)
    ]
    if reference.unit == "step":
        return _missing(reference, steps) or _open(
            reference, [step_complete(project, step) for step in steps]
        )
    tasks = [
        task for step in steps for task in project.tasks(step) if task.number == reference.number
    ]
    return _missing(reference, tasks) or _open(reference, [task.done for task in tasks])


def _goal_number(place: Place, reference: NeededUnit) -> int:
    if reference.unit == "goal":
        return reference.number
    return place.goal.number if reference.goal is None else reference.goal


def _step_number(place: Place, reference: NeededUnit) -> int:
    assert place.step
    if reference.unit == "step":
        return reference.number
    return place.step.number if reference.step is None else reference.step


def needed(place: Place, reference: NeededUnit) -> str:
    """The id of the unit that a reference names; nothing where it is only said to come before."""
    if reference.relative:
        return ""
    numbers = [_goal_number(place, reference)]
    if reference.unit != "goal":
        numbers.append(_step_number(place, reference))
    if reference.unit == "task":
        numbers.append(reference.number)
    return "/".join(map(str, numbers))


def _missing(reference: NeededUnit, found: list[Goal] | list[Step] | list[Task]) -> str:
    return "" if found else f"it needs {reference}, which does not exist"


def _open(reference: NeededUnit, complete: list[bool]) -> str:
    ending = "is not done" if reference.unit == "task" else "is not complete"
    return "" if all(complete) else f"it needs {reference}, which {ending}"


def _unmet_relative(project: Project, place: Place, reference: NeededUnit) -> str:
    before = {"task": _tasks_before, "step": _steps_before, "goal": _goals_before}[reference.unit](
        project, place
    )
    wanted = before if reference.relative == "earlier" else before[-1:]
    return (
        ""
        if all(complete for _, complete in wanted)
        else (
            f"it needs {reference}, and {next(name for name, complete in wanted if not complete)} is open"
        )
    )


def _tasks_before(project: Project, place: Place) -> list[tuple[str, bool]]:
    """Earlier tasks of the step; before the first one stands the step before it."""
    assert place.step and place.task
    tasks = [task for task in project.tasks(place.step) if task.number < place.task.number]
    return [(f"task {task.number}", task.done) for task in tasks] or _steps_before(project, place)[
        -1:
    ]


def _steps_before(project: Project, place: Place) -> list[tuple[str, bool]]:
    assert place.step
    steps = [step for step in project.steps(place.goal) if step.number < place.step.number]
    return [
        (f"step {step.number}", step_complete(project, step)) for step in steps
    ] or _goals_before(project, place)[-1:]


def _goals_before(project: Project, place: Place) -> list[tuple[str, bool]]:
    goals = [goal for goal in project.goals() if goal.number < place.goal.number]
    return [(f"goal {goal.number}", goal_complete(project, goal)) for goal in goals]


READY, WAITING, UNPLANNED, DONE = "ready", "waiting", "unplanned", "done"


class Candidate(Record):
    place: Place
    readiness: Readiness


class Next(Record):
    """The state of the plan and the pending tasks, sorted by what can be done with them."""

    state: str
    task: Candidate | None = None
    also_ready: tuple[Candidate, ...] = ()
    waiting: tuple[Candidate, ...] = ()
    unplanned: tuple[str, ...] = ()
    why: str = ""


def choose(project: Project) -> Candidate | None:
    """The next task alone, reading no more files than it needs."""
    for place in pending_places(project):
        found = Candidate(place, readiness(project, place))
        if found.readiness.ready:
            return found
    return None


def next_task(project: Project) -> Next:
    """Every pending task judged."""
    judged = [Candidate(place, readiness(project, place)) for place in pending_places(project)]
    ready = [candidate for candidate in judged if candidate.readiness.ready]
    waiting = tuple(candidate for candidate in judged if not candidate.readiness.ready)
    holes = tuple(unplanned(project))
    if ready:
        why = _why(ready[0], judged[0])
        return Next(READY, ready[0], tuple(ready[1:]), waiting, holes, why)
    if waiting:
        return Next(WAITING, waiting=waiting, unplanned=holes, why=_all_wait(len(waiting)))
    has_tasks = next(places(project), None) is not None
    if holes or not has_tasks:
        why = "no goal has a task file yet"
        if has_tasks:
            why = "what is left to do has no task file yet"
        return Next(UNPLANNED, unplanned=holes, why=why)
    return Next(DONE, why="every task is done")


def _all_wait(number: int) -> str:
    return "the one task left waits" if number == 1 else f"all {number} tasks left wait"


def _why(chosen: Candidate, first: Candidate) -> str:
    grounds = {
        "declared": "it says that it needs nothing first",
        "explicit": "everything it names as needed is complete",
        "assumed": "everything before it is done; its needs are prose, so this is assumed",
    }
    ground = grounds[chosen.readiness.kind]
    if chosen is first:
        return f"first pending task in order; {ground}"
    return f"{first.place.ref} comes first but waits ({first.readiness.why}); here {ground}"


def unplanned(project: Project) -> list[str]:
    """What is in the plan but has no tasks: listed goals without a folder, goals without steps,
    empty steps.
    """
    holes = []
    numbers = {goal.number for goal in project.goals()}
    for number, name in listed_goals(project.text(f"{FOLDER}/GAMEPLAN.md")):
        if number not in numbers:
            holes.append(f"goal {number} ({name}) is in GAMEPLAN.md and has no folder yet")
    for goal in project.goals():
        steps = project.steps(goal)
        if not steps:
            holes.append(f"goal {goal.number} has no steps yet")
        empty = [step for step in steps if not project.tasks(step)]
        holes += [f"step {step.number} of goal {goal.number} has no tasks yet" for step in empty]
    return holes
