"""`dctx store …`: what is said, what is written, and what comes out on the other side."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pg
import pytest
from conftest import Result, needs_permissions, process, write
from filled_stores import FILE, PLAN, carried, fill, held
from kept_plans import new_version
from loading import loaded_by

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.memory.conversations import messages
from director_ctx.memory.plans import versions
from director_ctx.memory.store.by_url import agree, agreed_url, file_of
from director_ctx.memory.store.identity import write_id
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.transfer.rows import counted_in, settled
from director_ctx.memory.variables import entries


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "proj", {"VISION.md": "# Vision\n"}))
    return tmp_path / "proj"


Dctx = Callable[..., Result]


@pytest.fixture
def url(server: pg.Server) -> str:
    return server.database()


@pytest.fixture
def filled(root: Path) -> Path:
    with open_store(load_project(root=str(root)), write=True) as store:
        fill(store)
    return root


# info


def test_info_without_a_store_makes_none(dctx: Dctx, root: Path) -> None:
    result = dctx("store", "show")
    assert result.code == 0 and result.out.startswith("There is no store yet.")
    assert result.out.rstrip().endswith(f"{root}/{FILE}") and not (root / FILE).exists()


def test_info_shows_what_is_there(dctx: Dctx, filled: Path) -> None:
    found = json.loads(dctx("store", "show", "--json").out)
    assert (
        found["engine"] == "sqlite"
        and found["place"] == f"{filled}/{FILE}"
        and found["durable"] is True
    )
    names = (
        "plan_versions",
        "variables",
        "changes_of_variables",
        "messages",
        "summaries",
        "names_of_tabs",
    )
    assert [found[name] for name in names] == [3, 3, 7, 6, 1, 2]
    text = dctx("store", "show").out
    assert "3  plan versions" in text and found["workflow"] in text and "synchronous full" in text


def test_info_about_a_database(
    dctx: Dctx, root: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", url)
    assert dctx("store", "migrate", "--yes").code == 0
    with open_store(load_project(), write=True) as store:
        fill(store)
    found = json.loads(dctx("store", "show", "--json").out)
    assert (
        found["engine"] == "postgresql" and found["plan_versions"] == 3 and found["bytes"] > 100_000
    )
    assert (
        found["server"].startswith("PostgreSQL ") and "synchronous_commit on" in found["durability"]
    )
    assert found["durable"] is False, "the server of the tests does without fsync"
    assert "may be lost" in dctx("store", "show").out


# migrate


def test_migrate_shows_asks_and_writes_the_id(
    dctx: Dctx, filled: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = json.loads(dctx("store", "show", "--json").out)["workflow"]
    monkeypatch.setenv("DCTX_STORE", url)
    shown = dctx("store", "migrate", "--dry-run")
    assert (
        shown.code == 0
        and "CREATE TABLE director_plans (" in shown.out
        and f"workflow_id: {mine}" in shown.out
    )
    asked = dctx("store", "migrate")
    assert asked.code == 1 and "nobody can be asked" in asked.err
    assert not (filled / ".director/dctx.yaml").exists()
    assert "no workflow_id yet" in dctx("store", "show").err
    done = dctx("store", "migrate", "--yes")
    assert (
        done.code == 0
        and f"Wrote workflow_id: {mine} in .director/dctx.yaml; commit it." in done.err
    )
    assert (filled / ".director/dctx.yaml").read_text() == f"workflow_id: {mine}\n"
    again = dctx("store", "migrate", "--yes")
    assert again.code == 0 and "has all that dctx needs" in again.out and again.err == ""
    found = json.loads(dctx("store", "migrate", "--json", "--dry-run").out)
    assert found == {
        "engine": "postgresql", "statements": [], "notes": [], "applied": False, "workflow_id": mine,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"workflow_id: ID\n"),
        (b"budget: 30%\n", b"budget: 30%\nworkflow_id: ID\n"),
        (b"# mine\r\nbudget: 30%\r\n", b"# mine\r\nbudget: 30%\r\nworkflow_id: ID\r\n"),
        (b"budget: 30%   # no end", b"budget: 30%   # no end\nworkflow_id: ID\n"),
        (b"\xef\xbb\xbfbudget: 30%\n", b"\xef\xbb\xbfbudget: 30%\nworkflow_id: ID\n"),
    ],
)
def test_every_other_byte_of_the_settings_stays(before: bytes, after: bytes, root: Path) -> None:

    write(root, {"dctx.yaml": before})
    mine = new_id()
    assert write_id(str(root), mine) == mine
    assert (root / ".director/dctx.yaml").read_bytes() == after.replace(b"ID", mine.encode())
    assert write_id(str(root), new_id()) == mine


@pytest.mark.parametrize(
    "text",
    ["{budget: 30%}\n", "budget: 30%\n...\n", "budget: 30%\nhooks:\n  agents: |\n   x\n\xff"],
)
def test_settings_that_take_no_line_are_left_alone(text: str, root: Path) -> None:

    write(root, {"dctx.yaml": text.encode("latin-1")})
    with pytest.raises(DctxError) as failure:
        write_id(str(root), new_id())
    assert (root / ".director/dctx.yaml").read_bytes() == text.encode("latin-1")
    assert "workflow_id" in failure.value.hint or "dctx.yaml" in failure.value.message


def test_settings_that_are_a_link_are_not_written(root: Path, tmp_path: Path) -> None:

    (tmp_path / "outside.yaml").write_text("budget: 30%\n")
    (root / ".director/dctx.yaml").symlink_to(tmp_path / "outside.yaml")
    with pytest.raises(DctxError):
        write_id(str(root), new_id())
    assert (tmp_path / "outside.yaml").read_text() == "budget: 30%\n"


def test_a_file_needs_no_migration(dctx: Dctx, filled: Path) -> None:
    assert dctx("store", "migrate").out.startswith("Nothing to do: a store in a file")


# Which store


def test_a_file_can_be_named_by_path_and_by_url(
    dctx: Dctx, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "other.db"
    for named in (str(place), f"sqlite://{place}", "../other.db"):
        monkeypatch.setenv("DCTX_STORE", named)
        assert dctx("vars", "set", "a", "1", "--reason", "Elsewhere").code == 0
    assert not (root / FILE).exists()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    found = json.loads(dctx("store", "show", "--json").out)
    assert found["place"] == str(place) and found["changes_of_variables"] == 3


@pytest.mark.parametrize("named", ["mysql://h/x", "sqlite://x.db", "http://h"])
def test_a_name_that_is_no_store_is_refused(
    dctx: Dctx, root: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", named)
    result = dctx("store", "show")
    assert result.code == 1 and "cannot be named like this" in result.err
    assert file_of("postgres://h/x") is None


def test_a_database_that_the_repository_names_is_used_only_once_its_user_agreed(
    dctx: Dctx, root: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", url)
    assert dctx("store", "migrate", "--yes").code == 0
    monkeypatch.delenv("DCTX_STORE")
    settings_file = root / ".director/dctx.yaml"
    settings_file.write_text(f"{settings_file.read_text()}store: {url}\n")
    refused = dctx("vars", "set", "a", "1", "--reason", "Why")
    assert (
        refused.code == 1
        and "you have not agreed to" in refused.err
        and "dctx store migrate" in refused.err
    )
    for words in ((), ("--dry-run",)):
        asked = dctx("store", "migrate", *words)
        assert asked.code == 1 and url in asked.err and asked.out == ""
    assert dctx("store", "migrate", "--yes").code == 0
    assert dctx("vars", "set", "a", "1", "--reason", "Why").code == 0
    assert json.loads(dctx("store", "show", "--json").out)["engine"] == "postgresql"
    settings_file.write_text(
        settings_file.read_text().replace("store: postgresql://", "store: postgresql://other.")
    )
    assert "you have not agreed to" in dctx("store", "show").err


def test_an_agreement_is_for_one_project_and_one_url(root: Path, tmp_path: Path) -> None:

    other = write(tmp_path / "other", {"VISION.md": "# V\n"})
    agree(str(root), "postgresql://a/x")
    assert agreed_url(str(root), "postgresql://a/x") == "postgresql://a/x"
    for place, url in ((root, "postgresql://b/x"), (other, "postgresql://a/x")):
        with pytest.raises(DctxError, match="not agreed"):
            agreed_url(str(place), url)


# export and import


def test_what_is_exported_is_imported_elsewhere(dctx: Dctx, filled: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"VISION.md": "# V\n"})
    done = dctx("store", "export", "-o", "backup.jsonl", cwd=filled)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("dctx: Exported 23 rows.\n")
    backup = filled / "backup.jsonl"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert dctx("store", "export", cwd=filled).out == backup.read_text()
    loaded = dctx("store", "import", str(backup), cwd=other)
    assert loaded.code == 0 and loaded.out.startswith("23 rows imported.\n") and loaded.err == ""
    first, second = held(filled), held(other)
    old, new = (json.loads(lines[0])["workflow"] for lines in (first, second))
    assert old != new
    assert [line.replace(old.encode(), new.encode()) for line in first[1:-1]] == second[1:-1]
    with open_store(load_project(root=str(other))) as store:
        current = versions.current(store)
        assert current is not None and current.data["workflow_id"] == store.workflow == new
    again = dctx("store", "import", str(backup), cwd=other)
    assert again.code == 0 and again.out == "0 rows imported, 23 were there already.\n"


def test_import_reads_standard_input(filled: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"VISION.md": "# V\n"})
    data = b"".join(held(filled))
    result = process("store", "import", "-", "--json", cwd=other, stdin=data)
    assert result.code == 0 and json.loads(result.out)["added"]["director_plans"] == 3


def test_what_is_there_stays_and_what_differs_is_reported(dctx: Dctx, filled: Path) -> None:
    backup = held(filled)
    with open_store(load_project(), write=True) as store:
        sql = "UPDATE conversations SET content = ? WHERE content = ?"
        store.engine.write("w", lambda writer: writer.run(sql, ("edited", "Hello 0")))
        store.engine.write(
            "w", lambda writer: writer.run("DELETE FROM director_plans WHERE plan_version = 3")
        )
        new_version(store, PLAN, "Another third")
    (filled / "backup.jsonl").write_bytes(b"".join(backup))
    result = dctx("store", "import", "backup.jsonl")
    assert result.code == 1 and result.out.startswith("0 rows imported, 21 were there already.")
    assert result.err.count("is there already with other content") == 2
    assert (
        "line 5: director_plans, plan_version 3" in result.err and "conversations, id" in result.err
    )
    with open_store(load_project()) as store:
        current = versions.current(store)
        assert current is not None and current.reason == "Another third"
        assert "edited" in [one.content for one in messages.open_messages(store)]


def test_variables_are_what_their_newest_change_made_them(tmp_path: Path) -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as old, Store(SQLite(":memory:"), workflow) as new:
        entries.put(old, {"a": "1", "b": "1", "c": "1"}, "First")
        carried(old, new)
        entries.put(new, {"a": "2", "d": "4"}, "Later")
        entries.clear(new, "b", "Later")
        assert not any(tally.others for tally in carried(new, old).values())
        assert entries.variables(old) == entries.variables(new)
        entries.clear(new, "c", "Gone")
        [other] = carried(old, new)["dctx_variables"].others
        assert other.endswith(": dctx_variables, name c (cleared)")
        assert entries.variable(new, "c") is None


def broken(lines: list[bytes]) -> dict[str, list[bytes]]:
    """Files that are not what was exported, by what is said about them."""

    def plan(**changes: object) -> list[bytes]:
        return third(json.dumps({**json.loads(lines[2]), **changes}).encode())

    def third(line: bytes) -> list[bytes]:
        return [*lines[:2], line]

    other = b'{"format": "other"}\n'
    newer = lines[0].replace(b'"version":1', b'"version":2')
    evil = lines[1].replace(b"proj", b"evil")
    return {
        "Line 1 is no JSON": [b"PK\x03\x04\n"],
        "Line 1: this file was not written by `dctx store export`": [other, *lines[1:]],
        "Line 1: the file is of version 2": [newer, *lines[1:]],
        "before its end": lines[:-1],
        "The file ends in line 1": lines[:1],
        "Line 24: the sum is not that of the 22 rows": [*lines[:-2], lines[-1]],
        "Line 25: the sum": [lines[0], evil, *lines[2:]],
        "Line 4: there is no such table": [*lines[:3], b'{"table":"secrets"}\n', *lines[3:]],
        "Line 3: director_plans has an unknown admin": plan(admin=1),
        "Line 3: plan_version is no number": plan(plan_version="1"),
        "Line 3: plan_data is no JSON": plan(plan_data="{"),
        "Line 3: created_at is no time": plan(created_at="2026-01-01"),
        "Line 3: created_at is empty": plan(created_at=None),
        "Line 3 is no JSON object": third(b"[1]\n"),
        "Line 4: workflows comes too late": [*lines[:3], lines[1]],
        "something follows the end": [*lines, lines[-1]],
        "Line 3 is no JSON": third(b'{"a": NaN}\n'),
    }


def test_a_file_that_is_not_one_changes_nothing_and_its_line_is_named(
    dctx: Dctx, filled: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other", {"VISION.md": "# V\n"})
    with open_store(load_project(root=str(other)), write=True) as store:
        entries.put(store, {"kept": "1"}, "Before")
    before = held(other)
    for said, lines in broken(held(filled)).items():
        (other / "bad.jsonl").write_bytes(b"".join(lines))
        result = dctx("store", "import", "bad.jsonl", cwd=other)
        assert result.code == 1 and said in result.err, (said, result)
        assert held(other) == before, said
    missing = dctx("store", "import", "nothing.jsonl", cwd=other)
    assert missing.code == 1 and "is not a file" in missing.err


def test_an_export_that_fails_leaves_what_was_there(dctx: Dctx, filled: Path) -> None:
    (filled / "old.jsonl").write_text("old")
    (filled / "folder").mkdir()
    assert "is not a file" in dctx("store", "export", "-o", "folder").err
    assert dctx("store", "export", "-o", "no/such/place").code == 1
    assert (filled / "old.jsonl").read_text() == "old"
    assert not [path for path in filled.iterdir() if path.name.endswith(".tmp")]


@needs_permissions
def test_an_export_into_a_closed_folder_is_one_sentence(
    dctx: Dctx, filled: Path, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o500)
    result = dctx("store", "export", "-o", str(closed / "x"))
    assert result.code == 1 and "Could not write" in result.err


def test_nothing_is_exported_where_there_is_nothing(dctx: Dctx, root: Path) -> None:
    assert "no store yet" in dctx("store", "export").err
    assert not (root / FILE).exists()


def test_a_store_goes_into_a_database_and_back(
    dctx: Dctx, filled: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [json.loads(line) for line in held(filled)]
    dctx("store", "export", "-o", "all.jsonl")
    monkeypatch.setenv("DCTX_STORE", url)
    assert dctx("store", "migrate", "--yes").code == 0
    done = dctx("store", "import", "all.jsonl")
    assert done.code == 0 and done.out.startswith("23 rows imported.") and done.err == ""
    again = json.loads(dctx("store", "import", "all.jsonl", "--json").out)
    assert not any(again["added"].values()) and sum(again["there"].values()) == 23
    after = [json.loads(line) for line in held(filled)]
    assert [alike(row) for row in after[:-1]] == [alike(row) for row in before[:-1]]


def alike(row: dict[str, object]) -> dict[str, object]:
    """PostgreSQL keeps what JSON means, not the order of its keys."""
    return {
        key: settled(value) if isinstance(value, str) and value[:1] == "{" else value
        for key, value in row.items()
    }


def test_what_a_database_cannot_hold_is_named_and_nothing_is_imported(
    dctx: Dctx, filled: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(load_project(), write=True) as store:
        [message] = messages.add(store, [("user", "a\0b", None)])
    lines = held(filled)
    number = next(place for place, line in enumerate(lines, 1) if message.id.encode() in line)
    (filled / "all.jsonl").write_bytes(b"".join(lines))
    monkeypatch.setenv("DCTX_STORE", url)
    dctx("store", "migrate", "--yes")
    result = dctx("store", "import", "all.jsonl")
    assert result.code == 1
    assert f"conversations, line {number}: PostgreSQL cannot hold" in result.err
    with Store(pg.migrated(url), store.workflow) as target:
        assert not any(counted_in(target).values())


def test_nothing_of_psycopg_is_loaded_where_a_file_serves(filled: Path) -> None:
    script = "from director_ctx.doors.cli.main import main\nassert main(['store', 'show']) == 0"
    assert not [name for name in loaded_by(script, filled) if re.search("psycopg|postgres", name)]
