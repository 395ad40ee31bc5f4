"""The plan and the folder as one truth."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, plan, step, task, write
from example_plans import SEED
from kept_plans import keep_plan

from director_ctx import load_project
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.folder import plan_of
from director_ctx.memory.plans.plan import current_plan, update_plan
from director_ctx.memory.plans.rules import mistakes
from director_ctx.memory.plans.set_task import set_task
from director_ctx.memory.plans.tasks import every_task

Run = Callable[..., Result]
VISION = "# Vision\n\n## Project Name\nShop\n\n## What It Does\nSells tea\nby mail. Nothing else.\n\nMore.\n"
FIRST = "Goal 1: First › Step 1: Step 1"
SECOND = "Goal 1: First › Step 2: Step 2"
STEP = ".director/goals/01-first/01-step"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two steps; the first task is done. We are in it."""
    files = plan(
        {
            "01-seeds.done.md": task("Buy seeds"),
            "02-pots.md": task("Buy pots"),
            "03-soil.md": task("Buy soil"),
        },
        {"01-water.md": task("Water it", needs="Needs Task 2 (in Step 1).")},
    )
    monkeypatch.chdir(write(tmp_path / "shop", {"VISION.md": VISION, **files}))
    return tmp_path / "shop"


def stored(folder: Path) -> dict:
    version = current_plan(load_project(root=str(folder)))
    assert version
    return version.data


def put(folder: Path, changed: dict) -> None:
    update_plan(load_project(root=str(folder)), changed, "test")


def test_the_plan_of_a_folder_has_a_phase_for_each_step(shop: Path, dctx: Run) -> None:
    keep_plan(shop)
    made = stored(shop)
    stamps = {
        name: made.pop(name) for name in ("workflow_id", "plan_version", "created_at", "updated_at")
    }
    assert stamps["plan_version"] == 1
    assert made == {
        "overall_goal": "Shop: Sells tea by mail",
        "current_phase": FIRST,
        "phases": [
            {
                "phase_name": FIRST,
                "status": "in_progress",
                "tasks": [
                    {
                        "task_id": "1/1/1",
                        "description": "Buy seeds",
                        "status": "completed",
                        "node_ids": ["1/1/1"],
                    },
                    {
                        "task_id": "1/1/2",
                        "description": "Buy pots",
                        "status": "pending",
                        "node_ids": ["1/1/2"],
                    },
                    {
                        "task_id": "1/1/3",
                        "description": "Buy soil",
                        "status": "pending",
                        "node_ids": ["1/1/3"],
                    },
                ],
                "node_ids": ["1/1"],
            },
            {
                "phase_name": SECOND,
                "status": "pending",
                "tasks": [
                    {
                        "task_id": "1/2/1",
                        "description": "Water it",
                        "status": "pending",
                        "node_ids": ["1/2/1"],
                    }
                ],
                "node_ids": ["1/2"],
            },
        ],
        "next_actions": ["1/1/2: Buy pots"],
        "blockers": [],
    }


def test_what_people_wrote_stays(shop: Path, dctx: Run) -> None:
    keep_plan(shop)
    changed = stored(shop)
    changed["phases"][0]["tasks"][1] |= {
        "status": "failed",
        "notes": "Too small",
        "risk": 1,
        "node_ids": ["1/1/2", "n7"],
    }
    changed["phases"][0]["tasks"].append(
        {"task_id": 9, "description": "Call Ann", "status": "pending"}
    )
    changed["phases"][0]["status"] = "failed"
    changed["phases"][1]["owner"] = "Ben"
    changed["phases"].append({"phase_name": "Later", "status": "pending", "tasks": []})
    changed["next_actions"].append("Ask the neighbour")
    changed |= {"blockers": ["It rains"], "notes": "Spring", "mood": "good"}
    put(shop, changed)
    before = stored(shop)
    dctx("task", "done", "1/1/3")
    after = stored(shop)
    before["phases"][0]["tasks"][2]["status"] = "completed"
    assert same_plan(before, after)
    assert same_plan(after, plan_of(load_project(), after))


def test_a_task_that_is_gone_is_not_in_the_plan_any_more(shop: Path, dctx: Run) -> None:
    keep_plan(shop)
    (shop / STEP / "tasks" / "03-soil.md").unlink()
    assert "Buy soil" not in dctx("plan", "show").out
    keep_plan(shop)
    assert "  - task 1/1/3 Buy soil\n" in dctx("plan", "show", "--diff").out


def test_notes_go_with_a_task_that_was_renumbered_or_renamed(shop: Path, dctx: Run) -> None:
    keep_plan(shop)
    dctx("plan", "set", "1/1/2", "in_progress", "--note", "Half")
    dctx("plan", "set", "1/1/3", "pending", "--note", "Much")
    tasks = shop / STEP / "tasks"
    (tasks / "02-pots.md").rename(tasks / "05-pots.md")
    (tasks / "03-soil.md").write_text(task("Buy earth"))
    notes = {one.name: (one.description, one.task.get("notes")) for one in every_task(stored(shop))}
    assert notes["1/1/5"] == ("Buy pots", "Half") and notes["1/1/3"] == ("Buy earth", "Much")
    assert all(one.task["node_ids"] == [one.name] for one in every_task(stored(shop)))


def test_a_task_that_is_drafted_is_in_progress(shop: Path) -> None:
    (shop / STEP / "STEP.md").write_text(
        step(1, "Step 1", "- [~] Task 2: Buy pots\n- [ ] Task 3: Buy soil")
    )
    made = plan_of(load_project(root=str(shop)))
    assert [one.task["status"] for one in every_task(made)][:3] == [
        "completed",
        "in_progress",
        "pending",
    ]


def test_a_number_is_a_task_of_the_current_step(shop: Path, dctx: Run) -> None:
    keep_plan(shop)
    assert "  ~ task 1/1/3 Buy soil: pending -> failed\n" in dctx("plan", "set", "3", "failed").out
    assert dctx("plan", "set", "4", "failed").code == 1


def test_tasks_of_the_same_title_go_by_their_numbers(tmp_path: Path) -> None:
    folder = write(tmp_path / "shop", plan({"01-buy.md": task("Buy"), "02-buy.md": task("Buy")}))
    project = load_project(root=str(folder))
    keep_plan(folder)
    for number in ("1/1/1", "1/1/2"):
        set_task(project, number, "pending", note=f"Note of {number}")
    (folder / ".director/goals/01-first/01-step/tasks/01-buy.md").rename(
        folder / ".director/goals/01-first/01-step/tasks/03-buy.md"
    )
    notes = {one["task_id"]: one.get("notes") for one in stored(folder)["phases"][0]["tasks"]}
    assert notes == {"1/1/2": "Note of 1/1/2", "1/1/3": None}


def test_only_what_really_blocks_is_a_blocker(shop: Path, tmp_path: Path) -> None:
    project = load_project(root=str(shop))
    assert plan_of(project)["blockers"] == []
    (shop / STEP / "tasks" / "03-soil.md").write_text(task("Buy soil", needs="Needs Task 8."))
    assert plan_of(load_project(root=str(shop)))["blockers"] == [
        "1/1/3: it needs Task 8, which does not exist"
    ]
    stuck = write(
        tmp_path / "stuck",
        plan({"01-a.md": task("A", needs="Needs Task 2."), "02-b.md": task("B")}),
    )
    made = plan_of(load_project(root=str(stuck)))
    assert (
        made["blockers"][0] == "1/1/1: it needs task 1/1/2 (B), which is not done"
        and made["next_actions"] == []
    )


def test_what_is_not_planned_yet_is_the_next_action_when_all_else_is_done(tmp_path: Path) -> None:
    files = plan({"01-a.done.md": task("A")}, {})
    made = plan_of(load_project(root=str(write(tmp_path, files))))
    assert made["next_actions"] == ["Plan: step 2 of goal 1 has no tasks yet"]
    assert made["current_phase"] == SECOND and made["phases"][1]["status"] == "pending"


@pytest.mark.parametrize(
    "files", [{}, {"VISION.md": "# Vision\n"}, {"goals/01-a/GOAL.md": "# Goal 1: A\n"}]
)
def test_a_folder_without_a_step_makes_no_plan(tmp_path: Path, files: dict, dctx: Run) -> None:
    folder = write(tmp_path / "empty", files)
    assert dctx("plan", "show", cwd=folder).code == 1
    assert current_plan(load_project(root=str(folder))) is None


def test_two_steps_of_the_same_number_and_name_are_told_apart(tmp_path: Path) -> None:
    files = {
        f"goals/01-first/01-{slug}/{name}": text
        for slug in ("a", "b")
        for name, text in (
            ("STEP.md", step(1, "Same")),
            ("tasks/01-x.md", task("X")),
            ("tasks/01-y.md", task("X")),
        )
    }
    folder = write(tmp_path, files)
    made = stored(folder)
    assert mistakes(made) == [] and [one["phase_name"] for one in made["phases"]] == [
        "Goal 1: first › Step 1: Same",
        "Goal 1: first › Step 1: Same (01-first/01-b)",
    ]


def test_a_goal_that_somebody_wrote_stays(shop: Path) -> None:
    made = load_project(root=str(shop))
    assert plan_of(made, {"overall_goal": "Ship by June"})["overall_goal"] == "Ship by June"
    assert (
        plan_of(made, {"overall_goal": "Shop: as it was before"})["overall_goal"]
        == "Shop: Sells tea by mail"
    )


def test_the_plan_follows_the_files_without_a_word(shop: Path, dctx: Run) -> None:
    assert "[ ] 1/1/2  Buy pots" in dctx("plan", "show").out
    tasks = shop / STEP / "tasks"
    (tasks / "02-pots.md").rename(tasks / "02-pots.done.md")
    out = dctx("plan", "show").out
    assert "[x] 1/1/2  Buy pots" in out and "2/4 tasks" in out
    assert not (shop / ".director" / ".dctx").exists(), "reading keeps nothing"


def test_what_is_kept_is_shown_with_what_the_folder_says_since(shop: Path, dctx: Run) -> None:
    dctx("plan", "set", "1/1/3", "failed", "--note", "Too dry")
    tasks = shop / STEP / "tasks"
    (tasks / "02-pots.md").rename(tasks / "02-pots.done.md")
    (tasks / "04-can.md").write_text(task("Buy a can"))
    out = dctx("plan", "show").out
    for line in ("[x] 1/1/2  Buy pots", "[!] 1/1/3  Buy soil", "Too dry", "[ ] 1/1/4  Buy a can"):
        assert line in out
    assert out.endswith("Task 1/1/3: failed (and what the folder says since)\n")
    first = dctx("plan", "show", "1").out
    assert "[ ] 1/1/2  Buy pots" in first and "Buy a can" not in first
    assert json.loads(dctx("plan", "show", "--json").out)["plan_version"] == 1


@pytest.mark.parametrize("word", ["completed", "done"])
def test_a_task_set_to_completed_is_done_in_the_folder(shop: Path, dctx: Run, word: str) -> None:
    result = dctx("plan", "set", "2", word, "--note", "Clay")
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith(f"  {STEP}/tasks/02-pots.done.md\n")
    assert (shop / STEP / "tasks" / "02-pots.done.md").exists()
    assert [one.task.get("notes") for one in every_task(stored(shop))][1] == "Clay"


def test_a_finished_task_set_to_failed_is_open_again_in_the_folder(shop: Path, dctx: Run) -> None:
    dctx("plan", "set", "1/1/1", "failed")
    assert (shop / STEP / "tasks" / "01-seeds.md").exists()
    assert "[!] 1/1/1  Buy seeds" in dctx("plan", "show").out


def test_finishing_and_reopening_a_task_is_in_the_plans_history(shop: Path, dctx: Run) -> None:
    dctx("plan", "set", "1/1/2", "failed")
    dctx("task", "done", "1/1/2")
    dctx("task", "done", "1/1/2", "--undo")
    rows = json.loads(dctx("plan", "show", "--versions", "--json").out)
    assert [row["reason"] for row in rows] == [
        "Task 1/1/2: failed",
        "Task 1/1/2: completed",
        "Task 1/1/2: open again",
    ]
    assert "[ ] 1/1/2  Buy pots" in dctx("plan", "show").out


def test_finishing_a_task_makes_no_store_where_no_plan_is_kept(shop: Path, dctx: Run) -> None:
    assert dctx("task", "done", "1/1/2").code == 0
    assert not (shop / ".director" / ".dctx" / "store.db").exists()


def test_a_plan_that_would_be_refused_renames_no_file(shop: Path) -> None:
    with pytest.raises(Exception, match="was not taken"):
        set_task(load_project(root=str(shop)), "1/1/2", "completed", note="\ud800")
    assert (shop / STEP / "tasks" / "02-pots.md").exists()


def test_a_plan_by_hand_keeps_its_own_tasks_beside_those_of_the_folder(
    shop: Path, dctx: Run
) -> None:
    by_hand = copy.deepcopy(SEED)
    first, second = by_hand["phases"]
    first["tasks"][0]["node_ids"] = ["1/1/1"]
    first["tasks"][1]["node_ids"] = ["1/1/2"]
    second["tasks"][0]["node_ids"] = ["1/2/1", "1/2/7"]
    (shop / "by_hand.json").write_text(json.dumps(by_hand))
    taken = dctx("plan", "update", "by_hand.json", "--reason", "Mine")
    assert taken.code == 0
    assert "3  Build and validate email entry" in dctx("plan", "show").out


def test_a_whole_plan_that_calls_an_open_task_completed_is_warned_of(shop: Path, dctx: Run) -> None:
    whole = json.loads(dctx("plan", "show", "--json").out)
    whole["phases"][0]["tasks"][1]["status"] = "completed"
    (shop / "whole.json").write_text(json.dumps(whole))
    result = dctx("plan", "update", "whole.json", "--reason", "Claimed")
    assert "warning: 1/1/2 is completed there and open in the folder" in result.err
    assert "[ ] 1/1/2  Buy pots" in dctx("plan", "show").out


def test_nodes_and_status_tell_what_the_plan_tells(shop: Path, dctx: Run) -> None:
    dctx("plan", "set", "1/1/2", "in_progress")
    dctx("plan", "set", "1/1/3", "failed", "--note", "Too dry")
    put(shop, {**stored(shop), "blockers": ["It rains"]})
    nodes = json.loads(dctx("status", "--nodes", "--json").out)["nodes"]
    statuses = {node["id"]: node["status"] for node in nodes}
    assert (statuses["1/1/2"], statuses["1/1/3"]) == ("in_progress", "failed")
    out = dctx("status").out
    for line in (
        "Failed: 1/1/3  Buy soil: Too dry",
        "Blocked: It rains",
    ):
        assert f"{line}\n" in out
    assert "1/1/2  Buy pots: in progress since " in out
    about = json.loads(dctx("status", "--json").out)["plan"]
    assert about["failed"] == [{"ref": "1/1/3", "title": "Buy soil", "notes": "Too dry"}]
