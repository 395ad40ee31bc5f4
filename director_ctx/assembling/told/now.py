"""What the same agent would be told for the same task now, in the same window."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.told.changes import ContextChange, context_change
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.runs.record import make_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.runs.run import Run
    from director_ctx.project.project import Project

NOW = "now"
"""In the place of a run's id: it is not on record."""


def change_until_now(project: Project, run: Run) -> ContextChange:
    """With the usual options beside the window and the budget: others are not on record. Raises
    DctxError where there would be no context.
    """
    agent, options = options_again(project, run)
    window, budget = str(run.window), str(run.limit)
    assembly = assemble(project, agent, window=window, budget=budget, **options)

    texts: dict[str, str] = {}
    hashes: list[str] = []
    for section in assembly.sections:
        texts[section.sha256] = section.text
        hashes.append(section.sha256)
    now = make_run(assembly, hashes).replace(id=NOW)
    return context_change(project.root, run, now, texts)


def options_again(project: Project, run: Run) -> tuple[str | None, dict[str, Any]]:
    """The agent, or a skill in its place, and the task."""
    options: dict[str, Any] = {}
    if run.task:
        options["task"] = run.task
    settings = load_settings(project)
    if run.agent not in settings.profiles and run.agent in settings.skills:
        return None, {**options, "skill": run.agent}
    return run.agent, options
