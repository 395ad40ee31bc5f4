"""A task's document, and beside it the context that an agent would be given for it."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.what_if import rungs_by_window
from director_ctx.base.errors import DctxError
from director_ctx.context.assembly import RUNG_TITLES
from director_ctx.context.place import place_json, task_json
from director_ctx.context.settings.budget import OVER
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.tags import TASK
from director_ctx.doors.ui.pages.plan import STATUSES, WORDS
from director_ctx.doors.ui.pages.windows import MOST_STEPS, step_of, window_at
from director_ctx.doors.ui.visit import NotThere
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import current_plan
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Json = dict[str, Any]

USUAL_AGENT = "builder"


def data(visit: Visit) -> Json:
    project = visit.project
    try:
        place = find_task(project, visit.parts["ref"])
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    task = place.task
    assert task
    why = ""
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
        "agent": agent,
        "agents": _agents(project),
        **_context(project, place, agent, window_at(visit.asked("at"))),
    }


def _agents(project: Project) -> list[str]:
    """Those that are given a task."""
    names = []
    for name, profile in load_settings(project).profiles.items():
        if TASK in profile.sections or TASK in profile.optional:
            names.append(name)
    return names


def _planned(project: Project, place: Place) -> Json | None:
    """What the plan says of it, and at which version."""
    try:
        version = current_plan(project)
        if version is None:
            return None
        planned = find_plan_task(version.data, place.ref)
    except DctxError:
        return None
    return {
        "status": planned.task.get("status"),
        "notes": planned.task.get("notes") or "",
        "version": version.number,
    }


def _context(project: Project, place: Place, agent: str, window: int) -> Json:
    """Section by section, at that window, or at the model's own for 0."""
    options: Json = {"task": place.ref}
    if window:
        options["window"] = str(window)
    try:
        assembly = assemble(project, agent, **options)
        rungs = rungs_by_window(project, agent, **options)
    except DctxError as error:
        return {"context": None, "trouble": f"{error.message} {error.hint}".strip(), "rungs": []}
    texts = {section.tag: section.text for section in assembly.sections}
    return {
        "context": {**assembly.account_json(), "whole": assembly.whole, "texts": texts},
        "trouble": "",
        "rungs": rungs,
    }


def view(data: Json) -> Json:
    context = data["context"]
    common = {
        **data,
        "body": without_title(data["text"]),
        "statuses": STATUSES,
        "words": WORDS,
        "gone": [],
        "sections": [],
        "most_steps": MOST_STEPS,
        "at": 0,
    }
    if context is None:
        return common
    budget = context["budget"]
    return {
        **common,
        "sections": _sections(context),
        "gone": _gone(context),
        "budget": budget,
        "over": budget["status"] == OVER,
        "is_cut": bool(context["reductions"]),
        "rungs": [_rung(rung, context) for rung in data["rungs"]],
        "at": step_of(budget["window"]),
    }


def without_title(text: str) -> str:
    """The page has it above the document."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("# "):
        return rest
    return text


def _sections(context: Json) -> list[Json]:
    cuts = _cuts_by_tag(context)
    # A summary that is there in the place of files is longer than the nothing that it was.
    stand_ins = {cut["tag"] for cut in context["reductions"] if not cut["before"]}
    widest = max([section["tokens"] for section in context["sections"]], default=1)
    rows = []
    for section in context["sections"]:
        row = {
            **section,
            "text": context["texts"][section["tag"]],
            "cuts": cuts.get(section["tag"], []),
            "widest": widest,
            "stands_in": section["tag"] in stand_ins,
            "stale": section.get("stale", []),
        }
        rows.append(row)
    return rows


def _cuts_by_tag(context: Json) -> dict[str, list[str]]:
    cuts: dict[str, list[str]] = {}
    for cut in context["reductions"]:
        says = RUNG_TITLES.get(cut["rung"], cut["rung"])
        cuts.setdefault(cut["tag"], []).append(f"{says} ({cut['before']:,} to {cut['after']:,})")
    return cuts


def _gone(context: Json) -> list[Json]:
    """Sections of which nothing is left."""
    left = {section["tag"] for section in context["sections"]}
    gone = []
    for tag, says in _cuts_by_tag(context).items():
        if tag not in left:
            gone.append({"tag": tag, "cuts": says})
    return gone


def _rung(rung: Json, context: Json) -> Json:
    taken = {cut["rung"] for cut in context["reductions"]}
    place = None
    if rung["below_window"]:
        place = step_of(rung["below_window"]) * 100 / MOST_STEPS
    return {**rung, "taken": rung["rung"] in taken, "place": place}
