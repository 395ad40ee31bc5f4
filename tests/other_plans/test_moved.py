"""Units of tools that number anew, or that have no numbers at all, are found again by their names."""

from __future__ import annotations

from pathlib import Path

from other_plans import Run, put, take

from director_ctx.other_plans.model import DOUBT
from director_ctx.other_plans.take_over import Taking
from director_ctx.project.project import Project
from director_ctx.project.tasks.next import places

OPENSPEC = "openspec/changes/n/tasks.md"
OPENSPEC_THEN = """\
## 1. Models
- [ ] 1.1 Write tests
- [ ] 1.2 Add model
## 2. Routes
- [ ] 2.1 Write tests
- [ ] 2.2 Add route
"""
OPENSPEC_NOW = """\
## 1. Setup
- [x] 1.1 Add package
## 2. Models
- [x] 2.1 Write tests
- [ ] 2.2 Add model
## 3. Routes
- [ ] 3.1 Write tests
- [ ] 3.2 Add route
"""


def taken(root: Path, tool: str, path: str, text: str) -> Taking:
    put(root, path, text)
    return take(root, tool)


def done_tasks(root: Path) -> list[str]:
    every = places(Project(str(root)))
    return [place.task.path for place in every if place.task and place.task.done]


def doubts(taking: Taking) -> list[str]:
    return [remark.says for remark in taking.remarks if remark.kind == DOUBT]


def test_equal_names_are_told_apart_by_their_group(tmp_path: Path) -> None:
    taken(tmp_path, "openspec", OPENSPEC, OPENSPEC_THEN)
    taking = taken(tmp_path, "openspec", OPENSPEC, OPENSPEC_NOW)
    assert doubts(taking) == []
    goal = ".director/goals/01-n"
    assert done_tasks(tmp_path) == [
        f"{goal}/01-models/tasks/01-write-tests.done.md",
        f"{goal}/03-setup/tasks/01-add-package.done.md",
    ]
    assert [unit.at for unit in taking.new("task")] == ["goals/01-n/03-setup/tasks/01-add-package"]


def test_groups_of_one_name_are_told_apart_by_their_tasks(tmp_path: Path) -> None:
    then = "## 1. Tests\n- [ ] 1.1 Of models\n## 2. Tests\n- [ ] 2.1 Of routes\n"
    now = "## 1. Tests\n- [ ] 1.1 Of routes\n## 2. Tests\n- [ ] 2.1 Of models\n"
    taken(tmp_path, "openspec", OPENSPEC, then)
    taking = taken(tmp_path, "openspec", OPENSPEC, now)
    assert doubts(taking) == [] and taking.new("task") == []
    places_of = {unit.other.key: unit.at for unit in taking.units}
    assert places_of["n/1.1"] == "goals/01-n/02-tests/tasks/01-of-routes"
    assert places_of["step:n/1"] == "goals/01-n/02-tests"


def test_equal_names_in_one_group_are_in_doubt_once(tmp_path: Path) -> None:
    taken(tmp_path, "openspec", OPENSPEC, "## 1. A\n- [ ] 1.1 Test\n- [ ] 1.2 Test\n")
    now = "## 1. A\n- [ ] 1.1 Begin\n- [ ] 1.2 Test\n- [x] 1.3 Test\n"
    [doubt] = doubts(taken(tmp_path, "openspec", OPENSPEC, now))
    assert "'Test' is there 2 times" in doubt
    assert done_tasks(tmp_path) == [".director/goals/01-n/01-a/tasks/02-test.done.md"]
    assert doubts(take(tmp_path, "openspec")) == []


def test_a_task_of_a_new_group_is_not_taken_for_another_of_its_number(tmp_path: Path) -> None:
    taken(tmp_path, "openspec", OPENSPEC, OPENSPEC_THEN)
    now = OPENSPEC_NOW.replace("2.1 Write tests", "2.1 Prove it")
    taken(tmp_path, "openspec", OPENSPEC, now)
    assert ".director/goals/01-n/01-models/tasks/01-write-tests.md" in [
        place.task.path for place in places(Project(str(tmp_path))) if place.task
    ]


TODO = "# Todo\n\n## Page\n\n- [ ] week of tides\n- [ ] moon\n\n## Later on\n\n- [ ] sun\n"


def test_a_heading_of_a_list_may_be_renamed_and_an_item_moved(tmp_path: Path) -> None:
    todo = TODO.replace("Later on", "Print")
    taken(tmp_path, "todo", "TODO.md", todo)
    renamed = todo.replace("## Page", "## The page")
    taking = taken(tmp_path, "todo", "TODO.md", renamed)
    assert taking.new("task") == [] and taking.new("step") == [] and taking.gone == []
    moved = renamed.replace("- [ ] moon\n", "") + "- [ ] moon\n\n## Done\n\n- [x] week of tides\n"
    moved = moved.replace("- [ ] week of tides\n", "", 1)
    taking = taken(tmp_path, "todo", "TODO.md", moved)
    assert taking.new("task") == []
    assert done_tasks(tmp_path) == [
        ".director/goals/01-todo/01-page/tasks/01-week-of-tides.done.md"
    ]


def test_an_idea_that_became_work_is_none_any_more(tmp_path: Path) -> None:
    for tool, path, then, now in (
        ("todo", "TODO.md", TODO.replace("Later on", "Later"), TODO.replace("Later on", "Print")),
        ("openspec", OPENSPEC, "# Tasks\n", "## 1. A\n\n- [ ] 1.1 B\n"),
    ):
        root = tmp_path / tool
        taken(root, tool, path, then)
        ideas = root / ".director/IDEAS.md"
        ideas.write_text(ideas.read_text() + "\n- **[2026-01-01 10:00]** -- My own\n")
        assert ideas.read_text().count("- **[") == 2
        taking = taken(root, tool, path, now)
        assert len(taking.begun) == 1 and len(taking.new("task")) == 1
        assert ideas.read_text().count("- **[") == 1 and "My own" in ideas.read_text()
        assert take(root, tool).begun == {}


def test_an_idea_that_was_changed_here_stays(tmp_path: Path) -> None:
    taken(tmp_path, "todo", "TODO.md", TODO.replace("Later on", "Later"))
    ideas = tmp_path / ".director/IDEAS.md"
    ideas.write_text(ideas.read_text().replace("sun (Later)", "sun, as I want it (Later)"))
    taken(tmp_path, "todo", "TODO.md", TODO.replace("Later on", "Print"))
    assert "as I want it" in ideas.read_text()


def test_what_was_moved_in_the_source_is_told_once(dctx: Run, tmp_path: Path) -> None:
    taken(tmp_path, "openspec", OPENSPEC, OPENSPEC_THEN)
    now = OPENSPEC_THEN.replace("- [ ] 1.2 Add model\n", "") + "- [ ] 2.3 Add model\n"
    put(tmp_path, OPENSPEC, now)
    result = dctx("init", "--from", "openspec", "--yes", cwd=tmp_path)
    told = "Moved in the source; stays where it is:\n  1/1/2 Add model"
    assert told in result.out and "to Routes" in result.out
    assert "Moved" not in dctx("init", "--from", "openspec", "--yes", cwd=tmp_path).out
    assert dctx("task", "move", "1/1/2", "--to", "1/2", cwd=tmp_path).code == 0
    assert "Moved" not in dctx("init", "--from", "openspec", "--yes", cwd=tmp_path).out
