"""The store under fire: many at once, killed at any moment, on disks that end or only give."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from fire import PLACE, holds, made, opened, run, said, start, whole

from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.variables import entries


def _may_mount() -> bool:
    try:
        words = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


needs_mount = pytest.mark.skipif(
    not _may_mount(), reason="no file system can be mounted here: small and read-only ones"
)
APART = ("unshare", "-m")


# Many at once


def test_processes_that_open_and_close_the_store_each_time_lose_no_write(
    tmp_path: Path,
) -> None:
    made(tmp_path)
    promised = [said(one) for one in [start("calls", tmp_path, number, 10) for number in range(8)]]
    holds(tmp_path, [promise for lines in promised for promise in lines])
    versions, changes = whole(tmp_path)
    assert len(versions) == len(changes) == 80


@pytest.mark.parametrize("empty", [False, True], ids=["no file", "an empty file"])
def test_first_uses_at_once_make_one_store_with_one_workflow(tmp_path: Path, empty: bool) -> None:
    made(tmp_path)
    if empty:
        (tmp_path / PLACE).parent.mkdir()
        (tmp_path / PLACE).touch()
    moment = time.time() + 2
    lines = [said(one) for one in [start("first", tmp_path, moment) for _ in range(8)]]
    assert len({workflow for [[workflow, _]] in lines}) == 1
    assert sorted(number for [[_, number]] in lines) == list(range(1, 9))
    assert sorted(one.name for one in (tmp_path / PLACE).parent.iterdir()) == [
        ".gitignore",
        "store.db",
    ]


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    with opened(made(tmp_path)) as store:
        entries.put(store, {"a": "1"}, "why")
        reader = SQLite(str(tmp_path / PLACE), patience=0)

        def work(writer: object) -> None:
            writer.run("UPDATE dctx_variables SET value = '2'")  # type: ignore[attr-defined]
            assert reader.rows("SELECT value FROM dctx_variables") == [("1",)]

        store.engine.write("", work)
        assert reader.rows("SELECT value FROM dctx_variables") == [("2",)]
        reader.close()


def test_the_log_stays_small_under_writers_and_is_given_back_after_a_long_reader(
    tmp_path: Path,
) -> None:
    log = tmp_path / f"{PLACE}-wal"
    with opened(made(tmp_path)) as store, opened(tmp_path, write=False) as reader:
        text = json.dumps("x" * 100_000)

        def many(_: object = None) -> None:
            for turn in range(250):
                entries.put(store, {f"v{turn % 7}": text}, "why")

        many()
        assert log.stat().st_size < 10_000_000
        reader.engine.look(lambda view: (view.rows("SELECT 1 FROM workflows"), many()))
        assert log.stat().st_size > 20_000_000
        many()
        assert log.stat().st_size <= 16 << 20


def test_a_store_goes_on_in_the_child_of_a_fork_when_its_parent_is_gone(tmp_path: Path) -> None:
    promised = run("fork", made(tmp_path))
    assert sorted(number for _, number in promised) == list(range(1, 102))
    holds(tmp_path, promised)


def test_a_fork_in_the_middle_of_a_change_leaves_the_change_to_the_parent(tmp_path: Path) -> None:
    [[sentence], promise] = run("fork_in_a_write", made(tmp_path))
    assert "forked" in str(sentence)
    assert promise == ["plan", 1]


def test_whoever_waits_in_vain_for_another_writer_is_told_so(tmp_path: Path) -> None:
    opened(made(tmp_path)).close()
    holder = sqlite3.connect(tmp_path / PLACE)
    holder.execute("BEGIN IMMEDIATE")
    engine = SQLite(str(tmp_path / PLACE), patience=0.3)
    with pytest.raises(StoreError, match="busy with another program") as refused:
        engine.write("", lambda writer: writer.run("DELETE FROM dctx_tabs"))
    assert refused.value.hint and "locked" not in str(refused.value)
    assert engine.rows("SELECT count(*) FROM workflows") == [(0,)]
    holder.close()
    assert engine.write("", lambda writer: writer.run("DELETE FROM dctx_tabs")) == 0
    engine.close()


# Killed


@pytest.mark.parametrize("kind", ["creation", "writing", "checkpoint"])
def test_killed_at_any_moment_the_store_opens_and_holds_what_was_promised(
    tmp_path: Path, kind: str
) -> None:
    [[word, survived]] = run("kill", tmp_path, kind, 15, random.randrange(1000))
    assert word == "survived"
    assert isinstance(survived, int)
    assert survived > 1


# Disks that end, and disks that only give


@needs_mount
def test_a_store_that_finds_no_room_at_first_leaves_nothing_behind(tmp_path: Path) -> None:
    [[sentence, hint], promise] = run("full_at_first", tmp_path, before=APART)
    assert str(sentence).startswith(("The disk", "The store could not be made"))
    assert hint
    assert promise == ["plan", 1]


def test_at_a_limit_of_the_file_size_nothing_is_lost(tmp_path: Path) -> None:
    [promise, [sentence, hint]] = run("limited", made(tmp_path))
    assert promise == ["plan", 1]
    assert str(sentence).startswith("The disk")
    assert hint


@needs_mount
@pytest.mark.parametrize(
    ("log", "more"), [(0, False), (1, True), (2, True)], ids=["no log", "a log", "log and index"]
)
def test_on_a_disk_that_only_gives_everything_can_be_read(
    tmp_path: Path, log: int, more: bool
) -> None:
    [found, [sentence, hint]] = run("read_only", tmp_path, log, before=APART)
    assert found == [more, True]
    assert "may not be written" in str(sentence)
    assert hint
