"""A shared database: made ready without harm to what is in it, and used while it breaks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pg
import pytest
from conftest import ROOT
from kept_plans import new_version

from director_ctx.base.errors import DctxError
from director_ctx.browser import tab_names
from director_ctx.memory.conversations import messages
from director_ctx.memory.plans import versions
from director_ctx.memory.store import postgres
from director_ctx.memory.store.by_url import open_shared, version
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.migrate import Present, PresentColumn, examine, migrate, plan
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.variables import entries

SEEDS = Path(__file__).parents[1] / "stores" / "seeds.sql"
PLAN = {"overall_goal": "Sync", "phases": [], "next_actions": [], "blockers": [], "notes": ""}
WORKFLOW = "7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001"


@pytest.fixture
def url(server: pg.Server) -> str:
    return server.database()


def ask(url: str, sql: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def failing(url: str) -> StoreError:
    with pytest.raises(StoreError) as failure:
        Postgres(url)
    return failure.value


# Made ready


def test_a_database_of_the_seeds_is_completed_and_nothing_in_it_changes(url: str) -> None:
    ask(url, SEEDS.read_text())
    columns = "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns"
    there = f"{columns} WHERE table_schema = 'public' ORDER BY 1, 2"
    keys = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
    rows = (
        "SELECT id, name, description, user_id, created_at FROM workflows ORDER BY id",
        "SELECT id, workflow_id, plan_version, plan_data, created_at, updated_at FROM director_plans ORDER BY id",
        "SELECT id, workflow_id, role, content, attachments, timestamp FROM conversations ORDER BY id",
    )
    indexes = "SELECT indexname FROM pg_indexes WHERE tablename IN ('workflows', 'director_plans', 'conversations')"
    before = [ask(url, sql) for sql in (there, keys, *rows, indexes)]
    engine = pg.migrated(url)
    after = [ask(url, sql) for sql in (there, keys, *rows, indexes)]
    assert set(before[0]) < set(after[0]) and set(before[1]) < set(after[1])
    assert before[2:] == after[2:]
    added = {
        row[:2]
        for row in set(after[0]) - set(before[0])
        if row[0] in ("workflows", "director_plans")
    }
    assert added == {("workflows", "updated_at"), ("director_plans", "reason")}
    with Store(engine, WORKFLOW) as store:
        assert [one.number for one in versions.history(store)] == [1, 2]
        assert [one.content for one in messages.open_messages(store)] == ["Hello", "Hi!"]
        assert messages.open_messages(store)[0].timestamp == "2024-01-01T08:00:00.000000Z"
        assert new_version(store, PLAN, "Next", 2).number == 3
        messages.add(store, [("user", "More", {"a": 1})])
        entries.put(store, {"a": "1"}, "Why")
        assert not engine.look(examine).statements
    with Store(Postgres(url), new_id(), "new") as other:
        assert new_version(other, PLAN, "A workflow of our own").number == 1


# What keeps a database from being used


BAD = {
    "ALTER TABLE director_plans ADD COLUMN author text; UPDATE director_plans SET author = '';"
    " ALTER TABLE director_plans ALTER COLUMN author SET NOT NULL": (
        "director_plans.author must be filled in, and dctx does not know it: give it a default, or"
        " ALTER TABLE director_plans ALTER COLUMN author DROP NOT NULL"
    ),
    "DROP TABLE conversations; CREATE TABLE conversations (id bigserial PRIMARY KEY, workflow_id uuid, role text)": (
        "conversations.id is of type int8, and dctx keeps id there: use another schema or database"
    ),
    "DROP TABLE conversations; CREATE VIEW conversations AS SELECT 1 AS id": "conversations is no table",
    "DROP TABLE conversations; CREATE TABLE conversations (role text)": "conversations has no column id",
    "DROP TABLE conversations; CREATE TABLE conversations (id uuid NOT NULL)": (
        "conversations.id is not unique: ALTER TABLE conversations ADD PRIMARY KEY (id)"
    ),
    "ALTER TABLE conversations ADD COLUMN is_archived text": (
        "conversations.is_archived is of type text, and dctx keeps true or false there"
    ),
    "ALTER TABLE conversations ADD COLUMN metadata jsonb GENERATED ALWAYS AS (attachments) STORED": (
        "conversations.metadata is computed by the database"
    ),
    "ALTER TABLE conversations ALTER COLUMN workflow_id TYPE text USING NULL": "workflows.id is not",
}


@pytest.mark.parametrize("sql", BAD, ids=lambda sql: sql[:60])
def test_what_cannot_be_used_is_said_before_anything_is_changed(sql: str, url: str) -> None:
    ask(url, SEEDS.read_text())
    ask(url, "ALTER TABLE conversations DROP CONSTRAINT conversations_workflow_id_fkey")
    ask(url, sql)
    tables = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = "
        "'public' ORDER BY 1, 2"
    )
    before = ask(url, tables)
    engine = Postgres(url)
    with pytest.raises(DctxError) as failure:
        engine.look(examine)
    assert len(failure.value.each) == 1 and BAD[sql] in failure.value.each[0]
    assert ask(url, tables) == before
    engine.close()


def test_a_call_is_kept_where_the_seeds_allow_only_their_own_roles(url: str) -> None:
    ask(url, SEEDS.read_text())
    with Store(pg.migrated(url), WORKFLOW) as store:
        call = {"kind": "tool_call", "tool": "Bash"}
        messages.add(
            store, [("tool_call", "Bash {}", call), ("tool", "ok", {"kind": "tool_result"})]
        )
        messages.bring(store, "s", [messages.Sent("tool_call", "Bash ls", "k", about=call)])
        found = [(one.role, one.content) for one in messages.all_messages(store)[-3:]]
    assert sorted(found) == [("tool", "ok"), ("tool_call", "Bash ls"), ("tool_call", "Bash {}")]


def test_workflows_that_only_the_application_can_make_are_told_of(url: str) -> None:
    ask(url, SEEDS.read_text())
    ask(
        url,
        "UPDATE workflows SET user_id = gen_random_uuid(); ALTER TABLE workflows ALTER COLUMN user_id SET NOT NULL",
    )
    engine = Postgres(url)
    found = engine.look(examine)
    assert found.by_hand and "user_id must be filled in there" in found.notes[0]
    migrate(engine, found)
    assert new_version(Store(engine, WORKFLOW), PLAN, "The application made it").number == 3
    with pytest.raises(StoreError, match='null value in column "user_id"') as failure:
        new_version(Store(engine, new_id()), PLAN, "Nobody made it")
    assert "make the row in your application" in failure.value.hint
    engine.close()


def test_ids_may_be_text(url: str) -> None:
    ask(url, "CREATE TABLE workflows (id text PRIMARY KEY, name text)")
    with Store(pg.migrated(url), new_id()) as store:
        new_version(store, PLAN, "Text")
        entries.put(store, {"a": "1"}, "Text")
        messages.add(store, [("user", "x", None)])
        assert versions.current(store) is not None
    ask(
        url,
        f"INSERT INTO director_plans (workflow_id, plan_version, plan_data) VALUES ('{store.workflow}', 2, '{{}}')",
    )


def test_the_search_path_says_which_tables_are_meant(url: str) -> None:
    ask(url, "CREATE TABLE workflows (id bigint); CREATE SCHEMA app")
    ours = f"{url}&options=-csearch_path%3Dapp"
    with Store(pg.migrated(ours), new_id()) as store:
        new_version(store, PLAN, "Ours")
    made = {row[0] for row in ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'app'")}
    assert {"workflows", "director_plans", "conversations", "dctx_meta"} <= made
    assert ask(url, "SELECT count(*) FROM public.workflows") == [(0,)]


def test_tables_that_a_browser_could_reach_are_closed() -> None:
    closed = [one for one in plan({}, 0, True).statements if "ROW LEVEL SECURITY" in one]
    assert len(closed) == 13
    known = PresentColumn("id", "uuid", False, True, True, False, True)
    there = {"workflows": Present(True, {"id": known})}
    statements = plan(there, 0, True).statements
    assert "ALTER TABLE workflows ENABLE ROW LEVEL SECURITY" not in statements
    assert not [one for one in plan({}, 0, False).statements if "SECURITY" in one]


# Migrating


def test_of_two_that_migrate_at_once_one_waits(url: str) -> None:
    engines = [Postgres(url) for _ in range(4)]
    found = [engine.look(examine) for engine in engines]
    done: list[bool] = []

    def one(number: int) -> None:
        done.append(migrate(engines[number], found[number]))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, False, True]
    assert version(engines[0]) == VERSION
    for engine in engines:
        engine.close()


def test_a_migration_is_all_or_nothing(url: str) -> None:
    ask(url, "CREATE TABLE other (a int); CREATE INDEX dctx_changes_of ON other (a)")
    engine = Postgres(url)
    with pytest.raises(StoreError):
        migrate(engine, engine.look(examine))
    assert ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [("other",)]
    engine.close()


def test_what_was_not_shown_is_not_done(url: str) -> None:
    engine = Postgres(url)
    found = engine.look(examine)
    ask(url, "CREATE TABLE workflows (id uuid PRIMARY KEY)")
    with pytest.raises(DctxError, match="has changed meanwhile"):
        migrate(engine, found)
    assert version(engine) == 0
    engine.close()


def test_a_newer_store_is_refused(url: str) -> None:
    engine = pg.migrated(url)
    ask(url, "UPDATE dctx_meta SET value = '99'")
    for refused in (
        lambda: open_shared(None, url, new_id(), write=True),
        lambda: engine.look(examine),
    ):
        with pytest.raises(StoreError, match="newer than this dctx"):
            refused()
    engine.close()


def test_a_database_without_tables_says_what_to_do(url: str) -> None:
    with pytest.raises(StoreError, match="no tables of dctx yet") as failure:
        open_shared(None, url, new_id(), write=False)
    assert "dctx store migrate" in failure.value.hint
    with (
        Store(Postgres(url), new_id()) as store,
        pytest.raises(StoreError, match="no tables") as failure,
    ):
        versions.current(store)
    assert "dctx store migrate" in failure.value.hint


# Getting in


def test_a_wrong_password_is_said_and_never_shown(
    server: pg.Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"u{os.urandom(4).hex()}"
    server.ask(f"CREATE ROLE {name} LOGIN PASSWORD 'p%%@:/ ss'")
    monkeypatch.setenv("PGPASSFILE", os.devnull)
    right = url.replace("postgres@", f"{name}:p%25%25%40%3A%2F%20ss@", 1)
    Postgres(right).close()
    wrong = failing(right.replace("%20ss", "%20WRONG"))
    assert (
        wrong.message.startswith("The server refused the password.")
        and f"{name}:...@" in wrong.message
    )
    assert "WRONG" not in wrong.message + wrong.hint
    assert failing(url.replace("postgres@", f"{name}@", 1)).message.startswith(
        "The server wants a password."
    )


def test_what_is_wrong_with_a_url_never_shows_a_piece_of_its_password(url: str) -> None:
    for bad in ("p@ss", "p/ss", "p%zzss", "p?ss", "p#ss", "p ss"):
        failure = failing(url.replace("postgres@", f"me:{bad}@", 1))
        assert "ss" not in (failure.message + failure.hint).replace("password", "").replace(
            "passw", ""
        )


def test_who_is_not_known_and_what_is_not_there(
    server: pg.Server, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "OPENING", 0.1)
    assert failing(f"{server.url('nothing')}").message.startswith(
        "The server has no such database."
    )
    assert failing(f"postgresql://postgres@/x?host={tmp_path}").message.startswith(
        "No server answers there."
    )
    assert failing("postgresql://127.0.0.1:1/x").message.startswith("No server answers there.")
    assert failing("mysql://h/x").message.startswith("A shared store is named by a URL")


def test_a_user_without_rights_is_told(server: pg.Server, url: str) -> None:
    pg.migrated(url).close()
    name = f"u{os.urandom(4).hex()}"
    server.ask(f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")
    with Store(Postgres(url.replace("postgres@", f"{name}:secret@", 1)), new_id()) as store:
        with pytest.raises(
            StoreError, match="does not let this user do that: permission denied for table"
        ) as failure:
            new_version(store, PLAN, "Not mine")
        assert "GRANT" in failure.value.hint and "secret" not in failure.value.message


# While it breaks


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(pg.migrated(url), new_id()) as store:
        yield store


def cut(url: str) -> None:
    """Ends every other connection to a database."""
    ask(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid()")  # fmt: skip


def test_a_connection_that_was_cut_between_two_calls_is_made_again(store: Store, url: str) -> None:
    new_version(store, PLAN, "First")
    cut(url)
    assert versions.current(store) is not None
    cut(url)
    assert new_version(store, PLAN, "Second").number == 2
    cut(url)
    assert store.engine.look(lambda view: view.row("SELECT 1")) == (1,)


def test_a_write_that_is_cut_in_the_middle_is_done_once(store: Store, url: str) -> None:
    tries = []

    def make(_: object) -> dict[str, object]:
        tries.append(1)
        if len(tries) < 3:
            cut(url)
        return PLAN

    assert versions.change(store, make, "Cut twice").number == 1
    assert len(tries) == 3 and [one.number for one in versions.history(store)] == [1]


@pytest.mark.proof
def test_a_server_that_stays_away_is_one_sentence() -> None:
    with (
        contextmanager(pg.running)() as server,
        Store(pg.migrated(server.database()), new_id()) as store,
    ):
        assert isinstance(store.engine, Postgres)
        new_version(store, PLAN, "Before")
        store.engine.patience = 0.3
        server.stop()
        try:
            with pytest.raises(StoreError, match="No server answers there") as failure:
                new_version(store, PLAN, "While it is away")
            assert "Is it running?" in failure.value.hint
            with pytest.raises(StoreError, match="No server answers there"):
                versions.current(store)
        finally:
            server.start()
        assert new_version(store, PLAN, "After").number == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_write_that_is_cut_at_its_commit_is_done_once(when: str, store: Store, url: str) -> None:
    with pg.Proxy(url, cut=when) as proxy, Store(Postgres(proxy.url), store.workflow) as through:
        assert new_version(through, PLAN, "Cut at the commit").number == 1
        assert proxy.cuts == 1
        proxy.again()
        entries.put(through, {"a": "1", "b": "2"}, "Cut at the commit")
        proxy.again()
        messages.add(through, [("user", "x", None), ("user", "y", None)])
        proxy.again()
        names = tab_names.keep_names(through, "b", {"1": "Mail", "2": "Shop"}, {"2": "Inbox"})
        assert proxy.cuts == 4
    assert names == tab_names.read_names(store, "b") == {"1": tab_names.FIRST, "2": "Inbox"}
    assert [one.number for one in versions.history(store)] == [1]
    assert [one.number for one in entries.changes(store)] == [1, 2]
    assert [one.content for one in messages.open_messages(store)] == ["x", "y"]


def test_where_nobody_can_tell_whether_it_was_written_that_is_said(store: Store, url: str) -> None:
    with pg.Proxy(url, cut="after") as proxy, Store(Postgres(proxy.url), store.workflow) as through:
        sql = "INSERT INTO workflows (id, name) VALUES (?, ?)"
        with pytest.raises(StoreError, match="broke while something was being written"):
            through.engine.write("w", lambda writer: writer.run(sql, (new_id(), "once")))
    assert store.engine.row("SELECT count(*) FROM workflows WHERE name = ?", ("once",)) == (1,)


def test_somebody_who_does_not_wait_for_turns_leaves_no_gap(store: Store, url: str) -> None:
    new_version(store, PLAN, "First")
    tries = []

    def make(before: versions.Version | None) -> dict[str, object]:
        tries.append(before and before.number)
        if len(tries) == 1:
            sql = "INSERT INTO director_plans (workflow_id, plan_version, plan_data) VALUES ('{}', 2, '{{}}')"
            ask(url, sql.format(store.workflow))
        return PLAN

    assert versions.change(store, make, "Second").number == 3 and tries == [1, 2]


def test_a_turn_that_does_not_come_is_an_error(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_WRITE", postgres._WRITE.replace("'60s'", "'100ms'"))
    with Store(Postgres(url), store.workflow) as other:

        def make(_: object) -> dict[str, object]:
            with pytest.raises(StoreError, match="Somebody else holds this workflow"):
                new_version(other, PLAN, "Too late")
            return PLAN

        versions.change(store, make, "Slow")
        elsewhere = Store(other.engine, new_id())
        assert new_version(elsewhere, PLAN, "Another workflow waits for nobody").number == 1


FORK = """
import os, sys
from director_ctx.memory.plans import versions as plans
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.store import Store
with Store(Postgres(sys.argv[1]), sys.argv[2]) as store:
    assert plans.change(store, lambda _: {}, "Parent").number == 1
    mine = store.engine.row("SELECT pg_backend_pid()")
    child = os.fork()
    if not child:
        made = plans.change(store, lambda _: {}, "Child").number
        os._exit(0 if made == 2 and store.engine.row("SELECT pg_backend_pid()") != mine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert plans.change(store, lambda _: {}, "Parent again").number == 3
"""


def test_a_child_has_a_connection_of_its_own(store: Store, url: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", FORK, url, store.workflow], env=env, check=True, timeout=60
    )
    assert len(versions.history(store)) == 3
