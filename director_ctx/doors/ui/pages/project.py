"""The folder as a tree: goals, their steps, their tasks; and the document of each."""

from __future__ import annotations

from math import log

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.what_if import budget_share, is_plain_number, rungs_by_window
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.context.extracts import first_sentences
from director_ctx.context.place import next_json, place_json, task_json
from director_ctx.context.settings.budget import OVER
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.tags import TASK
from director_ctx.doors.ui.pages.plan import STATUSES, WORDS, newest_reasons
from director_ctx.doors.ui.pages.told import cuts_by_section, sections_gone, stand_ins
from director_ctx.doors.ui.visit import NotThere, Visit
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.following import statuses_beside_files
from director_ctx.memory.plans.plan import current_plan
from director_ctx.memory.store.open import open_store
from director_ctx.project.reading.markdown import without_comments
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import next_task, places, readiness
from director_ctx.project.tasks.progress import GoalProgress, StepProgress, goal_progress
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Json = dict[str, Any]

MOST_SENTENCES = 2
DONE, REVIEW, READY, WAITS = "done", "review", "ready", "waits"


def project_data(visit: Visit) -> Json:
    project = visit.project
    by_step = _tasks_by_step(project)
    goals = [goal_progress(project, goal) for goal in project.goals()]
    return {
        "name": project_name(project),
        "next": next_json(project, next_task(project)),
        "goals": [_goal(project, progress, by_step) for progress in goals],
    }


def _tasks_by_step(project: Project) -> dict[str, list[Json]]:
    """By the path of the step."""
    beside = _beside(project)
    by_step: dict[str, list[Json]] = {}
    for place in places(project):
        if place.step:
            task = _task(project, place, beside)
            by_step.setdefault(place.step.path, []).append(task)
    return by_step


def _beside(project: Project) -> dict[str, str]:
    try:
        with open_store(project) as store:
            return statuses_beside_files(project, store)
    except DctxError:
        return {}


def _goal(project: Project, progress: GoalProgress, by_step: dict[str, list[Json]]) -> Json:
    goal = progress.goal
    return {
        "number": goal.number,
        "title": project.title(goal),
        "path": goal.path,
        "about": _gist(project.text(f"{goal.path}/GOAL.md")),
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "steps": [_step(project, goal.number, step, by_step) for step in progress.steps],
    }


def _step(
    project: Project, goal: int, progress: StepProgress, by_step: dict[str, list[Json]]
) -> Json:
    step = progress.step
    tasks = by_step.get(step.path, [])
    for task in tasks:
        is_open = task["state"] in (READY, WAITS)
        if is_open and task["number"] in progress.review:
            task["state"] = REVIEW
    return {
        "ref": f"{goal}/{step.number}",
        "number": step.number,
        "path": step.path,
        "title": project.title(step),
        "about": _gist(project.text(f"{step.path}/STEP.md")),
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "tasks": tasks,
    }


def _gist(text: str) -> str:
    """The first sentences of a document that are words, and no heading, list or field."""
    for paragraph in without_comments(text).split("\n\n"):
        lines = [line for line in paragraph.strip().split("\n") if not line.startswith("#")]
        words = "\n".join(lines).strip()
        if words[:1].isalpha():
            return first_sentences(words, MOST_SENTENCES)
    return ""


def _task(project: Project, place: Place, beside: dict[str, str]) -> Json:
    task = place.task
    assert task
    state, why = DONE, ""
    if not task.done:
        judged = readiness(project, place)
        state, why = (READY, judged.ground) if judged.ready else (WAITS, judged.why)
    return {
        "ref": place.ref,
        "number": task.number,
        "title": project.title(task),
        "state": state,
        "why": why,
        "beside": beside.get(place.ref, ""),
    }


def project_view(data: Json) -> Json:
    upcoming = data["next"]["task"]
    goals = []
    for goal in data["goals"]:
        is_finished = goal["total"] > 0 and goal["done"] == goal["total"]
        goals.append({**goal, "open": not is_finished})
    return {
        "goals": goals,
        "next_ref": upcoming["ref"] if upcoming else "",
        "taken": data["next"]["in_progress"],
    }


def goal_data(visit: Visit) -> Json:
    """By its reference: `2` is a goal, `2/1` a step of it."""
    ref = visit.parts["ref"]
    whole = project_data(visit)
    number, _, step_number = ref.partition("/")
    for goal in whole["goals"]:
        if str(goal["number"]) != number:
            continue
        if not step_number:
            return _shown(visit, whole, goal, None)
        for step in goal["steps"]:
            if step["ref"] == ref:
                return _shown(visit, whole, goal, step)
    raise NotThere(f"There is no goal or step {ref[:40]!r}.", "The page Project lists them.")


def _shown(visit: Visit, whole: Json, goal: Json, step: Json | None) -> Json:
    path = f"{step['path']}/STEP.md" if step else f"{goal['path']}/GOAL.md"
    return {
        "goal": goal,
        "step": step,
        "path": path,
        "text": visit.project.text(path),
        "next": whole["next"],
    }


def goal_view(data: Json) -> Json:
    upcoming = data["next"]["task"]
    return {
        "goal": data["goal"],
        "step": data["step"],
        "path": data["path"],
        "body": without_title(data["text"]),
        "next_ref": upcoming["ref"] if upcoming else "",
        "taken": data["next"]["in_progress"],
    }


MOST_STEPS = 60
LONGEST_NUMBER = 9
"""Digits."""
ENOUGH = 900_000_000
"""Tokens, in which every context is whole."""


class SizeScale(Record):
    """Sizes in tokens, each a little more of what is there than the one before it."""

    least: int
    most: int

    def values(self) -> list[int]:
        """To two digits, which is as exact as anybody moves a slider."""
        growth = (self.most / self.least) ** (1 / MOST_STEPS)
        sizes = []
        for step in range(MOST_STEPS + 1):
            exact = self.least * growth**step
            unit = 10 ** (len(str(int(exact))) - 2)
            sizes.append(int(round(exact / unit) * unit))
        return sizes

    def step_of(self, size: int) -> int:
        """The step that comes nearest."""
        kept = min(self.most, max(self.least, size))
        return round(MOST_STEPS * log(kept / self.least) / log(self.most / self.least))


WINDOWS = SizeScale(2_000, 1_000_000)
BUDGETS = SizeScale(200, 300_000)


def size_in(text: str) -> int:
    """The size that somebody wrote; 0 where there is none."""
    digits = text.replace(",", "").replace("_", "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        return 0
    return int(digits)


USUAL_AGENT = "builder"
WINDOW, BUDGET = "window", "budget"
"""What a context is cut to: a share of its window, or a plain number of tokens."""
SCALES = {WINDOW: WINDOWS, BUDGET: BUDGETS}


def task_data(visit: Visit) -> Json:
    project = visit.project
    try:
        place = find_task(project, visit.parts["ref"])
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    task = place.task
    assert task
    why = ""
    taken = project.claims().get(place.names)
    if not task.done:
        judged = readiness(project, place)
        why = judged.why or judged.ground
    agent = visit.asked("agent", USUAL_AGENT)
    return {
        "task": task_json(project, place),
        "place": place_json(project, place),
        "done": task.done,
        "why": why,
        "text": project.text(task.path),
        "planned": _planned(project, place),
        "taken": taken.as_json() if taken else None,
        "agent": agent,
        "agents": _agents(project),
        "open": visit.asked("open"),
        **_context(visit, place, agent),
    }


def _agents(project: Project) -> list[str]:
    """Those that are given a task."""
    known = load_settings(project).profiles.items()
    return [name for name, each in known if TASK in each.sections or TASK in each.optional]


def _planned(project: Project, place: Place) -> Json | None:
    """What the plan says of it, and at which version."""
    try:
        version = current_plan(project)
        if version is None:
            return None
        planned = find_plan_task(version.data, place.ref)
        reason = newest_reasons(project).get(place.ref, "")
    except DctxError:
        return None
    return {
        "status": planned.task.get("status"),
        "notes": planned.task.get("notes") or "",
        "version": version.number,
        "reason": reason,
    }


def _context(visit: Visit, place: Place, agent: str) -> Json:
    """Section by section, in the size that is asked for: as it is now for 0, or with room for everything."""
    project = visit.project
    tokens = size_in(visit.asked("tokens"))
    is_whole = visit.asked("whole") == "1"
    room = ENOUGH if is_whole else tokens
    options: Json = {"task": place.ref}
    sized_by = WINDOW
    try:
        if is_plain_number(budget_share(project, agent)):
            sized_by = BUDGET
        if room:
            options[sized_by] = str(room)
        assembly = assemble(project, agent, **options)
        rungs = rungs_by_window(project, agent, **options)
    except DctxError as error:
        trouble = f"{error.message} {error.hint}".strip()
        context = None
        rungs = []
    else:
        trouble = ""
        texts = {section.tag: section.text for section in assembly.sections}
        context = {**assembly.account_json(), "whole": assembly.whole, "texts": texts}
    return {
        "sized_by": sized_by,
        "tokens": tokens,
        "is_whole": is_whole,
        "context": context,
        "trouble": trouble,
        "rungs": rungs,
    }


def task_view(data: Json) -> Json:
    context = data["context"]
    common = {
        **data,
        "body": without_title(data["text"]),
        "statuses": STATUSES,
        "words": WORDS,
        "gone": [],
        "sections": [],
        "most_steps": MOST_STEPS,
        "steps": SCALES[data["sized_by"]].values(),
        "step": 0,
        "size": 0,
        "warnings": [],
    }
    if context is None:
        return common
    budget = context["budget"]
    if data["is_whole"]:
        # It is nobody's budget: nothing is a share of it, and nothing has to go.
        return {**common, "sections": _sections(context), "budget": budget, "rungs": []}
    size = budget["limit" if data["sized_by"] == BUDGET else "window"]
    scale = SCALES[data["sized_by"]]
    return {
        **common,
        "sections": _sections(context),
        "gone": sections_gone(context["reductions"], context["sections"]),
        "budget": budget,
        # What could be typed instead is no help on a page.
        "warnings": [warning.partition("; --raw")[0] for warning in context["warnings"]],
        "over": budget["status"] == OVER,
        "is_cut": bool(context["reductions"]),
        "rungs": [_rung(rung, context, scale) for rung in data["rungs"]],
        "step": scale.step_of(size),
        "size": size,
    }


def without_title(text: str) -> str:
    """The page has it above the document."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("# "):
        return rest
    return text


def _sections(context: Json) -> list[Json]:
    cuts = cuts_by_section(context["reductions"])
    summaries = stand_ins(context["reductions"])
    widest = max([section["tokens"] for section in context["sections"]], default=1)
    rows = []
    for section in context["sections"]:
        row = {
            **section,
            "text": context["texts"][section["tag"]],
            "cut": cuts.get(section["tag"], ""),
            "widest": widest,
            "stands_in": section["tag"] in summaries,
            "stale": section.get("stale", []),
        }
        rows.append(row)
    return rows


def _rung(rung: Json, context: Json, scale: SizeScale) -> Json:
    """Where it begins on the slider; and whether it would be needed there, but what was cut below
    it made room for it again.
    """
    taken = {cut["rung"] for cut in context["reductions"]}
    is_taken = rung["rung"] in taken
    is_below = context["budget"]["limit"] < rung["below_limit"]
    return {
        **rung,
        "taken": is_taken,
        "given_back": is_below and not is_taken,
        "place": scale.step_of(rung["below_window"] or rung["below_limit"]) * 100 / MOST_STEPS,
    }
