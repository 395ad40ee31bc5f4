"""`dctx budget --history`: how the contexts grew that agents were given."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.context.assembly import RUNG_TITLES, last_rungs
from director_ctx.context.settings.profiles import spelling
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.doors.cli.shared.times import local_time
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
    with_growth = list(zip(runs, growths(runs), strict=True))
    if as_json:
        put_json([{**run_json(run), "growth": growth} for run, growth in with_growth])
        return
    if not runs:
        whose = f" for {agent}" if agent else ""
        line = f"No context{whose} is on record yet; `dctx assemble` puts one there."
        put_lines([(line, "")])
        return

    rows = [_row(run, growth) for run, growth in with_growth[-MOST_SHOWN:]]
    put_table(_COLUMNS, rows)
    if len(runs) > MOST_SHOWN:
        put_lines([(f"The last {MOST_SHOWN} of {len(runs)}; --json lists them all.", "dim")])


def of_agent(runs: Sequence[Run], agent: str | None) -> list[Run]:
    """The runs of an agent, however it is spelled; all of them if none is named."""
    if agent is None:
        return list(runs)
    wanted = spelling(agent)
    return [run for run in runs if spelling(run.agent) == wanted]


def growths(runs: Sequence[Run]) -> list[int | None]:
    """For each run, how many tokens more it has than the one before it of the same agent, counted
    the same way.
    """
    last: dict[tuple[str, str], int] = {}
    growth: list[int | None] = []
    for run in runs:
        kind = (run.agent, run.counter)
        before = last.get(kind)
        growth.append(None if before is None else run.used - before)
        last[kind] = run.used
    return growth


def _row(run: Run, growth: int | None) -> list[str]:
    return [
        run.id,
        local_time(run.time),
        run.agent,
        run.task or "-",
        f"{run.used:,}",
        _signed(growth),
        f"{run.percent}%",
        run.status,
        cuts(run),
    ]


def _signed(growth: int | None) -> str:
    if growth is None:
        return ""
    return f"{growth:+,}" if growth else "0"


def cuts(run: Run) -> str:
    """What was shortened to fit, in words."""
    known = [name for name in run.reductions if name in RUNG_TITLES]
    return "; ".join(last_rungs(known))


def run_json(run: Run) -> dict[str, Any]:
    """A run as `--json` shows it, which is how it stands in the record."""
    return {
        **as_dict(run),
        "percent": run.percent,
        "sections": [as_dict(section) for section in run.sections],
        "reductions": list(run.reductions),
    }
