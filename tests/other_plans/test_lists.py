"""Lists as people write them: several in one project, with marks, headings and words between the items."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_plans import Run, copy, take

from director_ctx.other_plans.model import DOUBT, DROPPED, OtherStep, OtherTask
from director_ctx.other_plans.take_over import Taking


@pytest.mark.parametrize("second", ["ROADMAP.md", "docs/TODO.md"])
def test_a_list_is_followed_also_when_another_was_taken_over(
    dctx: Run, second: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "TODO.md").write_text("# Now\n\n- [ ] bake bread\n")
    (tmp_path / second).write_text("# Then\n\n- [ ] sell bread\n")
    assert dctx("init", "--from", "todo", "TODO.md", "--yes", cwd=tmp_path).code == 0
    result = dctx("init", "--from", "todo", second, "--yes", cwd=tmp_path)
    assert result.code == 0 and "Gone" not in result.out and "Goal 2: Then" in result.out

    with (tmp_path / "TODO.md").open("a") as file:
        file.write("- [ ] buy flour\n")
    result = dctx("init", "--from", "todo", "--yes", cwd=tmp_path)
    assert "1 new task" in result.out and "Gone" not in result.out
    assert (tmp_path / ".director/goals/01-now/01-now/tasks/02-buy-flour.md").exists()


def test_another_plan_of_the_same_tool_does_not_pass_for_the_first(
    dctx: Run, tmp_path: Path
) -> None:
    copy("openspec", tmp_path)
    copy("openspec", tmp_path / "packages/app")
    assert dctx("init", "--from", "openspec", "--yes", cwd=tmp_path).code == 0
    result = dctx("init", "--from", "openspec", "packages/app", "--yes", cwd=tmp_path)
    assert result.code == 1 and "still there" in result.err


def test_a_plan_may_move_with_its_folder(dctx: Run, tmp_path: Path) -> None:
    copy("openspec", tmp_path / "packages/app")
    dctx("init", "--from", "openspec", "packages/app", "--yes", cwd=tmp_path)
    (tmp_path / "packages").rename(tmp_path / "apps")
    result = dctx("init", "--from", "openspec", "apps/app", "--yes", cwd=tmp_path)
    assert result.code == 0 and "Nothing new" in result.out


MARKS = """# Shelf

What neighbours share.

## Status legend

- [ ] open
- [x] done

## Guiding principles

- small

## 1.0 (must)

### Editor

Behind a flag.

- [ ] undo
  - ~~redo~~
  - [-] redo all
- [-] colours

## Done

- [ ] rename the repo

### January

- [x] table

## Autumn

- count
- ~~weather~~

## Release

| when | what |
|---|---|
| May | 1.0 |
"""


def tasks(taking: Taking) -> dict[str, OtherTask]:
    every = [unit.other for unit in taking.new("task")]
    return {task.name: task for task in every if isinstance(task, OtherTask)}


def test_marks_and_headings_of_a_list_say_what_is_to_be_done(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text(MARKS)
    taking = take(tmp_path, "todo")
    done = {name: task.done for name, task in tasks(taking).items()}
    assert done == {"undo": False, "rename the repo": False, "table": True, "count": False}
    assert tasks(taking)["undo"].criteria == []
    assert "~~redo~~" in tasks(taking)["undo"].text
    steps = [unit.other for unit in taking.new("step")]
    texts = [(step.name, step.text) for step in steps if isinstance(step, OtherStep)]
    assert texts == [
        ("1.0 (must): Editor", "Behind a flag."),
        ("Done", ""),
        ("Done: January", ""),
        ("Autumn", ""),
    ]
    goal = (tmp_path / ".director/goals/01-shelf/GOAL.md").read_text()
    assert "What neighbours share." in goal


def test_what_a_list_says_and_is_not_taken_over_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text(MARKS)
    told = [(remark.kind, remark.line, remark.says) for remark in take(tmp_path, "todo").remarks]
    assert told == [
        (DROPPED, 5, "Status legend is no list of things to do"),
        (DROPPED, 10, "Guiding principles is no list of things to do"),
        (DROPPED, 22, "redo all has the mark [-]"),
        (DROPPED, 23, "colours has the mark [-]"),
        (DOUBT, 27, "rename the repo stands below 'Done' and is not ticked; it counts as open"),
        (DROPPED, 36, "weather is struck out"),
        (DROPPED, 38, "when | what May | 1.0 is no item of a list"),
    ]


def test_what_stands_below_in_progress_is_begun(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text(
        "## In progress\n\n- undo\n\n## Next\n\n- [/] redo\n- [ ] x\n"
    )
    begun = {name: task.begun for name, task in tasks(take(tmp_path, "todo")).items()}
    assert begun == {"undo": True, "redo": True, "x": False}
    step = (tmp_path / ".director/goals/01-todo/02-next/STEP.md").read_text()
    assert "- [~] Task 1: redo\n- [ ] Task 2: x" in step
