"""A plan is followed: a second run adds what is new, changes what only the source has changed, and loses nothing."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from other_plans import TOOLS, Run, again, copy, edit_at_random, files, put, take, taken

from director_ctx.other_plans.take_over import REMOVED, Taking
from director_ctx.project.origins import changed_plans, taken_plans
from director_ctx.project.project import Project
from director_ctx.project.tasks.next import places
from director_ctx.upkeep.doctor import WAITS, diagnose

EDITABLE = [tool for tool in TOOLS if tool != "todo"]
TASKS = "openspec/changes/add-lending/tasks.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return taken("openspec", tmp_path)


def replaced(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_second_run_changes_nothing(tool: str, tmp_path: Path) -> None:
    root = taken(tool, tmp_path)
    before = files(root)
    second = again(root, tool)
    assert not second.changes_something and not second.gone
    take(root, tool)
    assert files(root) == before


@pytest.mark.parametrize("tool", EDITABLE)
def test_after_a_hundred_edits_nothing_is_lost_and_nothing_is_there_twice(
    tool: str, tmp_path: Path
) -> None:
    root = taken(tool, tmp_path)
    chance = random.Random(tool)
    for _ in range(4):
        before = _tasks(root)
        for _ in range(25):
            edit_at_random(root, chance)
        taking = take(root, tool)
        _judge(root, taking, before)
        assert not again(root, tool).changes_something


def _tasks(root: Path) -> set[str]:
    every = places(Project(str(root)))
    return {re.sub(r"(\.done)?\.md$", "", place.task.path) for place in every if place.task}


def _judge(root: Path, taking: Taking, before: set[str]) -> None:
    project = Project(str(root))
    after = _tasks(root)
    new = {f".director/{unit.at}" for unit in taking.new("task")}
    assert after == before | new
    assert len(after) == len(before) + len(new)
    placed = [unit for unit in taking.units if unit.state != REMOVED]
    assert len({unit.at for unit in placed}) == len(placed)
    titles = {
        place.task.path.removesuffix(".md").removesuffix(".done"): project.title(place.task)
        for place in places(project)
        if place.task
    }
    for unit in placed:
        if unit.kind == "task":
            assert unit.text
            # Nobody has edited anything here, so each says what the source says.
            assert titles[f".director/{unit.at}"] == unit.text.name
    # A plan may be made such that what is left waits for what was removed from it.
    assert [one for one in diagnose(project).problems if one.kind != WAITS] == []


def test_what_is_new_gets_the_next_number_and_says_what_it_needs(root: Path) -> None:
    replaced(
        root,
        TASKS,
        "- [~] 1.3 Give a packet back",
        "- [ ] 1.3 Count the packets\n- [~] 1.4 Give a packet back",
    )
    taking = take(root, "openspec")
    assert [unit.at for unit in taking.new("task")] == [
        "goals/01-add-lending/01-loans/tasks/04-count-the-packets"
    ]
    folder = root / ".director/goals/01-add-lending/01-loans"
    assert "## Needs First\n\nTask 2.\n" in (folder / "tasks/04-count-the-packets.md").read_text()
    assert "## Needs First\n\nTask 4.\n" in (folder / "tasks/03-give-a-packet-back.md").read_text()
    assert "- [ ] Task 4: Count the packets\n" in (folder / "STEP.md").read_text()
    assert diagnose(Project(str(root))).problems == ()


def test_a_change_here_stays_and_is_named_where_the_source_has_changed_too(
    dctx: Run, root: Path
) -> None:
    path = ".director/goals/01-add-lending/01-loans/tasks/02-lend-a-packet.md"
    replaced(root, path, "Lend a packet\n\n## Done", "Lend it as I say.\n\n## Done")
    assert not again(root, "openspec").changes_something
    replaced(root, TASKS, "1.2 Lend a packet", "1.2 Lend a packet\n    and smile")
    replaced(root, TASKS, "1.2.2 without one", "1.2.2 without any")
    result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert (
        "Changed on both sides; yours stays:\n"
        "  1/1/2 Lend a packet (openspec/changes/add-lending/tasks.md:6): What To Do" in result.out
    )
    text = (root / path).read_text()
    assert "Lend it as I say." in text and "smile" not in text
    # The rest of the document follows the source.
    assert "- [ ] without any" in text
    assert "yours stays" not in dctx("init", "--from", "openspec", "--yes", cwd=root).out


def test_ticked_boxes_are_nobodys_edit(root: Path) -> None:
    path = ".director/goals/01-add-lending/01-loans/tasks/02-lend-a-packet.md"
    replaced(root, path, "- [ ] without one", "- [x] without one")
    replaced(root, TASKS, "1.2.1 with a name", "1.2.1 with any name")
    taking = take(root, "openspec")
    assert not any(unit.kept for unit in taking.units)
    assert "- [x] with any name\n- [x] without one" in (root / path).read_text()


def test_done_is_done_on_either_side(dctx: Run, root: Path) -> None:
    dctx("task", "done", "1/1/2", cwd=root)
    replaced(root, TASKS, "[~] 1.3", "[x] 1.3")
    replaced(root, TASKS, "[x] 1.1", "[ ] 1.1")
    result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert "Done in the source:\n  1/1/3 Give a packet back" in result.out
    assert "stays done:\n  1/1/1 Add a table of loans" in result.out
    assert "  1/1/2 Lend a packet" in result.out
    done = [place.ref for place in places(Project(str(root))) if place.task and place.task.done]
    assert done == ["1/1/1", "1/1/2", "1/1/3"]


def test_what_was_opened_again_here_stays_open(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    replaced(root, TASKS, "* [ ] 2.1 Show", "* [x] 2.1 Show")
    take(root, "openspec")
    assert dctx("task", "done", "1/2/2", "--undo", cwd=root).code == 0
    assert "Nothing new" in dctx("init", "--from", "openspec", "--yes", cwd=root).out
    assert dctx("task", "done", "1/1/2", "--write-back", cwd=root).code == 0
    assert dctx("task", "done", "1/1/2", "--undo", cwd=root).code == 0
    assert "Done in the source" not in dctx("init", "--from", "openspec", "--yes", cwd=root).out
    # What is done there once more is news.
    for old, new in (("[x] 2.1 Show", "[ ] 2.1 Show"), ("[ ] 2.1 Show", "[x] 2.1 Show")):
        replaced(root, TASKS, old, new)
        taking = take(root, "openspec")
    assert [unit.ref for unit in taking.units if unit.finish] == ["1/2/2"]


def test_a_box_that_was_opened_again_here_stays_open(root: Path) -> None:
    path = ".director/goals/01-add-lending/01-loans/tasks/02-lend-a-packet.md"
    replaced(root, path, "- [x] with a name", "- [ ] with a name")
    assert not again(root, "openspec").changes_something
    replaced(root, TASKS, "[ ] 1.2.2 without one", "[x] 1.2.2 without one")
    take(root, "openspec")
    assert "- [x] without one" in (root / path).read_text()


def test_what_is_gone_from_the_source_stays_and_is_named(dctx: Run, root: Path) -> None:
    replaced(root, TASKS, "- [~] 1.3 Give a packet back\n", "")
    result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert (
        "Gone from the source; stays here:\n  goals/01-add-lending/01-loans/tasks/03-give-a-packet-back"
        in result.out
    )
    assert (
        root / ".director/goals/01-add-lending/01-loans/tasks/03-give-a-packet-back.md"
    ).exists()


def test_what_was_removed_here_stays_removed(dctx: Run, root: Path) -> None:
    assert dctx("task", "remove", "1/1/3", "--yes", cwd=root).code == 0
    result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert "Removed here; stays removed:\n  Give a packet back" in result.out
    assert len(_tasks(root)) == 5


def test_what_was_moved_here_is_found_again(dctx: Run, root: Path) -> None:
    assert dctx("task", "move", "1/1/3", "--to", "1/2", cwd=root).code == 0
    before = _tasks(root)
    replaced(root, TASKS, "1.3 Give a packet back", "1.3 Give a packet back in autumn")
    take(root, "openspec")
    assert len(_tasks(root)) == len(before)


def test_what_was_renamed_here_is_followed_under_its_new_name(dctx: Run, root: Path) -> None:
    for ref in ("1/2/2", "step 1/2", "goal 1"):
        assert dctx("task", "move", ref, "--title", f"My own {ref[-1]}", cwd=root).code == 0
    taking = again(root, "openspec")
    assert not taking.changes_something and not taking.gone
    assert [unit for unit in taking.units if unit.state == REMOVED] == []
    replaced(root, TASKS, "* [ ] 2.1 Show", "* [x] 2.1 Show")
    with (root / TASKS).open("a") as file:
        file.write("\n## 9. A new group\n\n- [ ] 9.1 Begin\n")
    taking = take(root, "openspec")
    assert [unit.ref for unit in taking.new("step")] == ["1/3"]
    done = root / ".director/goals/01-my-own-1/02-my-own-2/tasks/02-my-own-2.done.md"
    assert "My own 2" in done.read_text()


def needs_of(root: Path, path: str) -> str:
    text = (root / ".director/goals" / path).read_text()
    _, _, behind = text.partition("## Needs First\n\n")
    return behind.partition("\n## ")[0].strip()


def with_parts(root: Path, status: str = "pending") -> None:
    path = root / ".taskmaster/tasks/tasks.json"
    data = json.loads(path.read_text())
    parts = [
        {"id": number, "title": f"Part {number}", "status": status, "dependencies": []}
        for number in (1, 2)
    ]
    for task in data["master"]["tasks"]:
        if not task["subtasks"] and task["status"] == "pending":
            task["subtasks"] = parts
            break
    path.write_text(json.dumps(data))


def test_a_task_that_is_divided_waits_for_its_parts(tmp_path: Path) -> None:
    root = taken("task-master", tmp_path)
    before = _tasks(root)
    with_parts(root)
    taking = take(root, "task-master")
    assert taking.gone == [] and len(taking.new("task")) == 2
    [divided] = [unit for unit in taking.units if getattr(unit.other, "divided", False)]
    assert f".director/{divided.at}" in before
    assert [update.section for update in divided.updates] == ["Needs First"]
    path = divided.at.removeprefix("goals/") + ".md"
    assert needs_of(root, path) == "Tasks 2 and 3."
    assert not again(root, "task-master").changes_something
    with_parts_done = json.loads((root / ".taskmaster/tasks/tasks.json").read_text())
    for task in with_parts_done["master"]["tasks"]:
        for part in task["subtasks"]:
            part["status"] = "done"
    (root / ".taskmaster/tasks/tasks.json").write_text(json.dumps(with_parts_done))
    take(root, "task-master")
    assert (root / f".director/{divided.at}.done.md").exists()


def test_a_task_that_was_put_off_is_named_and_is_no_second_idea(tmp_path: Path) -> None:
    path = ".taskmaster/tasks/tasks.json"
    tasks = [{"id": 1, "title": "Store"}, {"id": 2, "title": "Show"}]
    put(tmp_path, path, json.dumps({"master": {"tasks": tasks}}))
    take(tmp_path, "task-master")
    tasks[1]["status"] = "deferred"
    put(tmp_path, path, json.dumps({"master": {"tasks": tasks}}))
    taking = take(tmp_path, "task-master")
    assert "goals/01-master-plan/02-show/tasks/01-show" in taking.gone
    assert taking.ideas == []


def test_a_change_of_the_source_is_still_told_of_after_a_new_name(dctx: Run, root: Path) -> None:
    replaced(root, TASKS, "* [ ] 2.1 Show", "* [x] 2.1 Show")
    assert dctx("task", "move", "1/2/2", "--title", "My own", cwd=root).code == 0
    [source] = changed_plans(Project(str(root)), quick=True)
    assert source.paths == (TASKS,)


def test_a_change_that_was_archived_ends_here_as_well(root: Path) -> None:
    text = (root / TASKS).read_text()
    (root / TASKS).write_text(re.sub(r"\[[ ~]\]", "[x]", text))
    folder = root / "openspec/changes/add-lending"
    folder.rename(root / "openspec/changes/archive/2026-04-01-add-lending")
    taking = take(root, "openspec")
    assert not taking.gone
    assert all(place.task.done for place in places(Project(str(root))) if place.task)


def test_it_is_said_that_the_source_has_changed(dctx: Run, root: Path) -> None:
    assert changed_plans(Project(str(root))) == []
    assert "has changed since" not in dctx("status", cwd=root).out
    replaced(root, TASKS, "[~] 1.3", "[x] 1.3")
    (root / "openspec/changes/new-one").mkdir()
    [changed] = changed_plans(Project(str(root)))
    assert changed.paths == ("openspec/changes/", TASKS)
    assert (
        "OpenSpec has changed since (2 files): `dctx init --from openspec`"
        in dctx("status", cwd=root).out
    )
    from director_ctx.clients.hooks.position import standing

    assert "OpenSpec's plan has changed since: `dctx init --from openspec`" in standing(
        Project(str(root))
    )
    # What changed was no part of the plan: it counts as seen from now on.
    (root / "openspec/changes/new-one").rmdir()
    replaced(root, TASKS, "[x] 1.3", "[~] 1.3")
    (root / TASKS).write_text((root / TASKS).read_text() + "\n")
    assert changed_plans(Project(str(root)))
    dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert changed_plans(Project(str(root))) == []


def test_where_everything_came_from_is_a_file_with_a_line_for_each(root: Path) -> None:
    plans = taken_plans(Project(str(root)))
    assert plans["openspec"].path == ""
    lines = (root / ".director/origins.json").read_text().splitlines()
    assert sum("tasks/0" in line for line in lines) == 6
    assert str(root) not in "".join(lines)


def test_a_conflict_of_git_in_it_is_not_taken_for_nothing(dctx: Run, root: Path) -> None:
    path = root / ".director/origins.json"
    path.write_text("<<<<<<< ours\n" + path.read_text())
    before = files(root)
    result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert result.code == 1 and "git may have left a conflict in it" in result.err
    assert files(root) == before


def test_a_plan_in_a_folder_of_the_project_is_found_there_again(dctx: Run, tmp_path: Path) -> None:
    copy("openspec", tmp_path / "apps/web")
    copy("task-master", tmp_path / "kept")
    for tool, path in (("openspec", "apps/web"), ("task-master", "kept")):
        assert dctx("init", "--from", tool, path, "--yes", cwd=tmp_path).code == 0
        assert "Nothing new" in dctx("init", "--from", tool, cwd=tmp_path).out
    replaced(tmp_path, f"apps/web/{TASKS}", "[~] 1.3", "[x] 1.3")
    replaced(tmp_path, "kept/.taskmaster/tasks/tasks.json", "in-progress", "done")
    changed = changed_plans(Project(str(tmp_path)))
    assert [plan.format for plan in changed] == ["openspec", "task-master"]
    assert "1 change" in dctx("init", "--from", "openspec", "--yes", cwd=tmp_path).out
    assert "1 change" in dctx("init", "--from", "task-master", "--yes", cwd=tmp_path).out
    assert changed_plans(Project(str(tmp_path))) == []


def test_from_a_folder_below_the_project_above_is_followed(dctx: Run, root: Path) -> None:
    replaced(root, TASKS, "* [ ] 2.1 Show", "* [x] 2.1 Show")
    below = root / "src/deep"
    below.mkdir(parents=True)
    result = dctx("init", "--from", "openspec", "--yes", cwd=below)
    assert result.code == 0 and "Done in the source" in result.out
    assert not again(root, "openspec").changes_something
    assert list(below.iterdir()) == []


def test_a_plan_from_elsewhere_is_not_looked_for_there(dctx: Run, tmp_path: Path) -> None:
    place = copy("openspec", tmp_path / "there")
    root = tmp_path / "here"
    root.mkdir()
    assert dctx("init", "--from", "openspec", str(place), "--yes", cwd=root).code == 0
    assert taken_plans(Project(str(root)))["openspec"].path is None
    assert "there" not in (root / ".director/origins.json").read_text()
    replaced(place, TASKS, "[~] 1.3", "[x] 1.3")
    assert changed_plans(Project(str(root))) == []
    assert "1 change" in dctx("init", "--from", "openspec", str(place), "--yes", cwd=root).out


STATUSES = [
    ("openspec", TASKS, "[~] 1.3", "[ ] 1.3", "01-*/03-*"),
    ("task-master", ".taskmaster/tasks/tasks.json", '"in-progress"', '"pending"', "01-*/01-*"),
    ("backlog", "backlog/tasks/back-1 - Table of loans.md", "In Progress", "To Do", "01-*/01-*"),
]


@pytest.mark.parametrize(("tool", "path", "begun", "still_open", "task"), STATUSES)
def test_what_somebody_is_at_in_the_source_is_marked_so(
    tool: str, path: str, begun: str, still_open: str, task: str, tmp_path: Path
) -> None:
    root = taken(tool, tmp_path)
    step, _, name = task.partition("/")
    [file] = root.glob(f".director/goals/01-*/{step}/tasks/{name}")
    document = file.parent.parent / "STEP.md"
    line = f"- [~] Task {int(file.name[:2])}:"
    assert line in document.read_text()

    # What somebody sets back here stays so until it is begun once more.
    document.write_text(document.read_text().replace("[~]", "[ ]"))
    assert not again(root, tool).changes_something
    replaced(root, path, begun, still_open)
    take(root, tool)
    assert line not in document.read_text()
    replaced(root, path, still_open, begun)
    taking = take(root, tool)
    assert [unit.begin for unit in taking.units].count(True) == 1
    assert line in document.read_text()
    assert not again(root, tool).changes_something
