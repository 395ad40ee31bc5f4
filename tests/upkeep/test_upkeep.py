"""The life of a project, kept true by the tool: tasks done and reopened, two writers at once, a
kill at any moment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, commit, git, needs_permissions, plan, step, task, write
from hypothesis import given, settings
from hypothesis import strategies as st
from in_line import sync
from killed import killed_at_each_change

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.upkeep.drift import mismatches
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.rewrite import rename, rewrites_for, source_at
from director_ctx.upkeep.rewrite import write as put_in_place
from director_ctx.upkeep.tasks import finish, reopen

Run = Callable[..., Result]
NOW = "2026-01-02 03:04"
STATE = """# State

**Status:** In progress
**Last updated:** 2026-01-01 10:00
**Last session:** 2026-01-01

## Current Position

**Current goal:** First
**Current step:** Step 1
**Current task:** One (next)
**Position:** Goal 1, Step 1, Task 1

## Progress

### Goal 1: First
- Step 1: Step 1 — in progress (0/2 tasks done)

## Recent Activity

- 2026-01-01: planned
"""
GAMEPLAN = """# Gameplan

## Goals

1. **Goal 1: First** -- the beginning

## Current Focus

**Current Goal:** Goal 1
**Current Step:** Step 1 (Step 1)
**Next Up:** One
"""
STEPS = "## Steps\n\n1. **Step 1: Step 1**\n2. **Step 2: Step 2**\n\n"
GOAL = f"# Goal 1: First\n\n{STEPS}## Status\n\n**Progress:** Not started\n**Steps complete:** 0 of 2\n"


def files(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Two steps of two tasks, with every record in line."""
    made = plan(
        {"01-one.md": task("One"), "02-two.md": task("Two")}, {"01-three.md": task("Three")}
    )
    made |= {"STATE.md": STATE, "GAMEPLAN.md": GAMEPLAN, "goals/01-first/GOAL.md": GOAL}
    made["goals/01-first/01-step/STEP.md"] = step(
        1, "Step 1", "- [ ] Task 1: One\n- [ ] Task 2: Two"
    )
    made["goals/01-first/02-step/STEP.md"] = step(2, "Step 2", "- [ ] Task 1: Three")
    return {**made, **(extra or {})}


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below `.director/` but for our own corner."""
    base = root / ".director"
    found = (
        path for path in sorted(base.rglob("*")) if path.is_file() and ".dctx" not in path.parts
    )
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in found}


def field(root: Path, path: str, name: str) -> str:
    found = re.search(rf"\*\*{name}:\*\* (.*)", (root / ".director" / path).read_text())
    return found[1] if found else ""


def problems(root: Path) -> list[str]:
    return [
        f"{one.path}:{one.line} {one.says} -- {one.files_say}"
        for one in mismatches(load_project(root=str(root)))
    ]


# The life of a project


@pytest.fixture
def grown(tmp_path: Path, dctx: Run) -> Path:
    """A project made by the tool alone: two goals, three steps, ten tasks."""
    root = tmp_path / "project"
    root.mkdir()
    assert dctx("init", cwd=root).code == 0
    write(
        root, {"VISION.md": "# Vision\n\n## Project Name\nLinks\n\n## What It Does\nKeeps links.\n"}
    )
    lines = [
        ("goal", "A list worth opening"),
        ("step", "Saving links"),
        *[("task", f"Save {n}") for n in range(4)],
    ]
    for kind, name in lines:
        assert dctx("add", kind, name, cwd=root).code == 0
    assert dctx("add", "step", "Reading", "--goal", "1", cwd=root).code == 0
    for number in range(3):
        assert (
            dctx("add", "task", f"Read {number}", "--step", "1/2", "--size", "small", cwd=root).code
            == 0
        )
    assert dctx("add", "goal", "Sharing", "--about", "Friends see it", cwd=root).code == 0
    assert dctx("add", "step", "Names", "--goal", "2", "--needs", "Goal 1", cwd=root).code == 0
    for number in range(3):
        assert dctx("add", "task", f"Share {number}", "--step", "2/1", cwd=root).code == 0
    return root


def agree(root: Path, dctx: Run) -> dict[str, Any]:
    """Status, STATE, STEP, GOAL, GAMEPLAN and doctor say the same; what status says."""
    doctor = json.loads(dctx("doctor", "--json", cwd=root).out)
    assert doctor["problems"] == []
    status: dict[str, Any] = json.loads(dctx("status", "--json", cwd=root).out)
    assert status["mismatches"] == []
    assert status["notes"] == []
    text = (root / ".director/STATE.md").read_text()
    for one in (one for goal in status["goals"] for one in goal["steps"]):
        line = f"- Step {one['number']}: {one['title']} [{one['state']}] -- {one['done']}/{one['total']} tasks"
        assert (line in text) == bool(one["done"])
    return status


def in_position(root: Path, upcoming: dict[str, Any] | None) -> None:
    """STATE and GAMEPLAN name the next task, or say that there is none."""
    if upcoming is None:
        assert field(root, "STATE.md", "Status") == "Complete"
        assert field(root, "STATE.md", "Position") == "All goals complete"
        assert field(root, "GAMEPLAN.md", "Current Goal") == "All goals complete"
        return
    goal, step_, title = upcoming["goal"], upcoming["step"], upcoming["title"]
    one, two, three = upcoming["ref"].split("/")
    said = {
        "Current goal": goal["title"],
        "Current step": step_["title"],
        "Current task": title,
        "Position": f"Goal {one} > Step {two} > Task {three}",
    }
    assert {name: field(root, "STATE.md", name) for name in said} == said
    focus = {
        "Current Goal": f"Goal {one} ({goal['title']})",
        "Current Step": f"Step {two} ({step_['title']})",
        "Next Up": title,
    }
    assert {name: field(root, "GAMEPLAN.md", name) for name in focus} == focus


def test_a_project_lives_from_init_over_ten_tasks_to_done_and_all_records_agree_all_the_time(
    grown: Path, dctx: Run
) -> None:
    assert agree(grown, dctx)["next"]["state"] == "ready"
    assert field(grown, "STATE.md", "Status") == "Not started"
    seen = []
    for number in range(10):
        upcoming = json.loads(dctx("next", "--json", cwd=grown).out)["task"]
        in_position(grown, upcoming)
        assert f"# Task: {upcoming['title']}" in dctx("assemble", "builder", cwd=grown).out
        result = dctx("task", "done", upcoming["ref"], cwd=grown)
        assert (result.code, result.err) == (0, "")
        seen.append(upcoming["ref"])
        status = agree(grown, dctx)
        assert sum(goal["done"] for goal in status["goals"]) == number + 1
    assert seen[3:] == ["1/1/4", "1/2/1", "1/2/2", "1/2/3", "2/1/1", "2/1/2", "2/1/3"]
    assert dctx("next", cwd=grown).code == 5
    in_position(grown, None)
    # Tasks that are reopened and added late bring the position back.
    assert dctx("task", "done", "1/2/2", "--undo", cwd=grown).code == 0
    assert agree(grown, dctx)["goals"][0]["state"] == "in progress"
    in_position(grown, json.loads(dctx("next", "--json", cwd=grown).out)["task"])
    assert dctx("task", "done", "1/2/2", cwd=grown).code == 0
    assert dctx("add", "task", "One thing more", "--step", "2/1", cwd=grown).code == 0
    agree(grown, dctx)
    in_position(grown, json.loads(dctx("next", "--json", cwd=grown).out)["task"])
    assert field(grown, "STATE.md", "Status") == "In progress"
    assert dctx("task", "done", "One thing more", cwd=grown).code == 0
    assert dctx("add", "goal", "What comes next", cwd=grown).code == 0
    assert agree(grown, dctx)["next"]["state"] == "unplanned"
    assert field(grown, "STATE.md", "Current goal") == "What comes next"
    assert field(grown, "STATE.md", "Current step") == "Not planned yet"


def test_doing_and_undoing_a_task_restores_every_byte_but_the_times(tmp_path: Path) -> None:
    root = write(tmp_path, files())
    finish(str(root), "1/1/1", NOW)
    before = snapshot(root)
    finish(str(root), "1/1/2", NOW)
    assert snapshot(root) != before
    reopen(str(root), "1/1/2", NOW)
    after = snapshot(root)
    added = b"\n- Step 2"
    assert added not in after["STATE.md"]
    assert after == before


def test_reopening_the_only_task_that_was_done_restores_not_started(tmp_path: Path) -> None:
    root = write(tmp_path, {**files(), "STATE.md": STATE.replace("In progress", "Not started", 1)})
    goal = snapshot(root)["goals/01-first/GOAL.md"]
    finish(str(root), "1/1/1", NOW)
    assert field(root, "STATE.md", "Status") == "In progress"
    reopen(str(root), "1/1/1", NOW)
    assert field(root, "STATE.md", "Status") == "Not started"
    assert snapshot(root)["goals/01-first/GOAL.md"] == goal


def test_a_task_whose_number_another_has_leaves_the_box_and_says_so(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, files({"goals/01-first/01-step/tasks/01-twin.md": task("Twin")}))
    result = dctx("task", "done", "twin", cwd=root)
    assert "two tasks have the number 1" in result.err
    assert "- [ ] Task 1: One" in (root / ".director/goals/01-first/01-step/STEP.md").read_text()


def test_a_number_that_is_not_in_the_current_step_names_the_last_task_that_is_done(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, files())
    for ref in ("1/1/1", "1/1/2"):
        dctx("task", "done", ref, cwd=root)
    result = dctx("task", "done", "2", "--undo", cwd=root)
    assert (result.code, "The last one that is done is 1/1/2." in result.err) == (1, True)


def test_a_new_task_goes_where_somebody_was_last_and_says_where(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files())
    assert dctx("add", "step", "Charts", cwd=root).err == ""
    out = dctx("add", "task", "More", cwd=root).out.split("\n")
    assert out[0].startswith("Added 1/3/1  More: ")
    assert out[1] == "  in goal 1 (First), step 3 (Charts)"
    dctx("task", "done", "1/1/1", cwd=root)
    assert dctx("add", "task", "Bars", cwd=root).out.startswith("Added 1/1/")
    (root / ".director/.dctx/last-place.json").unlink()
    assert dctx("add", "task", "Rows", cwd=root).out.startswith("Added 1/1/")


def test_git_is_never_asked_to_write(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files())
    commit(root, "Plan")
    index = (root / ".git/index").read_bytes()
    head = git(root, "rev-parse", "HEAD")
    dctx("task", "done", "1", cwd=root)
    dctx("doctor", "--fix", cwd=root)
    assert (root / ".git/index").read_bytes() == index
    assert git(root, "rev-parse", "HEAD") == head


# Nothing else changes

ALLOWED = {
    "STATE.md": re.compile(
        rb"\*\*(Status|Last updated|Last session|Current goal|Current step|Current task|Position):|### Goal|- Step \d"
    ),
    "GAMEPLAN.md": re.compile(rb"\*\*(Current Goal|Current Step|Next Up):"),
    "goals/01-first/GOAL.md": re.compile(rb"\*\*(Progress|Steps complete):"),
    "goals/01-first/01-step/STEP.md": re.compile(rb"- \[.\] Task 1:"),
}
# Control characters go when a file is read, and could uncover a heading.
PRINTED = st.characters(codec="utf-8", exclude_categories=("Cc",))
NOISE = st.text(PRINTED, max_size=30).filter(
    lambda text: ":" not in text and not text.strip().startswith(("#", "`", "~", "<!--", "-", ">"))
)
FOREIGN = st.sampled_from(
    [
        "",
        "Prose.",
        "  indented",
        "- an item",
        "- [ ] a box of ours",
        "| a | b |",
        "> quoted",
        "\ttab",
        "trailing  ",
    ]
)


def stuffed(text: str, noise: list[str], end: str) -> bytes:
    """A document with foreign lines between its own, and any line end."""
    lines = []
    for place, line in enumerate(text.split("\n")):
        lines.append(line)
        if line == "" and noise:
            lines += [noise[place % len(noise)], ""]
    return end.join(lines).encode()


def strip(path: str, data: bytes, end: bytes) -> list[bytes]:
    """A document without the lines that may change."""
    return [
        line for line in data.split(end) if path not in ALLOWED or not ALLOWED[path].match(line)
    ]


@settings(max_examples=30)
@given(
    st.lists(NOISE | FOREIGN, max_size=6), st.sampled_from(["\n", "\r\n"]), st.binary(max_size=40)
)
def test_in_a_folder_full_of_foreign_content_nothing_else_changes(
    noise: list[str], end: str, blob: bytes
) -> None:
    with tempfile.TemporaryDirectory() as name:
        made: dict[str, str | bytes] = {
            path: stuffed(text, noise, end) for path, text in files().items()
        }
        made |= {
            "own.bin": blob,
            "goals/notes.md": "mine",
            "goals/01-first/01-step/tasks/draft.txt": blob,
        }
        made["goals/01-first/01-step/RESEARCH.md"] = blob
        root = write(Path(name), made)
        before = snapshot(root)
        finish(str(root), "1/1/1", NOW)
        after = snapshot(root)
        old, new = (
            "goals/01-first/01-step/tasks/01-one.md",
            "goals/01-first/01-step/tasks/01-one.done.md",
        )
        before[new] = before.pop(old)
        assert before.keys() == after.keys()
        for path, data in before.items():
            assert strip(path, after[path], end.encode()) == strip(path, data, end.encode()), path
        assert [line for line in after if after[line] != before[line]] <= sorted(ALLOWED)
        assert problems(root) == []
        sync(str(root), NOW)
        assert snapshot(root) == after


def test_a_task_that_is_done_leaves_the_drift_of_others_to_a_sync(tmp_path: Path) -> None:
    other = {
        "goals/02-second/GOAL.md": GOAL,
        "goals/02-second/01-step/STEP.md": step(1, "S", "- [ ] Task 1: Old"),
    }
    old = {"goals/02-second/01-step/tasks/01-old.done.md": task("Old")}
    boxes = {
        "goals/01-first/01-step/STEP.md": step(1, "Step 1", "- [ ] Task 1: One\n- [x] Task 2: Two")
    }
    root = write(tmp_path, files({**other, **old, **boxes}))
    before = snapshot(root)
    finish(str(root), "1/1/1", NOW)
    after = snapshot(root)
    assert {path for path in other if after[path] != before[path]} == set()
    assert b"- [x] Task 1: One\n- [x] Task 2: Two" in after["goals/01-first/01-step/STEP.md"]
    sync(str(root), NOW)
    assert (
        b"- [x] Task 1: One\n- [ ] Task 2: Two" in snapshot(root)["goals/01-first/01-step/STEP.md"]
    )
    assert {path for path in other if snapshot(root)[path] != before[path]} == set(other)


def test_records_that_are_missing_are_not_made(tmp_path: Path) -> None:
    root = write(tmp_path, {path: text for path, text in files().items() if "/tasks/" in path})
    result = finish(str(root), "1/1/1", NOW)
    assert result.rewrites == result.failed == ()
    assert sorted(snapshot(root))[0].endswith("01-one.done.md")


def test_a_record_reached_through_a_link_is_changed_behind_the_link(tmp_path: Path) -> None:
    root = write(tmp_path, {**files(), "kept/STATE.md": STATE})
    (root / ".director/kept/STATE.md").chmod(0o640)
    (root / ".director/STATE.md").unlink()
    (root / ".director/STATE.md").symlink_to("kept/STATE.md")
    finish(str(root), "1/1/1", NOW)
    assert (root / ".director/STATE.md").is_symlink()
    assert "**Current task:** Two" in (root / ".director/kept/STATE.md").read_text()
    assert (root / ".director/kept/STATE.md").stat().st_mode & 0o777 == 0o640


def test_a_link_out_of_the_folder_is_never_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(STATE)
    root = write(tmp_path / "project", files())
    (root / ".director/STATE.md").unlink()
    (root / ".director/STATE.md").symlink_to(outside)
    finish(str(root), "1/1/1", NOW)
    assert outside.read_text() == STATE


@needs_permissions
def test_a_record_that_may_not_be_written_is_named_and_the_rest_is_done(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, files())
    (root / ".director/STATE.md").chmod(0o444)
    result = dctx("task", "done", "1", cwd=root)
    assert result.code == 1
    assert ".director/STATE.md could not be changed" in result.err
    assert "doctor --fix" in result.err
    assert (root / ".director/goals/01-first/01-step/tasks/01-one.done.md").exists()
    assert field(root, "GAMEPLAN.md", "Next Up") == "Two"


# What is said


def test_what_was_done_already_is_said_and_the_records_follow_all_the_same(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, files())
    path = root / ".director/goals/01-first/01-step/tasks/01-one.md"
    path.rename(path.with_name("01-one.done.md"))
    assert problems(root) != []
    result = dctx("task", "done", "1", cwd=root)
    assert "was done already" in result.err
    assert problems(root) == []
    assert "was not done" in dctx("task", "done", "2", "--undo", cwd=root).err


def test_a_task_that_was_not_ready_can_be_done_with_a_warning(tmp_path: Path, dctx: Run) -> None:
    root = write(
        tmp_path,
        files({"goals/01-first/02-step/tasks/01-three.md": task("Three", "Needs Step 1.")}),
    )
    result = dctx("task", "done", "1/2/1", cwd=root)
    assert result.code == 0
    assert "task 1/2/1 was not ready: it needs step 1/1 (" in result.err


def test_a_dry_run_shows_the_change_and_makes_none(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files())
    path = root / ".director/goals/01-first/01-step/tasks/01-one.md"
    path.rename(path.with_name("01-one.done.md"))
    before = snapshot(root)
    shown = dctx("doctor", "--fix", "--dry-run", cwd=root)
    assert shown.code == 0
    assert snapshot(root) == before
    assert "- **Current task:** One (next)\n" in shown.out
    assert "+ **Current task:** Two\n" in shown.out
    assert "+ - [x] Task 1: One\n" in shown.out
    done = dctx("doctor", "--fix", cwd=root)
    assert done.out.split("Brought")[0] == shown.out.split("Nothing was changed")[0]
    assert problems(root) == []
    assert dctx("doctor", "--fix", cwd=root).out == "Nothing disagrees.\n"
    assert dctx("doctor", "--fix", "--dry-run", cwd=root).out == "Nothing to mend.\n"
    assert dctx("doctor", "--dry-run", cwd=root).code == 2


def test_a_session_is_dated_by_work_and_not_by_bringing_records_in_line(tmp_path: Path) -> None:
    root = write(tmp_path, {**files(), "STATE.md": STATE.replace("One (next)", "elsewhere")})
    sync(str(root), NOW)
    assert field(root, "STATE.md", "Last updated") == NOW
    assert field(root, "STATE.md", "Last session") == "2026-01-01"
    finish(str(root), "1/1/1", NOW)
    assert field(root, "STATE.md", "Last session") == "2026-01-02"


def test_show_tells_where_a_task_stands(tmp_path: Path, dctx: Run) -> None:
    root = write(
        tmp_path,
        files({"goals/01-first/02-step/tasks/01-three.md": task("Three", "Needs Step 1.")}),
    )
    shown = dctx("task", "show", "1/2/1", cwd=root).out
    assert shown.startswith("1/2/1  Three\nGoal 1: First, step 2: Step 2\n")
    assert "Waits: it needs step 1/1 (Step 1), which is not complete." in shown
    assert shown.endswith(task("Three", "Needs Step 1."))
    found = json.loads(dctx("task", "show", "three", "--json", cwd=root).out)
    assert (found["ref"], found["done"], found["listed_as"]) == (
        "1/2/1",
        False,
        "- [ ] Task 1: Three",
    )
    assert found["text"] == task("Three", "Needs Step 1.")
    dctx("task", "done", "1/1/1", cwd=root)
    assert "\nDone.\n" in dctx("task", "show", "1/1/1", cwd=root).out


def test_json_tells_what_changed(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files())
    found = json.loads(dctx("task", "done", "1", "--json", cwd=root).out)
    tasks = ".director/goals/01-first/01-step/tasks"
    assert found["renamed"] == {"from": f"{tasks}/01-one.md", "to": f"{tasks}/01-one.done.md"}
    assert found["place"]["ref"] == "1/1/1"
    assert found["next"]["ref"] == "1/1/2"
    lines = {one["path"]: one["lines"] for one in found["changed"]}
    assert lines[".director/goals/01-first/01-step/STEP.md"] == [
        {"line": 8, "old": "- [ ] Task 1: One", "new": "- [x] Task 1: One"}
    ]


@pytest.mark.parametrize("name", ["9", "nowhere", "1/9/1", "../../etc/passwd.md"])
def test_a_task_that_is_not_there_changes_nothing(name: str, tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files())
    before = snapshot(root)
    assert dctx("task", "done", name, cwd=root).code == 1
    assert snapshot(root) == before


def test_both_files_of_a_task_are_never_made_one_by_reopening(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, files({"goals/01-first/01-step/tasks/01-one.done.md": task("One")}))
    before = snapshot(root)
    result = dctx("task", "done", "1", "--undo", cwd=root)
    assert (result.code, "has two files" in result.err) == (1, True)
    assert snapshot(root) == before


# Two at once, and a kill at any moment


def spawn(root: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "director_ctx", *words],
        cwd=root,
        env=environment,
        stdout=quiet,
        stderr=quiet,
    )


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    tasks = {
        f"{number:02}-task-{number}.md": task(f"Task number {number}") for number in range(1, 4)
    }
    lines = "\n".join(f"- [ ] Task {number}: Task number {number}" for number in range(1, 4))
    root = write(tmp_path, {**plan(tasks), "STATE.md": STATE, "GAMEPLAN.md": GAMEPLAN})
    write(root, {"goals/01-first/01-step/STEP.md": step(1, "Step 1", lines)})
    words = [("task", "done", f"1/1/{number}") for number in range(1, 4)]
    words += [("add", "idea", f"Idea {number}") for number in range(2)]
    words += [("add", "task", f"Late {number}", "--step", "1/1") for number in range(2)]
    running = [spawn(root, *one) for one in words]
    assert [one.wait(60) for one in running] == [0] * len(words)
    assert problems(root) == []
    project = load_project(root=str(root))
    (only,) = project.steps(project.goals()[0])
    assert [found.number for found in project.tasks(only)] == list(range(1, 6))
    assert sum(found.done for found in project.tasks(only)) == 3
    text = (root / ".director/IDEAS.md").read_text()
    assert sorted(re.findall(r"-- (Idea \d)", text)) == ["Idea 0", "Idea 1"]
    assert not list((root / ".director").rglob("*.tmp"))


CLOCKS = tuple(
    f"director_ctx.doors.cli.upkeep.{name}" for name in ("add", "changes", "doctor", "task")
)


def bare(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in snapshot(root).items() if not path.endswith(".tmp")}


@pytest.mark.parametrize(
    "words",
    [
        ("task", "done", "1/1/1"),
        ("doctor", "--fix"),
        ("add", "idea", "Send it"),
        ("add", "task", "More", "--step", "1/1"),
        ("add", "goal", "Later"),
    ],
    ids=" ".join,
)
def test_a_kill_between_any_two_writes_leaves_a_folder_that_reads_well(
    words: tuple[str, ...], tmp_path: Path, dctx: Run
) -> None:
    """And after `doctor --fix` it is what it would have been, or as if nothing had been asked."""
    start = write(tmp_path / "start", files({"IDEAS.md": "# Ideas\n"}))
    if words[0] == "doctor":
        first = start / ".director/goals/01-first/01-step/tasks/01-one.md"
        first.rename(first.with_name("01-one.done.md"))
    named = tmp_path / "killed-"
    killed, whole = killed_at_each_change(start, named, words, CLOCKS, "2026-01-02 03:04")
    ends = []
    for root in killed:
        doctor = dctx("doctor", "--json", cwd=root)
        assert doctor.code in (0, 1), doctor.err
        assert "is a bug" not in doctor.err
        kinds = {problem["kind"] for problem in json.loads(doctor.out)["problems"]}
        assert kinds <= {"disagrees", "unlisted", "left over", "odd", "not private"}
        for path in list((root / ".director").rglob("*.tmp")):
            os.utime(path, (0, 0))
        dctx("doctor", "--fix", cwd=root)
        assert problems(root) == []
        assert not list((root / ".director").rglob("*.tmp"))
        ends.append(without_times(bare(root)))
    assert len(ends) >= 2
    untouched = Path(shutil.copytree(start, tmp_path / "untouched"))
    dctx("doctor", "--fix", cwd=untouched)
    possible = [without_times(bare(untouched)), without_times(bare(whole))]
    assert all(one in possible for one in ends)
    assert possible[1] in ends or words[1] == "idea"


def without_times(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: re.sub(rb"(Last \w+:\*\*) .*", rb"\1", data) for path, data in found.items()}


# What somebody else writes in the meantime is not overwritten


def test_a_record_that_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    root = write(tmp_path, files())
    project = load_project(root=str(root))
    read = source_at(project, ".director/STATE.md")
    assert read
    edit = Edit(3, read[1].line(3), "**Status:** Complete")
    (stale,) = rewrites_for(".director/STATE.md", *read, [edit])
    write(root, {"STATE.md": STATE + "- an agent's line\n"})
    assert not put_in_place(project, stale)
    assert (root / ".director/STATE.md").read_text() == STATE + "- an agent's line\n"
    write(root, {"STATE.md": STATE})
    assert put_in_place(project, stale)
    assert field(root, "STATE.md", "Status") == "Complete"


def test_a_file_is_never_renamed_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither over one that is there, nor over one that comes between the look and the renaming."""
    root = write(tmp_path, {"one.md": "one", "two.md": "two"})
    project = load_project(root=str(root))
    with pytest.raises(DctxError, match="is there already"):
        rename(project, ".director/one.md", ".director/two.md")
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    with pytest.raises(DctxError, match="Could not rename"):
        rename(project, ".director/one.md", ".director/two.md")
    monkeypatch.undo()
    assert snapshot(root) == {"one.md": b"one", "two.md": b"two"}
    rename(project, ".director/one.md", ".director/three.md")
    assert snapshot(root) == {"three.md": b"one", "two.md": b"two"}
