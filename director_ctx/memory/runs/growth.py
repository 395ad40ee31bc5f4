"""How the contexts of each agent grew from run to run, and runs as JSON."""

from __future__ import annotations

from director_ctx.base.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.runs.run import Run


def growths(runs: Sequence[Run]) -> list[int | None]:
    """For each run, how many tokens more it has than the one before it of the same agent, counted
    the same way.
    """
    last: dict[tuple[str, str], int] = {}
    growth: list[int | None] = []
    for run in runs:
        # Numbers of two counters do not compare.
        kind = (run.agent, run.counter)
        before = last.get(kind)
        growth.append(None if before is None else run.used - before)
        last[kind] = run.used
    return growth


def history_json(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The shape of `dctx budget --history --json`."""
    rows = []
    for run, growth in zip(runs, growths(runs), strict=True):
        rows.append({**run_json(run), "growth": growth})
    return rows


def run_json(run: Run) -> dict[str, Any]:
    """A run as every door shows it, which is how it stands in the record."""
    return {
        **as_dict(run),
        "percent": run.percent,
        "sections": [as_dict(section) for section in run.sections],
        "reductions": list(run.reductions),
    }
