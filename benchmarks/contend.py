"""One of many writers: python -m benchmarks.contend dctx|"bare sqlite3" ROOT NUMBER COUNT. Prints
its longest wait.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

OURS, THEIRS = "dctx", "bare sqlite3"
PLAN = {
    "overall_goal": "Measure",
    "phases": [{"phase_name": "Writing", "status": "pending", "tasks": []}],
}
SAME = """\
INSERT INTO dctx_variables VALUES (?, ?, ?, '') ON CONFLICT DO UPDATE SET value = excluded.value"""


def main() -> None:
    who, root, number, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    deeds = (_ours if who == OURS else _theirs)(root, number)
    print("ready", flush=True)
    sys.stdin.readline()
    longest = 0.0
    for turn in range(count):
        for deed in deeds:
            begin = time.perf_counter()
            deed(turn)
            longest = max(longest, time.perf_counter() - begin)
    print(longest * 1000)


def _ours(root: str, number: int) -> tuple[Callable[[int], object], ...]:
    from director_ctx import load_project
    from director_ctx.memory.plans import versions
    from director_ctx.memory.store.open import open_store
    from director_ctx.memory.variables import entries

    store = open_store(load_project(root=root), write=True)
    return (
        lambda turn: versions.change(store, lambda _: PLAN, "why"),
        lambda turn: entries.put(store, {f"node{number}.v{turn % 50}": json.dumps(turn)}, "why"),
    )


def _theirs(root: str, number: int) -> tuple[Callable[[int], object], ...]:
    """The same rows with the same durability, waiting as SQLite itself does."""
    bare = sqlite3.connect(
        os.path.join(root, ".director", ".dctx", "store.db"), timeout=3600, isolation_level=None
    )
    bare.execute("PRAGMA synchronous=FULL")
    [[workflow]] = bare.execute("SELECT id FROM workflows").fetchall()
    text = json.dumps(PLAN)

    def update(_: int) -> None:
        bare.execute("BEGIN IMMEDIATE")
        last = _last(
            bare, "SELECT max(plan_version) FROM director_plans WHERE workflow_id = ?", workflow
        )
        values = (os.urandom(16).hex(), workflow, last + 1, text)
        bare.execute("INSERT INTO director_plans VALUES (?, ?, ?, ?, '', '', 'why')", values)
        bare.execute("COMMIT")

    def put(turn: int) -> None:
        name = f"node{number}.v{turn % 50}"
        bare.execute("BEGIN IMMEDIATE")
        last = _last(
            bare, "SELECT max(number) FROM dctx_variable_changes WHERE workflow_id = ?", workflow
        )
        bare.execute(SAME, (workflow, name, json.dumps(turn)))
        values = (os.urandom(16).hex(), workflow, last + 1, name, json.dumps(turn))
        bare.execute("INSERT INTO dctx_variable_changes VALUES (?, ?, ?, ?, ?, 'why', '')", values)
        bare.execute("COMMIT")

    return update, put


def _last(bare: sqlite3.Connection, ask: str, workflow: str) -> int:
    [[number]] = bare.execute(ask, (workflow,)).fetchall()
    return number or 0


if __name__ == "__main__":
    main()
