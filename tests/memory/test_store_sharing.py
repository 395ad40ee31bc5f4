"""Whose rows are in which store: backups of several projects, histories that went apart, and stores
nobody named.
"""

from __future__ import annotations

import json
import os
import pty
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pg
import pytest
from conftest import ROOT, Result, write
from filled_stores import FILE, PLAN, fill, held, lines_of, silent
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from secret_formats import FORMATS

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.shared.menu import find
from director_ctx.doors.cli.shared.options import READS, WRITES
from director_ctx.memory.plans import versions
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.transfer.copy import copy
from director_ctx.memory.transfer.rows import ROWS
from director_ctx.memory.variables import entries, key_files
from director_ctx.memory.variables.variables import set_variable

Dctx = Callable[..., Result]


@pytest.fixture
def url(server: pg.Server) -> str:
    return server.database()


def made(root: Path, workflow: str = "") -> Path:
    """A project, with the id that its team agreed on or without."""
    return write(
        root,
        {"VISION.md": "# V\n", **({"dctx.yaml": f"workflow_id: {workflow}\n"} if workflow else {})},
    )


def planned(root: Path, notes: str) -> Path:
    with open_store(load_project(root=str(root)), write=True) as store:
        versions.update(store, {**PLAN, "notes": notes}, notes)
    return root


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return planned(made(tmp_path / "one"), "the plan of one")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return planned(made(tmp_path / "two"), "the plan of two")


def notes(dctx: Dctx, root: Path) -> object:
    return json.loads(dctx("plan", "show", "--json", cwd=root).out)["notes"]


# A file as a backup


def test_a_copy_into_a_file_is_what_is_read_there(
    dctx: Dctx, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("new.db", "opened.db"):
        place = str(tmp_path / name)
        if name == "opened.db":
            SQLite(place).close()
            with Store(SQLite(place), "") as empty:
                sql = "INSERT INTO dctx_meta (name, value) VALUES ('workflow_id', ?)"
                empty.engine.write("", lambda writer: writer.run(sql, (new_id(),)))  # noqa: B023
        assert dctx("store", "copy", place, cwd=one).code == 0
        with monkeypatch.context() as named:
            named.setenv("DCTX_STORE", place)
            assert notes(dctx, one) == "the plan of one"


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_a_file_of_another_project_takes_no_copy(
    words: tuple[str, ...], dctx: Dctx, one: Path, two: Path, tmp_path: Path
) -> None:
    place = tmp_path / "backup.db"
    assert dctx("store", "copy", str(place), cwd=one).code == 0
    refused = dctx("store", "copy", str(place), *words, cwd=two)
    assert refused.code == 1 and "holds the plan and variables of another project" in refused.err
    with Store(SQLite(str(place)), "") as store:
        assert store.engine.row("SELECT count(*) FROM workflows") == (1,)
    assert dctx("store", "copy", str(two / FILE), cwd=one).code == 1
    assert notes(dctx, two) == "the plan of two"


def test_projects_with_ids_may_share_a_backup(
    dctx: Dctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = [planned(made(tmp_path / name, new_id()), name) for name in ("a", "b")]
    for root in roots:
        assert dctx("store", "copy", str(tmp_path / "all.db"), cwd=root).code == 0
    monkeypatch.setenv("DCTX_STORE", str(tmp_path / "all.db"))
    assert [notes(dctx, root) for root in roots] == ["a", "b"]


# Rows of another project


def test_an_import_from_another_project_is_whole_or_nothing(
    dctx: Dctx, one: Path, two: Path
) -> None:
    for root in (one, two):
        assert dctx("vars", "set", f"of_{root.name}", "1", "--reason", "Why", cwd=root).code == 0
    dctx("store", "export", "-o", "backup.jsonl", cwd=one)
    before = held(two)
    refused = dctx("store", "import", str(one / "backup.jsonl"), cwd=two)
    assert refused.code == 1 and "the plan and variables of another project" in refused.err
    assert "director_plans, plan_version 1" in refused.err
    assert held(two) == before
    assert dctx("store", "import", str(one / "backup.jsonl"), cwd=one).code == 0, "one's own backup"


def test_a_copy_between_workflows_is_whole_or_nothing_and_names_the_new_one() -> None:
    with (
        Store(SQLite(":memory:"), new_id()) as source,
        Store(SQLite(":memory:"), new_id()) as target,
    ):
        fill(source)
        copied = copy(source, target, silent)
        assert (
            copied.compared is not None and copied.compared.is_same and copied.compared.rows == 22
        )
        current = versions.current(target)
        assert current is not None and current.data["workflow_id"] == target.workflow
        versions.update(source, PLAN, "Here")
        versions.update(target, PLAN, "There")
        before = lines_of(target)
        with pytest.raises(DctxError, match="of another project"):
            copy(source, target, silent)
        assert lines_of(target) == before


# Histories that went apart


def test_histories_that_went_apart_are_not_mixed() -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as ours, Store(SQLite(":memory:"), workflow) as theirs:
        versions.update(ours, PLAN, "Together")
        entries.put(ours, {"a": "1"}, "Together")
        copy(ours, theirs, silent)
        versions.update(theirs, PLAN, "Theirs")
        entries.put(theirs, {"a": "2"}, "Theirs")
        for number in range(3):
            versions.update(ours, PLAN, f"Ours {number}")
            entries.put(ours, {"a": f"1{number}", "new": "1"}, f"Ours {number}")
        before = lines_of(theirs)
        tallies = copy(ours, theirs, silent).tallies
        assert lines_of(theirs) == before, (
            "neither a later version nor a variable without its history came along"
        )
        assert len(tallies["director_plans"].others) == 3
        assert tallies["dctx_variables"].others == (
            "dctx_variables, name a",
            "dctx_variables, name new",
        )


def test_a_long_history_that_went_apart_stays_away_to_its_end() -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as ours, Store(SQLite(":memory:"), workflow) as theirs:
        versions.update(theirs, PLAN, "Theirs")
        for number in range(ROWS + 20):
            versions.update(ours, PLAN, f"Ours {number}")
        assert copy(ours, theirs, silent).tallies["director_plans"].added == 0


def test_two_equal_versions_of_a_teams_own_program_are_no_reason_to_stop() -> None:
    workflow = new_id()
    with (
        Store(SQLite(":memory:"), workflow) as source,
        Store(SQLite(":memory:"), workflow) as target,
    ):
        for number in range(3):
            versions.update(source, PLAN, f"Version {number}")
        items = [json.loads(line) for line in lines_of(source)[2:-1]]
        from director_ctx.memory.store.tables import BY_TABLE
        from director_ctx.memory.transfer.rows import Item
        from director_ctx.memory.transfer.take import take

        rows = [{name: row[name] for name in BY_TABLE["director_plans"].columns} for row in items]
        twice = [rows[0], rows[1], {**rows[1], "id": new_id(), "reason": "Twice"}, rows[2]]
        for _ in range(2):
            tally = target.engine.write(
                workflow,
                lambda writer: take(
                    writer,
                    workflow,
                    [
                        Item(
                            BY_TABLE["workflows"],
                            {"name": "", "created_at": "x", "updated_at": "x"},
                        ),
                        *(Item(BY_TABLE["director_plans"], row) for row in twice),
                    ],
                ),
            )["director_plans"]
            assert tally.added + tally.same == 3 and len(tally.others) == 1


def test_what_to_do_with_plans_that_went_apart_is_said(
    dctx: Dctx, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = new_id()
    mine, yours = (made(tmp_path / name, workflow) for name in ("mine", "yours"))
    planned(mine, "mine")
    monkeypatch.setenv("DCTX_STORE", url)
    assert dctx("store", "migrate", "--yes", cwd=yours).code == 0
    planned(yours, "yours")
    assert dctx("store", "trust", "--yes", cwd=mine).code == 0
    monkeypatch.delenv("DCTX_STORE")
    result = dctx("store", "copy", url, "--yes", cwd=mine)
    assert (
        result.code == 1
        and "were both changed" in result.err
        and "dctx plan show --json | DCTX_STORE=URL" in result.err
    )
    assert "sum" not in result.out
    (tmp_path / "mine.json").write_text(dctx("plan", "show", "--json", cwd=mine).out)
    monkeypatch.setenv("DCTX_STORE", url)
    assert (
        dctx("plan", "update", str(tmp_path / "mine.json"), "--reason", "On top", cwd=yours).code
        == 0
    )
    assert notes(dctx, yours) == "mine"


# Asking before a database


def test_a_database_is_asked_for_and_a_file_is_not(
    dctx: Dctx, one: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", url)
    dctx("store", "migrate", "--yes", cwd=one)
    monkeypatch.delenv("DCTX_STORE")
    asked = dctx("store", "copy", url, cwd=one)
    assert (
        asked.code == 1
        and "2 rows to be copied." in asked.out
        and "nobody can be asked" in asked.err
    )
    assert dctx("store", "copy", url, "--json", cwd=one).out == ""
    with Store(pg.migrated(url), new_id()) as store:
        assert store.engine.row("SELECT count(*) FROM workflows") == (0,)
    assert dctx("store", "copy", str(tmp_path / "x.db"), cwd=one).code == 0
    for answer, count in (("n\n", 0), ("y\n", 1)):
        process = subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "store", "copy", url],
            cwd=one, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=(terminal := pty.openpty())[1], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        os.write(terminal[0], answer.encode())
        _, said = process.communicate(timeout=60)
        for end in terminal:
            os.close(end)
        assert process.returncode == (0 if count else 1) and (
            "Nothing was copied" in said
        ) is not bool(count)
        with Store(pg.migrated(url), new_id()) as store:
            assert store.engine.row("SELECT count(*) FROM workflows") == (count,)


# Which store is meant


def test_a_team_store_that_nobody_named_is_asked_about_until_there_is_one_here(
    dctx: Dctx, tmp_path: Path
) -> None:
    root = made(tmp_path / "clone", new_id())
    hint = "DCTX_STORE names it"
    shown = dctx("plan", "show", cwd=root)
    assert shown.code == 1 and hint in shown.err and "There is no plan yet" in shown.err
    assert dctx("store", "info", "--json", cwd=root).err.count(hint) == 1
    first = dctx("vars", "set", "a", "1", "--reason", "Alone", cwd=root)
    assert first.code == 0 and first.err.count(hint) == 1 and first.out == "- a = 1\n"
    assert dctx("vars", "set", "a", "2", "--reason", "Alone", cwd=root).err == ""


def test_nothing_is_said_about_a_store_that_is_known(
    dctx: Dctx, tmp_path: Path, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dctx("vars", "list", cwd=made(tmp_path / "alone")).err == "dctx: No variable is set.\n"
    assert dctx("plan", "history", cwd=one).err == ""
    agreed = made(tmp_path / "agreed", new_id())
    with (agreed / ".director/dctx.yaml").open("a") as file:
        file.write("store: postgresql://127.0.0.1:1/x\n")
    said = dctx("plan", "show", cwd=agreed).err
    assert "you have not agreed to" in said and "may keep the plan" not in said
    monkeypatch.setenv("DCTX_STORE", str(tmp_path / "x.db"))
    named = dctx(
        "vars", "set", "a", "1", "--reason", "Named", cwd=made(tmp_path / "named", new_id())
    )
    assert named.err == ""
    assert dctx("vars", "set", "a", "1", "--reason", "Named", cwd=tmp_path).err == ""


def test_outside_of_a_project_it_is_said_where_things_are_kept(
    dctx: Dctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = dctx("vars", "set", "a", "1", "--reason", "Somewhere", cwd=tmp_path)
    assert (
        result.err == "dctx: Outside of a project, so the store is ~/.local/state/dctx/store.db.\n"
    )
    assert dctx("vars", "list", cwd=tmp_path).err == "", "only looking is no surprise"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told = dctx("vars", "set", "a", "1", "--reason", "Elsewhere", "--json", cwd=tmp_path)
    assert (
        f"the store is {tmp_path}/state/dctx/store.db." in told.err
        and json.loads(told.out)["name"] == "a"
    )


def test_every_command_of_plans_and_variables_says_whether_it_writes() -> None:
    from director_ctx.doors.cli.shared.menu import commands

    used = {
        command.name: command.store
        for command in commands()
        if command.name.startswith(("plan ", "vars "))
    }
    assert all(used.values())
    writing = {
        command.name
        for command in commands()
        if any(option.name == "reason" for option in command.options)
    }
    assert {name for name, store in used.items() if store == WRITES} == {
        name for name in writing if name.startswith(("plan ", "vars "))
    }
    imported, info = find(["store", "import"]), find(["store", "info"])
    assert imported and info and (imported.store, info.store) == (WRITES, READS)


# Getting ready


def test_the_hints_lead_to_a_database_that_can_be_used(
    dctx: Dctx, one: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = dctx("store", "copy", url, cwd=one)
    assert (
        refused.code == 1 and "`dctx store migrate`, with DCTX_STORE set to this URL" in refused.err
    )
    assert "name it in DCTX_STORE" in dctx("store", "migrate", cwd=one).err
    monkeypatch.setenv("DCTX_STORE", url)
    done = dctx("store", "migrate", "--yes", cwd=one)
    assert done.code == 0 and f"and 2 rows in {FILE} are not." in done.err
    assert 'env -u DCTX_STORE dctx store copy "$DCTX_STORE"' in done.err
    monkeypatch.delenv("DCTX_STORE")
    assert dctx("store", "copy", url, "--yes", cwd=one).code == 0
    monkeypatch.setenv("DCTX_STORE", url)
    assert notes(dctx, one) == "the plan of one"


def test_a_database_that_the_repository_names_gets_the_rows_too(
    dctx: Dctx, one: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one / ".director/dctx.yaml").write_text(f"store: {url}\n")
    assert dctx("store", "trust", "--yes", cwd=one).code == 0
    done = dctx("store", "migrate", "--yes", cwd=one)
    assert done.code == 0 and f"DCTX_STORE={FILE} dctx store copy URL" in done.err
    monkeypatch.setenv("DCTX_STORE", FILE)
    assert dctx("store", "copy", url, "--yes", cwd=one).code == 0
    monkeypatch.delenv("DCTX_STORE")
    assert notes(dctx, one) == "the plan of one"


def test_a_schema_that_is_missing_is_named(
    dctx: Dctx, one: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", f"{url}&options=-csearch_path%3Dapart")
    refused = dctx("store", "migrate", "--yes", cwd=one)
    assert refused.code == 1 and "none of its search_path (apart) exists" in refused.err
    assert "CREATE SCHEMA" in refused.err


def test_psycopg_is_asked_for_before_anything_that_would_need_it(
    dctx: Dctx, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("DCTX_STORE", "postgresql://127.0.0.1/x")
    said = dctx("plan", "show", cwd=one).err
    assert (
        "needs psycopg" in said
        and "pip install 'director-ctx[postgres]'" in said
        and "migrate" not in said
    )


# The key


def test_a_key_that_is_exported_to_a_file_is_for_its_owner_only(dctx: Dctx, one: Path) -> None:
    (one / "team.key").write_text("old\n")
    (one / "team.key").chmod(0o644)
    done = dctx("store", "key", "--export", "-o", "team.key", cwd=one)
    assert done.code == 0 and done.out == "" and "which only you can read" in done.err
    assert stat.S_IMODE((one / "team.key").stat().st_mode) == 0o600
    assert (one / "team.key").read_text() == dctx("store", "key", "--export", cwd=one).out
    assert (one / "team.key").read_text().strip() not in done.err
    assert dctx("store", "key", "-o", "x", cwd=one).code == 2 and not (one / "x").exists()


def test_what_the_next_secret_does_where_there_is_no_key(dctx: Dctx, one: Path) -> None:
    root = load_project(root=str(one))
    set_variable(root, "login", {"password": "Zq7hunter"}, "Why")
    folder = Path(key_files.place())
    [file] = folder.glob("*")
    file.rename(folder / f"{new_id()}.keys")
    assert "the first secret will use" in dctx("store", "key", cwd=one).out
    [file] = folder.glob("*")
    file.unlink()
    lost = dctx("store", "key", cwd=one).out
    assert "the first secret" not in lost and "dctx store key --import FILE" in lost
    assert "is not on this machine: 1 variable and 1 change need it." in lost
    set_again = dctx("vars", "set", "other_password", "Zq8hunter", "--reason", "Why", cwd=one)
    assert set_again.code == 1 and "not on this machine" in set_again.err
    dctx("vars", "clear", "login", "--reason", "Lost", cwd=one)
    assert "the first secret makes a key" in dctx("store", "key", cwd=one).out


# What leaves a store is sealed


SECRET = st.from_regex(r"Zq7[A-Za-z0-9]{12}", fullmatch=True)
NAMED = SECRET.map(
    lambda text: ("gmail_creds", {"user": "a@example.org", "password": text}, False, text)
)
ASKED = SECRET.map(lambda text: ("greeting", [text], True, text))
BY_FORMAT = st.sampled_from(
    [FORMATS[name] for name in ("GitHub", "Anthropic", "AWS", "Slack", "JSON web token", "npm")]
)
KNOWN = BY_FORMAT.flatmap(
    lambda form: st.from_regex(re.compile(form, re.ASCII), fullmatch=True)
).map(lambda text: ("found.text", f"it was {text} there", False, text))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(secrets=st.lists(NAMED | ASKED | KNOWN, min_size=1, max_size=3), again=st.booleans())
def test_no_secret_leaves_in_an_export_or_a_copy(
    secrets: list[tuple[str, object, bool, str]],
    again: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    project = load_project(root=str(made(folder / "work")))
    for name, value, asked, text in secrets:
        set_variable(project, name, value, f"Because of {text}", secret=asked)
        if again:
            set_variable(project, name, 1, f"No longer {text}", secret=asked)
    with (
        open_store(project) as store,
        Store(SQLite(str(folder / "copy.db")), store.workflow) as target,
    ):
        exported = b"".join(lines_of(store))
        copy(store, target, silent)
        files = [
            path.read_bytes()
            for path in (*folder.glob("copy.db*"), *(folder / "work").rglob("store.db*"))
        ]
    files += [
        path.read_bytes()
        for path in (*folder.glob("copy.db*"), *(folder / "work").rglob("store.db*"))
    ]
    assert b"dctx:sealed" in exported and len(files) >= 4
    for _, _, _, text in secrets:
        assert not [
            data
            for data in (exported, *files)
            if text.encode() in data or json.dumps(text).encode()[1:-1] in data
        ]
