"""`dctx status`: where the project stands, what is next, and how much waits for somebody, in about
fifteen lines; or one goal down to its tasks.
"""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.context.place import candidate_json
from director_ctx.context.settings.options import load_settings
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import complain, say
from director_ctx.doors.cli.shared.table import aligned, put_lines
from director_ctx.memory.plans.beside import BesideFiles, beside_files, beside_json
from director_ctx.project.notes.freshness import Freshness, freshness
from director_ctx.project.project import Project, load_project
from director_ctx.project.tasks.names import find_goal
from director_ctx.project.tasks.progress import COMPLETE, NOT_STARTED, GoalProgress, StepProgress
from director_ctx.upkeep.as_json import stale_json, status_json
from director_ctx.upkeep.status import Status, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.project.tasks.next import Next

    Line = tuple[str, str]

MOST_LINES = 15
MOST_BEGUN = 3
FEWEST_OF_GOALS = 3


def run(values: dict[str, Any]) -> int:
    if values["nodes"]:
        # Nodes are asked for by agents, and their module is loaded for nobody else.
        from director_ctx.doors.cli.contexts import status_nodes

        return status_nodes.run(values)
    for name in ("results", "since"):
        if values[name]:
            raise UsageProblem(f"--{name} belongs to --nodes.", f"dctx status --nodes --{name} ...")

    project = load_project(root=values["root"])
    state = status(project)
    detailed = bool(values["goal"])
    if detailed:
        wanted = find_goal(project, values["goal"])
        state = state.replace(goals=tuple(goal for goal in state.goals if goal.goal == wanted))

    # Whether notes are out of date takes a while to find out, and one goal as text does not say it.
    if values["json"]:
        notes = stale_json(freshness(project))
        plan = beside_json(_beside(project))
        put_json({**status_json(project, state, detailed), "plan": plan, **notes})
    elif detailed:
        put_lines([(state.name, "bold"), *_goal_lines(project, state)])
    else:
        below = [
            *_position(project, state.next),
            *_failed_and_blocked(_beside(project)),
            *_attention(state, freshness(project)),
        ]
        # The name, and an empty line above and below the goals.
        room = max(FEWEST_OF_GOALS, MOST_LINES - len(below) - 3)
        goals = _progress_lines(state, room)
        put_lines([(state.name, "bold"), ("", ""), *goals, ("", ""), *below])
    return OK


# Goals and steps, with bars


def _progress_lines(state: Status, room: int) -> list[Line]:
    """The goals, with the steps of the one that is being worked on where there is room for them."""
    if not state.goals:
        return [("No goals are planned yet.", "")]

    upcoming = state.next.task
    with_steps: list[GoalProgress | StepProgress] = []
    for goal in state.goals:
        with_steps.append(goal)
        if upcoming and upcoming.place.goal == goal.goal:
            with_steps += goal.steps
    if len(with_steps) <= room:
        return _bars(with_steps)
    if len(state.goals) <= room:
        return _bars(state.goals)

    # Those that are being worked on, a line for all that are complete, and one for the others.
    others = [goal for goal in state.goals if goal.state != COMPLETE]
    complete = len(state.goals) - len(others)
    lines = []
    if complete:
        lines.append((f"Complete: {counted(complete, 'goal')}", "dim"))
        room -= 1
    # One line says how many are left.
    shown = others if len(others) <= room else others[: room - 1]
    lines += _bars(shown)
    left = others[len(shown) :]
    if left:
        is_new = all(goal.state == NOT_STARTED for goal in left)
        said = f"And {counted(len(left), 'goal')}, {'not started' if is_new else 'more'}"
        lines.append((f"{said}: `dctx status --json`", "dim"))
    return lines


def _goal_lines(project: Project, state: Status) -> Iterator[Line]:
    """Goals down to their tasks, with what those wait for that cannot start yet."""
    waiting = {
        candidate.place.task.path: candidate.readiness.why
        for candidate in state.next.waiting
        if candidate.place.task
    }
    for goal in state.goals:
        heading, *steps = _bars([goal, *goal.steps])
        yield "", ""
        yield heading
        for step, bar in zip(goal.steps, steps, strict=True):
            yield bar
            for task in project.tasks(step.step):
                line = f"{task.number}. {project.title(task)}"
                if task.done:
                    yield f"    [x] {line}", "dim"
                elif task.number in step.review:
                    # STEP.md has a ~ in its box: somebody is to look at it.
                    yield f"    [~] {line}", ""
                else:
                    why = waiting.get(task.path)
                    yield f"    [ ] {line} (waits: {why})" if why else f"    [ ] {line}", ""


def _bars(units: Sequence[GoalProgress | StepProgress]) -> list[Line]:
    rows = []
    styles = []
    for unit in units:
        if isinstance(unit, GoalProgress):
            name = f"Goal {unit.goal.number}: {unit.title}"
            styles.append("bold")
        else:
            name = f"  Step {unit.step.number}: {unit.title}"
            # The eye should land on what is not done yet.
            styles.append("dim" if unit.state == COMPLETE else "")
        if unit.total:
            share = unit.done / unit.total
            many = f"{unit.done}/{unit.total} tasks"
            rows.append([name, f"{share:.4f}", f"{share * 100:.0f}%", many])
        else:
            rows.append([name, "0", "", "no tasks yet"])
    return list(zip(aligned(("~", "#", ">", ""), rows), styles, strict=True))


# What is next, and what waits for somebody


def _position(project: Project, upcoming: Next) -> Iterator[Line]:
    for begun in upcoming.begun[:MOST_BEGUN]:
        task = candidate_json(project, begun)
        says = begun.claim.says if begun.claim else ""
        yield f"{task['ref']}  {task['title']}: {says}", ""
    more = len(upcoming.begun) - MOST_BEGUN
    if more > 0:
        yield f"and {more:,} more in progress: `dctx next`", "dim"
    if upcoming.task:
        task = candidate_json(project, upcoming.task)
        yield f"Next: {task['ref']}  {task['title']}", "bold"
    else:
        shows = ": `dctx next`" if upcoming.waiting or upcoming.begun else ""
        yield f"Next: nothing; {upcoming.why}{shows}", "bold"

    if upcoming.also_ready:
        first, *others = upcoming.also_ready
        task = candidate_json(project, first)
        more_ready = f", and {len(others):,} more: `dctx next`" if others else ""
        yield f"Also ready: {task['ref']}  {task['title']}{more_ready}", ""
    if upcoming.waiting and upcoming.task:
        tasks = _many(len(upcoming.waiting), "task", "waits", "wait")
        goal = upcoming.waiting[0].place.goal.number
        yield f"{tasks} for others: `dctx status --goal {goal}`", ""
    if upcoming.unplanned:
        left = len(upcoming.unplanned) - 1
        more_holes = f", and {left:,} more like it" if left else ""
        yield f"Not planned yet: {upcoming.unplanned[0]}{more_holes}", ""


def _beside(project: Project) -> BesideFiles:
    """What the plan says beyond its files. Settings or a store that cannot be read are no reason to
    tell nothing of the files.
    """
    try:
        # They name the store, and what is wrong with them is not wrong with the plan.
        load_settings(project)
    except DctxError as error:
        complain(error)
        return BesideFiles()
    try:
        return beside_files(project)
    except DctxError as error:
        say(f"warning: what was written into the plan cannot be read: {error.message}", error.hint)
        return BesideFiles()


def _failed_and_blocked(known: BesideFiles) -> Iterator[Line]:
    """A line for each kind: the first of them, and how many more there are."""
    failed = []
    for task in known.failed:
        shown = f"{plain(task.name)}  {plain(task.description)}"
        notes = task.task.get("notes")
        if isinstance(notes, str) and notes.split():
            # On one line, as everything in this list is.
            shown += f": {plain(' '.join(notes.split()))}"
        failed.append(shown)
    for title, texts in (("Failed", failed), ("Blocked", list(map(plain, known.blockers)))):
        if texts:
            left = len(texts) - 1
            more = f", and {left:,} more: `dctx plan show`" if left else ""
            yield f"{title}: {texts[0]}{more}", "red"


def _attention(state: Status, fresh: Freshness) -> Iterator[Line]:
    """A line for each kind of thing that waits for somebody, and the command that shows it."""
    # Tasks that are drafted and wait for somebody to look.
    review = [goal for goal in state.goals for step in goal.steps for _ in step.review]
    if review:
        tasks = _many(len(review), "task", "is begun or waits", "are begun or wait")
        yield f"{tasks} for your review: `dctx status --goal {review[0].goal.number}`", ""
    if state.questions:
        yield f"{counted(len(state.questions), 'open question')}: `dctx doctor`", "yellow"

    stale = len(fresh.notes) + sum(folder.stale for folder in state.stale)
    if stale:
        yield f"{_many(stale, 'note')} out of date: `dctx doctor --stale`", "yellow"
    if fresh.doubt:
        yield f"Whether notes are out of date is not fully known: {plain(fresh.doubt)}", "dim"

    if state.mismatches:
        records = _many(len(state.mismatches), "record", "disagrees", "disagree")
        yield f"{records} with the files: `dctx doctor`", "yellow"
    if state.notes:
        yield f"{_many(len(state.notes), 'thing')} odd in the folder: `dctx doctor`", "yellow"
    for source in state.sources:
        since = f"{source.title} has changed since ({counted(len(source.paths), 'file')})"
        yield f"{since}: `dctx init --from {source.format}`", "yellow"
    if state.templates:
        yield f"Not filled in: {'; '.join(state.templates)}", "yellow"


def _many(number: int, what: str, singular: str = "is", plural: str = "are") -> str:
    """`1 note is`, `2 notes are`."""
    return f"{counted(number, what)} {singular if number == 1 else plural}"
