"""A server that goes away under load: whoever writes waits for it, nothing is lost, and nothing is
there twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pg
import pytest
from conftest import ROOT
from kept_plans import new_version

from director_ctx.memory.plans import versions
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.variables import entries

PROCESSES, TIMES = 6, 60
WRITE = """
import sys
from director_ctx.memory.plans import versions as plans
from director_ctx.memory.variables import entries as variables
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.store import Store
url, workflow, name, times = sys.argv[1:]
with Store(Postgres(url), workflow) as store:
    for number in range(int(times)):
        print("plan", plans.change(store, lambda _: {"notes": name}, f"{name} {number}").number, flush=True)
        print("set", variables.put(store, {name: str(number)}, f"{name} {number}")[0].number, flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[pg.Server]:
    """One of its own, because it is ended in between."""
    yield from pg.running()


def start(url: str, workflow: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITE, url, workflow, name, str(TIMES)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_writers_outlive_restarts_and_crashes_of_the_server(server: pg.Server) -> None:
    url, workflow = server.database(), new_id()
    pg.migrated(url).close()
    writers = [start(url, workflow, f"w{number}") for number in range(PROCESSES)]
    kept = Store(Postgres(url), workflow)
    ends = (
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGINT,
    )  # fast, as a service is restarted; at once, as in a crash
    for round_, how in enumerate(ends, 1):
        while len(versions.history(kept)) < round_ * PROCESSES * TIMES // (len(ends) + 1):
            time.sleep(0.02)
            assert all(writer.poll() in (None, 0) for writer in writers)
        server.stop(how)
        time.sleep(0.2)
        server.start()
    told = [writer.communicate(timeout=60) for writer in writers]
    assert [error for _, error in told] == [""] * PROCESSES
    lines = [line.split() for out, _ in told for line in out.splitlines()]
    every = [*range(1, PROCESSES * TIMES + 1)]
    for kind in ("plan", "set"):
        assert sorted(int(number) for word, number in lines if word == kind) == every
    assert [one.number for one in versions.history(kept)] == every
    assert [one.number for one in entries.changes(kept)] == every
    assert len({one.reason for one in versions.history(kept)}) == len(every)
    assert {one.stored for one in entries.variables(kept)} == {str(TIMES - 1)}
    kept.close()


def test_a_server_that_stays_away_is_one_sentence(server: pg.Server) -> None:
    url = server.database()
    with Store(pg.migrated(url), new_id()) as store:
        assert isinstance(store.engine, Postgres)
        new_version(store, {}, "Before")
        store.engine.patience = 0.3
        server.stop()
        try:
            with pytest.raises(StoreError, match="No server answers there") as failure:
                new_version(store, {}, "While it is away")
            assert "Is it running?" in failure.value.hint
            with pytest.raises(StoreError, match="No server answers there"):
                versions.current(store)
        finally:
            server.start()
        assert new_version(store, {}, "After").number == 2
