"""What the tests of the store under fire run in processes of their own: python fire.py WHAT FOLDER
[NUMBER…].

Each prints what it was promised, a line at a time, after the promise was made.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from director_ctx import load_project
from director_ctx.memory.plans import versions as plans
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import Store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.variables import set_variable

if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Writer

PLACE = ".director/.dctx/store.db"
PLAN = {
    "overall_goal": "Hold",
    "phases": [{"phase_name": "Fire", "status": "pending", "tasks": []}],
}


def made(folder: Path) -> Path:
    (folder / ".director").mkdir(parents=True, exist_ok=True)
    return folder


def opened(folder: Path, write: bool = True) -> Store:
    return open_store(load_project(root=str(folder)), write)


def say(*words: object) -> None:
    """One line in one write: a kill leaves it whole or absent."""
    os.write(1, (json.dumps(words) + "\n").encode())


def whole(folder: Path) -> tuple[list[int], list[int]]:
    """The numbers of the versions and changes in a store that must be intact."""
    with opened(folder) as store:
        assert store.engine.rows("PRAGMA integrity_check") == [("ok",)]
        assert store.engine.rows("PRAGMA foreign_key_check") == []
        return [one.number for one in plans.history(store)], [
            one.number for one in entries.changes(store)
        ]


def holds(folder: Path, promised: list[list[object]]) -> None:
    """Every promise was kept, and no number is missing or there twice."""
    kept = dict(zip(("plan", "set"), whole(folder), strict=True))
    for numbers in kept.values():
        assert numbers == list(range(1, len(numbers) + 1)), numbers
    for kind, number in promised:
        assert number in kept[str(kind)], (kind, number)


# How tests start these


def start(
    what: str, folder: Path, *more: object, before: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    words = [*before, sys.executable, __file__, what, str(folder), *map(str, more)]
    return subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def said(process: subprocess.Popen[str], code: int | None = 0) -> list[list[object]]:
    out = process.communicate(timeout=120)[0]
    assert code is None or process.returncode == code
    return [json.loads(line) for line in out.splitlines()]


def run(what: str, folder: Path, *more: object, before: tuple[str, ...] = ()) -> list[list[object]]:
    return said(start(what, folder, *more, before=before))


# One writer among others


def one_write(store: Store, kind: str, number: int, turn: int) -> int:
    if kind == "plan":
        return plans.change(store, lambda _: PLAN, f"turn {turn} of {number}").number
    return entries.put(store, {f"node{number}.v{turn % 20}": json.dumps(turn)}, "why")[0].number


def calls(folder: Path, number: int, count: int) -> None:
    """The same, where each call opens the store and closes it."""
    project = load_project(root=str(folder))
    for turn in range(count):
        say("set", set_variable(project, f"node{number}.v{turn}", turn, "why").number)
        with open_store(project, write=True) as store:
            say("plan", one_write(store, "plan", number, turn))


def first(folder: Path, at: float) -> None:
    """A first use at a moment that all agreed on."""
    project = load_project(root=str(folder))
    time.sleep(max(0.0, at - time.time()))
    with open_store(project, write=True) as store:
        say(store.workflow, plans.change(store, lambda _: PLAN, "first").number)


# Killed


def kill(folder: Path, kind: str, rounds: int, seed: int) -> None:
    """Forks a writer, kills it at some moment, and looks at what is left; again and again."""
    chance = random.Random(seed)
    fresh = kind == "creation"
    longest, survived = 0.06, 0
    promised: list[list[object]] = []
    for number in range(rounds):
        place = made(folder / str(number) if fresh else folder)
        promised = [] if fresh else promised
        new = _killed(place, kind, chance.uniform(0, longest))
        # Half of them come to promise something, however busy the machine is.
        longest *= 0.8 if new else 1.3
        survived += bool(new)
        promised += new
        holds(place, promised)
    say("survived", survived)


def _killed(folder: Path, kind: str, after: float) -> list[list[object]]:
    child, reading = _forked(folder, kind)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(reading, encoding="utf-8") as said:
        return [json.loads(line) for line in said]


def _forked(folder: Path, kind: str) -> tuple[int, int]:
    """A writer, and where its promises can be read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.close(reading)
        try:
            DEEDS[kind](folder)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def left(folder: Path) -> None:
    """A store as a killed writer leaves it, with its log."""
    child, reading = _forked(folder, "writing")
    with open(reading, encoding="utf-8") as said:
        for _ in range(5):
            said.readline()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (folder / f"{PLACE}-wal").stat().st_size


def _writing(folder: Path, also: str = "", size: int = 10) -> None:
    with opened(folder) as store:
        for turn in range(100_000):
            say("plan", one_write(store, "plan", 0, turn))
            say(
                "set", entries.put(store, {f"v{turn % 5}": json.dumps("x" * size)}, "why")[0].number
            )
            if also:
                store.engine.rows(also)


DEEDS = {
    "creation": _writing,
    "writing": _writing,
    "checkpoint": lambda folder: _writing(folder, "PRAGMA wal_checkpoint(TRUNCATE)", 20_000),
}


# A disk that ends


def fill(folder: Path) -> tuple[list[list[object]], StoreError]:
    """Writes until the store says no."""
    promised: list[list[object]] = []
    with opened(folder) as store:
        try:
            for turn in range(100_000):
                text = json.dumps("x" * 5000)
                promised.append(["set", entries.put(store, {f"v{turn}": text}, "why")[0].number])
        except StoreError as error:
            return promised, error
    raise AssertionError("the disk did not end")


def full_at_first(folder: Path) -> None:
    mount(folder)
    made(folder)
    room = folder / "room"
    room.write_bytes(b"")
    try:
        with open(room, "wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
    except OSError:
        pass
    os.truncate(room, room.stat().st_size - 30_000)
    try:
        opened(folder)
    except StoreError as error:
        say(error.message, error.hint)
    assert sorted(one.name for one in (folder / PLACE).parent.iterdir()) == [".gitignore"]
    room.unlink()
    with opened(folder) as store:
        say("plan", one_write(store, "plan", 0, 0))


def limited(folder: Path) -> None:
    """No file may grow beyond a limit, which is what a quota feels like."""
    with opened(folder) as store:
        say("plan", one_write(store, "plan", 0, 0))
    no_limit = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, no_limit))
    filled_and_then(folder, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (no_limit, no_limit)))


def filled_and_then(folder: Path, make_room: Callable[[], object]) -> None:
    """What was promised is held when there is no more room, and when there is again."""
    promised, error = fill(folder)
    say(error.message, error.hint)
    holds_reading(folder, promised)
    make_room()
    with opened(folder) as store:
        promised.append(["plan", one_write(store, "plan", 0, 0)])
    holds(folder, promised)


def holds_reading(folder: Path, promised: list[list[object]]) -> None:
    with opened(folder, write=False) as store:
        assert {number for _, number in promised} <= {one.number for one in entries.changes(store)}


# A disk that only gives


def read_only(folder: Path, log: int) -> None:
    """A file system that may not be written: with the log of a killed writer (1), with its index
    too (2), without.
    """
    mount(folder)
    made(folder)
    with opened(folder) as store:
        entries.put(store, {"a": "1"}, "why")
    if log:
        left(folder)
    if log == 1:
        (folder / f"{PLACE}-shm").unlink()
    names = sorted(one.name for one in (folder / PLACE).parent.iterdir())
    mount(folder, "remount,ro")
    with opened(folder, write=False) as store:
        say(len(entries.changes(store)) > 1, entries.variable(store, "a") is not None)
    try:
        with opened(folder) as store:
            one_write(store, "plan", 0, 0)
    except StoreError as error:
        say(error.message, error.hint)
    assert names == sorted(one.name for one in (folder / PLACE).parent.iterdir())


def mount(folder: Path, options: str = "size=2m") -> None:
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True, capture_output=True
    )


# Forks


def fork(folder: Path) -> None:
    """The child goes on with the store that it was given, after its parent is gone, beside somebody
    else.
    """
    store = opened(folder)
    say("plan", one_write(store, "plan", 0, 0))
    if os.fork():
        store.close()
        os._exit(0)
    time.sleep(0.1)
    child = os.fork()
    with opened(folder) if child == 0 else store as mine:
        for turn in range(50):
            say("plan", one_write(mine, "plan", child, turn))
    if child:
        os.waitpid(child, 0)


def fork_in_a_write(folder: Path) -> None:
    """The child may not touch what its parent was about to write."""
    with opened(folder) as store:

        def work(writer: Writer) -> None:
            meta = "INSERT INTO dctx_meta (name, value) VALUES (?, ?)"
            for number in range(2000):
                writer.run(meta, (f"name{number}", "x" * 100))
            child = os.fork()
            if child == 0:
                try:
                    store.engine.rows("SELECT 1")
                except StoreError as error:
                    say(error.message)
                os._exit(0)
            os.waitpid(child, 0)

        store.engine.write("", work)
        assert store.engine.row("SELECT count(*) FROM dctx_meta WHERE name LIKE 'name%'") == (2000,)
        assert store.engine.rows("PRAGMA integrity_check") == [("ok",)]
        say("plan", one_write(store, "plan", 0, 0))


def main(what: str, folder: str, *more: str) -> None:
    numbers = [
        float(word) if "." in word else int(word) if word.isdigit() else word for word in more
    ]
    globals()[what](Path(folder), *numbers)


if __name__ == "__main__":
    main(*sys.argv[1:])
