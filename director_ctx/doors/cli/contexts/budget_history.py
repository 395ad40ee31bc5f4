"""`dctx budget --history`: how the contexts grew that agents were given."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.context.assembly import RUNG_TITLES, last_rungs
from director_ctx.context.settings.profiles import spelling
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.runs.run import Run
    from director_ctx.project.project import Project

MOST_SHOWN = 20
_COLUMNS = ["Run", "Time", "Agent", "Task", ">Tokens", ">Growth", ">Window", "Status", "Cut"]


def history(project: Project, agent: str | None, as_json: bool) -> None:
    """The last runs, newest last; all of them as JSON."""
    runs = of_agent(read_runs(project.root), agent)
    growth = growths(runs)
    if as_json:
        put_json(
            [{**run_json(run), "growth": grown} for run, grown in zip(runs, growth, strict=True)]
        )
    elif not runs:
        whose = f" for {agent}" if agent else ""
        put_lines(
            [
                (
                    f"No context{whose} is on record yet; `dctx assemble` puts one there.",
                    "",
                )
            ]
        )
    else:
        rows = [_row(run, grown) for run, grown in zip(runs, growth, strict=True)]
        put_table(_COLUMNS, rows[-MOST_SHOWN:])
        if len(rows) > MOST_SHOWN:
            put_lines([(f"The last {MOST_SHOWN} of {len(rows)}; --json lists them all.", "dim")])


def of_agent(runs: Sequence[Run], agent: str | None) -> list[Run]:
    """The runs of an agent, however it is spelled; all of them if none is named."""
    return [run for run in runs if agent is None or spelling(run.agent) == spelling(agent)]


def growths(runs: Sequence[Run]) -> list[int | None]:
    """For each run, how many tokens more it has than the one before it of the same agent, counted
    the same way.
    """
    last: dict[tuple[str, str], int] = {}
    found = []
    for run in runs:
        kind = (run.agent, run.counter)
        found.append(run.used - last[kind] if kind in last else None)
        last[kind] = run.used
    return found


def _row(run: Run, grown: int | None) -> list[str]:
    growth = "" if grown is None else f"{grown:+,}" if grown else "0"
    return [
        run.id,
        local(run.time),
        run.agent,
        run.task or "-",
        f"{run.used:,}",
        growth,
        f"{run.percent}%",
        run.status,
        cuts(run),
    ]


def cuts(run: Run) -> str:
    """What was shortened to fit, in words."""
    known = [name for name in run.reductions if name in RUNG_TITLES]
    return "; ".join(last_rungs(known))


def local(time: str) -> str:
    """A time of the record as the clock on the wall had it; as it stands if it is no time."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return time[:16]


def run_json(run: Run) -> dict[str, Any]:
    """A run as `--json` shows it, which is how it stands in the record."""
    sections = [as_dict(one) for one in run.sections]
    return {
        **as_dict(run),
        "percent": run.percent,
        "sections": sections,
        "reductions": list(run.reductions),
    }
