"""The context of six parts beside one of tags: the same project, the same interpreter, without a
browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import Job, take_turns, timed
from benchmarks.report import Aim, Row, rows_table
from director_ctx import assemble, load_project

if TYPE_CHECKING:
    from pathlib import Path

TAGS, PARTS, ALL = "tags: builder", "parts 2 to 4", "director, all parts"
_OTHERS = "browser_state,conversation_history,compressed_context"


def measure(root: Path, rounds: int) -> list[Aim]:
    """Prints what it measured; the ratio is for the table of all."""
    jobs = {
        TAGS: Job(lambda: timed(lambda: assemble(load_project(root=str(root)), "builder"))),
        PARTS: Job(
            lambda: timed(
                lambda: assemble(load_project(root=str(root)), "director", without=_OTHERS)
            )
        ),
        ALL: Job(lambda: timed(lambda: assemble(load_project(root=str(root)), "director"))),
    }
    series = take_turns(jobs, rounds)
    rows = [Row(name, series[name], series[TAGS]) for name in jobs]
    print(rows_table("Six parts, warm", rows), end="\n\n")
    above, below = series[PARTS], series[TAGS]
    return [
        Aim(
            "example: parts 2 to 4 / tags",
            above.median / below.median,
            above.least / below.least,
            1.5,
        )
    ]
