"""Every record brought in line with the files, as `doctor --fix` does it at its end."""

from __future__ import annotations

from director_ctx import load_project
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.repair import Repair
from director_ctx.upkeep.sync import bring_in_line, rewrites


def sync(root: str, now: str) -> Repair:
    written, failed = bring_in_line(lambda: load_project(root=root), Occasion(now))
    return Repair((), tuple(written), tuple(failed))


def would_sync(root: str, now: str) -> Repair:
    pending, failed = rewrites(load_project(root=root), Occasion(now))
    return Repair((), tuple(pending), tuple(failed))
