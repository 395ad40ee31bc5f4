"""Notes that describe a project which has moved on: judged by goals completed since they were made."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.config_json import read_config
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.fields import field

GOALS_UNTIL_STALE = 2


class Staleness(Record):
    """One set of notes, how old it says it is, and how many goals were finished since."""

    folder: str
    goals_since: int
    generated_at: str
    analysis_date: str
    stale: bool


def staleness(project: Project, completed: int) -> list[Staleness]:
    """A verdict for each of `research/` and `codebase/` that exists."""
    made = read_config(project).get("context_generation")
    made = made if isinstance(made, dict) else {}
    then = made.get("completed_goals_at_generation", 0)
    then = then if isinstance(then, int) and not isinstance(then, bool) else 0
    since = max(0, completed - then)
    when = made.get("generated_at")
    return [
        Staleness(
            folder,
            since,
            when if isinstance(when, str) else "",
            _analysed(project, folder),
            since >= GOALS_UNTIL_STALE,
        )
        for folder in ("research", "codebase")
        if _notes(project, folder)
    ]


def _notes(project: Project, folder: str) -> list[str]:
    listing = project.listing(f"{FOLDER}/{folder}")
    return [name for name, kind in listing.items() if kind == FILE and name.endswith(".md")]


def _analysed(project: Project, folder: str) -> str:
    """The oldest `**Analysis Date:**` of the notes."""
    dates = [
        field(project.text(f"{FOLDER}/{folder}/{name}"), "Analysis Date")[0]
        for name in _notes(project, folder)
    ]
    return min((date for date in dates if date), default="")
