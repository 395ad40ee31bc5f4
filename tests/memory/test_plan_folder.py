"""The plan and the folder as one truth: `dctx plan from-folder` and `dctx plan check`."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Result, plan, step, task, write
from example_plans import SEED, good_plans
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director_ctx import load_project
from director_ctx.memory.plans.check import check_plan
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.folder import plan_from_folder, plan_of, planned
from director_ctx.memory.plans.plan import current_plan, set_task, update_plan
from director_ctx.memory.plans.rules import STATUSES, mistakes
from director_ctx.memory.plans.tasks import every_task

Run = Callable[..., Result]
VISION = "# Vision\n\n## Project Name\nShop\n\n## What It Does\nSells tea\nby mail. Nothing else.\n\nMore.\n"
FIRST = "Goal 1: First › Step 1: Step 1"
SECOND = "Goal 1: First › Step 2: Step 2"
STEP = ".director/goals/01-first/01-step"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Two steps; the first task is done."""
    files = plan(
        {
            "01-seeds.done.md": task("Buy seeds"),
            "02-pots.md": task("Buy pots"),
            "03-soil.md": task("Buy soil"),
        },
        {"01-water.md": task("Water it", needs="Needs Task 2 (in Step 1).")},
    )
    return write(tmp_path / "shop", {"VISION.md": VISION, **files})


def stored(folder: Path) -> dict:
    version = current_plan(load_project(root=str(folder)))
    assert version
    return version.data


def put(folder: Path, changed: dict) -> None:
    update_plan(load_project(root=str(folder)), changed, "test")


def found(folder: Path, dctx: Run) -> list[tuple[str, str, str, str]]:
    result = dctx("plan", "check", "--json", cwd=folder)
    shown = json.loads(result.out)["disagreements"]
    assert result.code == (1 if shown else 0)
    return [(one["kind"], one["where"], one["plan"], one["folder"]) for one in shown]


def test_the_plan_of_a_folder_has_a_phase_for_each_step(shop: Path, dctx: Run) -> None:
    result = dctx("plan", "from-folder", cwd=shop)
    assert (result.code, result.out, result.err) == (
        0,
        "Plan: version 1\n  The first one: 2 phases, 4 tasks\n",
        "",
    )
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


def test_a_second_time_nothing_is_written(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    result = dctx("plan", "from-folder", cwd=shop)
    assert result.out == "Plan: version 1 agrees with the folder already; nothing was written.\n"
    assert json.loads(dctx("plan", "from-folder", "--json", cwd=shop).out)["version"] == 1


def test_the_plan_follows_the_files(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    dctx("task", "done", "1/1/2", cwd=shop)
    result = dctx("plan", "from-folder", "--reason", "Pots are here", cwd=shop)
    assert result.out == (
        "Plan: version 2 (was 1)\n"
        "  ~ task 1/1/2 Buy pots: pending -> completed\n"
        '  - next_actions: "1/1/2: Buy pots"\n'
        '  + next_actions: "1/1/3: Buy soil"\n'
        '  + next_actions: "1/2/1: Water it"\n'
    )
    assert found(shop, dctx) == []


def test_a_dry_run_only_prints_the_plan(shop: Path, dctx: Run) -> None:
    assert "[x] 1/1/1  Buy seeds" in dctx("plan", "from-folder", "--dry-run", cwd=shop).out
    shown = json.loads(dctx("plan", "from-folder", "--dry-run", "--json", cwd=shop).out)
    assert shown["phases"][0]["phase_name"] == FIRST and not (shop / ".director" / ".dctx").exists()


def test_what_people_wrote_stays(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
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
    result = dctx("plan", "from-folder", cwd=shop)
    assert result.out.endswith("nothing was written.\n") and result.err == ""
    dctx("task", "done", "1/1/3", cwd=shop)
    dctx("plan", "from-folder", cwd=shop)
    after = stored(shop)
    before["phases"][0]["tasks"][2]["status"] = "completed"
    assert same_plan(before, after)


def test_a_task_that_is_gone_is_dropped_and_said(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    (shop / STEP / "tasks" / "03-soil.md").unlink()
    result = dctx("plan", "from-folder", cwd=shop)
    assert result.err == "dctx: Not in the folder any more, so not in the plan: 1/1/3 Buy soil\n"
    assert "  - task 1/1/3 Buy soil\n" in result.out


def test_notes_go_with_a_task_that_was_renumbered_or_renamed(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    dctx("plan", "set", "1/1/2", "in_progress", "--note", "Half", cwd=shop)
    dctx("plan", "set", "1/1/3", "pending", "--note", "Much", cwd=shop)
    tasks = shop / STEP / "tasks"
    (tasks / "02-pots.md").rename(tasks / "05-pots.md")
    (tasks / "03-soil.md").write_text(task("Buy earth"))
    result = dctx("plan", "from-folder", cwd=shop)
    assert result.err == ""
    notes = {one.name: (one.description, one.task.get("notes")) for one in every_task(stored(shop))}
    assert notes["1/1/5"] == ("Buy pots", "Half") and notes["1/1/3"] == ("Buy earth", "Much")
    assert all(one.task["node_ids"] == [one.name] for one in every_task(stored(shop)))


def test_a_task_that_is_drafted_is_in_progress(shop: Path) -> None:
    (shop / STEP / "STEP.md").write_text(
        step(1, "Step 1", "- [~] Task 2: Buy pots\n- [ ] Task 3: Buy soil")
    )
    made = planned(load_project(root=str(shop))).plan
    assert [one.task["status"] for one in every_task(made)][:3] == [
        "completed",
        "in_progress",
        "pending",
    ]


def test_a_plan_says_completed_and_the_folder_does_not(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    dctx("plan", "set", "1/1/2", "completed", cwd=shop)
    assert found(shop, dctx) == [("status", "1/1/2", "completed", "not done")]
    dctx("plan", "from-folder", cwd=shop)
    assert found(shop, dctx) == []


def test_a_number_is_a_task_of_the_current_step(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    assert (
        "  ~ task 1/1/3 Buy soil: pending -> failed\n"
        in dctx("plan", "set", "3", "failed", cwd=shop).out
    )
    assert dctx("plan", "set", "4", "failed", cwd=shop).code == 1
    put(shop, {**stored(shop), "current_phase": SECOND})
    assert dctx("plan", "set", "3", "failed", cwd=shop).code == 1


def test_a_plan_by_hand_is_matched_by_its_nodes(shop: Path, dctx: Run) -> None:
    by_hand = copy.deepcopy(SEED)
    first, second = by_hand["phases"]
    first["tasks"][0]["node_ids"] = ["1/1/1"]
    first["tasks"][1]["node_ids"] = ["1/1/2"]
    second["tasks"][0]["node_ids"] = ["1/2/1", "1/2/7"]
    put(shop, by_hand)
    assert found(shop, dctx) == [
        ("status", "1/1/2", "completed", "not done"),
        ("missing in the plan", "1/1/3", "", "Buy soil"),
    ]
    out = dctx("plan", "check", cwd=shop).out
    assert "1/1/2: status in the plan: completed. The folder says: not done\n" in out
    assert "1/1/3: missing in the plan: Buy soil\n" in out
    assert out.endswith("Only in the plan, so not compared:\n  3 Build and validate email entry\n")


def test_where_nothing_disagrees_it_says_so(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    result = dctx("plan", "check", cwd=shop)
    assert (result.code, result.out) == (0, "The plan and the folder agree.\n")


@pytest.mark.parametrize("done", ["the folder", "the plan"])
def test_a_task_that_only_one_of_them_has_done_is_found(shop: Path, dctx: Run, done: str) -> None:
    dctx("plan", "from-folder", cwd=shop)
    dctx(
        *(
            ("task", "done", "1/1/2")
            if done == "the folder"
            else ("plan", "set", "1/1/2", "completed")
        ),
        cwd=shop,
    )
    told = ("pending", "done") if done == "the folder" else ("completed", "not done")
    assert ("status", "1/1/2", *told) in found(shop, dctx)


def test_tasks_of_the_same_title_go_by_their_numbers(tmp_path: Path) -> None:
    folder = write(tmp_path / "shop", plan({"01-buy.md": task("Buy"), "02-buy.md": task("Buy")}))
    project = load_project(root=str(folder))
    plan_from_folder(project)
    for number in ("1/1/1", "1/1/2"):
        set_task(project, number, "pending", note=f"Note of {number}")
    (folder / ".director/goals/01-first/01-step/tasks/01-buy.md").rename(
        folder / ".director/goals/01-first/01-step/tasks/03-buy.md"
    )
    plan_from_folder(load_project(root=str(folder)))
    notes = {one["task_id"]: one.get("notes") for one in stored(folder)["phases"][0]["tasks"]}
    assert notes == {"1/1/2": "Note of 1/1/2", "1/1/3": None}


def test_a_version_that_nobody_can_read_does_not_stop_a_dry_run(shop: Path, dctx: Run) -> None:
    dctx("plan", "from-folder", cwd=shop)
    with closing(sqlite3.connect(shop / ".director" / ".dctx" / "store.db")) as file, file:
        file.execute("UPDATE director_plans SET plan_data = '[]'")
    assert "1/1/1  Buy seeds" in dctx("plan", "from-folder", "--dry-run", cwd=shop).out


def test_what_is_only_in_one_of_them_and_what_has_another_name_is_found(
    shop: Path, dctx: Run
) -> None:
    dctx("plan", "from-folder", cwd=shop)
    tasks = shop / STEP / "tasks"
    (tasks / "03-soil.md").unlink()
    (tasks / "02-pots.md").write_text(task("Buy bowls"))
    (tasks / "04-new.md").write_text(task("Buy a can"))
    (shop / STEP / "STEP.md").write_text(step(1, "Shopping"))
    write(shop, {"goals/01-first/03-eat/STEP.md": step(3, "Eat")})
    assert found(shop, dctx) == [
        ("name", "1/1/2", "Buy pots", "Buy bowls"),
        ("missing in the plan", "1/1/4", "", "Buy a can"),
        ("missing in the folder", "1/1/3", "Buy soil", ""),
        ("name", "1/1", FIRST, "Goal 1: First › Step 1: Shopping"),
        ("missing in the plan", "1/3", "", "Goal 1: First › Step 3: Eat"),
    ]


def test_a_phase_that_its_tasks_contradict_and_a_wrong_current_phase_are_found(
    shop: Path, dctx: Run
) -> None:
    dctx("plan", "from-folder", cwd=shop)
    changed = stored(shop)
    changed["phases"][0]["status"] = "completed"
    put(shop, {**changed, "current_phase": SECOND})
    assert found(shop, dctx) == [
        ("phase", FIRST, "completed", "its tasks: in_progress"),
        ("current phase", "1/1/2", SECOND, f"{FIRST} (1/1/2 is next)"),
    ]
    changed["phases"][0]["status"] = "in_progress"
    changed["phases"][1]["status"] = "in_progress"
    put(shop, changed)
    assert found(shop, dctx) == []


def test_only_what_really_blocks_is_a_blocker(shop: Path, tmp_path: Path) -> None:
    project = load_project(root=str(shop))
    assert plan_of(project).plan["blockers"] == []
    (shop / STEP / "tasks" / "03-soil.md").write_text(task("Buy soil", needs="Needs Task 8."))
    assert plan_of(load_project(root=str(shop))).plan["blockers"] == [
        "1/1/3: it needs Task 8, which does not exist"
    ]
    stuck = write(
        tmp_path / "stuck",
        plan({"01-a.md": task("A", needs="Needs Task 2."), "02-b.md": task("B")}),
    )
    made = plan_of(load_project(root=str(stuck))).plan
    assert (
        made["blockers"][0] == "1/1/1: it needs Task 2, which is not done"
        and made["next_actions"] == []
    )


def test_what_is_not_planned_yet_is_the_next_action_when_all_else_is_done(tmp_path: Path) -> None:
    files = plan({"01-a.done.md": task("A")}, {})
    made = planned(load_project(root=str(write(tmp_path, files)))).plan
    assert made["next_actions"] == ["Plan: step 2 of goal 1 has no tasks yet"]
    assert made["current_phase"] == SECOND and made["phases"][1]["status"] == "pending"


@pytest.mark.parametrize(
    "files", [{}, {"VISION.md": "# Vision\n"}, {"goals/01-a/GOAL.md": "# Goal 1: A\n"}]
)
def test_a_folder_without_a_step_makes_no_plan(tmp_path: Path, files: dict, dctx: Run) -> None:
    folder = write(tmp_path / "empty", files)
    for more in ((), ("--dry-run",)):
        done = dctx("plan", "from-folder", *more, cwd=folder)
        assert done.code == 1 and "nothing to make a plan of" in done.err
    assert current_plan(load_project(root=str(folder))) is None


def test_two_steps_of_the_same_number_and_name_are_told_apart(tmp_path: Path, dctx: Run) -> None:
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
    assert dctx("plan", "from-folder", cwd=folder).code == 0
    made = stored(folder)
    assert mistakes(made) == [] and [one["phase_name"] for one in made["phases"]] == [
        "Goal 1: first › Step 1: Same",
        "Goal 1: first › Step 1: Same (01-first/01-b)",
    ]
    assert "nothing was written" in dctx("plan", "from-folder", cwd=folder).out
    assert found(folder, dctx) == []


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = plan(
        {"01-a.done.md": task("A"), "02-b.md": task("B"), "03-c.md": task("B")},
        {"01-d.md": task("D")},
        {},
    )
    return write(tmp_path_factory.mktemp("garden"), {"VISION.md": VISION, **files})


@given(good_plans(), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_whatever_the_plan_was_the_folders_plan_is_good_agrees_and_gives_itself_again(
    garden: Path, old: dict, data: st.DataObject
) -> None:
    for one in every_task(old):
        one.task["node_ids"] = data.draw(
            st.lists(st.sampled_from(["1/1/1", "1/1/2", "1/1/3", "1/2/1", "9/9/9", "n"]))
        )
        one.task["status"] = data.draw(st.sampled_from(STATUSES))
    project = load_project(root=str(garden))
    made = plan_of(project, old)
    assert mistakes(made.plan) == []
    again = plan_of(project, made.plan)
    assert same_plan(made.plan, again.plan) and again.dropped == ()
    found = check_plan(project, made.plan).disagreements
    assert [one for one in found if one.kind != "phase" or one.where.startswith("Goal ")] == []
    kept = {json.dumps(one.task, sort_keys=True) for one in every_task(made.plan)}
    for one in every_task(old):
        if not any("/" in node for node in [str(one.task["task_id"]), *one.task["node_ids"]]):
            assert json.dumps(one.task, sort_keys=True) in kept


def test_a_goal_that_somebody_wrote_stays(shop: Path) -> None:
    made = load_project(root=str(shop))
    assert plan_of(made, {"overall_goal": "Ship by June"}).plan["overall_goal"] == "Ship by June"
    assert (
        plan_of(made, {"overall_goal": "Shop: as it was before"}).plan["overall_goal"]
        == "Shop: Sells tea by mail"
    )


def test_a_completed_task_is_no_next_action_any_more(shop: Path) -> None:
    made = load_project(root=str(shop))
    plan_from_folder(made)
    before = stored(shop)["next_actions"]
    set_task(made, before[0].partition(": ")[0], "completed")
    assert stored(shop)["next_actions"] == before[1:]
