"""Backlog.md: a milestone is a goal, a parent task a step, a task a task."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.backlog_tasks import (
    BacklogTask,
    number_in_name,
    number_of,
    prefix_of,
    read_task,
    tasks_in,
)
from director_ctx.other_plans.formats.parts import (
    front_matter,
    is_begun,
    joined,
    paragraphs,
    parts,
    section_of,
    string,
    strings,
)
from director_ctx.other_plans.model import (
    UNRESOLVED,
    OtherDocument,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    OtherVision,
)
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

FOLDERS = ("backlog", ".backlog")
CONFIG = "backlog.config.yml"
MARKERS = ("backlog/config.yml", ".backlog/config.yml", CONFIG)


class Milestone(Record):
    """A file of `milestones/`, or what tasks name without one."""

    key: str
    name: str
    about: str


def read(source: PlanSource) -> OtherPlan:
    top, config = place_and_config(source)
    statuses = strings(config.get("statuses")) or ["To Do", "In Progress", "Done"]
    ideas = [*_drafts(source, top)]
    tasks: dict[str, BacklogTask] = {}
    for task in (*tasks_in(source, f"{top}/tasks", statuses), *_put_away(source, top, statuses)):
        if task.number in tasks:
            says = f"has the id {task.number} of {tasks[task.number].path}; it was not read"
            source.remark(UNRESOLVED, says, task.path)
            continue
        tasks[task.number] = _with_places(source, top, task)
    prefixes = {"", "task", string(config.get("task_prefix")).casefold()}
    prefixes.update(task.prefix for task in tasks.values())
    for number, task in tasks.items():
        # `epic-11.2` is no task, whatever number it has.
        needs = [number_of(need) if prefix_of(need) in prefixes else need for need in task.needs]
        tasks[number] = task.replace(needs=tuple(needs))
    goals = [*_goals(source, top, tasks), *_completed(source, top, tasks)]
    if not any(task.milestone for task in tasks.values()) and len(tasks) > 20:
        says = "has no milestones, so all of it is one goal"
        source.remark(UNRESOLVED, says, f"{top}/tasks")
    return OtherPlan(
        "backlog",
        OtherVision(string(config.get("project_name")), decisions=tuple(_decisions(source, top))),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(_documents(source, top)),
        remarks=tuple(source.remarks),
    )


def _put_away(source: PlanSource, top: str, statuses: Sequence[str]) -> Iterator[BacklogTask]:
    """What the tool has moved to `completed/`: that is done, and wanted where it was taken over before."""
    folder = f"{top}/completed"
    for name in source.files(folder):
        is_wanted = source.with_done or number_in_name(name) in source.followed
        task = read_task(source, f"{folder}/{name}", statuses) if is_wanted else None
        if task:
            yield task.replace(final=True)


def _completed(source: PlanSource, top: str, tasks: dict[str, BacklogTask]) -> Iterator[OtherGoal]:
    """The rest of that folder by the names of its files: it is finished, and what needs it does not wait."""
    folder = f"{top}/completed"
    rest: dict[str, OtherTask] = {}
    for name in source.files(folder):
        number = number_in_name(name)
        if number and number not in tasks:
            path = f"{folder}/{name}"
            rest[number] = OtherTask(number, title(name.removesuffix(".md")), path, 1, done=True)
    if rest:
        step = OtherStep("step:completed", "Completed", folder, 0, "", tuple(rest.values()))
        yield OtherGoal("completed", "Completed", folder, 0, "", (step,), heap=True)


def place_and_config(source: PlanSource) -> tuple[str, dict[str, object]]:
    config = source.yaml(CONFIG)
    named = string(config.get("backlog_directory")).strip("/")
    top = FOLDERS[0]
    for folder in (named, *FOLDERS):
        if folder and source.kind(folder) and source.kind(f"{folder}/tasks"):
            top = folder
            break
    return top, config or source.yaml(f"{top}/config.yml")


def _order(task: BacklogTask) -> tuple[float, tuple[int, ...]]:
    return task.ordinal, tuple(int(piece) for piece in task.number.split("."))


def _goals(source: PlanSource, top: str, tasks: dict[str, BacklogTask]) -> Iterator[OtherGoal]:
    milestones = {milestone.key: milestone for milestone in _milestones(source, top)}
    in_order = sorted(tasks.values(), key=_order)
    children = _children(in_order, tasks)
    by_milestone: dict[str, list[BacklogTask]] = {}
    for task in in_order:
        key = _milestone(task, tasks, milestones.values())
        same_milestone = by_milestone.setdefault(key, [])
        same_milestone.append(task)

    written_down = [key for key in milestones if key in by_milestone]
    others = [key for key in by_milestone if key not in milestones]
    for key in (*written_down, *others):
        milestone = milestones.get(key) or Milestone(key, key or "Backlog", "")
        steps = tuple(_steps(source, by_milestone[key], tasks, children, key))
        yield _goal(milestone, f"{top}/tasks", steps)


def _goal(milestone: Milestone, path: str, steps: tuple[OtherStep, ...]) -> OtherGoal:
    key = f"milestone:{milestone.key}"
    name = title(milestone.name)
    return OtherGoal(key, name, path, 0, milestone.about, steps, heap=True)


def _children(
    in_order: Sequence[BacklogTask], tasks: dict[str, BacklogTask]
) -> dict[str, list[BacklogTask]]:
    """The subtasks right below each task."""
    children: dict[str, list[BacklogTask]] = {}
    for task in in_order:
        if task.parent in tasks:
            beside = children.setdefault(task.parent, [])
            beside.append(task)
    return children


def _milestones(source: PlanSource, top: str) -> Iterator[Milestone]:
    for name in source.files(f"{top}/milestones"):
        head, body = front_matter(source, f"{top}/milestones/{name}")
        first, _, _ = name.partition(" ")
        key = string(head.get("id")) or first
        called = string(head.get("title")) or key
        yield Milestone(key, called, section_of(body, "description"))


def _milestone(
    task: BacklogTask, tasks: dict[str, BacklogTask], milestones: Iterable[Milestone]
) -> str:
    """By its id or its title; a subtask stands with its parent."""
    told: set[str] = set()
    while not task.milestone and task.parent in tasks and task.number not in told:
        told.add(task.number)
        task = tasks[task.parent]

    named = task.milestone.casefold()
    for milestone in milestones:
        if named in (milestone.key.casefold(), milestone.name.casefold()):
            return milestone.key
    return task.milestone


def _steps(
    source: PlanSource,
    own: Sequence[BacklogTask],
    tasks: dict[str, BacklogTask],
    children: dict[str, list[BacklogTask]],
    milestone: str,
) -> Iterator[OtherStep]:
    """A parent with its subtasks is a step; the others are in one of their own."""
    alone: list[BacklogTask] = []
    groups: list[tuple[BacklogTask, list[BacklogTask]]] = []
    told: set[str] = set()
    for task in own:
        below = _all_below(task, children)
        if task.parent in tasks and task.parent != task.number:
            continue
        told.update(one.number for one in (task, *below))
        if below:
            groups.append((task, below))
        else:
            alone.append(task)
    # What is left names each other as parents.
    alone += [task for task in own if task.number not in told]
    if alone:
        yield from _alone(source, alone, milestone)
    for parent, below in groups:
        yield _group(parent, below)


def _alone(source: PlanSource, alone: Sequence[BacklogTask], milestone: str) -> Iterator[OtherStep]:
    """Those that are done in a step of their own, which is finished, and left out as such."""
    done: list[OtherTask] = []
    others: list[OtherTask] = []
    for task in alone:
        is_old = task.final and task.number not in source.followed
        beside = done if is_old else others
        beside.append(_task(task))

    path, _, _ = alone[0].path.rpartition("/")
    if done:
        yield OtherStep(f"done:{milestone}", "Done", path, 0, "", tuple(done))
    if others:
        yield OtherStep(f"step:{milestone}", "Tasks", path, 0, "", tuple(others))


def _group(parent: BacklogTask, below: Sequence[BacklogTask]) -> OtherStep:
    """The parent itself comes last, and waits for no subtask: the tool does not make it wait either."""
    tasks = [_task(task) for task in (*below, parent)]
    return OtherStep(
        key=f"step:{parent.number}",
        name=title(parent.title),
        path=parent.path,
        line=1,
        text=parent.text,
        tasks=tuple(tasks),
    )


def _all_below(task: BacklogTask, children: dict[str, list[BacklogTask]]) -> list[BacklogTask]:
    found: list[BacklogTask] = []
    told = {task.number}
    waiting = list(children.get(task.number, ()))
    while waiting:
        child = waiting.pop(0)
        if child.number in told:
            continue
        told.add(child.number)
        found.append(child)
        waiting = [*children.get(child.number, ()), *waiting]
    return found


def _task(task: BacklogTask) -> OtherTask:
    return OtherTask(
        key=task.number,
        name=title(task.title),
        path=task.path,
        line=1,
        text=task.text,
        criteria=task.criteria,
        needs=task.needs,
        done=task.final,
        begun=is_begun(task.status),
        id=f"{task.prefix.upper() or 'TASK'}-{task.number}",
    )


def _drafts(source: PlanSource, top: str) -> Iterator[OtherIdea]:
    for name in source.files(f"{top}/drafts"):
        path = f"{top}/drafts/{name}"
        head, body = front_matter(source, path)
        says = f"{string(head.get('title')) or name} (a draft of Backlog.md)"
        about = section_of(body, "description")
        if about:
            says += f": {item(about)}"
        yield OtherIdea(string(head.get("id")) or name, says, path, 1)


def _decisions(source: PlanSource, top: str) -> Iterator[tuple[str, str]]:
    for name in source.files(f"{top}/decisions"):
        head, body = front_matter(source, f"{top}/decisions/{name}")
        status = string(head.get("status"))
        if status.casefold() != "accepted":
            continue

        decided = string(head.get("title")) or name
        what = [*paragraphs(section_of(body, "decision")), ""][0]
        why = [*paragraphs(section_of(body, "context")), ""][0]
        yield (f"{decided}: {what}" if what else decided), why


def _documents(source: PlanSource, top: str) -> Iterator[OtherDocument]:
    for name in source.files(f"{top}/docs"):
        path = f"{top}/docs/{name}"
        _, body = front_matter(source, path)
        if body.strip():
            yield OtherDocument(_place(name), body, path)
    for name in source.files(f"{top}/decisions"):
        path = f"{top}/decisions/{name}"
        head, body = front_matter(source, path)
        says = any(part.body.strip() for part in parts(body))
        if says:
            called = string(head.get("title")) or name.removesuffix(".md")
            status = string(head.get("status")) or "unknown"
            text = f"# {called}\n\n**Status:** {status}\n\n{body.strip()}"
            yield OtherDocument(_place(name), text, path)


def _place(name: str) -> str:
    """Where a document of that name goes."""
    words = re.sub(r"[^\w.]+", "-", name)
    return f"reference/{words}"


def _with_places(source: PlanSource, top: str, task: BacklogTask) -> BacklogTask:
    """What a task points at, its documents by where they are here."""
    places = {name.partition(" ")[0]: _place(name) for name in source.files(f"{top}/docs")}
    lines: list[str] = []
    for label, named in task.pointers:
        shown = ", ".join(f"`{places.get(each, each)}`" for each in named)
        lines.append(f"{label}: {shown}")
    return task.replace(text=joined(task.text or task.title, *lines))
