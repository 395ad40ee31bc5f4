"""`dctx task done --write-back`: one box or word in the source, nothing else; refused where that has changed."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest
from other_plans import Run, again, copy, source_files, take, taken

from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.upkeep.write_back import planned
from director_ctx.other_plans.write_back import carry_out_write_back
from director_ctx.project.origins import changed_plans
from director_ctx.project.project import Project

CASES = [
    ("openspec", "1/1/3", ["-- [~] 1.3 Give a packet back", "+- [x] 1.3 Give a packet back"]),
    ("openspec", "1/2/3", ["-1. [ ] Say how long already", "+1. [x] Say how long already"]),
    (
        "spec-kit",
        "1/2/2",
        [
            "-- [ ] **T004** [P] Names in shelf/names.py",
            "+- [X] **T004** [P] Names in shelf/names.py",
        ],
    ),
    ("task-master", "1/1/1", ['-        "status": "in-progress",', '+        "status": "done",']),
    (
        "task-master",
        "1/2/2",
        ['-            "status": "pending",', '+            "status": "done",'],
    ),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return taken("openspec", tmp_path)


def changed_lines(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    assert before.keys() == after.keys()
    lines: list[str] = []
    for path, data in before.items():
        old = data.decode().splitlines()
        new = after[path].decode().splitlines()
        diff = difflib.ndiff(old, new)
        lines += [line[0] + line[2:] for line in diff if line[0] in "+-"]
    return lines


@pytest.mark.parametrize(("tool", "ref", "wanted"), CASES)
def test_one_box_or_word_changes_and_nothing_else(
    dctx: Run, tool: str, ref: str, wanted: list[str], tmp_path: Path
) -> None:
    root = taken(tool, tmp_path)
    before = source_files(root)
    result = dctx("task", "done", ref, "--write-back", cwd=root)
    assert result.code == 0 and "Marked done in" in result.err
    assert changed_lines(before, source_files(root)) == wanted
    assert changed_plans(Project(str(root))) == []
    assert not again(root, tool).changes_something


def test_the_boxes_inside_a_task_of_openspec_are_ticked_with_it(dctx: Run, root: Path) -> None:
    before = source_files(root)
    assert dctx("task", "done", "1/1/2", "--write-back", cwd=root).code == 0
    assert changed_lines(before, source_files(root)) == [
        "-- [ ] 1.2 Lend a packet",
        "+- [x] 1.2 Lend a packet",
        "-  - [ ] 1.2.2 without one",
        "+  - [x] 1.2.2 without one",
    ]
    take(root, "openspec")
    task = root / ".director/goals/01-add-lending/01-loans/tasks/02-lend-a-packet.done.md"
    assert "- [x] with a name\n- [x] without one" in task.read_text()


def test_a_task_of_backlog_has_the_two_lines_changed_that_its_own_program_changes(
    dctx: Run, tmp_path: Path
) -> None:
    root = taken("backlog", tmp_path)
    before = source_files(root)
    assert dctx("task", "done", "1/1/1", "--write-back", cwd=root).code == 0
    lines = changed_lines(before, source_files(root))
    assert lines[:2] == ["-status: In Progress", "+status: Done"]
    assert [line[:15] for line in lines[2:]] == ["-updated_date: ", "+updated_date: "]


def test_the_last_subtask_of_task_master_ends_its_task(dctx: Run, tmp_path: Path) -> None:
    root = copy("task-master", tmp_path)
    path = root / ".taskmaster/tasks/tasks.json"
    data = json.loads(path.read_text())
    data["master"]["tasks"][2]["subtasks"] = data["master"]["tasks"][2]["subtasks"][:2]
    path.write_text(json.dumps(data, indent=2))
    take(root, "task-master")
    assert dctx("task", "done", "1/2/2", "--write-back", cwd=root).code == 0
    data["master"]["tasks"][2]["subtasks"][1]["status"] = "done"
    data["master"]["tasks"][2]["status"] = "done"
    assert path.read_text() == json.dumps(data, indent=2)


def test_line_ends_and_marks_of_the_file_stay(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    path = root / "openspec/changes/add-lending/tasks.md"
    data = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(data)
    take(root, "openspec")
    assert dctx("task", "done", "1/1/3", "--write-back", cwd=root).code == 0
    assert path.read_bytes() == data.replace(b"[~]", b"[x]")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.3 Give a packet back", "1.3 Give a packet back soon"),
        ("- [~] 1.3 Give a packet back\n", ""),
    ],
)
def test_it_is_refused_where_the_source_says_something_else(
    dctx: Run, old: str, new: str, root: Path
) -> None:
    path = root / "openspec/changes/add-lending/tasks.md"
    path.write_text(path.read_text().replace(old, new))
    before = source_files(root)
    result = dctx("task", "done", "1/1/3", "--write-back", cwd=root)
    assert result.code == 1 and "nothing was marked done" in result.err
    assert source_files(root) == before
    assert not list(root.glob(".director/goals/*/*/tasks/03-*.done.md"))


def test_another_change_of_the_file_is_still_told_of(dctx: Run, root: Path) -> None:
    path = root / "openspec/changes/add-lending/tasks.md"
    path.write_text(path.read_text().replace("2.1 Show", "2.1 Always show"))
    assert dctx("task", "done", "1/1/3", "--write-back", cwd=root).code == 0
    assert "- [x] 1.3" in path.read_text() and "Always show" in path.read_text()
    assert changed_plans(Project(str(root)))


def test_nothing_is_written_into_a_list(dctx: Run, tmp_path: Path) -> None:
    root = taken("todo", tmp_path)
    before = source_files(root)
    result = dctx("task", "done", "1/1/2", "--write-back", cwd=root)
    assert result.code == 1 and "Nothing is written back into a plan of TODO.md" in result.err
    assert source_files(root) == before


def test_nothing_is_written_back_unasked_or_for_a_task_of_ones_own(dctx: Run, root: Path) -> None:
    before = source_files(root)
    dctx("task", "done", "1/1/3", cwd=root)
    assert source_files(root) == before
    dctx("add", "task", "Of my own", "--step", "1/1", cwd=root)
    result = dctx("task", "done", "1/1/4", "--write-back", cwd=root)
    assert result.code == 1 and "was not taken over" in result.err


def test_what_the_source_has_as_done_already_is_said(dctx: Run, root: Path) -> None:
    path = root / "openspec/changes/add-lending/tasks.md"
    path.write_text(path.read_text().replace("[~] 1.3", "[x] 1.3"))
    result = dctx("task", "done", "1/1/3", "--write-back", cwd=root)
    assert result.code == 0 and "has it as done already" in result.err


@pytest.mark.parametrize(
    ("tool", "refs"), [("openspec", ("1/1/3", "1/2/3")), ("task-master", ("1/1/1", "1/2/2"))]
)
def test_of_two_at_once_both_are_marked(tool: str, refs: tuple[str, str], tmp_path: Path) -> None:
    root = taken(tool, tmp_path)
    changes = [planned(str(root), ref) for ref in refs]
    for change in changes:
        carry_out_write_back(str(root), change)
    for ref in refs:
        assert planned(str(root), ref).is_done
    assert changed_plans(Project(str(root))) == []


def test_what_is_changed_between_reading_and_writing_stays(root: Path) -> None:
    change = planned(str(root), "1/1/3")
    path = root / "openspec/changes/add-lending/tasks.md"
    path.write_text(path.read_text().replace("Give a packet back", "Give a packet back soon"))
    text = path.read_text()
    with pytest.raises(DctxError, match="changed meanwhile") as raised:
        carry_out_write_back(str(root), change)
    assert "the same command" in str(raised.value.hint)
    assert path.read_text() == text
