"""One context that was handed on: its text by section, what was cut, and how it differs."""

from __future__ import annotations

from director_ctx.assembling.told.account import told_json
from director_ctx.assembling.told.changes import context_change, run_before, run_to_compare
from director_ctx.assembling.told.now import NOW, change_until_now
from director_ctx.base.errors import DctxError
from director_ctx.context.settings.budget import OVER
from director_ctx.context.settings.tags import title
from director_ctx.doors.ui.pages.bars import kinds_in, pieces, place_of
from director_ctx.doors.ui.pages.cuts import cuts_by_section, sections_gone
from director_ctx.doors.ui.pages.told import cut_in_words, how_told
from director_ctx.doors.ui.visit import NotThere
from director_ctx.history.sessions.find import folder_of, starting_with
from director_ctx.memory.runs.choose import find_run
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.runs.run import Run
    from director_ctx.project.project import Project

    Json = dict[str, Any]

BEFORE = "before"
MOST_LINES = 400
"""Of one section's difference; its text is above."""
SIGNS = {"+": "plus", "-": "minus", "@": "place"}


def data(visit: Visit) -> Json:
    """Compared with the one before it, with what it would be now, or with the one that is asked for."""
    project = visit.project
    runs = read_runs(project.root)
    try:
        run = find_run(runs, visit.parts["id"])
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    before = run_before(runs, run)
    against = visit.asked("against")
    if not against:
        against = _usual_comparison(before)
    return {
        **told_json(project.root, run),
        "before": before and before.id,
        "after": _after(runs, run),
        "has_conversation": _has_conversation(project, run),
        "against": against,
        **_change(project, runs, run, against),
    }


def _has_conversation(project: Project, run: Run) -> bool:
    """Whether the session that the agent was spawned in is still there to be read."""
    if not run.session:
        return False
    try:
        sessions = starting_with(run.session, folder_of(project.root))
    except DctxError:
        return False
    return any(session.id == run.session for session in sessions)


def _usual_comparison(before: Run | None) -> str:
    if before:
        return BEFORE
    return NOW


def _after(runs: Sequence[Run], run: Run) -> str | None:
    """The next context of the same agent."""
    for other in runs:
        before = run_before(runs, other)
        if before and before.id == run.id:
            return other.id
    return None


def _change(project: Project, runs: Sequence[Run], run: Run, against: str) -> Json:
    """What changed; or why that cannot be told, which is no reason to show nothing."""
    try:
        if against == NOW:
            change = change_until_now(project, run)
        elif against == BEFORE:
            older = run_to_compare(runs, run)
            if older is None:
                return {"change": None, "trouble": "It is the first for this agent on record."}
            change = context_change(project.root, older, run)
        else:
            change = context_change(project.root, find_run(runs, against), run)
    except DctxError as error:
        return {"change": None, "trouble": f"{error.message} {error.hint}".strip()}
    return {"change": change.as_json(), "trouble": ""}


def view(data: Json) -> Json:
    row = pieces(data["sections"], data["used"])
    return {
        "told": data,
        "how": how_told(data),
        "pieces": row,
        "kinds": kinds_in([row]),
        "over": data["status"] == OVER,
        "sections": _sections(data),
        "gone": sections_gone(data["cuts"] or [], data["sections"]),
        "cut": cut_in_words(data),
        "stable_at": place_of(data["stable_prefix_tokens"] or 0, data["used"]),
        "change": _shown_change(data["change"]),
    }


def _sections(data: Json) -> list[Json]:
    sections: list[Json] = data["sections"]
    cuts = cuts_by_section(data["cuts"] or [])
    widest = max([section["tokens"] for section in sections], default=1)
    rows = []
    for section in sections:
        cut = cuts.get(section["tag"], "")
        rows.append({**section, "cut": cut, "widest": widest})
    return rows


def _shown_change(change: Json | None) -> Json | None:
    if change is None:
        return None
    first = change["first_difference"]
    says = "Nothing: the two are the same, byte for byte."
    if not change["identical"]:
        says = "The same sections, in another order."
    if first:
        before = f"after {change['same_tokens']:,} tokens that are the same"
        says = f"The first difference is in {title(first).lower()}, {before}."
    return {
        **change,
        "says": says,
        "growth": change["new"]["used"] - change["old"]["used"],
        "comparable": change["new"]["counter"] == change["old"]["counter"],
        "rows": [_change_row(section) for section in change["sections"]],
    }


def _change_row(section: Json) -> Json:
    lines = section["diff"] or []
    shown = []
    for line in lines[:MOST_LINES]:
        shown.append((SIGNS.get(line[:1], "same"), line))
    return {
        **section,
        "kept": section["diff"] is not None,
        "lines": shown,
        "more": max(0, len(lines) - MOST_LINES),
        "growth": (section["after"] or 0) - (section["before"] or 0),
    }
