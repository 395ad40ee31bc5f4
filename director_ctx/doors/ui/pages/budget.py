"""Where the tokens go: each agent's context by section, and how it grew."""

from __future__ import annotations

from director_ctx.assembling.budgets import contexts_json, every_context
from director_ctx.context.settings.budget import OVER
from director_ctx.doors.ui.pages.bars import WIDTH, kinds_in, pieces, place_of
from director_ctx.doors.ui.pages.cuts import cuts_by_section
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.project import Project

    Json = dict[str, Any]

MOST_STEPS = 50
"""Of a line of growth."""
HEIGHT = 100
"""Of a chart, in its own units."""


def data(visit: Visit) -> Json:
    project = visit.project
    return {
        "agents": contexts_json(every_context(project)),
        "growth": _growth(project),
    }


def _growth(project: Project) -> list[Json]:
    """By agent, how large its contexts were, oldest first; whoever was told something last comes first."""
    by_agent: dict[str, list[Json]] = {}
    for run in read_runs(project.root):
        # Taken out and put back, it is the last.
        steps = by_agent.pop(run.agent, [])
        by_agent[run.agent] = steps
        step = {"id": run.id, "time": run.time, "used": run.used, "limit": run.limit}
        steps.append(step)

    rows = []
    for agent, steps in reversed(by_agent.items()):
        rows.append({"agent": agent, "steps": steps[-MOST_STEPS:]})
    return rows


def view(data: Json) -> Json:
    contexts = []
    without = []
    for row in data["agents"]:
        if "error" in row:
            without.append(row)
        else:
            contexts.append(row)
    largest = max([row["budget"]["used"] for row in contexts], default=1)
    rows = [_agent_row(row, largest) for row in contexts]

    growths = []
    once = []
    for row in data["growth"]:
        if len(row["steps"]) > 1:
            growths.append(_growth_chart(row))
        else:
            once.append(row["agent"])
    return {
        "rows": rows,
        "without": without,
        "kinds": kinds_in(row["pieces"] for row in rows),
        "growths": growths,
        "once": once,
    }


def _agent_row(row: Json, largest: int) -> Json:
    budget = row["budget"]
    stable = row["stable_prefix_tokens"]
    return {
        **row,
        "pieces": pieces(row["sections"], largest),
        "cuts": list(cuts_by_section(row["reductions"]).values()),
        "stable_at": place_of(stable, largest),
        "in_window": pieces(row["sections"], budget["window"]),
        "limit_at": place_of(budget["limit"], budget["window"]),
        "over": budget["status"] == OVER,
    }


def _growth_chart(row: Json) -> Json:
    """The line through its sizes; the chart begins at nothing, so that it shows no more than there is."""
    steps = row["steps"]
    most = max(step["used"] for step in steps)
    points = []
    for number, step in enumerate(steps):
        x = number * WIDTH / (len(steps) - 1)
        y = HEIGHT - step["used"] * (HEIGHT - 4) / max(1, most)
        points.append(f"{x:.1f},{y:.1f}")
    return {
        "agent": row["agent"],
        "points": " ".join(points),
        "first": steps[0],
        "last": steps[-1],
        "most": most,
        "count": len(steps),
        "grown": steps[-1]["used"] - steps[0]["used"],
    }
