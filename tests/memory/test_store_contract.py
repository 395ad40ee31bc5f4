"""What every store does alike: in memory, in an SQLite file, and on a real PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kept_plans import new_version

from director_ctx.base.errors import DctxError
from director_ctx.browser import tab_names
from director_ctx.memory.archive import cuts
from director_ctx.memory.conversations import chats, messages, summaries
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint, ChatRow
from director_ctx.memory.plans import versions
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.sqlite import SQLite, make_file
from director_ctx.memory.store.store import Store, ensure_workflow, moments, new_id, now
from director_ctx.memory.transfer.rows import counted_in
from director_ctx.memory.variables import entries, variables

if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Reader, Writer

ENGINES = ("memory", "file", pg.POSTGRESQL)
PLAN = {
    "overall_goal": "Sync the mail",
    "phases": [],
    "next_actions": [],
    "blockers": [],
    "notes": "",
}
SHARED = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module", params=ENGINES)
def again(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Engine]:
    """Opens the database of this module once more."""
    if request.param == "postgresql":
        url = request.getfixturevalue("server").database()
        pg.migrated(url).close()
        from director_ctx.memory.store.postgres import Postgres

        return lambda: Postgres(url)
    if request.param == "file":
        place = str(tmp_path_factory.mktemp("store") / "store.db")
        make_file(place)
        return lambda: SQLite(place)
    one = SQLite(":memory:")
    return lambda: one


@pytest.fixture(scope="module")
def engine(again: Callable[[], Engine]) -> Iterator[Engine]:
    engine = again()
    yield engine
    engine.close()


@pytest.fixture
def store(engine: Engine) -> Store:
    """A workflow of its own in it."""
    return Store(engine, new_id(), "a project")


SEVERAL = pytest.mark.parametrize(
    "again", [one for one in ENGINES if one != "memory"], indirect=True, scope="module"
)
"""What is in memory has one connection."""

# The port


def test_values_come_back_as_text_numbers_truth_and_none(store: Store) -> None:
    [message] = messages.add(store, [("user", "Grüße 🎉", {"b": [1, None], "a": "ü"})])
    row = store.engine.row(
        "SELECT id, workflow_id, role, content, timestamp, metadata FROM conversations WHERE id = ?",
        (message.id,),
    )
    assert row is not None and row[:5] == (
        message.id,
        store.workflow,
        "user",
        "Grüße 🎉",
        message.timestamp,
    )
    assert json.loads(row[5]) == {"b": [1, None], "a": "ü"}
    [again] = messages.open_messages(store)
    assert (
        again.replace(metadata=None) == message.replace(metadata=None) and again.archived is False
    )
    numbers = store.engine.row("SELECT 7, 1.5, NULL WHERE ? = ?", ("a", "a"))
    assert numbers == (7, 1.5, None)
    assert (
        store.engine.row("SELECT 1 WHERE 1 = 0") is None
        and store.engine.rows("SELECT 1 WHERE 1 = 0") == []
    )


def test_what_a_write_returns_and_touches(store: Store) -> None:
    def work(writer: Writer) -> tuple[int, int]:
        ensure_workflow(writer, store)
        first = writer.run("UPDATE workflows SET name = ? WHERE id = ?", ("other", store.workflow))
        return first, writer.run(
            "DELETE FROM conversations WHERE workflow_id = ?", (store.workflow,)
        )

    assert store.engine.write(store.workflow, work) == (1, 0)


def test_an_error_inside_undoes_all_and_goes_up_as_it_is(store: Store) -> None:
    class Oops(Exception):
        pass

    def work(writer: Writer) -> None:
        ensure_workflow(writer, store)
        raise Oops

    with pytest.raises(Oops):
        store.engine.write(store.workflow, work)
    assert counted_in(store)["workflows"] == 0
    assert new_version(store, PLAN, "It works again").number == 1


def test_a_statement_that_fails_inside_undoes_all_and_is_one_sentence(store: Store) -> None:
    def work(writer: Writer) -> None:
        ensure_workflow(writer, store)
        writer.run(
            "INSERT INTO dctx_tabs (workflow_id, target, name) VALUES (?, ?, ?)",
            (new_id(), "t", "n"),
        )

    with pytest.raises(StoreError):
        store.engine.write(store.workflow, work)
    assert counted_in(store)["workflows"] == 0
    assert store.engine.row("SELECT 1") == (1,)


def test_an_error_that_work_swallows_is_not_taken_for_success(store: Store) -> None:
    def work(writer: Writer) -> str:
        try:
            writer.run(
                "INSERT INTO dctx_tabs (workflow_id, target, name) VALUES (?, ?, ?)",
                (new_id(), "t", "n"),
            )
        except Exception:
            return "swallowed"
        return "fine"

    if store.engine.name == "postgresql":
        with pytest.raises(StoreError, match="nothing was"):
            store.engine.write(store.workflow, work)
    assert new_version(store, PLAN, "It works again").number == 1


def test_a_write_within_a_write_is_refused(store: Store) -> None:
    def work(writer: Writer) -> None:
        ensure_workflow(writer, store)
        new_version(store, PLAN, "Within")

    with pytest.raises(StoreError, match="in the middle of a change"):
        store.engine.write(store.workflow, work)
    assert counted_in(store)["workflows"] == 0


@SEVERAL
def test_a_look_sees_one_moment(store: Store, again: Callable[[], Engine]) -> None:
    other = again()
    new_version(store, PLAN, "First")
    ask = "SELECT count(*) FROM director_plans WHERE workflow_id = ?"

    def work(view: Reader) -> tuple[object, object]:
        first = view.row(ask, (store.workflow,))
        new_version(Store(other, store.workflow), PLAN, "Meanwhile")
        return first, view.row(ask, (store.workflow,))

    assert store.engine.look(work) == ((1,), (1,))
    assert store.engine.row(ask, (store.workflow,)) == (2,)
    other.close()


# Plans


def test_versions_count_from_one_without_a_gap(store: Store) -> None:
    numbers = [
        new_version(store, {**PLAN, "notes": str(place)}, f"Change {place}").number
        for place in range(5)
    ]
    assert numbers == [1, 2, 3, 4, 5]
    kept = versions.history(store)
    assert [one.number for one in kept] == numbers and [one.reason for one in kept] == [
        f"Change {n}" for n in range(5)
    ]
    assert [one.data["notes"] for one in kept] == ["0", "1", "2", "3", "4"]
    assert [one.number for one in versions.history(store, 2)] == [4, 5]
    assert versions.current(store) == kept[-1] == versions.version(store, 5)
    assert versions.version(store, 6) is None


def test_a_plan_keeps_when_it_was_first_made(store: Store) -> None:
    first = new_version(store, PLAN, "First")
    second = new_version(store, PLAN, "Second")
    assert (
        second.data["created_at"]
        == first.data["created_at"]
        <= first.created_at
        < second.created_at
    )
    assert second.data["workflow_id"] == store.workflow and second.data["plan_version"] == 2


def test_of_two_updates_from_the_same_version_the_second_is_told(store: Store) -> None:
    new_version(store, PLAN, "First", 0)
    new_version(store, PLAN, "Mine", 1)
    with pytest.raises(versions.Conflict) as conflict:
        new_version(store, PLAN, "Yours", 1)
    assert conflict.value.current is not None and conflict.value.current.number == 2
    assert len(versions.history(store)) == 2


def test_workflows_do_not_see_each_other(store: Store) -> None:
    other = Store(store.engine, new_id())
    new_version(store, PLAN, "Here")
    entries.put(store, {"a": "1"}, "Here")
    assert (
        versions.current(other) is None
        and entries.variables(other) == []
        and messages.open_messages(other) == []
    )


def in_threads(work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_that_share_a_store_leave_no_gap(store: Store) -> None:
    def many() -> None:
        for _ in range(15):
            new_version(store, PLAN, "Thread")

    in_threads(many)
    assert [one.number for one in versions.history(store)] == [*range(1, 61)]


@SEVERAL
def test_several_connections_leave_no_gap(store: Store, again: Callable[[], Engine]) -> None:
    def many() -> None:
        with Store(again(), store.workflow) as mine:
            for _ in range(15):
                new_version(mine, PLAN, "Connection")
                entries.put(mine, {"a": "1"}, "Connection")

    in_threads(many)
    assert [one.number for one in versions.history(store)] == [*range(1, 61)]
    assert [one.number for one in entries.changes(store)] == [*range(1, 61)]


# Variables


def test_variables_are_set_read_and_cleared_with_their_reasons(store: Store) -> None:
    entries.put(store, {"node7.emails": "[]", "b": '"x"'}, "Extract")
    entries.put(store, {"b": "null"}, "Forget")
    assert [(one.name, one.stored) for one in entries.variables(store)] == [
        ("b", "null"),
        ("node7.emails", "[]"),
    ]
    one = entries.variable(store, "b")
    assert one is not None and one.stored == "null" and entries.variable(store, "c") is None
    assert entries.clear(store, "b", "Gone") and not entries.clear(store, "b", "Gone")
    assert entries.clear_all(store, "Clean") == 1 and entries.variables(store) == []
    kept = [(one.number, one.name, one.stored, one.reason) for one in entries.changes(store)]
    assert kept == [
        (1, "node7.emails", "[]", "Extract"),
        (2, "b", '"x"', "Extract"),
        (3, "b", "null", "Forget"),
        (4, "b", None, "Gone"),
        (5, "node7.emails", None, "Clean"),
    ]
    assert [one.number for one in entries.changes(store, "b", 2)] == [3, 4]


def test_names_sort_alike_everywhere(store: Store) -> None:
    names = ["Zebra", "apple", "node10.a", "node2.a", "Äpfel", "_x", "éa", "node2", "🎉", "\ue000"]
    entries.put(store, dict.fromkeys(names, "1"), "Order")
    assert [one.name for one in entries.variables(store)] == sorted(names)


# Messages and summaries


def test_messages_stay_in_order_and_archived_ones_are_left_out(store: Store) -> None:
    first = messages.add(store, [("user", str(place), None) for place in range(30)])
    messages.add(store, [("assistant", "last", None)])
    store.engine.write(
        store.workflow,
        lambda writer: writer.run(
            "UPDATE conversations SET is_archived = TRUE WHERE id = ?", (first[0].id,)
        ),
    )
    assert [one.content for one in messages.open_messages(store)] == [
        *map(str, range(1, 30)),
        "last",
    ]


def test_the_latest_summary_counts_and_goes_with_its_workflow(store: Store) -> None:
    sql = (
        "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, compression_ratio,"
        " created_at, created_by) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )

    def work(writer: Writer) -> None:
        ensure_workflow(writer, store)
        for text, moment in zip(("old", "new"), moments(2), strict=True):
            writer.run(sql, (new_id(), store.workflow, text, 20, 0.125, moment, "manual"))

    store.engine.write(store.workflow, work)
    messages.add(store, [("user", "x", None)])
    tab_names.keep_names(store, "b", {"1": "Main"})
    entries.put(store, {"a": "1"}, "Why")
    latest = summaries.compressions(store)[-1]
    assert (latest.text, latest.count, latest.ratio, latest.created_by) == (
        "new",
        20,
        0.125,
        "manual",
    )
    store.engine.write(
        store.workflow,
        lambda writer: writer.run("DELETE FROM workflows WHERE id = ?", (store.workflow,)),
    )
    assert not any(counted_in(store).values())
    assert summaries.compressions(store) == []


def test_a_workflow_with_plans_is_not_deleted_by_accident(store: Store) -> None:
    new_version(store, PLAN, "Worth keeping")
    with pytest.raises(StoreError):
        store.engine.write(
            store.workflow,
            lambda writer: writer.run("DELETE FROM workflows WHERE id = ?", (store.workflow,)),
        )
    assert versions.current(store) is not None


def test_names_of_tabs_are_kept(store: Store) -> None:
    tab_names.keep_names(store, "b", {"1": "Main", "2": "Mail"})
    kept = tab_names.keep_names(store, "b", {"1": "Main", "2": "Mail"}, {"2": "Inbox"})
    assert tab_names.read_names(store, "b") == kept and kept["2"] == "Inbox"
    assert tab_names.read_names(store, "other") == {}


# Text


@SHARED
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
def test_any_text_comes_back_as_it_was(engine: Engine, text: str) -> None:
    store = Store(engine, new_id(), text)
    messages.add(store, [(text or "user", text, {text: text})])
    entries.put(store, {text: json.dumps(text)}, text)
    plan = new_version(store, {**PLAN, "notes": text, text: [text]}, text)
    [message] = messages.open_messages(store)
    assert message.content == text and json.loads(message.metadata or "") == {text: text}
    [variable] = entries.variables(store)
    assert (variable.name, json.loads(variable.stored)) == (text, text)
    current = versions.current(store)
    assert current is not None and current.data == plan.data and current.reason == text


def test_a_nul_inside_json_comes_back_or_is_refused_with_a_sentence(store: Store) -> None:
    try:
        new_version(store, {**PLAN, "notes": "a\0b"}, "NUL")
    except DctxError as error:
        assert store.engine.name == "postgresql" and "cannot hold a character" in error.message
        assert versions.current(store) is None
    else:
        current = versions.current(store)
        assert current is not None and current.data["notes"] == "a\0b"
    entries.put(store, {"a": json.dumps("a\0b")}, "A variable is text that happens to be JSON")
    assert json.loads(entries.variables(store)[0].stored) == "a\0b"


def test_half_a_character_is_refused_with_a_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="character"):
        messages.add(store, [("user", "a\ud800b", None)])
    with pytest.raises(StoreError, match="character"):
        store.engine.row("SELECT ?", ("\ud800",))
    assert messages.open_messages(store) == []


def test_numbers_in_a_plan_keep_their_value(store: Store) -> None:
    numbers = [0, -1, 2**70, 1.5, -2.5e-7, 0.1, 1e16]
    new_version(store, {**PLAN, "numbers": numbers, "large": 1e300}, "Numbers")
    current = versions.current(store)
    assert current is not None and current.data["numbers"] == numbers
    assert float(current.data["large"]) == 1e300


# Times


def test_times_are_text_of_one_form_that_sorts(store: Store) -> None:
    before = now()
    version = new_version(store, PLAN, "Now")
    after = now()
    found = versions.current(store)
    assert found is not None and before <= found.created_at == version.created_at <= after
    assert len(before) == len(found.created_at) == 27 and found.created_at.endswith("Z")


# Cuts of conversations that go on


def test_a_cut_is_found_by_the_longest_beginning_that_is_known(store: Store) -> None:
    names = [f"{number:064x}" for number in range(1_200)]
    assert cuts.find(store, names) is None
    cuts.keep(store, cuts.Lasting(names[3], '{"a": "Grüße \\u0000 🎉"}'), 9)
    cuts.keep(store, cuts.Lasting(names[700], "{}"), 9)
    assert cuts.find(store, names) == (names[700], "{}")
    assert cuts.find(store, names[:700]) == (names[3], '{"a": "Grüße \\u0000 🎉"}')
    assert cuts.find(store, names[:3]) is None and cuts.find(store, []) is None


def test_a_cut_takes_the_place_of_an_earlier_one_and_those_go_that_were_not_used_for_longest(
    store: Store,
) -> None:
    for name in ("a", "b", "c"):
        cuts.keep(store, cuts.Lasting(name, name), 3)
    cuts.keep(store, cuts.Lasting("d", "d", instead="b", used=frozenset(("a",))), 3)
    assert [cuts.find(store, [name]) is not None for name in "abcd"] == [True, False, True, True]
    cuts.keep(store, cuts.Lasting("e", "e"), 3)
    assert [cuts.find(store, [name]) is not None for name in "acde"] == [True, False, True, True]
    cuts.keep(store, cuts.Lasting("e", "again"), 3)
    assert cuts.find(store, ["e"]) == ("e", "again")


def test_a_variable_that_somebody_else_changed_since_is_left_alone(store: Store) -> None:
    variables.change_variable(store, ("a", 1, "First"), expected=0)
    seen = variables.version_now(store)
    variables.change_variable(store, ("b", 1, "Another one"), expected=0)
    variables.change_variable(store, ("a", 2, "Mine"), expected=seen)
    for change in (
        lambda: variables.change_variable(store, ("a", 3, "Late"), expected=seen),
        lambda: variables.clear_variable(store, "a", "Late", expected=seen),
        lambda: variables.clear_variables(store, "Late", expected=seen),
    ):
        with pytest.raises(entries.VariableConflict, match=r"a is 2 \(Mine\)"):
            change()
    assert variables.value_of(store, "a") == 2


# Chats


def point(number: int, **more: object) -> ChatPoint:
    usual = ChatPoint(number, "turn", "openai", "m", f"resp_{number}", 7, {"until": number})
    return usual.replace(**more)


def test_what_was_said_in_a_chat_and_how_far_it_came_go_in_together(store: Store) -> None:
    chat = new_id()
    rows = (
        ChatRow(1, "user", "Grüße"),
        ChatRow(2, "tool_call", '{"at": "x"}', "look", "call_1", response="resp_1"),
        ChatRow(3, "tool", "found", "look", "call_1", error=True),
    )
    kept = chats.keep(store, chat, ChatNews(rows, point(1)))
    assert chats.rows_of(store, chat) == list(kept.rows)
    assert [row.replace(id="") for row in kept.rows] == list(rows)
    assert chats.points_of(store, chat) == [kept.point]
    assert chats.chats(store) == [chat]
    assert [message.role for message in messages.open_messages(store)] == [
        "user",
        "tool_call",
        "tool",
    ]


def test_who_goes_on_with_a_chat_too_late_changes_nothing(store: Store) -> None:
    chat = new_id()
    chats.keep(store, chat, ChatNews((ChatRow(1, "user", "one"),), point(1)))
    with pytest.raises(chats.GoneOn):
        chats.keep(store, chat, ChatNews((ChatRow(2, "user", "two"),), point(1)))
    assert [row.text for row in chats.rows_of(store, chat)] == ["one"]
