"""A task's document, and beside it the context that an agent would be given for it."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.what_if import budget_share, is_plain_number, rungs_by_window
from director_ctx.base.errors import DctxError
from director_ctx.context.place import place_json, task_json
from director_ctx.context.settings.budget import OVER
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.tags import TASK
from director_ctx.doors.ui.pages.cuts import cuts_by_section, sections_gone, stand_ins
from director_ctx.doors.ui.pages.plan import STATUSES, WORDS
from director_ctx.doors.ui.pages.plan_words import newest_reasons
from director_ctx.doors.ui.pages.sizes import BUDGETS, ENOUGH, MOST_STEPS, WINDOWS, size_in
from director_ctx.doors.ui.visit import NotThere
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import current_plan
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.pages.sizes import SizeScale
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Json = dict[str, Any]

USUAL_AGENT = "builder"
WINDOW, BUDGET = "window", "budget"
"""What a context is cut to: a share of its window, or a plain number of tokens."""
SCALES = {WINDOW: WINDOWS, BUDGET: BUDGETS}


def data(visit: Visit) -> Json:
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
    size = budget["window"]
    if data["sized_by"] == BUDGET:
        size = budget["limit"]
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
