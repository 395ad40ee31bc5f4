"""`dctx doctor`: what it finds and where, what it advises, what it mends, and that it survives any
folder.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, needs_permissions, plan, step, task, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx import load_project
from director_ctx.project.tasks.decisions import Decision
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.repair import repair
from director_ctx.upkeep.suspicions import MOST_COMPARED, decided_twice, decision_words

Run = Callable[..., Result]
NOW, LATER = "2026-03-04 05:06", "2027-08-09 10:11"
D = ".director"
ONE, TWO = "goals/01-first/01-step", "goals/01-first/02-step"
GOAL = "goals/01-first/GOAL.md"

# A plan in which everything agrees: 1/1/1 is done, 1/1/2 is current, step 2 has one task.
FILES: Files = {
    **plan(
        {"01-alpha.done.md": task("Alpha"), "02-beta.md": task("Beta")},
        {"01-gamma.md": task("Gamma")},
    ),
    "VISION.md": "# Vision\n\n## What It Does\nIt keeps links.\n",
    "GAMEPLAN.md": "# Gameplan\n\n## Goals\n\n1. **Goal 1: First** -- a\n\n## Focus\n\n**Current Goal:** Goal 1\n",
    "STATE.md": "# State\n\n**Status:** In progress\n**Position:** Goal 1 > Step 1 > Task 2\n",
    GOAL: "# Goal 1: First\n\n## Steps\n\n1. **Step 1: One** -- a\n2. **Step 2: Two** -- b\n\n## Status\n\n"
    "**Progress:** In progress\n**Steps complete:** 0 of 2\n",
    f"{ONE}/STEP.md": step(1, "One", "- [x] Task 1: Alpha\n- [ ] Task 2: Beta"),
    f"{TWO}/STEP.md": step(2, "Two", "- [ ] Task 1: Gamma"),
}


def tree(root: Path) -> dict[str, bytes]:
    base = root / D
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file()
    }


def ran(dctx: Run, root: Path, *words: str) -> Result:
    result = dctx("doctor", *words, cwd=root)
    assert result.code in (0, 1)
    assert "Traceback" not in result.err and "bug" not in result.err
    return result


def found(root: Path) -> list[tuple[str, str, int, str, str]]:
    kinds = diagnose(load_project(root=str(root))).problems
    return [
        (one.kind, one.path.removeprefix(f"{D}/"), one.line, one.says, one.advice) for one in kinds
    ]


def worth(root: Path) -> list[tuple[str, int, str]]:
    checks = diagnose(load_project(root=str(root))).worth_checking
    return [(one.path.removeprefix(f"{D}/"), one.line, one.says) for one in checks]


# A folder that agrees


def test_where_everything_agrees_it_says_so(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, FILES)
    before = tree(root)
    result = ran(dctx, root)
    assert (result.code, result.out, result.err) == (0, "Nothing disagrees.\n", "")
    found = json.loads(ran(dctx, root, "--json").out)
    assert found["ok"] is True
    assert [
        found[name] for name in ("problems", "worth_checking", "stale_notes", "old", "fixed")
    ] == [[]] * 5
    assert ran(dctx, root, "--fix").out == "Nothing disagrees.\n"
    assert tree(root) == before


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"GAMEPLAN.md": "## Goals\n1. **Goal 1: First**\n"},
        plan(),
        plan({}),
        {"STATE.md": "", "VISION.md": "x"},
    ],
)
def test_a_plan_that_is_not_there_yet_is_no_problem(
    dctx: Run, tmp_path: Path, files: Files
) -> None:
    assert ran(dctx, write(tmp_path, files)).code == 0


def test_what_has_one_remedy_is_told_once_with_the_first_few_places(
    dctx: Run, tmp_path: Path
) -> None:
    files: dict[str, str] = {f"{ONE}/tasks/notes-{letter}.md": "x" for letter in "abcdef"}
    root = write(tmp_path, {**FILES, **files})
    out = ran(dctx, root).out
    assert out == (
        f"{D}/{ONE}/tasks/notes-a.md, …/notes-b.md, …/notes-c.md and 3 more: "
        "has no number in its name; it was ignored\n"
        "  Rename it to NN-name, or move it out of goals/.\n"
    )
    each = ran(dctx, root, "--verbose").out
    for name in files:
        assert f"{D}/{name}: has no number in its name; it was ignored\n  Rename it" in each


def test_of_many_sentences_with_one_remedy_the_first_few_are_told(
    dctx: Run, tmp_path: Path
) -> None:
    listed = "".join(f"{number}. **Goal {number}: More of it**\n" for number in range(2, 9))
    gameplan = f"# Gameplan\n\n## Goals\n\n1. **Goal 1: First** -- a\n{listed}"
    root = write(tmp_path, {**FILES, "GAMEPLAN.md": gameplan})
    out = ran(dctx, root).out
    assert out.count("it has no folder") == 3
    assert "\n4 more in 1 file: `dctx doctor --verbose` shows them\n  Make it with" in out
    assert ran(dctx, root, "--verbose").out.count("it has no folder") == 7


def test_open_questions_are_listed_and_are_no_mistake(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {**FILES, "VISION.md": "# Vision\nIt keeps links.\n[UNCLEAR] Whose?\n"})
    result = ran(dctx, root)
    assert (result.code, result.out) == (
        0,
        f"Nothing disagrees.\n\nOpen questions:\n  {D}/VISION.md:3: Whose?\n",
    )
    (question,) = json.loads(ran(dctx, root, "--json").out)["questions"]
    assert question == {"path": f"{D}/VISION.md", "line": 3, "text": "Whose?"}


def test_a_new_folder_is_no_problem_but_its_templates_are_worth_checking(
    dctx: Run, tmp_path: Path
) -> None:
    dctx("init", "--root", ".", cwd=tmp_path)
    result = ran(dctx, tmp_path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "Nothing disagrees.\n\nWorth checking:\n"
        "  .director/VISION.md, …/GAMEPLAN.md: is still a template\n    Fill it in.\n"
    )


# What it finds


@pytest.mark.parametrize(
    ("files", "kind", "path", "line", "says", "advice"),
    [
        ({"STATE.md": "# S\n\n**Status:** Complete\n"}, "disagrees", "STATE.md", 3,
         "Status: Complete. The files say: In progress", "`dctx doctor --fix`"),
        ({"STATE.md": "# S\n\n**Position:** Goal 1, Step 2\n"}, "disagrees", "STATE.md", 3,
         "Position: Goal 1, Step 2. The files say: Goal 1, Step 1, Task 2", "`dctx doctor --fix`"),
        ({"STATE.md": "## Progress\n\n### Goal 1: First\n- Step 1: One (0/2 tasks done)\n"}, "disagrees", "STATE.md", 4,
         "- Step 1: One (0/2 tasks done). The files say: - Step 1: One (1/2 tasks done)", "`dctx doctor --fix`"),
        ({"GAMEPLAN.md": "# G\n\n## Goals\n1. **Goal 1: First**\n\n**Current Step:** Step 2\n"}, "disagrees",
         "GAMEPLAN.md", 6, "Current Step: Step 2. The files say: Step 1", "`dctx doctor --fix`"),
        ({"GAMEPLAN.md": "# G\n\n## Goals\n1. **Goal 1: First**\n2. **Goal 2: Second**\n"}, "disagrees",
         "GAMEPLAN.md", 5, "lists goal 2 (Second). The files say: it has no folder", "`dctx add goal`"),
        ({GOAL: "# Goal 1: First\n\n## Steps\n1. **Step 1: One**\n2. **Step 2: Two**\n3. **Step 3: Three**\n"},
         "disagrees", GOAL, 6, "lists step 3 (Three). The files say: it has no folder", "`dctx add step`"),
        ({GOAL: "# Goal 1: First\n\n## Status\n**Progress:** Not started\n"}, "disagrees", GOAL, 4,
         "Progress: Not started. The files say: In progress", "`dctx doctor --fix`"),
        ({GOAL: "# Goal 1: First\n\n## Status\n**Progress:** In progress\n**Steps complete:** 2 of 2\n"}, "disagrees",
         GOAL, 5, "Steps complete: 2 of 2. The files say: 0 of 2", "`dctx doctor --fix`"),
        ({f"{TWO}/STEP.md": step(2, "Two", "- [x] Task 1: Gamma")}, "disagrees", f"{TWO}/STEP.md", 8,
         "- [x] Task 1: Gamma. The files say: - [ ] Task 1: Gamma", "`dctx doctor --fix`"),
        ({f"{TWO}/STEP.md": step(2, "Two", "- [ ] Task 1: Gamma\n- [ ] Task 2: More")}, "disagrees", f"{TWO}/STEP.md",
         9, "lists task 2 (More). The files say: it has no file", "`dctx add task`"),
        ({"goals/02-second/GOAL.md": "# Goal 2: Second\n"}, "unlisted", "GAMEPLAN.md", 3,
         "does not list every goal. The files say: goal 2 has a folder (02-second)", "`dctx doctor --fix`"),
        ({"goals/01-first/03-three/STEP.md": step(3, "Three"), GOAL: "# Goal 1: First\n\n## Steps\n1. **Step 1: One**\n"
          "2. **Step 2: Two**\n"}, "unlisted", GOAL, 3,
         "does not list every step. The files say: step 3 has a folder (03-three)", "`dctx doctor --fix`"),
        ({f"{TWO}/tasks/02-more.md": task("More")}, "unlisted", f"{TWO}/STEP.md", 6,
         "does not list every task. The files say: task 2 has a file (02-more)", "`dctx doctor --fix`"),
        ({f"{TWO}/STEP.md": "# Step 2: Two\n"}, "unlisted", f"{TWO}/STEP.md", 0,
         "lists no task. The files say: there are 1 (01-gamma)", "`dctx doctor --fix`"),
        ({f"{TWO}/tasks/01-gamma.md": task("Gamma", needs="Step 9")}, "waits", f"{TWO}/tasks/01-gamma.md", 16,
         "it needs Step 9, which does not exist", "Correct its Needs First."),
        ({f"{TWO}/STEP.md": step(2, "Two", "- [ ] Task 1: Gamma", needs="Needs Goal 9.")}, "waits",
         f"{TWO}/STEP.md", 10, "it needs Goal 9, which does not exist", "Correct its Needs First."),
        ({f"{ONE}/tasks/03-more.MD": task("More")}, "odd", f"{ONE}/tasks/03-more.MD", 0,
         "is not read: only .md in small letters is a task", ""),
        ({f"{ONE}/tasks/notes.md": "x"}, "odd", f"{ONE}/tasks/notes.md", 0, "has no number", "Rename it to NN-name"),
        ({"goals/later/GOAL.md": "x"}, "odd", "goals/later", 0, "has no number", "Rename it to NN-name"),
        ({f"{TWO}/tasks/01-twin.md": task("Gamma")}, "odd", f"{TWO}/tasks", 0, "has number 1 more than once",
         "another number"),
        ({f"{ONE}/tasks/02-beta.DONE.md": task("Beta")}, "odd", f"{ONE}/tasks/02-beta.DONE.md", 0,
         "counts as pending", "End its name in .done.md"),
        ({f"{ONE}/tasks/01-alpha.md": "other"}, "odd", f"{ONE}/tasks/01-alpha.md", 0, "exists beside its .done.md",
         "where both say the same"),
        ({"codebase": "x"}, "odd", "codebase", 0, "is a file where a folder should be", "Move it away."),
        ({"research/STACK.md": b"caf\xe9"}, "odd", "research/STACK.md", 0, "not UTF-8", "Save it as UTF-8."),
        ({"brainstorms/a.md": "a\x1b[31m"}, "odd", "brainstorms/a.md", 0, "control characters", "Save it without"),
        ({"reference/big.md": (b"x" * 4000 + b"\n") * 1100}, "odd", "reference/big.md", 0, "only the first", "Shorten"),
        ({"config.json": "{"}, "odd", "config.json", 0, "not valid JSON", "json.tool"),
        ({"goals/.03-x.0123456789ab.tmp/GOAL.md": "x"}, "left over", "goals/.03-x.0123456789ab.tmp", 0,
         "was left by a write that did not end", "once it is a minute old"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)  # fmt: skip
def test_every_kind_of_problem_is_told_with_its_file_its_line_and_what_to_do(
    dctx: Run, tmp_path: Path, files: Files, kind: str, path: str, line: int, says: str, advice: str
) -> None:
    root = write(tmp_path, {**FILES, **files})
    before = tree(root)
    mine = [one for one in found(root) if one[:3] == (kind, path, line) and says in one[3]]
    assert [advice in one[4] for one in mine] == [True]
    result = ran(dctx, root)
    assert result.code == 1 and result.err == ""
    where = f"{D}/{path}:{line}" if line else f"{D}/{path}"
    assert f"{where}: {mine[0][3]}\n  {mine[0][4]}\n" in result.out
    told = json.loads(ran(dctx, root, "--json").out)
    assert told["ok"] is False
    fields = dict(zip(("kind", "path", "line", "says", "advice"), mine[0], strict=True))
    assert {**fields, "path": f"{D}/{path}"} in told["problems"]
    assert tree(root) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense: true\nwindow: wide\n", ["nonsense: unknown", "window: 'wide' is not a window"]),
        ("a: [\n", ["is not valid YAML"]),
    ],
)
def test_each_mistake_in_the_settings_has_a_line_and_the_file_is_named_once(
    text: str, said: list[str], dctx: Run, tmp_path: Path
) -> None:
    root = write(tmp_path, {**FILES, "dctx.yaml": text})
    lines = [line for line in ran(dctx, root).out.splitlines() if "dctx.yaml" in line]
    assert len(lines) == len(said)
    for line, begins in zip(lines, said, strict=True):
        assert line.startswith(f"{D}/dctx.yaml: {begins}") and line.count("dctx.yaml") == 1


def test_tasks_that_wait_for_each_other_are_a_problem_each(tmp_path: Path) -> None:
    tasks = {"01-a.md": task("A", needs="Task 2"), "02-b.md": task("B", needs="Task 1")}
    mine = [one[1:3] for one in found(write(tmp_path, plan(tasks))) if one[0] == "waits"]
    assert mine == [(f"{ONE}/tasks/01-a.md", 16), (f"{ONE}/tasks/02-b.md", 16)]


@pytest.mark.parametrize("kind", ["loop", "out", "dangling"])
def test_a_link_that_leads_out_is_a_problem_and_not_followed(
    dctx: Run, tmp_path: Path, kind: str
) -> None:
    root = write(tmp_path / "project", {**FILES, "/../secret/01-x/tasks/01-y.md": "secret"})
    target = {"loop": root / D, "out": tmp_path / "secret", "dangling": root / "nowhere"}[kind]
    (root / D / "goals" / "02-linked").symlink_to(target)
    result = ran(dctx, root)
    assert result.code == 1 and "secret" not in result.out
    assert [one[:2] for one in found(root)] == [("odd", "goals/02-linked")]
    assert "Remove the link" in found(root)[0][4]


def test_names_of_files_cannot_reach_the_terminal(dctx: Run, tmp_path: Path) -> None:
    name = "02-\x1b[31mred\u202e\n.md"
    root = write(
        tmp_path,
        {**FILES, f"{ONE}/tasks/x\x1b]0;title\x07.md": "x", f"{TWO}/tasks/{name}": task("A\x1bB")},
    )
    for words in ((), ("--json",), ("--fix",)):
        result = ran(dctx, root, *words)
        assert "\x1b" not in result.out + result.err and "\u202e" not in result.out + result.err


# The exit code


def test_what_is_only_worth_checking_does_not_change_the_exit_code(
    dctx: Run, tmp_path: Path
) -> None:
    root = write(tmp_path, {**FILES, f"{ONE}/tasks/02-beta.md": task("Beta", what="")})
    result = ran(dctx, root)
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "Nothing disagrees.\n\nWorth checking:\n"
        f"  {D}/{ONE}/tasks/02-beta.md: does not say what to do\n    Write it under What To Do.\n"
    )
    told = json.loads(ran(dctx, root, "--json").out)
    assert told["ok"] is True and len(told["worth_checking"]) == 1


# Worth checking


DARK = "### Deferred\n- Dark mode for the reader"


@pytest.mark.parametrize(
    ("decisions", "what", "done"),
    [
        (DARK, "Add a dark mode to the reader.", "- [ ] It works"),
        (DARK, "Build it.", "- [ ] The reader has a dark mode"),
        (
            "### deferred (later)\n* **Dark mode** for the reader",
            "READERS may choose dark modes.",
            "- [ ] x",
        ),
        (
            "### Locked\n- Links stay in a file\n\n### Deferred\n- Sharing lists by mail",
            "Send shared lists by mail.",
            "",
        ),
    ],
)
def test_a_task_that_speaks_of_what_its_step_deferred_is_worth_checking(
    tmp_path: Path, decisions: str, what: str, done: str
) -> None:
    steps = {f"{ONE}/STEP.md": step(1, "One", "- [x] Task 1: Alpha\n- [ ] Task 2: Beta", decisions)}
    root = write(
        tmp_path, {**FILES, **steps, f"{ONE}/tasks/02-beta.md": task("Beta", what=what, done=done)}
    )
    (told,) = worth(root)
    assert told[0] == f"{ONE}/tasks/02-beta.md"
    assert told[2].startswith("speaks of what its step deferred: ")
    assert found(root) == []


@pytest.mark.parametrize(
    ("decisions", "what"),
    [
        (DARK, "Show the list in the reader."),
        (DARK, "Add a mode for the night."),
        ("### Flexible\n- Dark mode for the reader", "Add a dark mode to the reader."),
        ("### Deferred\n- _Dark mode for the reader_", "Add a dark mode to the reader."),
        ("### Deferred\n```\n- Dark mode for the reader\n```", "Add a dark mode to the reader."),
        (
            "### Deferred\n\n### Locked\n- Dark mode for the reader",
            "Add a dark mode to the reader.",
        ),
        ("### Deferred\n- The other of them and more", "The other of them and more is done."),
        ("", "Add a dark mode to the reader."),
    ],
)
def test_a_task_about_something_else_is_no_false_alarm(
    tmp_path: Path, decisions: str, what: str
) -> None:
    steps = {f"{ONE}/STEP.md": step(1, "One", "- [x] Task 1: Alpha\n- [ ] Task 2: Beta", decisions)}
    assert (
        worth(
            write(tmp_path, {**FILES, **steps, f"{ONE}/tasks/02-beta.md": task("Beta", what=what)})
        )
        == []
    )


def decided(one: str, two: str) -> Files:
    return {
        **FILES,
        f"{ONE}/STEP.md": step(1, "One", "- [x] Task 1: Alpha\n- [ ] Task 2: Beta", one),
        f"{TWO}/STEP.md": step(2, "Two", "- [ ] Task 1: Gamma", two),
    }


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("### Locked\n- Store links in SQLite", "### Locked\n- Store links in PostgreSQL"),
        ("### Locked\n- Store links in SQLite", "### Flexible\n- Store links in SQLite"),
        (
            "### Locked\n- The reader stores links in SQLite",
            "### Flexible\n- Words.\n- Store the links in SQLite",
        ),
    ],
)
def test_the_same_subject_decided_differently_in_another_step_is_worth_checking(
    dctx: Run, tmp_path: Path, one: str, two: str
) -> None:
    root = write(tmp_path, decided(one, two))
    (told,) = worth(root)
    second = two.rpartition("\n- ")[2]
    assert told[0] == f"{TWO}/STEP.md"
    assert (root / D / told[0]).read_text().split("\n")[told[1] - 1] == f"- {second}"
    assert told[2].endswith(second)
    result = ran(dctx, root)
    assert result.code == 0 and f"Step 1/1 has it as Locked: {one.partition('- ')[2]}" in result.out


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("### Locked\n- Store links in SQLite.", "### Locked\n- store links in  SQLite"),
        ("### Locked\n- Store links in SQLite", "### Locked\n- Buttons are blue and round"),
        (
            "### Locked\n- The list is shown in the order of time",
            "### Locked\n- The button is shown in the middle",
        ),
        ("### Locked\n- Store links in SQLite\n- Store links in PostgreSQL", ""),
        ("### Locked\n- Links", "### Flexible\n- Links"),
        ("", "### Locked\n- Store links in SQLite"),
    ],
)
def test_other_subjects_and_the_same_words_are_no_false_alarm(
    tmp_path: Path, one: str, two: str
) -> None:
    assert worth(write(tmp_path, decided(one, two))) == []


def test_of_more_decisions_than_anybody_makes_only_the_first_are_held_against_each_other() -> None:
    """Each with each, thousands of them would keep `doctor` busy for hours."""
    items = [
        decision_words(
            f"step-{number}",
            f"Step {number}",
            Decision("Locked", f"Passwords are hashed, way {number}", 1),
        )
        for number in range(3 * MOST_COMPARED)
    ]
    pairs = MOST_COMPARED * (MOST_COMPARED - 1) // 2
    assert len(list(decided_twice(items))) == pairs


def test_a_task_with_two_names_is_worth_checking_and_a_shortened_one_is_not(tmp_path: Path) -> None:
    files = {f"{TWO}/STEP.md": step(2, "Two", "- [ ] Task 1: Delta")}
    root = write(tmp_path, {**FILES, **files})
    assert worth(root) == [(f"{TWO}/STEP.md", 8, "calls task 1 'Delta'; its file says 'Gamma'")]
    for name in ("Gam", "Gamma -- DONE", "gamma (awaiting review)", "Gamma and more"):
        write(root, {f"{TWO}/STEP.md": step(2, "Two", f"- [ ] Task 1: {name}")})
        assert worth(root) == [], name


def test_a_placeholder_that_stayed_is_worth_checking(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {**FILES, "GAMEPLAN.md": f"> This file will be populated later.\n{FILES['GAMEPLAN.md']!s}"},
    )
    assert worth(root) == [("GAMEPLAN.md", 0, "still has a template's placeholder in it")]


# Mended


FIXABLE: dict[str, tuple[Files, str, str]] = {
    "state": ({"STATE.md": "**Status:** Complete\nMine.\n"}, "STATE.md", "**Status:** In progress\nMine.\n"),
    "gameplan": (
        {"GAMEPLAN.md": "## Goals\n1. **Goal 1: First**\n\n**Current Step:** Step 2\n"},
        "GAMEPLAN.md",
        "## Goals\n1. **Goal 1: First**\n\n**Current Step:** Step 1\n",
    ),
    "goal": (
        {GOAL: "# Goal 1: First\n\n## Status\n**Progress:** Complete\nMine.\n"},
        GOAL,
        "# Goal 1: First\n\n## Status\n**Progress:** In progress\nMine.\n",
    ),
    "box": ({f"{TWO}/STEP.md": step(2, "Two", "- [x] Task 1: Gamma")}, f"{TWO}/STEP.md",
            step(2, "Two", "- [ ] Task 1: Gamma")),
    "unlisted goal": (
        {"goals/02-second/GOAL.md": "# Goal 2: Second\n", "GAMEPLAN.md": "## Goals\n- **Goal 1: First**\n\nMine.\n"},
        "GAMEPLAN.md",
        "## Goals\n- **Goal 1: First**\n- **Goal 2: Second**\n\nMine.\n",
    ),
    "no goals": ({"GAMEPLAN.md": "# G\n\n## Goals\n_No goals defined yet_\n"}, "GAMEPLAN.md",
                 "# G\n\n## Goals\n1. **Goal 1: First**\n"),
    "unlisted step": (
        {GOAL: "# Goal 1: First\n\n## Steps\n2. **Step 2: Two** -- b\n"},
        GOAL,
        "# Goal 1: First\n\n## Steps\n1. **Step 1: One**\n2. **Step 2: Two** -- b\n",
    ),
    "unlisted tasks": (
        {f"{ONE}/tasks/03-more.done.md": task("More"), f"{ONE}/STEP.md": step(1, "One", "* [ ] Task 2: Beta")},
        f"{ONE}/STEP.md",
        step(1, "One", "* [x] Task 1: Alpha\n* [ ] Task 2: Beta\n* [x] Task 3: More"),
    ),
    "no list": ({f"{TWO}/STEP.md": "# Step 2: Two\r\n"}, f"{TWO}/STEP.md",
                "# Step 2: Two\r\n\r\n## Tasks\r\n\r\n- [ ] Task 1: Gamma\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FIXABLE)
def test_what_can_be_made_from_the_files_is_mended_once_and_for_all(
    dctx: Run, tmp_path: Path, name: str
) -> None:
    files, path, after = FIXABLE[name]
    root = write(tmp_path, {**FILES, **files})
    assert ran(dctx, root).code == 1
    before = tree(root)
    told = json.loads(ran(dctx, root, "--fix", "--json").out)
    assert told["ok"] is True and told["problems"] == []
    assert told["fixed"] == [f"{D}/{path}"]
    assert tree(root) == {**before, path: after.encode()}
    again = ran(dctx, root, "--fix")
    assert (again.code, again.out, again.err) == (0, "Nothing disagrees.\n", "")
    assert tree(root) == {**before, path: after.encode()}


def test_what_was_mended_is_told_and_what_is_left_too(dctx: Run, tmp_path: Path) -> None:
    files = {"STATE.md": "**Status:** Complete\n", f"{ONE}/tasks/notes.md": "x"}
    result = ran(dctx, write(tmp_path, {**FILES, **files}), "--fix")
    assert result.code == 1
    assert result.out.startswith(f"{D}/STATE.md\n     1 - **Status:** Complete\n")
    assert f"Brought in line: 1 record.\n{D}/{ONE}/tasks/notes.md: has no number" in result.out


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe#\x00 \x00S\x00\n",
        pytest.param((b"x" * 4000 + b"\n") * 1100, id="too large"),
    ],
)
def test_what_cannot_be_written_safely_is_left_and_told(
    dctx: Run, tmp_path: Path, text: bytes
) -> None:
    root = write(tmp_path, {**FILES, "STATE.md": text})
    result = ran(dctx, root, "--fix")
    assert result.code == 1
    assert ".director/STATE.md could not be changed" in result.err
    assert tree(root)["STATE.md"] == text


@pytest.mark.parametrize(
    "files",
    [
        {"goals/02-second/GOAL.md": "# Goal 2: [Second]\n"},
        {f"{TWO}/STEP.md": "# Step 2: Two\n\n```\nnever closed\n"},
        {
            "GAMEPLAN.md": "# G\n\n### Goal 1: First\n\nWords.\n\n## Goals\n\nSee above.\n",
            "goals/02-second/GOAL.md": "# Goal 2: Second\n",
        },
    ],
    ids=["brackets", "open fence", "headings elsewhere"],
)
def test_what_is_mended_does_not_grow(tmp_path: Path, files: Files) -> None:
    root = write(tmp_path, {**FILES, **files})
    repair(str(root), NOW)
    after = tree(root)
    repair(str(root), LATER)
    assert tree(root) == after
    assert after["GAMEPLAN.md"].count(b"[Second]") <= 1


# A task file twice


@pytest.mark.parametrize(
    "other", [task("Alpha"), task("Alpha").replace("\n", "\r\n"), "\ufeff" + task("Alpha")]
)
def test_a_plain_file_that_says_the_same_as_the_done_one_is_moved_aside(
    dctx: Run, tmp_path: Path, other: str
) -> None:
    root = write(tmp_path, {**FILES, f"{ONE}/tasks/01-alpha.md": other})
    result = ran(dctx, root, "--fix")
    place = f".dctx/archive/{ONE}/tasks/01-alpha.md.1"
    assert result.code == 0
    assert (
        f"Fixed: {D}/{ONE}/tasks/01-alpha.md said the same as its .done.md; it is now {D}/{place}."
        in result.out
    )
    after = tree(root)
    assert after[place] == other.encode() and f"{ONE}/tasks/01-alpha.md" not in after
    assert after[f"{ONE}/tasks/01-alpha.done.md"] == task("Alpha").encode()
    write(root, {f"{ONE}/tasks/01-alpha.md": other})
    ran(dctx, root, "--fix")
    assert tree(root)[place.replace(".md.1", ".md.2")] == other.encode()
    assert ran(dctx, root).code == 0


def test_files_that_say_different_things_are_both_left(dctx: Run, tmp_path: Path) -> None:
    root = write(
        tmp_path, {**FILES, f"{ONE}/tasks/01-alpha.md": task("Alpha", what="Something else.")}
    )
    before = tree(root)
    assert ran(dctx, root, "--fix").code == 1
    assert tree(root) == before


def test_files_that_only_look_the_same_are_both_left(tmp_path: Path) -> None:
    files = {
        f"{ONE}/tasks/01-alpha.done.md": b"# Task: Alpha\n\xe9\n",
        f"{ONE}/tasks/01-alpha.md": b"# Task: Alpha\n\xe8\n",
    }
    root = write(tmp_path, {**FILES, **files})
    repair(str(root), NOW)
    assert f"{ONE}/tasks/01-alpha.md" in tree(root)


def test_without_a_place_to_keep_it_a_twin_stays(dctx: Run, tmp_path: Path) -> None:
    root = write(
        tmp_path / "project",
        {**FILES, f"{ONE}/tasks/01-alpha.md": task("Alpha"), "/../outside/x": ""},
    )
    (root / D / ".dctx").symlink_to(tmp_path / "outside")
    result = ran(dctx, root, "--fix")
    assert result.code == 1 and "Nothing was removed." in result.err
    assert (root / D / ONE / "tasks" / "01-alpha.md").exists()
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["x"]


# Files that a killed write left


LEFT = "goals/.STATE.md.0123456789ab.tmp"


def aged(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment), follow_symlinks=False)


def test_what_a_killed_write_left_is_removed_once_it_is_old(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {**FILES, LEFT: "half"})
    before = tree(root)
    aged(root / D / LEFT, 30)
    assert ran(dctx, root, "--fix").code == 1
    assert tree(root) == before, "somebody may still be writing it"
    aged(root / D / LEFT, 90)
    result = ran(dctx, root, "--fix")
    assert (
        result.code == 0
        and f"Fixed: {D}/{LEFT} was left by a write that did not end; it is gone." in result.out
    )
    assert tree(root) == {name: data for name, data in before.items() if name != LEFT}


def test_a_folder_that_was_being_made_is_removed_whole(tmp_path: Path) -> None:
    folder = "goals/.02-new.0123456789ab.tmp"
    root = write(tmp_path, {**FILES, f"{folder}/GOAL.md": "x", f"{folder}/tasks/x": "x"})
    assert [one[1] for one in found(root)] == [folder]
    aged(root / D / folder, 4000)
    repair(str(root), NOW)
    assert not (root / D / folder).exists() and found(root) == []


@pytest.mark.parametrize(
    "name",
    ["STATE.md.0123456789ab.tmp", ".STATE.md.0123456789a.tmp", ".STATE.md.0123456789AB.tmp", ".tmp", ".x.tmp",
     ".STATE.md.0123456789ab.tmp.md", ".0123456789ab.tmp", "notes.tmp"],
)  # fmt: skip
def test_files_of_others_that_only_look_alike_stay(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {**FILES, f"codebase/{name}": "mine"})
    aged(root / D / "codebase" / name, 100_000)
    repair(str(root), NOW)
    assert tree(root)[f"codebase/{name}"] == b"mine"


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    root = write(
        tmp_path / "project",
        {**FILES, "/../outside/.STATE.md.0123456789ab.tmp": "x", "/../outside/y": "y"},
    )
    (root / D / "linked").symlink_to(tmp_path / "outside")
    (root / D / LEFT).symlink_to(tmp_path / "outside")
    aged(root / D / LEFT, 90)
    aged(tmp_path / "outside" / ".STATE.md.0123456789ab.tmp", 4000)
    repair(str(root), NOW)
    assert not (root / D / LEFT).is_symlink()
    assert sorted(path.name for path in (tmp_path / "outside").iterdir()) == [
        ".STATE.md.0123456789ab.tmp",
        "y",
    ]


# Folders that are broken or hostile


@pytest.mark.parametrize("kind", ["pipe", "folder", "circle", "device"])
def test_documents_that_are_something_else_are_survived(
    dctx: Run, tmp_path: Path, kind: str
) -> None:
    root = write(tmp_path, {**FILES, "codebase/STACK.md": "x"})
    for name in (*NAMES[:7], f"{ONE}/tasks/02-beta.md", "codebase/STACK.md"):
        place = root / D / name
        place.unlink(missing_ok=True)
        if kind == "pipe":
            os.mkfifo(place)
        elif kind == "folder":
            place.mkdir()
        else:
            place.symlink_to(place if kind == "circle" else "/dev/zero")
    for words in ((), ("--json",), ("--fix",)):
        ran(dctx, root, *words)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("VISION.md", "is a folder where a file should be"),
        ("STATE.md", "cannot be brought in line: it is no regular file of this folder"),
        ("GAMEPLAN.md", "cannot be brought in line: it is no regular file of this folder"),
        ("codebase/STACK.md", "is a folder where a file should be"),
        (f"{ONE}/STEP.md", "cannot be brought in line: it is no regular file of this folder"),
        ("dctx.yaml", "is a folder"),
    ],
)
def test_a_folder_where_a_file_should_be_is_said_once(tmp_path: Path, name: str, says: str) -> None:
    root = write(tmp_path, FILES)
    place = root / D / name
    place.unlink(missing_ok=True)
    place.mkdir(parents=True)
    said = [problem for problem in found(root) if problem[1] == name]
    assert [problem[3].rstrip(".") for problem in said] == [says]


@needs_permissions
@pytest.mark.parametrize(
    "name", [".", "goals", "STATE.md", GOAL, ONE, f"{ONE}/tasks", f"{ONE}/STEP.md", "codebase"]
)
def test_what_may_not_be_read_is_survived_and_told(dctx: Run, tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {**FILES, "codebase/STACK.md": "x"})
    place = root / D / name
    mode = place.stat().st_mode
    place.chmod(0)
    try:
        results = [ran(dctx, root, *words) for words in ((), ("--json",), ("--fix",))]
    finally:
        place.chmod(mode)
    assert [result.code for result in results] == [1, 1, 1]


WORDS = st.sampled_from(
    ["# ", "## ", "### ", "Goal 1: First", "Goal 2", "Goals", "Steps", "Status", "Progress", "Tasks", "Decisions",
     "Current Focus", "**Current Goal:** ", "**Status:** ", "**Position:** ", "Complete", "- [ ] Task 1: ", "- [x] ",
     "Task 9: X", "1. **Step 1: ", "**", " -- ", "(2/3 tasks)", "not started", "### Locked", "### Deferred", "- ",
     "\n", "\n\n", "\r\n", "\r", "```", "<!--", "-->", "\0", "\x1b", "\u00e9", "_", "[", "]", "{{name}}", "|", ">"]
)  # fmt: skip
BYTES = st.lists(st.one_of(WORDS.map(str.encode), st.binary(max_size=4)), max_size=25).map(b"".join)
NAMES = ["STATE.md", "GAMEPLAN.md", "VISION.md", "config.json", "dctx.yaml", GOAL, f"{ONE}/STEP.md",
         f"{TWO}/tasks/01-gamma.md", f"{TWO}/tasks/01-gamma.done.md", "IDEAS.md"]  # fmt: skip


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(NAMES), BYTES, min_size=1, max_size=4))
def test_documents_of_any_bytes_are_survived_and_what_is_said_after_a_mend_is_true(
    files: dict[str, bytes],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {**FILES, **files})
        before = tree(root)
        diagnose(load_project(root=folder))
        assert tree(root) == before
        done = repair(folder, NOW)
        after = tree(root)
        changed = {one.path.removeprefix(f"{D}/") for one in done.rewrites}
        gone = before.keys() - after.keys()
        assert {name for name in before if name in after and before[name] != after[name]} <= changed
        assert gone <= {f"{TWO}/tasks/01-gamma.md"}
        assert all(before[name] in after.values() for name in gone)
        for name in NAMES[2:5] + NAMES[7:]:
            assert after.get(name, before.get(name)) == before.get(name)


# One truth: what doctor lists is what a sync changes

VAGUE = [
    {"STATE.md": "**Current task:** All 5 tasks complete\n"},
    {"STATE.md": "**Current task:** None -- step complete\n"},
    {"STATE.md": "**Current step:** One (complete)\n"},
    {"STATE.md": "**Current step:** Pending\n"},
    {"STATE.md": "**Current goal:**\n"},
    {"STATE.md": "**Position:** Goal 1 > Step 1\n"},
    {
        "GAMEPLAN.md": "## Goals\n1. **Goal 1: First**\n\n## Current Focus\n**All goals complete.** Live.\n"
    },
    {"GAMEPLAN.md": "## Goals\n1. **Goal 1: First**\n\n**Next Up:** whatever comes\n"},
]


@pytest.mark.parametrize("files", VAGUE, ids=lambda files: next(iter(files.values()))[-30:].strip())
def test_what_a_sync_would_change_is_told_by_doctor(
    dctx: Run, tmp_path: Path, files: dict[str, str]
) -> None:
    root = write(tmp_path, {**FILES, **files})
    told = json.loads(dctx("doctor", "--json", cwd=root).out)["problems"]
    changed = json.loads(dctx("doctor", "--fix", "--dry-run", "--json", cwd=root).out)["changed"]
    wanted = {
        (one["path"], line["line"])
        for one in changed
        for line in one["lines"]
        if "Last" not in str(line["old"])
    }
    assert wanted and wanted <= {(one["path"], one["line"]) for one in told}
    assert dctx("doctor", "--fix", cwd=root).code == 0
    assert json.loads(dctx("doctor", "--json", cwd=root).out)["problems"] == []


@pytest.mark.parametrize(
    "form",
    [
        "{n}. [{m}] Task {n}: {t}",
        "- Task {n}: {t}",
        "- [{m}] Task {n}. {t}",
        "-\t[{m}] Task {n}: {t}",
    ],
)
def test_other_forms_of_a_task_list_are_read(dctx: Run, tmp_path: Path, form: str) -> None:
    lines = "\n".join(
        form.format(n=n, m=m, t=t) for n, m, t in ((1, "x", "Alpha"), (2, " ", "Beta"))
    )
    root = write(tmp_path, {**FILES, f"{ONE}/STEP.md": step(1, "One", lines)})
    before = tree(root)
    result = dctx("doctor", "--fix", cwd=root)
    assert (result.code, tree(root)) == (0, before), result


@pytest.mark.parametrize("form", ["- [ ] {t}", "- [] Task {n}: {t}", "| Task {n} | {t} |"])
def test_a_list_that_cannot_be_read_is_pointed_at_and_not_doubled(
    dctx: Run, tmp_path: Path, form: str
) -> None:
    lines = "\n".join(form.format(n=n, t=t) for n, t in ((1, "Alpha"), (2, "Beta")))
    root = write(tmp_path, {**FILES, f"{ONE}/STEP.md": step(1, "One", lines)})
    before = tree(root)
    result = dctx("doctor", "--fix", cwd=root)
    assert tree(root) == before
    assert result.code == 1
    assert f"{D}/{ONE}/STEP.md:8: lists no task" in result.out
    assert "This line may be meant; write it as '- [ ] Task 1: NAME'" in result.out


@pytest.mark.parametrize("name", ["goals/01-first/GOAL.md", f"{ONE}/STEP.md"])
def test_a_parent_that_is_missing_is_a_problem(dctx: Run, tmp_path: Path, name: str) -> None:
    root = write(tmp_path, FILES)
    (root / D / name).unlink()
    assert f"{D}/{name}: is missing" in dctx("doctor", cwd=root).out


def test_goals_and_steps_under_two_names_are_worth_checking(tmp_path: Path) -> None:
    files = {**FILES, "GAMEPLAN.md": "# G\n\n## Goals\n1. **Goal 1: Fast delivery**\n"}
    root = write(tmp_path, files)
    assert ("GAMEPLAN.md", 4, "calls goal 1 'Fast delivery'; its own file says 'First'") in worth(
        root
    )
