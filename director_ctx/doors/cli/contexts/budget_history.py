"""`dctx budget --history`: how the contexts grew that agents were given."""

from __future__ import annotations

from director_ctx.context.assembly import RUNG_TITLES, last_rungs
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.runs.choose import runs_of
from director_ctx.memory.runs.run import growths, history_json
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.runs.run import Run
    from director_ctx.project.project import Project

MOST_SHOWN = 20
_COLUMNS = ["Run", "Time", "Agent", "Task", ">Tokens", ">Growth", ">Window", "Status", "Cut"]


def history(project: Project, agent: str | None, as_json: bool) -> None:
    """The last runs, newest last; all of them as JSON."""
    runs = runs_of(read_runs(project.root), agent)
    if as_json:
        put_json(history_json(runs))
        return
    if not runs:
        whose = ""
        if agent:
            whose = f" for {agent}"
        line = f"No context{whose} is on record yet; `dctx assemble` puts one there."
        put_lines([(line, "")])
        return

    # The growth of the first that is shown is told by a run that is not.
    with_growth = list(zip(runs, growths(runs), strict=True))
    rows = [_row(run, growth) for run, growth in with_growth[-MOST_SHOWN:]]
    put_table(_COLUMNS, rows)
    if len(runs) > MOST_SHOWN:
        put_lines([(f"The last {MOST_SHOWN} of {len(runs)}; --json lists them all.", "dim")])


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
        cuts_in_words(run),
    ]


def _signed(growth: int | None) -> str:
    if growth is None:
        return ""
    if growth == 0:
        return "0"
    return f"{growth:+,}"


def cuts_in_words(run: Run) -> str:
    """What was shortened to fit, in words."""
    # A line of the record may be of another version, with rungs that are no more.
    known = [name for name in run.reductions if name in RUNG_TITLES]
    return "; ".join(last_rungs(known))
