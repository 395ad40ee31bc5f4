"""Plans as people leave them: odd names, the same number twice, lists half with boxes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from other_plans import Run, again, copy, tasks_of

from director_ctx.other_plans.model import DROPPED, UNRESOLVED


def test_the_name_of_a_tool_may_be_written_as_it_likes(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    result = dctx("init", "--from", " OpenSpec", "--dry-run", cwd=root)
    assert result.code == 0 and result.out.startswith("OpenSpec:")


@pytest.mark.parametrize("path", [None, "openspec/project.md"])
def test_a_tool_that_nobody_knows_is_refused_with_the_nearest_one(
    dctx: Run, path: str | None, tmp_path: Path
) -> None:
    root = copy("openspec", tmp_path)
    (root / "openspec/project.md").write_text("# P\n")
    result = dctx("init", "--from", "speckit", *([path] if path else []), "--yes", cwd=root)
    assert (result.code, result.out) == (2, "")
    assert "There is no tool 'speckit'" in result.err and "bug" not in result.err
    assert "Did you mean spec-kit? Known are: auto, openspec," in result.err
    assert not (root / ".director").exists()


TASKS = [
    {"id": 1, "title": "First", "status": "pending"},
    {"id": "1", "title": "Second", "status": "pending"},
    {"title": "Third", "status": "pending"},
    {"id": 2, "title": "Fourth", "subtasks": [{"id": 1, "title": "A"}, {"id": 1, "title": "B"}]},
]


def test_an_entry_without_an_id_of_its_own_is_told_of(tmp_path: Path) -> None:
    path = ".taskmaster/tasks/tasks.json"
    root = copy("task-master", tmp_path)
    (root / path).write_text(json.dumps({"master": {"tasks": TASKS}}))
    taking = again(root, "task-master")
    assert [(one.kind, one.path, one.says) for one in taking.remarks] == [
        (UNRESOLVED, path, says)
        for says in (
            "entry 2 of master (Second) has the id 1 of an entry before it; it was not read",
            "entry 3 of master (Third) has no id; it was not read",
            "has the id 'master/2.1' a second time; what needs it means the first",
        )
    ]
    names = [unit.other.name for unit in taking.new("task")]
    assert names[0] == "First" and "Second" not in names


def test_brackets_in_a_title_of_spec_kit_stay(tmp_path: Path) -> None:
    root = copy("spec-kit", tmp_path)
    path = root / "specs/001-lending/tasks.md"
    path.write_text(
        "## Phase 1: A\n\n- [ ] T001 Create loans.py (at: UTC, unique)\n"
        "- [ ] T002 Show it (depends on T001)\n- [ ] T003 Name rows (partial), depends on T001\n"
    )
    names = [unit.other.name for unit in again(root, "spec-kit").new("task")]
    assert names == ["Create loans.py (at: UTC, unique)", "Show it", "Name rows (partial),"]


MIXED = """# To do

## Lending

- [ ] lend a packet
  - [ ] with a name
  - as written on it
- print a list
  - [ ] on paper
- Group
  - [ ] first
  - no box
    - [ ] under no box
- ~~accounts~~

## Autumn

- count packets
- close the shelf
"""


def test_items_without_a_box_among_boxes_are_told_of_and_keep_their_own(tmp_path: Path) -> None:
    root = copy("todo", tmp_path)
    (root / "TODO.md").write_text(MIXED)
    taking = again(root, "todo")
    told = [(one.kind, one.path, one.line, one.says) for one in taking.remarks]
    says = "has no box, and others beside it have one"
    assert told == [
        (DROPPED, "TODO.md", 8, f"print a list {says}"),
        (DROPPED, "TODO.md", 10, f"Group {says}"),
        (DROPPED, "TODO.md", 12, f"no box {says}"),
        (DROPPED, "TODO.md", 14, "accounts is struck out"),
    ]
    tasks = tasks_of(taking)
    assert [(task.name, task.line, [one.text for one in task.criteria]) for task in tasks] == [
        ("lend a packet", 5, ["with a name"]),
        ("on paper", 9, []),
        ("first", 11, []),
        ("under no box", 13, []),
        ("count packets", 18, []),
        ("close the shelf", 19, []),
    ]
    assert tasks[0].text == "lend a packet\n\n- as written on it"
    assert tasks[2].text == "first"


def test_a_plan_outside_the_project_is_followed_by_the_command_that_was_promised(
    dctx: Run, tmp_path: Path
) -> None:
    copy("openspec", tmp_path / "my plans")
    root = tmp_path / "root"
    root.mkdir()
    first = dctx("init", "--from", "openspec", "../my plans", "--yes", cwd=root)
    [promised] = re.findall(r"`dctx (init --from .*)` follows", first.out)
    assert promised == "init --from openspec '../my plans'"
    later = dctx(*shlex.split(promised), "--yes", cwd=root)
    assert later.code == 0 and "Nothing new" in later.out
    lost = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert lost.code == 1
    assert "was taken over from outside this project" in lost.err
    assert "Name its folder again: dctx init --from openspec PATH" in lost.err


def test_what_was_ticked_in_a_plan_below_is_named_from_the_project(
    dctx: Run, tmp_path: Path
) -> None:
    copy("task-master", tmp_path / "tool")
    dctx("init", "--from", "task-master", "tool", "--yes", cwd=tmp_path)
    result = dctx("task", "done", "1/1/1", "--write-back", cwd=tmp_path)
    assert "Marked done in tool/.taskmaster/tasks/tasks.json, too." in result.err


def test_a_list_says_no_order_that_nobody_wrote(tmp_path: Path) -> None:
    root = copy("todo", tmp_path)
    assert all(not task.needs for task in tasks_of(again(root, "todo")))
