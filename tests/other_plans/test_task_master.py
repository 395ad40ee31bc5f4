"""Task Master: what its tasks say beside their titles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from other_plans import Run, copy, put, take

from director_ctx.clients.setup.here import look
from director_ctx.other_plans.formats.markdown import points
from director_ctx.other_plans.model import DOUBT
from director_ctx.project.reading.markdown import section

TASKS = ".taskmaster/tasks/tasks.json"


def task_master(root: Path, *tasks: dict[str, object]) -> Path:
    path = root / TASKS
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"master": {"tasks": list(tasks)}}, indent=2))
    return root


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1. a\n2. b\n\nAlso check logs.", ["a", "b", "Also check logs."]),
        ("Check that:\n- a\n  - a1\n- b\n", ["Check that: a; a1", "b"]),
        ("## Unit\n- a\n## Hand\n1. b\n\n   more\n\nrest\nof it", ["Unit a", "Hand b more", "rest of it"]),
        ("just\ntext", ["just text"]),
        ("* x\nlazy\n* y", ["x lazy", "y"]),
        ("- a\n\nAt the end:", ["a", "At the end:"]),
        ("", []),
    ],
)  # fmt: skip
def test_points_are_the_items_and_what_stands_between_them(text: str, wanted: list[str]) -> None:
    assert [point.replace("**", "") for point in points(text)] == wanted


def test_how_the_whole_is_tested_stays_when_each_subtask_says_its_own(tmp_path: Path) -> None:
    subtasks = [{"id": 1, "title": "Query", "testStrategy": "rows come back"}]
    task = {"id": 1, "title": "Page", "testStrategy": "- loads in a second", "subtasks": subtasks}
    root = task_master(tmp_path, task)
    take(root, "task-master")
    step = (root / ".director/goals/01-master-plan/01-page/STEP.md").read_text()
    assert "**How it is tested**\n\n- loads in a second" in section(step, "what this delivers")


def test_what_task_master_has_as_blocked_is_said(tmp_path: Path) -> None:
    root = task_master(tmp_path, {"id": 1, "title": "Page", "status": "blocked"})
    taking = take(root, "task-master")
    assert [(remark.kind, remark.path) for remark in taking.remarks] == [(DOUBT, TASKS)]
    task = root / ".director/goals/01-master-plan/01-page/tasks/01-page.md"
    assert section(task.read_text(), "what to do").startswith("Task Master has this as blocked.")


def test_the_two_parts_of_a_prd_leave_no_tags(tmp_path: Path) -> None:
    root = copy("task-master", tmp_path)
    prd = root / ".taskmaster/docs/prd.txt"
    prd.parent.mkdir(exist_ok=True)
    prd.write_text(
        "<context>\n# Overview\nTides.\n\n# Core Features\n- A week\n</context>\n"
        "<PRD>\n# Technical Architecture\nFlask.\n</PRD>\n"
    )
    take(root, "task-master")
    vision = (root / ".director/VISION.md").read_text()
    assert "- A week" in vision and "Flask." in vision
    assert "context>" not in vision and "PRD>" not in vision


def test_a_step_whose_tasks_all_wait_does_not_say_that_it_can_start(tmp_path: Path) -> None:
    def task(number: str, needs: str, parent: str = "") -> None:
        head = f"id: BACK-{number}\ntitle: T{number}\nstatus: To Do\ndependencies: [{needs}]\n"
        inside = f"parent_task_id: {parent}\n" if parent else ""
        put(tmp_path, f"backlog/tasks/back-{number} - T.md", f"---\n{head}{inside}---\n")

    put(tmp_path, "backlog/config.yml", "project_name: Tides\n")
    task("1", "")
    task("2", "BACK-1")
    task("2.1", "BACK-1", "BACK-2")
    task("2.2", "BACK-2.1, BACK-1", "BACK-2")
    take(tmp_path, "backlog")
    [step] = tmp_path.glob(".director/goals/01-*/*-t2/STEP.md")
    assert section(step.read_text(), "needs first") == "Task 1 (in Step 1)."
    task("2.3", "", "BACK-2")
    take(tmp_path, "backlog")
    assert section(step.read_text(), "needs first") == "Nothing -- this step can start right away."


def test_what_is_told_has_the_ids_of_the_tool(tmp_path: Path) -> None:
    root = task_master(tmp_path, {"id": 1, "title": "Page", "dependencies": [4]})
    [remark] = take(root, "task-master").remarks
    assert remark.says == "'Page' needs master/4, which is not in the plan; that is left out"


def test_files_of_a_plan_below_are_named_from_the_project(dctx: Run, tmp_path: Path) -> None:
    task_master(tmp_path / "packages/app", {"id": 1, "title": "Page", "dependencies": [4]})
    result = dctx("init", "--from", "task-master", "packages/app", "--yes", cwd=tmp_path)
    assert f"  packages/app/{TASKS} 'Page' needs" in result.out


def test_setup_sees_a_list_where_nothing_else_is_planned(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text("# About\n\nNothing to do.\n")
    assert look(str(tmp_path)).plans == ()
    (tmp_path / "TODO.md").write_text("- [ ] bake\n")
    assert look(str(tmp_path)).plans == ("todo",)
    take(tmp_path, "todo")
    assert look(str(tmp_path)).plans == ()
