"""The store: what a call costs beside bare `sqlite3` doing the same, small and grown, and with
sixteen at once.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.contend import OURS, THEIRS
from benchmarks.install import DCTX, REPOSITORY
from benchmarks.measure import Job, Sample, launch, output_size, take_turns, timed
from benchmarks.report import Aim, Row, rows_table, table
from director_ctx import load_project
from director_ctx.memory.plans import versions as plans
from director_ctx.memory.plans.plan import plan_version, update_plan
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.variables import set_variable
from director_ctx.memory.variables.variables import variables as all_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from benchmarks.measure import Series
    from director_ctx.memory.store.store import Store

SMALL, GROWN = "small", "grown"
SIZES = {SMALL: (5, 50), GROWN: (10_000, 100_000)}
"""Versions of the plan, and changes of variables."""
VARIABLES = 50
READS = 50
"""Calls in one sample: a single one is near what a clock can tell."""
WRITERS, WRITES = 16, 1000
PLAN = {
    "overall_goal": "Measure",
    "current_phase": "Reading",
    "phases": [
        {
            "phase_name": "Reading",
            "status": "in_progress",
            "tasks": [
                {"task_id": number, "description": "Read it", "status": "pending"}
                for number in range(1, 9)
            ],
        }
    ],
}
_NEWEST = "SELECT id, plan_version, plan_data, created_at, reason FROM director_plans WHERE workflow_id = ?"
_PLAN = f"{_NEWEST} ORDER BY plan_version DESC LIMIT 1"
_ALL = "SELECT name, value, updated_at FROM dctx_variables WHERE workflow_id = ? ORDER BY name"
_ADD = "INSERT INTO dctx_variable_changes VALUES (?, ?, ?, 'bare', '1', 'why', '')"


class Pair(NamedTuple):
    """A call, its floor, and how many times that it may take."""

    call: str
    floor: str
    limit: float


HELD = (
    Pair("plans.current", "bare query: plan", 2),
    Pair("variables.variables", "bare query: variables", 2),
    Pair("variables.put", "bare insert", 3),
    Pair("set_variable(store)", "bare insert", 3),
)
"""With the store open."""
OPENED = (
    # A third of it is looking whose the corner is, whether git tracks anything in it, and who may
    # read it.
    Pair("plan_version(project)", "connect, query, close: plan", 2.5),
    Pair("variables(project)", "connect, query, close: variables", 2.5),
    Pair("set_variable(project)", "connect, insert, close", 3),
)
"""Each call opens the store, and closes it."""
STATUS, SHOW, LIST = "dctx status", "dctx plan show", "dctx vars"


def measure(place: Path, example: Path, environment: Mapping[str, str], rounds: int) -> list[Aim]:
    """Prints what it measured; the ratios are for the table of all."""
    return [
        *(aim for size in SIZES for aim in _calls(place / f"store-{size}", size, rounds)),
        *_processes(place, example, environment, rounds),
        *_together(place, rounds),
    ]


# One call


def _calls(root: Path, size: str, rounds: int) -> Iterator[Aim]:
    (root / ".director").mkdir(parents=True)
    project = load_project(root=str(root))
    update_plan(project, PLAN, "A plan")
    with open_store(project, write=True) as store:
        _grow(store, *SIZES[size])
    jobs = {
        OPENED[0].call: _many(lambda: plan_version(project), 5),
        OPENED[1].call: _many(lambda: all_variables(project), 5),
        OPENED[2].call: _many(lambda: set_variable(project, "name1", "value", "why"), 1),
        **_bare_opened(root),
    }
    apart = take_turns(jobs, rounds)
    with open_store(project, write=True) as store:
        held = take_turns(_held(store, root), rounds)
    for pairs, series in ((HELD, held), (OPENED, apart)):
        rows = [
            Row(name, series[name], series[pair.floor])
            for pair in pairs
            for name in (pair.call, pair.floor)
        ]
        print(
            rows_table(f"Store, {size}, {'open' if pairs is HELD else 'opened each time'}", rows),
            end="\n\n",
        )
        for call, floor, limit in pairs:
            yield _ratio(f"store, {size}: {call} / {floor}", series[call], series[floor], limit)


def _grow(store: Store, versions: int, changes: int) -> None:
    """Rows as they would be after so much work, in one transaction."""
    place, workflow, moment = store.engine.place, store.workflow, "2026-01-01T00:00:00.000000Z"
    text = json.dumps(PLAN)
    bare = sqlite3.connect(place)
    bare.executemany(
        "INSERT INTO director_plans VALUES (?, ?, ?, ?, ?, ?, 'why')",
        (
            (os.urandom(16).hex(), workflow, number, text, moment, moment)
            for number in range(2, versions + 1)
        ),
    )
    bare.executemany(
        "INSERT INTO dctx_variables VALUES (?, ?, '\"A value\"', ?)",
        ((workflow, f"name{number}", moment) for number in range(VARIABLES)),
    )
    bare.executemany(
        "INSERT INTO dctx_variable_changes VALUES (?, ?, ?, ?, '\"A value\"', 'why', ?)",
        (
            (os.urandom(16).hex(), workflow, number, f"name{number % VARIABLES}", moment)
            for number in range(1, changes + 1)
        ),
    )
    bare.commit()
    bare.close()


def _held(store: Store, root: Path) -> dict[str, Job]:
    bare, workflow = _connect(root)
    return {
        HELD[0].call: _many(lambda: plans.current(store), READS),
        HELD[0].floor: _many(lambda: bare.execute(_PLAN, (workflow,)).fetchone(), READS),
        HELD[1].call: _many(lambda: entries.variables(store), READS),
        HELD[1].floor: _many(lambda: bare.execute(_ALL, (workflow,)).fetchall(), READS),
        HELD[2].call: _many(lambda: entries.put(store, {"name1": '"A value"'}, "why"), 1),
        HELD[2].floor: _many(lambda: _insert(bare, workflow), 1),
        HELD[3].call: _many(lambda: set_variable(store, "name1", "A value", "why"), 1),
    }


def _bare_opened(root: Path) -> dict[str, Job]:
    def once(work: Callable[[sqlite3.Connection, str], object]) -> None:
        bare, workflow = _connect(root)
        work(bare, workflow)
        bare.close()

    return {
        OPENED[0].floor: _many(
            lambda: once(lambda bare, flow: bare.execute(_PLAN, (flow,)).fetchone()), 5
        ),
        OPENED[1].floor: _many(
            lambda: once(lambda bare, flow: bare.execute(_ALL, (flow,)).fetchall()), 5
        ),
        OPENED[2].floor: _many(lambda: once(_insert), 1),
    }


def _connect(root: Path) -> tuple[sqlite3.Connection, str]:
    """Bare, with the same durability, and the workflow whose rows are asked for."""
    bare = sqlite3.connect(root / ".director" / ".dctx" / "store.db", isolation_level=None)
    bare.execute("PRAGMA synchronous=FULL")
    [[workflow]] = bare.execute("SELECT id FROM workflows").fetchall()
    return bare, workflow


def _insert(bare: sqlite3.Connection, workflow: str) -> None:
    # A number of its own below the first one, so that the store goes on counting where it was.
    bare.execute(_ADD, (os.urandom(16).hex(), workflow, -int.from_bytes(os.urandom(6), "big")))


def _many(call: Callable[[], object], times: int) -> Job:
    def run() -> Sample:
        return Sample(timed(lambda: [call() for _ in range(times)]).milliseconds / times)

    return Job(run)


# Whole processes


def _processes(
    place: Path, example: Path, environment: Mapping[str, str], rounds: int
) -> Iterator[Aim]:
    """In a copy of the example that remembers something."""
    root = place / "remembering"
    shutil.copytree(example, root)
    project = load_project(root=str(root))
    if not (root / ".director" / ".dctx" / "store.db").exists():
        update_plan(project, PLAN, "A plan")
    for number in range(VARIABLES):
        set_variable(project, f"name{number}", "A value", "why")
    words = {name: (str(DCTX / "bin" / "dctx"), *name.split()[1:]) for name in (STATUS, SHOW, LIST)}
    jobs = {
        name: Job(functools.partial(launch, root, command, environment))
        for name, command in words.items()
    }
    series = take_turns(jobs, rounds)
    rows = [
        Row(name, series[name], series[STATUS], output_size(root, words[name], environment))
        for name in jobs
    ]
    print(rows_table("Store, whole process", rows), end="\n\n", flush=True)
    for name in (SHOW, LIST):
        yield _ratio(f"{name} / {STATUS}", series[name], series[STATUS], 1.5)


# Sixteen at once


def _together(place: Path, rounds: int) -> Iterator[Aim]:
    """The longest that one write waited, with everybody writing at once: ours, then bare `sqlite3`."""
    count = min(WRITES, rounds * WRITES // 50)
    found = {who: _contest(place / f"store-{who}", who, count) for who in (OURS, THEIRS)}
    heads = [
        f"{WRITERS} writers, {count} plans and {count} sets each",
        "writes",
        "lost",
        "per second",
        "longest ms",
    ]
    lines = [
        [
            who,
            f"{one.writes}",
            f"{WRITERS * count * 2 - one.writes}",
            f"{one.speed:,.0f}",
            f"{one.longest:,.0f}",
        ]
        for who, one in found.items()
    ]
    print(table(heads, lines), end="\n\n", flush=True)
    ratio = found[OURS].longest / found[THEIRS].longest
    yield Aim("16 writers, longest wait: dctx / bare sqlite3", ratio, ratio, 1)


class Contest(NamedTuple):
    writes: int
    speed: float
    longest: float


def _contest(root: Path, who: str, count: int) -> Contest:
    (root / ".director").mkdir(parents=True)
    update_plan(load_project(root=str(root)), PLAN, "A plan")
    command = [sys.executable, "-m", "benchmarks.contend", who, str(root)]
    writers = [
        subprocess.Popen(
            [*command, str(number), str(count)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    for one in writers:
        assert one.stdout
        one.stdout.readline()  # it is ready
    longest: list[float] = []
    took = timed(lambda: longest.extend(_told(writers)))
    bare, _ = _connect(root)
    [[versions]] = bare.execute("SELECT max(plan_version) FROM director_plans").fetchall()
    [[changes]] = bare.execute("SELECT max(number) FROM dctx_variable_changes").fetchall()
    bare.close()
    writes = versions - 1 + changes
    return Contest(writes, writes / took.milliseconds * 1000, max(longest))


def _told(writers: list[subprocess.Popen[str]]) -> Iterator[float]:
    """Everybody begins at once; what each waited at most, in milliseconds."""
    for one in writers:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in writers:
        yield float(one.communicate()[0])


def _ratio(what: str, above: Series, below: Series, limit: float) -> Aim:
    return Aim(what, above.median / below.median, above.least / below.least, limit)
