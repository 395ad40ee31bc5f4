"""Files that are not what a store should be: each is a sentence and a hint, or works, and nothing
is harmed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import needs_permissions
from fire import PLACE, PLAN, made, opened, run
from kept_plans import new_version

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans import versions
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.variables import entries

Make = Callable[[Path], None]
MAGIC = bytes.fromhex("d9d505f920a163d7")


def kept(folder: Path) -> Path:
    """A project with a store that holds one variable; the place of the store."""
    with opened(made(folder)) as store:
        entries.put(store, {"a": "1"}, "why")
    return folder / PLACE


def scripted(*statements: str) -> Make:
    """A store into which somebody else wrote."""

    def make(place: Path) -> None:
        connection = sqlite3.connect(place)
        connection.create_collation("odd", lambda one, other: (one > other) - (one < other))
        connection.executescript(";\n".join(statements))
        connection.close()

    return make


def instead(make: Make) -> Make:
    def remade(place: Path) -> None:
        place.unlink()
        make(place)

    return remade


def folder(place: Path) -> None:
    place.mkdir()


def link_out(place: Path) -> None:
    outside = place.parents[3] / "outside.db"
    sqlite3.connect(outside).execute("CREATE TABLE theirs (x)").connection.close()
    place.symlink_to(outside)


def link_in(place: Path) -> None:
    shutil.copy(kept(place.parents[2] / "other"), place.with_name("true.db"))
    place.symlink_to("true.db")


def truncated(place: Path) -> None:
    os.truncate(place, place.stat().st_size // 2)


def noise(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[200:] = os.urandom(len(data) - 200)
    place.write_bytes(data)


def theirs(place: Path) -> None:
    scripted("CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('theirs')")(place)


def rewritten(old: str, new: str) -> Make:
    """A table whose statement was changed in place."""
    return scripted(
        "PRAGMA writable_schema=ON",
        f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}') WHERE name = 'dctx_variables'",
    )


REFUSED: dict[str, Make] = {
    "a folder": instead(folder),
    "a link out of the project": instead(link_out),
    "a link within the project": instead(link_in),
    "a pipe": instead(os.mkfifo),
    "a text": instead(lambda place: place.write_text("# Not a database\n" * 500) and None),
    "half a store": truncated,
    "noise": noise,
    "another program's database": instead(theirs),
    "a store with a table of somebody": scripted("CREATE TABLE notes (text)"),
    "a newer store": scripted(f"PRAGMA user_version={VERSION + 1}"),
    "a store of no version": scripted("PRAGMA user_version=-1"),
    "a store that lost its version": scripted("PRAGMA user_version=0"),
    "a trigger": scripted(
        "CREATE TRIGGER t AFTER INSERT ON dctx_variables BEGIN DELETE FROM workflows; END"
    ),
    "a view": scripted(
        "DROP TABLE dctx_variables", "CREATE VIEW dctx_variables AS SELECT randomblob(1e9) AS name"
    ),
    "an odd collation": scripted(
        "DROP TABLE dctx_tabs", "CREATE TABLE dctx_tabs (name TEXT COLLATE odd)"
    ),
    "a computed column": rewritten("value TEXT NOT NULL", "value TEXT AS (hex(zeroblob(1e9)))"),
    "a check": rewritten("value TEXT NOT NULL", "value TEXT CHECK (randomblob(1e9))"),
    "a virtual table": scripted(
        "DROP TABLE dctx_tabs", "CREATE VIRTUAL TABLE dctx_tabs USING fts5(target, name)"
    ),
    "a missing table": scripted("DROP TABLE dctx_variables", "DROP TABLE dctx_meta"),
    "a log that is a link": lambda place: Path(f"{place}-wal").symlink_to(
        place.parents[3] / "outside"
    ),
    "a log that is a pipe": lambda place: os.mkfifo(f"{place}-wal"),
    "a journal that is a pipe": lambda place: os.mkfifo(f"{place}-journal"),
    "an index that is a link": lambda place: Path(f"{place}-shm").symlink_to(
        place.parents[3] / "outside"
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_store_of_ours_is_refused_and_stays_as_it_is(tmp_path: Path, what: str) -> None:
    project = tmp_path / "project"
    place = kept(project)
    REFUSED[what](place)
    before = _state(tmp_path)
    for write in (False, True):
        with pytest.raises(StoreError) as refused, opened(project, write) as store:
            entries.variables(store)
        assert refused.value.hint
        assert refused.value.message.endswith(".")
        assert refused.value.message.isprintable()
    assert _state(tmp_path) == before


def _state(folder: Path) -> dict[str, bytes]:
    """Every file there is, with what is in it; an empty log and its index are SQLite's own."""
    every = (one for one in sorted(folder.rglob("*")) if not one.name.endswith(("-shm", "-wal")))
    return {
        str(one): one.read_bytes() if one.is_file() and not one.is_symlink() else b""
        for one in every
    }


def test_a_newer_store_is_said_to_be_newer(tmp_path: Path) -> None:
    scripted(f"PRAGMA user_version={VERSION + 1}")(kept(tmp_path))
    with pytest.raises(StoreError, match="newer than this dctx"):
        opened(tmp_path, write=False)


def test_a_journal_cannot_make_a_reader_delete_a_file(tmp_path: Path) -> None:
    """SQLite removes the file that a journal names as the one above it."""
    project, victim = tmp_path / "project", tmp_path / "precious.txt"
    victim.write_text("precious\n")
    place = kept(project)
    name = str(victim).encode()
    head = MAGIC + struct.pack(">5I", 0, 0, place.stat().st_size // 4096, 512, 4096)
    tail = (
        struct.pack(">I", (1 << 30) // 4096 + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + MAGIC
    )
    Path(f"{place}-journal").write_bytes(head.ljust(512, b"\0") + tail)
    with pytest.raises(StoreError, match=r"store\.db-journal"):
        opened(project, write=False)
    assert victim.exists()


WORKS: dict[str, Make] = {
    "an empty file": instead(lambda place: place.touch()),
    "many free pages": scripted(
        "CREATE TABLE big AS SELECT zeroblob(5000000)", "DROP TABLE big", "PRAGMA user_version"
    ),
    "large pages": scripted(
        "PRAGMA journal_mode=DELETE", "PRAGMA page_size=65536", "VACUUM", "PRAGMA journal_mode=WAL"
    ),
    "an old journal mode": scripted("PRAGMA journal_mode=DELETE"),
    "an old journal that is done": lambda place: (
        Path(f"{place}-journal").write_bytes(b"\0" * 28) and None
    ),
    "an index full of noise": lambda place: (
        Path(f"{place}-shm").write_bytes(os.urandom(32768)) and None
    ),
    "a log full of noise": lambda place: (
        Path(f"{place}-wal").write_bytes(os.urandom(50_000)) and None
    ),
    "pages that are promised but not there": lambda place: _header(place, 28, 10_000_000),
}


def _header(place: Path, at: int, value: int) -> None:
    data = bytearray(place.read_bytes())
    data[at : at + 4] = struct.pack(">I", value)
    data[92:96] = b"\xff" * 4  # says that the number of pages is to be counted
    place.write_bytes(data)


@pytest.mark.parametrize("what", WORKS)
def test_what_is_odd_but_ours_works(tmp_path: Path, what: str) -> None:
    WORKS[what](kept(tmp_path))
    with opened(tmp_path) as store:
        entries.put(store, {"b": "2"}, "why")
    with opened(tmp_path, write=False) as store:
        assert entries.variable(store, "b")
        assert store.engine.rows("PRAGMA integrity_check") == [("ok",)]


def test_the_log_of_another_file_is_no_traceback(tmp_path: Path) -> None:
    """SQLite cannot tell: it may be taken, or the store is damaged then, which is said."""
    place, other = kept(tmp_path / "one"), tmp_path / "other"
    run("left", made(other))
    shutil.copy(other / f"{PLACE}-wal", f"{place}-wal")
    try:
        with opened(tmp_path / "one") as store:
            entries.put(store, {"b": "2"}, "why")
            assert store.engine.rows("PRAGMA integrity_check")
    except DctxError as error:
        assert error.hint


def test_text_that_is_no_text_is_a_sentence(tmp_path: Path) -> None:
    scripted("UPDATE dctx_variables SET value = CAST(x'ff1b5b31' AS TEXT)")(kept(tmp_path))
    with pytest.raises(StoreError) as refused, opened(tmp_path, write=False) as store:
        entries.variables(store)
    assert refused.value.message.isprintable()


# What reading and making leave


def test_reading_makes_nothing_where_there_is_no_store(tmp_path: Path) -> None:
    made(tmp_path)
    with opened(tmp_path, write=False) as store:
        assert versions.current(store) is None
        assert entries.variables(store) == []
        assert entries.changes(store) == []
    assert list((tmp_path / ".director").iterdir()) == []


def test_reading_changes_no_byte_of_a_store(tmp_path: Path) -> None:
    place = kept(tmp_path)
    (tmp_path / ".director" / "dctx.yaml").write_text(
        "workflow_id: 00000000-0000-4000-8000-000000000001\n"
    )
    before = _state(tmp_path)
    with opened(tmp_path, write=False) as store:
        assert entries.variable(store, "a")
    assert _state(tmp_path) == before
    assert sorted(one.name for one in place.parent.iterdir()) == [".gitignore", "store.db"]


def test_once_a_workflow_has_a_name_what_was_there_goes_over_to_it(tmp_path: Path) -> None:
    kept(tmp_path)
    for digit in "121":
        identity = f"00000000-0000-4000-8000-00000000000{digit}"
        (tmp_path / ".director" / "dctx.yaml").write_text(f"workflow_id: {identity}\n")
        with opened(tmp_path) as store:
            assert store.workflow == identity
            assert entries.variable(store, "a")
            assert len(entries.changes(store)) == 1


def test_a_workflow_that_the_store_has_already_is_taken_as_it_is(tmp_path: Path) -> None:
    """After an import there may be two; neither is lost when `dctx.yaml` names the other one."""
    other = "00000000-0000-4000-8000-000000000009"
    scripted(f"INSERT INTO workflows VALUES ('{other}', '', 't', 't')")(kept(tmp_path))
    (tmp_path / ".director" / "dctx.yaml").write_text(f"workflow_id: {other}\n")
    with opened(tmp_path) as store:
        assert store.workflow == other
        assert store.engine.row("SELECT count(*) FROM workflows") == (2,)
        assert store.engine.row("SELECT count(*) FROM dctx_variables") == (1,)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277])
def test_only_the_owner_may_read_it_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    made(tmp_path)
    (tmp_path / ".director" / ".dctx").mkdir(mode=0o700)
    before = os.umask(mask)
    try:
        with opened(tmp_path) as store:
            entries.put(store, {"a": "1"}, "why")
            files = [tmp_path / f"{PLACE}{end}" for end in ("", "-wal", "-shm")]
            assert [one.stat().st_mode & 0o777 for one in files] == [0o600] * 3
    finally:
        os.umask(before)


def test_what_a_killed_creation_left_is_swept_away_later_and_not_while_another_is_at_it(
    tmp_path: Path,
) -> None:
    place = kept(tmp_path)
    old, young, foreign = (
        place.with_name(f"{name}") for name in ("store.db.1a.tmp", "store.db.2b.tmp", "my.tmp")
    )
    log = Path(f"{old}-wal")
    for one in (old, young, foreign, log):
        one.touch()
    for one in (old, foreign, log):
        os.utime(one, (time.time() - 7200,) * 2)
    opened(tmp_path).close()
    assert not old.exists()
    assert not log.exists()
    assert young.exists()
    assert foreign.exists()


@pytest.mark.parametrize("target", ["outside", "inside"])
def test_a_corner_that_is_a_link_holds_no_store(tmp_path: Path, target: str) -> None:
    project, outside = made(tmp_path / "project"), tmp_path / "outside"
    where = outside if target == "outside" else project / "inside"
    where.mkdir()
    (project / ".director" / ".dctx").symlink_to(where)
    for write in (False, True):
        with pytest.raises(DctxError, match="is not a folder, so the store here is not used"):
            opened(project, write)
    assert list(where.iterdir()) == []


def test_where_there_are_no_hard_links_the_first_still_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    place = kept(tmp_path)
    assert place.stat().st_mode & 0o777 == 0o600
    with opened(tmp_path) as store:
        assert entries.variable(store, "a")
        assert store.engine.row("PRAGMA journal_mode") == ("wal",)


def test_where_there_can_be_no_log_the_store_works_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's way of locking by a file is what it does on file systems without locks; no log is
    possible there.
    """

    def connect(place: str) -> sqlite3.Connection:
        words = {"timeout": 0, "isolation_level": None, "check_same_thread": False}
        return sqlite3.connect(f"file:{place}?vfs=unix-dotfile", uri=True, **words)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr("director_ctx.memory.store.sqlite.connect", connect)
    place = kept(tmp_path)
    with opened(tmp_path) as store:
        assert store.engine.row("PRAGMA journal_mode") == ("delete",)
        assert new_version(store, PLAN, "first").number == 1
    assert place.exists()


def test_what_is_promised_is_synced(tmp_path: Path) -> None:
    with opened(made(tmp_path)) as store:
        assert store.engine.row("PRAGMA synchronous") == (2,)
        assert store.engine.row("PRAGMA journal_mode") == ("wal",)
        assert store.engine.row("PRAGMA foreign_keys") == (1,)
        assert store.engine.row("PRAGMA trusted_schema") == (0,)


# Without permission


@needs_permissions
@pytest.mark.parametrize("log", [False, True])
def test_a_store_in_a_folder_that_may_not_be_written_is_read(tmp_path: Path, log: bool) -> None:
    place = kept(tmp_path)
    if log:
        run("left", tmp_path)
        Path(f"{place}-shm").unlink()
    place.parent.chmod(0o500)
    try:
        with opened(tmp_path, write=False) as store:
            assert entries.variable(store, "a")
            with pytest.raises(StoreError, match="may not be written"):
                new_version(store, PLAN, "why")
    finally:
        place.parent.chmod(0o700)
    with opened(tmp_path) as store:
        assert new_version(store, PLAN, "why")


@needs_permissions
@pytest.mark.parametrize(
    ("mode", "sentence"), [(0o400, "may not be written"), (0o000, "could not be opened")]
)
def test_a_file_without_permissions_is_a_sentence(tmp_path: Path, mode: int, sentence: str) -> None:
    place = kept(tmp_path)
    place.chmod(mode)
    if mode:
        with opened(tmp_path, write=False) as store:
            assert entries.variable(store, "a")
    with pytest.raises(StoreError, match=sentence) as refused, opened(tmp_path) as store:
        new_version(store, PLAN, "why")
    assert refused.value.hint


@needs_permissions
def test_a_project_that_may_not_be_written_makes_no_store(tmp_path: Path) -> None:
    corner = made(tmp_path) / ".director"
    corner.chmod(0o500)
    try:
        with pytest.raises(DctxError, match="Could not make"):
            opened(tmp_path)
        with opened(tmp_path, write=False) as store:
            assert versions.current(store) is None
    finally:
        corner.chmod(0o700)
