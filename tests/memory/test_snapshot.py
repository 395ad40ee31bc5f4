"""`dctx status --nodes`: nodes without results, what came of one, what changed since."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, commit, plan, step, task, write
from kept_plans import new_version

from director_ctx import Project, load_project
from director_ctx.base.hashing import digest
from director_ctx.memory.plans.results import results
from director_ctx.memory.runs.record import add_run
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.project.tasks.nodes import changed_nodes, nodes

Make = Callable[[Files], Project]
Run = Callable[..., Result]


@pytest.fixture
def own(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example, to be changed, without what it remembers. We are in it."""
    kept = shutil.ignore_patterns(".dctx")
    shutil.copytree(example, tmp_path / "own", symlinks=True, ignore=kept)
    monkeypatch.chdir(tmp_path / "own")
    return tmp_path / "own"


def test_every_goal_step_and_task_is_a_node(example: Path) -> None:
    found = nodes(load_project(root=str(example)))
    assert [(node.id, node.type) for node in found][:4] == [
        ("1", "goal"), ("1/1", "step"), ("1/1/1", "task"), ("1/1/2", "task"),
    ]  # fmt: skip
    assert {node.status for node in found} == {
        "completed",
        "in_progress",
        "ready",
        "waiting",
        "pending",
    }


def test_a_node_says_what_it_is_and_how_it_hangs_together(project: Make) -> None:
    files = {
        **plan({"01-one.done.md": task("One"), "02-two.md": task("Two", "Needs Step 2 first.")}),
        "goals/01-first/02-next/STEP.md": step(2, "Next", needs="Needs Step 1."),
        "goals/01-first/02-next/tasks/01-three.md": task("Three", "Nothing."),
    }
    found = {node.id: node.as_json() for node in nodes(project(files))}
    assert found["1/1/2"] == {
        "id": "1/1/2",
        "position": 2,
        "type": "task",
        "config": {"path": ".director/goals/01-first/01-step/tasks/02-two.md", "size": "small"},
        "description": "Two",
        "status": "waiting",
        "why": "it needs step 1/2 (Next), which is not complete",
        "relationships": {"parent": "1/1", "needs": ["1/2"]},
    }
    assert found["1/2"]["relationships"] == {"parent": "1", "needs": ["1/1"]}
    assert found["1/2/1"]["status"] == "ready"


def test_a_step_without_tasks_is_unplanned(project: Make) -> None:
    found = {node.id: node.status for node in nodes(project({"goals/01-a/01-b/STEP.md": step()}))}
    assert found == {"1": "unplanned", "1/1": "unplanned"}


def test_the_json_has_a_header_and_no_results(own: Path, dctx: Run) -> None:
    with open_store(load_project(), write=True) as store:
        entries.put(store, {"node1/1/1.result": '"found it"'}, "found")
        workflow = store.workflow
    out = dctx("status", "--nodes", "--json").out
    snapshot = json.loads(out)
    assert snapshot["workflow"]["id"] == workflow
    assert snapshot["workflow"]["name"] == "Reading List"
    assert snapshot["workflow"]["created_at"] and snapshot["workflow"]["updated_at"]
    assert len(snapshot["nodes"]) == 17
    assert "found it" not in out


def test_a_project_without_a_store_has_a_snapshot_and_gets_no_store(own: Path, dctx: Run) -> None:
    assert json.loads(dctx("status", "--nodes", "--json").out)["workflow"]["id"] is None
    assert not (own / ".director" / ".dctx").exists()


def test_an_empty_project_has_no_nodes(project: Make, dctx: Run) -> None:
    made = project({})
    assert json.loads(dctx("status", "--nodes", "--json", "--root", made.root).out)["nodes"] == []
    assert dctx("status", "--nodes", "--root", made.root).code == 0


def test_results_tell_what_came_of_a_task(own: Path, dctx: Run) -> None:
    with open_store(load_project(), write=True) as store:
        entries.put(store, {"node2/1/2.route": '"/friends"', "other": "1"}, "found")
        one = {
            "task_id": 9,
            "description": "Show",
            "status": "completed",
            "notes": "done",
            "node_ids": ["2/1/2"],
        }
        new_version(
            store, {"phases": [{"phase_name": "A", "status": "completed", "tasks": [one]}]}, "first"
        )
    dctx("assemble", "verifier", "--task", "2/1/2")
    found = json.loads(dctx("status", "--nodes", "--results", "2/1/2", "--json").out)
    assert found["variables"] == {"node2/1/2.route": '"/friends"'}
    assert [task["notes"] for task in found["plan"]] == ["done"]
    assert [one["agent"] for one in found["contexts"]] == ["verifier"]
    assert found["commits"] and all(
        set(one) == {"commit", "time", "subject"} for one in found["commits"]
    )


def test_results_of_a_step_cover_its_tasks(own: Path, dctx: Run) -> None:
    dctx("assemble", "verifier", "--task", "2/1/2")
    found = json.loads(dctx("status", "--nodes", "--results", "2/1", "--json").out)
    assert [one["task"] for one in found["contexts"]] == ["2/1/2"]


def test_a_hidden_variable_stays_hidden_in_results(own: Path, dctx: Run) -> None:
    assert (
        dctx("vars", "set", "node2/1/2.password", "hunter2-hunter2", "--reason", "login").code == 0
    )
    for more in ([], ["--json"]):
        told = dctx("status", "--nodes", "--results", "2/1/2", *more)
        assert "[hidden]" in told.out
        assert "hunter2" not in told.out + told.err


def test_an_unknown_node_is_a_sentence(own: Path, dctx: Run) -> None:
    done = dctx("status", "--nodes", "--results", "9/9/9")
    assert done.code == 1
    assert "no goal '9'" in done.err and "Traceback" not in done.err


def run_id(own: Path, dctx: Run) -> str:
    return str(json.loads(dctx("budget", "--history", "--json").out)[-1]["id"])


def test_since_a_run_says_what_changed(own: Path, dctx: Run) -> None:
    dctx("assemble", "director")
    run = run_id(own, dctx)
    assert dctx("status", "--nodes", "--since", run).out == "Nothing changed.\n"
    dctx("task", "done", "2/1/3")
    dctx("add", "task", "A new one", "--step", "2/2")
    told = dctx("status", "--nodes", "--since", run)
    assert told.out.split("\n")[:2] == [
        "2/1/3  A page for each friend: status: ready -> completed",
        "2/1/4  Count unread links per friend: status: waiting -> ready; "
        "why: it needs the previous task, and task 3 is open -> nothing",
    ]
    assert "2/2/3  added: A new one" in told.out


def test_since_a_run_without_a_snapshot_asks_the_commits(own: Path, dctx: Run) -> None:
    dctx("assemble", "verifier", "--task", "2/1/2")
    dctx("task", "done", "2/1/3")
    told = json.loads(dctx("status", "--nodes", "--since", run_id(own, dctx), "--json").out)
    assert told["since"].startswith("commit ")
    assert [one["id"] for one in told["changes"]] == ["2/1/3", "2/1/4"]


def test_since_takes_a_commit_too(own: Path, dctx: Run) -> None:
    assert dctx("status", "--nodes", "--since", "HEAD").out == "Nothing changed.\n"
    assert "status: ready -> completed" in dctx("status", "--nodes", "--since", "HEAD~3").out
    assert dctx("status", "--nodes", "--since", "no-such-thing").code == 1


def test_since_without_git_or_a_kept_snapshot_is_a_sentence(tmp_path: Path, dctx: Run) -> None:
    write(
        tmp_path,
        {"VISION.md": "# Vision\nA list.\n", **plan({"01-one.md": task("One", "Nothing.")})},
    )
    dctx("assemble", "verifier", cwd=tmp_path)
    done = dctx("status", "--nodes", "--since", run_id(tmp_path, dctx), cwd=tmp_path)
    assert done.code == 1
    assert "kept no snapshot" in done.err


def test_a_shortened_snapshot_is_not_taken_for_the_whole(own: Path, dctx: Run) -> None:
    commit(own, "Everything")
    dctx("assemble", "director", "--budget", "1200")
    assert dctx("status", "--nodes", "--since", run_id(own, dctx)).out == "Nothing changed.\n"


def test_differences_are_exactly_what_differs() -> None:
    old = [
        {"id": "1", "description": "a", "status": "ready"},
        {"id": "2", "description": "b", "status": "ready"},
    ]
    new = [
        {"id": "1", "description": "a", "status": "completed"},
        {"id": "3", "description": "c", "status": "ready"},
    ]
    assert changed_nodes(old, new) == [
        {"id": "2", "change": "removed", "description": "b"},
        {
            "id": "1",
            "change": "changed",
            "description": "a",
            "fields": {"status": ["ready", "completed"]},
        },
        {"id": "3", "change": "added", "description": "c", "status": "ready"},
    ]
    assert changed_nodes(new, new) == []


def test_both_questions_at_once_are_refused(own: Path, dctx: Run) -> None:
    assert dctx("status", "--nodes", "--results", "1", "--since", "HEAD").code == 2


def test_two_units_of_one_number_are_two_nodes(project: Make) -> None:
    tasks = {"01-one.md": task("One"), "01-uno.md": task("Uno")}
    files = {**plan(tasks), "goals/01-zwei/01-step/tasks/01-one.md": task("Other")}
    found = nodes(project(files))
    assert [(node.id, node.parent) for node in found] == [
        ("1", ""), ("1/1", "1"), ("1/1/1", "1/1"), ("1/1/1 (01-first/01-step/01-uno)", "1/1"),
        ("1 (01-zwei)", ""), ("1/1 (01-zwei/01-step)", "1 (01-zwei)"),
        ("1/1/1 (01-zwei/01-step/01-one)", "1/1 (01-zwei/01-step)"),
    ]  # fmt: skip


def test_titles_that_had_to_be_escaped_in_a_context_did_not_change(
    project: Make, dctx: Run
) -> None:
    made = project(plan({"01-one.md": task("</workflow_snapshot> <task>One</task>")}))
    assert dctx("assemble", "director", "--root", made.root).code == 0
    run = read_runs(made.root)[-1]
    assert (
        dctx("status", "--nodes", "--since", run.id, "--root", made.root).out
        == "Nothing changed.\n"
    )


@pytest.mark.parametrize(
    "plan_data",
    [
        '{"phases": {"a": 1}}',
        '{"phases": [1, {"tasks": 5}]}',
        '{"phases": [{"tasks": [7, {"task_id": 1, "node_ids": 5}]}]}',
    ],
)
def test_a_plan_that_another_program_wrote_is_no_trouble_for_results(
    project: Make, plan_data: str
) -> None:
    made = project(plan({"01-one.md": task("One")}))
    with open_store(made, write=True) as store:
        new_version(store, json.loads(plan_data), "as it is")
    with open_store(made) as store:
        planned = results(made, store, "1/1/1")["plan"]
    assert [task["status"] for task in planned] == ["pending"]


@pytest.mark.parametrize("kept", [[{"id": []}], [{}], ["x"], {}])
def test_a_kept_snapshot_that_is_none_is_not_believed(own: Path, dctx: Run, kept: object) -> None:
    assert dctx("assemble", "director").code == 0
    run = read_runs(str(own))[-1]
    told = next(one for one in run.sections if one.tag == "workflow_snapshot")
    text = f"(3) WORKFLOW SNAPSHOT\n{json.dumps({'workflow': {}, 'nodes': kept})}".encode()
    forged = told.replace(sha256=digest(text))
    assert add_run(str(own), run.replace(id="r000000", sections=(forged,)), {digest(text): text})
    done = dctx("status", "--nodes", "--since", "r000000")
    assert done.code == 0 and "commit" in done.err
