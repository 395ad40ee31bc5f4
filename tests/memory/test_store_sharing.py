"""Whose rows are in which store: backups of several projects, histories that went apart, and stores
nobody named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pg
import pytest
from conftest import Result, write
from filled_stores import FILE, PLAN, carried, held, lines_of
from kept_plans import new_version

from director_ctx import load_project
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.transfer.rows import ROWS
from director_ctx.memory.variables import entries

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
        new_version(store, {**PLAN, "notes": notes}, notes)
    return root


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return planned(made(tmp_path / "one"), "the plan of one")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return planned(made(tmp_path / "two"), "the plan of two")


def notes(dctx: Dctx, root: Path) -> object:
    return json.loads(dctx("plan", "show", "--json", cwd=root).out)["notes"]


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


# Histories that went apart


def test_histories_that_went_apart_are_not_mixed() -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as ours, Store(SQLite(":memory:"), workflow) as theirs:
        new_version(ours, PLAN, "Together")
        entries.put(ours, {"a": "1"}, "Together")
        carried(ours, theirs)
        new_version(theirs, PLAN, "Theirs")
        entries.put(theirs, {"a": "2"}, "Theirs")
        for number in range(3):
            new_version(ours, PLAN, f"Ours {number}")
            entries.put(ours, {"a": f"1{number}", "new": "1"}, f"Ours {number}")
        before = lines_of(theirs)
        tallies = carried(ours, theirs)
        assert lines_of(theirs) == before, (
            "neither a later version nor a variable without its history came along"
        )
        assert len(tallies["director_plans"].others) == 3
        others = [other.partition(": ")[2] for other in tallies["dctx_variables"].others]
        assert others == ["dctx_variables, name a", "dctx_variables, name new"]


def test_a_long_history_that_went_apart_stays_away_to_its_end() -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as ours, Store(SQLite(":memory:"), workflow) as theirs:
        new_version(theirs, PLAN, "Theirs")
        for number in range(ROWS + 20):
            new_version(ours, PLAN, f"Ours {number}")
        assert carried(ours, theirs)["director_plans"].added == 0


# Which store is meant


def test_a_team_store_that_nobody_named_is_asked_about_until_there_is_one_here(
    dctx: Dctx, tmp_path: Path
) -> None:
    root = made(tmp_path / "clone", new_id())
    hint = "DCTX_STORE names it"
    shown = dctx("plan", "show", cwd=root)
    assert shown.code == 1 and hint in shown.err and "There is no plan yet" in shown.err
    assert dctx("store", "show", "--json", cwd=root).err.count(hint) == 1
    first = dctx("vars", "set", "a", "1", "--reason", "Alone", cwd=root)
    assert first.code == 0 and first.err.count(hint) == 1 and first.out == "- a = 1\n"
    assert dctx("vars", "set", "a", "2", "--reason", "Alone", cwd=root).err == ""


def test_nothing_is_said_about_a_store_that_is_known(
    dctx: Dctx, tmp_path: Path, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dctx("vars", "show", cwd=made(tmp_path / "alone")).err == "dctx: No variable is set.\n"
    assert dctx("plan", "show", "--versions", cwd=one).err == ""
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
    assert dctx("vars", "show", cwd=tmp_path).err == "", "only looking is no surprise"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told = dctx("vars", "set", "a", "1", "--reason", "Elsewhere", "--json", cwd=tmp_path)
    assert (
        f"the store is {tmp_path}/state/dctx/store.db." in told.err
        and json.loads(told.out)["name"] == "a"
    )


# Getting ready


def test_the_hints_lead_to_a_database_that_can_be_used(
    dctx: Dctx, one: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as named:
        named.setenv("DCTX_STORE", url)
        refused = dctx("plan", "show", cwd=one)
    assert (
        refused.code == 1 and "`dctx store migrate`, with DCTX_STORE set to this URL" in refused.err
    )
    assert "name it in DCTX_STORE" in dctx("store", "migrate", cwd=one).err
    monkeypatch.setenv("DCTX_STORE", url)
    done = dctx("store", "migrate", "--yes", cwd=one)
    assert done.code == 0 and f"and 2 rows in {FILE} are not." in done.err
    assert f"DCTX_STORE={FILE} dctx store export | dctx store import -" in done.err
    with monkeypatch.context() as named:
        named.setenv("DCTX_STORE", FILE)
        assert dctx("store", "export", "-o", "all.jsonl", cwd=one).code == 0
    assert dctx("store", "import", "all.jsonl", cwd=one).code == 0
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
