"""`dctx plan show`, `update`, `set`, `history`, `diff`, `restore` and `export`, on real stores."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from conftest import ROOT, Result, process, write
from example_plans import SEED, with_change

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.memory.plans import set_task as setting
from director_ctx.memory.plans.plan import (
    current_plan,
    plan_history,
    update_plan,
)
from director_ctx.memory.plans.set_task import set_task
from director_ctx.memory.plans.tasks import (
    PhaseTask,
    every_task,
    following_phase,
    following_status,
)

Run = Callable[..., Result]
STORE = ".director/.dctx/store.db"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "shop", {"VISION.md": "# Vision\n"}))
    return tmp_path / "shop"


@pytest.fixture
def planned(folder: Path) -> Path:
    """A project at version 1 of the seed's plan."""
    update_plan(load_project(root=str(folder)), SEED, "Begin")
    return folder


def put(folder: Path, plan: object, name: str = "plan.json") -> str:
    (folder / name).write_text(json.dumps(plan))
    return name


def stored(folder: Path) -> dict:
    version = current_plan(load_project(root=str(folder)))
    assert version
    return version.data


# show


def test_without_a_plan_there_is_one_sentence_and_nothing_is_made(folder: Path, dctx: Run) -> None:
    for words in (["show"], ["show", "--versions"], ["show", "--diff"], ["set", "1", "failed"]):
        result = dctx("plan", *words)
        assert (result.code, result.out) == (1, "")
        assert result.err == (
            "dctx: There is no plan yet.\n"
            "  hint: `dctx add` plans goals, steps and tasks; `dctx plan update FILE` takes a plan of yours.\n"
        )
    assert not (folder / ".director" / ".dctx").exists()


def test_the_plan_is_shown_as_a_to_do_list(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "show")
    *rows, last = result.out.splitlines()
    assert "\n".join(rows) == (
        "Build Gmail to Airtable email extraction workflow\n"
        "██████████────────── 2/4 tasks, 1 in progress, 1 pending\n"
        "\n"
        "> [~] Gmail Login Setup  ███████─── 2/3\n"
        "      [x] 1  Scout Gmail login flow\n"
        "            Found stable selectors: #identifierId, #identifierNext\n"
        "      [x] 2  Build navigation node  (node_123)\n"
        "      [~] 3  Build and validate email entry  (node_124, node_125)\n"
        "\n"
        "  [ ] Email Extraction  ────────── 0/1\n"
        "      [ ] 4  Extract email list from inbox\n"
        "\n"
        "Next:\n"
        "  Test email entry validation node\n"
        "  Build password entry if email validation succeeds\n"
        "\n"
        "Notes:\n"
        "  Gmail redirects to accounts.google.com as expected\n"
    )
    assert last.startswith("Version 1, 20") and last.endswith(": Begin")


def test_a_failed_task_and_a_blocker_stand_out(planned: Path, dctx: Run) -> None:
    plan = with_change("phases/1/tasks/0/status", "failed")
    dctx(
        "plan",
        "update",
        put(planned, {**plan, "blockers": ["No key"]}),
        "--reason",
        "x",
    )
    out = dctx("plan", "show").out
    assert (
        "      [!] 4  Extract" in out
        and "\nBlocked:\n  No key\n" in out
        and "1 failed, 1 in progress" in out
    )


def test_an_earlier_version_can_be_shown(planned: Path, dctx: Run) -> None:
    dctx("plan", "set", "4", "completed")
    assert "[ ] 4" in dctx("plan", "show", "1").out
    assert "[x] 4" in dctx("plan", "show", "2").out
    result = dctx("plan", "show", "3")
    assert (result.code, result.err) == (
        1,
        "dctx: There is no version 3 of the plan.\n  hint: The newest is 2.\n",
    )
    assert dctx("plan", "show", "two").code == 2


def test_what_the_store_of_a_stranger_holds_is_shown_without_harm(planned: Path, dctx: Run) -> None:
    strange = {
        "overall_goal": "\x1b[31mred\nline",
        "phases": [3, {"phase_name": None, "tasks": [{}, "x"]}],
        "notes": 5,
    }
    with closing(sqlite3.connect(planned / STORE)) as store, store:
        store.execute("UPDATE director_plans SET plan_data = ?", (json.dumps(strange),))
    result = dctx("plan", "show")
    assert result.code == 0 and "\x1b" not in result.out and "red line" in result.out
    assert dctx("plan", "show", "--versions").code == 0
    assert dctx("plan", "show", "--diff").code == 0
    assert dctx("plan", "show", "--markdown").code == 0


def test_a_version_that_is_no_json_is_a_sentence_and_can_be_replaced(
    planned: Path, dctx: Run
) -> None:
    with closing(sqlite3.connect(planned / STORE)) as store, store:
        store.execute("UPDATE director_plans SET plan_data = '{'")
    result = dctx("plan", "show")
    assert (result.code, result.err.splitlines()[0]) == (
        1,
        "dctx: Version 1 of the plan is not a plan.",
    )
    assert dctx("plan", "update", put(planned, SEED), "--reason", "Mend").code == 0
    assert stored(planned)["plan_version"] == 2
    assert dctx("plan", "show", "--versions").code == 0


# update


def test_an_update_replaces_the_plan_and_says_what_changed(planned: Path, dctx: Run) -> None:
    name = put(planned, {**with_change("phases/1/tasks/0/status", "completed"), "workflow_id": ""})
    result = dctx("plan", "update", name, "--reason", "Extracted")
    assert (result.code, result.err) == (0, "")
    assert (
        result.out
        == "Plan: version 2 (was 1)\n  ~ task 4 Extract email list from inbox: pending -> completed\n"
    )
    assert stored(planned)["phases"][1]["tasks"][0]["status"] == "completed"


def test_the_first_plan_comes_from_standard_input(folder: Path) -> None:
    result = process(
        "plan", "update", "-", "--reason", "Begin", cwd=folder, stdin=json.dumps(SEED).encode()
    )
    assert (result.code, result.out) == (0, "Plan: version 1\n  The first one: 2 phases, 4 tasks\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_plan_may_be_in_any_encoding_of_json(folder: Path, dctx: Run, encoding: str) -> None:
    plan = {**SEED, "notes": "Größe \x85 \u2028 \N{GRINNING FACE}"}
    (folder / "plan.json").write_bytes(json.dumps(plan, ensure_ascii=False).encode(encoding))
    assert dctx("plan", "update", "plan.json", "--reason", "x").code == 0
    assert stored(folder)["notes"] == plan["notes"]


def test_bytes_that_are_no_text_are_refused(folder: Path, dctx: Run) -> None:
    (folder / "plan.json").write_bytes(b'{"notes": "\xff"}')
    result = dctx("plan", "update", "plan.json", "--reason", "x")
    assert (result.code, result.err) == (
        1,
        "dctx: plan.json is not text in UTF-8.\n  hint: Save the file as UTF-8.\n",
    )


def test_unknown_keys_are_kept(folder: Path, dctx: Run) -> None:
    plan = copy.deepcopy({**SEED, "owner": {"z": 1, "a": [None, 1.5]}})
    plan["phases"][0]["tasks"][0]["risk"] = "low"
    dctx("plan", "update", put(folder, plan), "--reason", "x")
    dctx("plan", "set", "1", "failed")
    found = stored(folder)
    assert found["owner"] == plan["owner"] and found["phases"][0]["tasks"][0]["risk"] == "low"


def test_a_bad_plan_is_refused_with_every_mistake_and_changes_nothing(
    planned: Path, dctx: Run
) -> None:
    before = (planned / STORE).read_bytes()
    plan = with_change("phases/1/tasks/0/status", "done")
    name = put(planned, {**plan, "notes": 7})
    result = dctx("plan", "update", name, "--reason", "x")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "dctx: The plan was not taken:\n"
        "  $.phases[1].tasks[0].status: 'done' is not a status; known are pending, in_progress, completed, failed"
        " (is completed meant?)\n"
        "  $.notes: 7 is not a text\n"
        "  hint: `dctx plan show --schema` prints what a plan looks like.\n"
    )
    assert (planned / STORE).read_bytes() == before and stored(planned)["plan_version"] == 1


def test_a_bad_first_plan_makes_no_store(folder: Path, dctx: Run) -> None:
    assert dctx("plan", "update", put(folder, {}), "--reason", "x").code == 1
    assert not (folder / ".director" / ".dctx").exists()


@pytest.mark.parametrize("words", [[], ["--reason", ""], ["--reason", "  "]])
def test_an_update_says_why(planned: Path, dctx: Run, words: list[str]) -> None:
    for command in (["update", put(planned, SEED)], ["restore", "1"]):
        result = dctx("plan", *command, *words)
        assert (result.code, result.err.splitlines()[0]) == (2, "dctx: No reason is given.")
    assert stored(planned)["plan_version"] == 1


def test_a_file_that_is_not_there_is_a_sentence(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "update", "none.json", "--reason", "x")
    assert (result.code, result.err.splitlines()[0]) == (
        1,
        "dctx: none.json: No such file or directory.",
    )
    assert dctx("plan", "update", ".", "--reason", "x").code == 1


def test_two_updates_from_the_same_version_the_second_is_told_what_changed(
    planned: Path, dctx: Run
) -> None:
    put(planned, with_change("phases/1/tasks/0/status", "completed"), "a.json")
    put(planned, {**SEED, "notes": "mine"}, "b.json")
    first = dctx("plan", "update", "a.json", "-r", "First", "--expect-version", "1")
    second = dctx("plan", "update", "b.json", "-r", "Second", "--expect-version", "1")
    assert (first.code, second.code) == (0, 1)
    assert (
        second.out
        == "From version 1 to 2:\n  ~ task 4 Extract email list from inbox: pending -> completed\n"
    )
    assert second.err == (
        "dctx: The plan is at version 2, not 1, so it was not changed.\n"
        "  hint: See `dctx plan show 1..2 --diff`, then update from version 2.\n"
    )
    assert stored(planned)["notes"] == SEED["notes"]
    again = dctx("plan", "update", "b.json", "-r", "x", "--expect-version", "1", "--json")
    shown = json.loads(again.out)
    assert again.code == 1 and shown["conflict"] == {"expected": 1, "current": 2}
    assert shown["changes"][0]["after"] == "completed"


def test_a_file_of_an_older_version_is_taken_with_a_warning(planned: Path, dctx: Run) -> None:
    dctx("plan", "set", "4", "failed")
    result = dctx("plan", "update", put(planned, {**SEED, "workflow_id": ""}), "-r", "x")
    assert (result.code, result.err) == (
        0,
        "dctx: warning: the file was made from version 1, and version 2 of the plan was replaced by it.\n"
        "  hint: `dctx plan show 1..2 --diff` shows the changes in between; --expect-version 1 would have refused.\n",
    )


def test_a_file_of_another_workflow_is_taken_with_a_warning(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "update", put(planned, SEED), "-r", "x")
    assert (
        result.err
        == "dctx: warning: the file has the workflow_id of another project; the plan was saved with this project's.\n"
    )
    assert stored(planned)["workflow_id"] != SEED["workflow_id"]


def test_what_looks_like_a_password_is_warned_of(planned: Path, dctx: Run) -> None:
    key = "sk-ant-api03-" + "aB3dE5fG7hJ9" * 8
    result = dctx("plan", "update", put(planned, {**SEED, "notes": f"use {key}"}), "-r", "x")
    assert (
        result.code == 0
        and "a password or a key in the plan ($.notes)" in result.err
        and key not in result.err
    )


@pytest.mark.parametrize(
    "words",
    [("set", "4", "failed"), ("restore", "1"), ("update", "PLAN")],
    ids=lambda words: words[0],
)
def test_what_looks_like_a_password_in_a_reason_is_warned_of(
    words: tuple[str, ...], planned: Path, dctx: Run
) -> None:
    secret = "aB3dE5fG7hJ9"
    plan = put(planned, stored(planned))
    given = [plan if word == "PLAN" else word for word in words]
    result = dctx("plan", *given, "--reason", f"Login with password={secret} works")
    assert result.code == 0, result
    assert "warning: there seems to be a password or a key in the reason" in result.err
    assert secret not in result.err
    assert "a password" not in dctx("plan", *given, "--reason", "The password works").err
    noted = dctx("plan", "set", "3", "failed", "--note", f"token: {secret}")
    assert "a password or a key in the note." in noted.err


def test_outside_a_project_the_plan_is_the_users_own(tmp_path: Path, dctx: Run) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert dctx("plan", "update", put(outside, SEED), "-r", "x", cwd=outside).code == 0
    assert "2/4 tasks" in dctx("plan", "show", cwd=outside).out
    assert sorted(path.name for path in outside.iterdir()) == ["plan.json"]


# set


def test_setting_a_task_changes_it_and_what_follows(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "set", "3", "completed", "--note", "Works", "--reason", "Tested")
    assert result.out == (
        "Plan: version 2 (was 1)\n"
        "  ~ task 3 Build and validate email entry: in_progress -> completed\n"
        "  ~ task 3 Build and validate email entry, notes: (nothing) -> Works\n"
        "  ~ phase Gmail Login Setup: in_progress -> completed\n"
        '  ~ current_phase: "Gmail Login Setup" -> "Email Extraction"\n'
    )
    assert result.err == ""
    plan = stored(planned)
    assert (
        plan["phases"][0]["status"] == "completed" and plan["current_phase"] == "Email Extraction"
    )
    assert plan_history(load_project())[-1].reason == "Tested"


def test_setting_the_same_again_writes_nothing_and_says_so(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "set", "2", "completed")
    assert (result.code, result.err) == (
        0,
        "dctx: Task 2 is completed already; nothing was written.\n",
    )
    assert stored(planned)["plan_version"] == 1
    shown = json.loads(dctx("plan", "set", "2", "completed", "--json").out)
    assert shown == {"version": 1, "previous": 1, "changes": []}
    assert dctx("plan", "set", "2", "completed", "--note", "again").err == ""
    assert stored(planned)["plan_version"] == 2


@pytest.mark.parametrize("name", ["4", " 4 ", "extract email", "Extract email list from inbox"])
def test_a_task_is_named_by_its_id_or_by_words_that_only_it_has(
    planned: Path, dctx: Run, name: str
) -> None:
    assert dctx("plan", "set", name, "completed").code == 0
    assert stored(planned)["phases"][1]["tasks"][0]["status"] == "completed"
    assert plan_history(load_project())[-1].reason == "Task 4: completed"


def test_an_unknown_task_gets_a_suggestion(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "set", "extrakt emails list", "failed")
    assert (result.code, result.err) == (
        1,
        "dctx: There is no task 'extrakt emails list' in the plan.\n"
        "  hint: Did you mean 4 Extract email list from inbox?\n",
    )
    result = dctx("plan", "set", "email", "failed")
    assert (
        result.code == 1
        and "matches 2 tasks" in result.err
        and "3 Build and validate email entry; 4" in result.err
    )
    assert stored(planned)["plan_version"] == 1


def test_an_unknown_status_is_a_mistake_of_the_command(planned: Path, dctx: Run) -> None:
    result = dctx("plan", "set", "4", "finished")
    assert (result.code, result.err) == (
        2,
        "dctx: 'finished' is not a status.\n  hint: Did you mean completed?\n",
    )
    assert "A status is one of pending, in_progress" in dctx("plan", "set", "4", "x").err


def test_two_who_set_different_tasks_at_once_are_both_heard(planned: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda task: set_task(load_project(), task, "failed"), "1234"))
    plan = stored(planned)
    assert plan["plan_version"] == 5 and all(
        one.task["status"] == "failed" for one in every_task(plan)
    )


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (["completed", "completed"], "completed"),
        (["completed", "in_progress", "failed"], "in_progress"),
        (["completed", "failed", "pending"], "failed"),
        (["completed", "pending"], "in_progress"),
        (["pending", "pending"], "pending"),
        ([], "what it was"),
    ],
)
def test_the_status_of_a_phase_follows_its_tasks(statuses: list[str], status: str) -> None:
    assert following_status([{"status": one} for one in statuses], "what it was") == status


@pytest.mark.parametrize(
    ("statuses", "current", "follows"),
    [
        ({"A": "pending", "B": "completed", "C": "completed"}, "C", "A"),
        ({"B": "completed", "C": "completed"}, "C", "C"),
        ({"A": "pending", "B": "completed"}, "A", "A"),
        ({"A": "failed", "B": "completed", "C": "pending"}, "B", "C"),
    ],
)
def test_after_a_completed_phase_comes_the_next_one_before_an_earlier_one(
    statuses: dict[str, str], current: str, follows: str
) -> None:
    phases = [{"phase_name": name, "status": status} for name, status in statuses.items()]
    assert following_phase({"phases": phases, "current_phase": current}) == follows


# history, diff, restore, export


def test_the_history_says_when_why_and_what(planned: Path, dctx: Run) -> None:
    dctx("plan", "set", "4", "failed", "--reason", "No inbox")
    result = dctx("plan", "show", "--versions")
    head, rule, first, second = result.out.splitlines()
    assert head.split() == ["Version", "Time", "Why", "What", "changed"] and set(rule) == {"-"}
    assert first.split()[0] == "1" and first.endswith("Begin     the first one")
    assert second.endswith(
        "No inbox  task 4 Extract email list from inbox: pending -> failed; 1 more"
    )


def test_the_history_shows_the_newest(planned: Path, dctx: Run) -> None:
    project = load_project()
    for number in range(24):
        set_task(project, "4", "pending", f"note {number}")
    assert [
        one["version"] for one in json.loads(dctx("plan", "show", "--versions", "--json").out)
    ] == [*range(1, 26)]
    shown = dctx("plan", "show", "--versions").out.splitlines()
    assert shown[-1] == "The last 20 of 25; --last N or --json shows more." and len(shown) == 23
    last = json.loads(dctx("plan", "show", "--versions", "--last", "1", "--json").out)
    assert last[0]["version"] == 25 and last[0]["changes"][0]["before"] == "note 22"


def test_a_diff_is_of_the_last_change_or_of_two_versions(planned: Path, dctx: Run) -> None:
    assert dctx("plan", "show", "--diff").out == "From version 1 to 1:\n  Nothing is different.\n"
    dctx("plan", "set", "4", "failed")
    dctx("plan", "set", "4", "pending")
    assert "failed -> pending" in dctx("plan", "show", "--diff").out
    assert (
        dctx("plan", "show", "1..3", "--diff").out
        == "From version 1 to 3:\n  Nothing is different.\n"
    )
    assert dctx("plan", "show", "2..1", "--diff").out.startswith("From version 2 to 1:\n  ~ task 4")
    shown = json.loads(dctx("plan", "show", "1..2", "--diff", "--json").out)
    assert (shown["from"], shown["to"], shown["changes"][0]["after"]) == (1, 2, "failed")
    assert dctx("plan", "show", "1..9", "--diff").code == 1
    assert dctx("plan", "show", "x", "--diff").code == 2


def test_restoring_makes_a_new_version_of_an_old_plan(planned: Path, dctx: Run) -> None:
    first = stored(planned)
    dctx("plan", "set", "4", "failed")
    result = dctx("plan", "restore", "1", "--reason", "A mistake")
    assert result.code == 0
    assert result.out.splitlines()[0] == "Plan: version 3, a copy of 1 (before: 2)"
    now = stored(planned)
    assert (
        now["plan_version"] == 3
        and now["phases"] == first["phases"]
        and now["created_at"] == first["created_at"]
    )
    assert dctx("plan", "restore", "9", "--reason", "x").code == 1


def test_what_is_shown_can_be_taken_as_an_update(planned: Path, dctx: Run) -> None:
    (planned / "out.json").write_text(dctx("plan", "show", "--json").out)
    assert json.loads((planned / "out.json").read_text()) == stored(planned)
    result = dctx("plan", "update", "out.json", "-r", "x")
    assert (result.code, result.err) == (0, "") and "Nothing is different" in result.out


def test_as_markdown_it_has_boxes(planned: Path, dctx: Run) -> None:
    dctx("plan", "set", "4", "failed")
    text = dctx("plan", "show", "--markdown").out
    assert text.startswith(
        "# Build Gmail to Airtable email extraction workflow\n\nVersion 2 of the plan, 20"
    )
    assert (
        "## Gmail Login Setup (in progress, 2/3, current)\n\n"
        "- [x] 1 Scout Gmail login flow\n"
        "  Found stable selectors: #identifierId, #identifierNext\n"
        "- [x] 2 Build navigation node\n"
        "- [ ] 3 Build and validate email entry (in progress)\n"
        "\n## Email Extraction (failed, 0/1)\n\n"
        "- [ ] 4 Extract email list from inbox (failed)\n"
        "\n## Next\n\n- Test email entry"
    ) in text


def test_the_schema_is_printed_as_it_is_shipped(tmp_path: Path, dctx: Run) -> None:
    assert (
        dctx("plan", "show", "--schema", cwd=tmp_path).out
        == (ROOT / "templates" / "plan.schema.json").read_text()
    )


def test_a_shell_is_offered_the_tasks_of_the_plan(
    planned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from director_ctx.doors.cli.complete import COMPLETERS

    monkeypatch.chdir(planned)
    assert COMPLETERS["plan-task"]("4") == [("4", "Extract email list from inbox")]
    assert COMPLETERS["plan-status"]("p") == ["pending"]
    monkeypatch.chdir(planned.parent)
    assert COMPLETERS["plan-task"]("") == []


def test_a_reason_is_kept_on_one_line_whatever_is_in_it(planned: Path) -> None:
    made = set_task(load_project(root=str(planned)), "4", "failed", reason="a\udcffb\0\n c")
    assert (
        made.version.reason
        == plan_history(load_project(root=str(planned)))[-1].reason
        == "a\ufffdb\ufffd c"
    )


def test_a_plan_that_was_bad_before_can_not_be_set_but_says_why(planned: Path) -> None:
    bad = with_change("notes", 5)
    with closing(sqlite3.connect(planned / STORE)) as store, store:
        store.execute("UPDATE director_plans SET plan_data = ?", (json.dumps(bad),))
    with pytest.raises(DctxError, match=r"\$\.notes: 5 is not a text"):
        set_task(load_project(root=str(planned)), "4", "failed")


def test_a_plan_as_markdown_moves_no_cursor_and_breaks_no_line(planned: Path, dctx: Run) -> None:
    hostile = copy.deepcopy(SEED)
    hostile["notes"] = "one\ttwo\x1b[2K\nthree"
    hostile["phases"][0]["tasks"][0] |= {
        "task_id": "a\nb",
        "description": "c\x1b]0;x\x07",
        "notes": "d\x9b",
    }
    update_plan(load_project(), hostile, "test")
    text = dctx("plan", "show", "--markdown").out
    assert not [
        char for char in text if char not in "\t\n" and (ord(char) < 32 or 0x7F <= ord(char) < 0xA0)
    ]
    assert "- [x] a b c" in text and text.endswith("one\ttwo\nthree\n")


# from Python


def test_a_task_may_be_named_by_its_number(planned: Path) -> None:
    made = set_task(load_project(root=str(planned)), 4, "completed")
    assert [task["status"] for task in made.version.data["phases"][1]["tasks"]] == ["completed"]


def test_a_task_that_was_taken_out_meanwhile_is_not_mistaken_for_another(
    planned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = load_project(root=str(planned))
    find = setting.find_plan_task

    def found_then_replaced(plan: dict, name: str) -> PhaseTask:
        found = find(plan, name)
        other = copy.deepcopy(SEED)
        other["phases"][1]["tasks"] = [
            {"task_id": 9, "description": "Wait 4 days", "status": "pending"}
        ]
        update_plan(project, other, "Somebody else")
        return found

    monkeypatch.setattr(setting, "find_plan_task", found_then_replaced)
    with pytest.raises(DctxError, match="not in the plan any more"):
        set_task(project, "4", "completed")
    assert stored(planned)["phases"][1]["tasks"][0]["status"] == "pending"


@pytest.mark.parametrize("last", ["0", "-1", "x", "1.5", "9" * 12])
def test_a_number_of_versions_that_is_none_is_refused(planned: Path, dctx: Run, last: str) -> None:
    assert dctx("plan", "show", "--versions", f"--last={last}").code == 2
