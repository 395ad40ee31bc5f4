"""Notes that describe a project which has moved on: judged by goals completed since they were made."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.config_json import read_config
from director_ctx.project.project import Project, note_names
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
    generation = read_config(project).get("context_generation")
    if not isinstance(generation, dict):
        generation = {}
    completed_then = generation.get("completed_goals_at_generation", 0)
    # In JSON `true` is no number, in Python it is one.
    if not isinstance(completed_then, int) or isinstance(completed_then, bool):
        completed_then = 0
    generated_at = generation.get("generated_at")
    if not isinstance(generated_at, str):
        generated_at = ""

    goals_since = max(0, completed - completed_then)
    is_stale = goals_since >= GOALS_UNTIL_STALE
    verdicts: list[Staleness] = []
    for name in ("research", "codebase"):
        names = note_names(project, f"{FOLDER}/{name}")
        if names:
            analysed = _oldest_analysis(project, f"{FOLDER}/{name}", names)
            verdicts.append(Staleness(name, goals_since, generated_at, analysed, is_stale))
    return verdicts


def _oldest_analysis(project: Project, folder: str, names: list[str]) -> str:
    """The oldest `**Analysis Date:**` of the notes."""
    dates: list[str] = []
    for name in names:
        date, _ = field(project.text(f"{folder}/{name}.md"), "Analysis Date")
        if date:
            dates.append(date)
    return min(dates, default="")
