"""`dctx add`: a goal, a step or a task, from its template, in its place, and listed like its
neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, plan, step, task, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx import load_project
from director_ctx.project.reading.model import numbered
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.slug import LONGEST, slug

Run = Callable[..., Result]
NOW = "2026-03-04 05:06"
DASH = "\u2014"
GAMEPLAN = "# Gameplan\n\n## Goals\n\n{}\n\n## Current Focus\n\nMine.\n"
GOAL = "goals/01-first/GOAL.md"
STEP = "goals/01-first/01-step/STEP.md"
TASKS = "goals/01-first/01-step/tasks"


def tree(root: Path) -> dict[str, bytes]:
    base = root / ".director"
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file() and ".dctx" not in path.parts
    }


def ran(dctx: Run, root: Path, *words: str) -> Result:
    result = dctx(*words, cwd=root)
    assert "Traceback" not in result.err
    return result


def made(dctx: Run, root: Path, *words: str) -> dict[str, bytes]:
    """The documents that a command made or changed."""
    before = tree(root)
    result = ran(dctx, root, *words)
    assert (result.code, result.err) == (0, "")
    after = tree(root)
    assert not before.keys() - after.keys(), "nothing goes"
    return {name: data for name, data in after.items() if before.get(name) != data}


def problems(root: Path) -> list[str]:
    return [f"{one.path}: {one.says}" for one in diagnose(load_project(root=str(root))).problems]


# From an empty plan


def test_a_plan_grows_from_nothing_and_every_record_agrees(dctx: Run, tmp_path: Path) -> None:
    assert dctx("init", "--root", ".", cwd=tmp_path).code == 0
    (tmp_path / ".director" / "VISION.md").write_text(
        "# Vision\n\n## What It Does\nIt keeps links.\n"
    )
    goal = made(dctx, tmp_path, "add", "goal", "A list worth opening", "--about", "People read it")
    assert goal["goals/01-a-list-worth-opening/GOAL.md"].decode() == (
        "# Goal 1: A list worth opening\n\n## What Success Looks Like\nPeople read it\n\n## Steps\n\n## Status\n\n"
        "**Progress:** Not started\n**Steps complete:** 0 of 0\n"
    )
    assert (
        "## Goals\n1. **Goal 1: A list worth opening** -- People read it\n"
        in goal["GAMEPLAN.md"].decode()
    )
    first = made(dctx, tmp_path, "add", "step", "Saving links")
    base = "goals/01-a-list-worth-opening"
    assert b"## Steps\n\n1. **Step 1: Saving links**\n\n## Status" in first[f"{base}/GOAL.md"]
    assert b"**Steps complete:** 0 of 1\n" in first[f"{base}/GOAL.md"]
    assert (tmp_path / ".director" / base / "01-saving-links" / "tasks").is_dir()
    new = made(
        dctx, tmp_path, "add", "task", "Keep a link", "--size", "small", "--needs", "Nothing"
    )
    text = new[f"{base}/01-saving-links/tasks/01-keep-a-link.md"].decode()
    assert (
        text.startswith("# Task: Keep a link\n")
        and "**Estimate:** small\n" in text
        and text.endswith("\nNothing\n")
    )
    assert b"- [ ] Task 1: Keep a link\n" in new[f"{base}/01-saving-links/STEP.md"]
    assert (
        b"**Current task:** Keep a link\n**Position:** Goal 1 > Step 1 > Task 1\n"
        in new["STATE.md"]
    )
    assert problems(tmp_path) == []


def test_the_remark_of_the_template_goes_with_the_first_goal(dctx: Run, tmp_path: Path) -> None:
    dctx("init", "--root", ".", cwd=tmp_path)
    assert b"will be populated" in tree(tmp_path)["GAMEPLAN.md"]
    text = made(dctx, tmp_path, "add", "goal", "First")["GAMEPLAN.md"].decode()
    assert text.startswith("# Gameplan\n\n## Goals\n1. **Goal 1: First**\n\n## Current Focus\n")
    assert "No goals defined yet" not in text and "populated" not in text


def test_a_remark_of_the_user_stays(dctx: Run, tmp_path: Path) -> None:
    write(
        tmp_path, {"GAMEPLAN.md": "# G\n\n> Agreed with Ann.\n\n## Goals\n\n> In order of value.\n"}
    )
    text = made(dctx, tmp_path, "add", "goal", "First")["GAMEPLAN.md"].decode()
    assert (
        text
        == "# G\n\n> Agreed with Ann.\n\n## Goals\n\n> In order of value.\n\n1. **Goal 1: First**\n"
    )


@pytest.mark.parametrize("mark", ["_", "*"])
def test_a_sentence_of_the_user_in_italics_stays(dctx: Run, tmp_path: Path, mark: str) -> None:
    write(
        tmp_path, {**plan({}), STEP: step(1, "S", f"{mark}To be planned with Ann on Monday.{mark}")}
    )
    assert b"with Ann on Monday" in made(dctx, tmp_path, "add", "task", "New")[STEP]


# Numbers


@pytest.mark.parametrize(
    ("have", "number"),
    [
        ((), "01"),
        ((1, 4), "05"),
        ((9,), "10"),
        ((98, 99), "100"),
        ((0,), "01"),
    ],
)
def test_the_next_number_is_one_above_the_highest(
    dctx: Run, tmp_path: Path, have: tuple[int, ...], number: str
) -> None:
    files: dict[str, str] = {STEP: step(1, "S"), GOAL: "# Goal 1: First\n"}
    for one in have:
        files[f"{TASKS}/{one:02}-t.done.md"] = task("T")
    write(tmp_path, files)
    new = made(dctx, tmp_path, "add", "task", "New", "--step", "1")
    assert f"{TASKS}/{number}-new.md" in new
    assert f"Task {int(number)}: New".encode() in new[STEP]


def test_names_without_a_number_and_files_where_folders_should_be_do_not_count(
    dctx: Run, tmp_path: Path
) -> None:
    write(
        tmp_path, {**plan({"01-a.md": task("A")}), f"{TASKS}/notes.md": "x", "goals/02-file": "x"}
    )
    assert f"{TASKS}/02-new.md" in made(dctx, tmp_path, "add", "task", "New")
    assert "goals/02-other/GOAL.md" in made(dctx, tmp_path, "add", "goal", "Other")


def test_a_file_of_the_same_name_is_never_written_over(dctx: Run, tmp_path: Path) -> None:
    write(tmp_path, {**plan({}), "goals/02-new": "mine"})
    before = tree(tmp_path)
    result = ran(dctx, tmp_path, "add", "goal", "New")
    assert result.code == 1 and "Could not make .director/goals/02-new" in result.err
    assert tree(tmp_path) == before
    assert sorted(path.name for path in (tmp_path / ".director" / "goals").iterdir()) == [
        "01-first",
        "02-new",
    ]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_task_is_never_made_where_something_is(dctx: Run, tmp_path: Path, kind: str) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    place = root / ".director" / TASKS / "02-new.md"
    place.mkdir() if kind == "folder" else place.symlink_to("nowhere")
    before = tree(root)
    result = ran(dctx, root, "add", "task", "New")
    assert result.code == 1 and "02-new.md is there already." in result.err
    assert tree(root) == before and (place.is_dir() or place.is_symlink())


def test_a_number_that_is_listed_under_another_name_is_not_given_away(
    dctx: Run, tmp_path: Path
) -> None:
    listed = "- [ ] Task 1: A\n- [ ] Task 2: Planned in words"
    write(tmp_path, {**plan({"01-a.md": task("A")}), STEP: step(1, "S", listed)})
    assert f"{TASKS}/03-another.md" in made(dctx, tmp_path, "add", "task", "Another")


@pytest.mark.parametrize(
    ("words", "path", "text"),
    [
        (
            ("goal", "Second"),
            "GAMEPLAN.md",
            GAMEPLAN.format("1. **Goal 1: First** -- a\n2. **Goal 2: Second** -- b"),
        ),
        (
            ("step", "Two"),
            GOAL,
            "# Goal 1: First\n\n## Steps\n\n1. **Step 1: One** -- a\n2. **Step 2: Two** -- b\n",
        ),
        (("task", "Two"), STEP, step(1, "S", "- [ ] Task 1: One\n- [ ] Task 2: Two (with Ann)")),
    ],
    ids=["goal", "step", "task"],
)
def test_planning_what_is_listed_already_lists_it_once(
    dctx: Run, tmp_path: Path, words: tuple[str, str], path: str, text: str
) -> None:
    """That is what doctor advises for a goal that is listed without a folder."""
    root = write(tmp_path, {**plan({"01-one.md": task("One")}), path: text})
    made(dctx, root, "add", *words)
    assert tree(root)[path].decode() == text


# Names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Links, kept in a file!", "links-kept-in-a-file"),
        ("  It's  Ann\u2019s -- list ", "its-anns-list"),
        ("Gr\u00f6\u00dfe & F\u00fc\u00dfe", "grosse-fusse"),
        ("L'\u00e9t\u00e9 \u00e0 Paris", "lete-a-paris"),
        ("\u041f\u0435\u0301\u0442, \u043c\u0438\u0440", "\u043f\u0435\u0442-\u043c\u0438\u0440"),
        ("\u65e5\u672c\u8a9e \u5b57", "\u65e5\u672c\u8a9e-\u5b57"),
        ("\u05e2\u05d1\u05e8\u05d9\u05ea", "\u05e2\u05d1\u05e8\u05d9\u05ea"),
        ("\U0001f389\U0001f389", "untitled"),
        ("\U0001f389 Party", "party"),
        ("...", "untitled"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\\b:c*d", "a-b-c-d"),
        ("notes.done", "notes-done"),
        ("x" * 100, "x" * LONGEST),
        ("a " * 60, "-".join(["a"] * 20)),
        (f"{'a' * 39} bc", "a" * 39),
        ("\u0130stanbul", "istanbul"),
        ("\u30ac\u30e9\u30b9", "\u30ac\u30e9\u30b9"),
        ("\ud55c\uad6d\uc5b4", "\ud55c\uad6d\uc5b4"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
    ],
)  # fmt: skip
def test_a_file_name_is_made_of_the_words_of_the_name(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text(max_size=300))
def test_any_name_gives_a_file_name_that_is_read_back(name: str) -> None:
    made = slug(name)
    assert 0 < len(made) <= LONGEST and len(f"0001-{made}.done.md".encode()) < 255
    assert not set(made) & set("/\\:*?\"<>|. \0\n\t'") and made == made.strip("-")
    assert numbered(f"0001-{made}") == (1, made)


HOSTILE = [
    "C++", "+", "a -- b", f"a {DASH} b (c)", "Goal 2: x", "x -- DONE", "{{number}} {{about}} {{", "`code`",
    "Done", "# hash", "| pipe |", "1. one", "../../etc/passwd", "Task 7: Next", "None", "[x] ticked", "[Draft]",
    "Support **bold** text", "Match *.md", "[link](/x)", "\\n", "\U0001f389", "~~~", "```", "Chapter 1/2 is complete",
    "a" * 200,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_of_any_kind_is_listed_once_and_read_back(
    dctx: Run, tmp_path: Path, name: str
) -> None:
    records = {
        "GAMEPLAN.md": GAMEPLAN.format("1. **Goal 1: First** -- x"),
        "STATE.md": "# State\n\n**Current task:** x\n\n## Progress\n\n### Goal 1: First\n- Step 1: S (1/1 tasks)\n",
        GOAL: "# Goal 1: First\n\n## Steps\n\n1. **Step 1: S** -- x\n",
        STEP: step(1, "S", "- [x] Task 1: A"),
    }
    root = write(tmp_path, {**plan({"01-a.done.md": task("A")}), **records})
    for words in (("goal",), ("step", "--goal", "1"), ("task", "--step", "1/1")):
        result = ran(dctx, root, "add", *words, "--", name)
        assert (result.code, result.err) == (0, "")
    assert problems(root) == []
    assert tree(root)["GAMEPLAN.md"].decode().count(f"Goal 2: {name}") == 1
    assert tree(root)[STEP].decode().count(f"- [ ] Task 2: {name}") == 1
    project = load_project(root=str(root))
    goal = project.goals()[1]
    assert project.title(goal) == name
    assert not [one for one in diagnose(project).worth_checking if "calls task" in one.says]
    again = tree(root)
    assert dctx("doctor", "--fix", cwd=root).code == 0
    assert tree(root) == again


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "The name is empty."),
        ("  ", "The name is empty."),
        ("***", "The name is empty."),
        ("two\nlines", "A name is one line of printable text."),
        ("a\rb", "A name is one line of printable text."),
        ("a\x1b[31mb", "A name is one line of printable text."),
        ("a\u2028b", "A name is one line of printable text."),
        ("\udce9", "A name is one line of printable text."),
        ("<!-- hidden -->", "The name would be read as a comment."),
        ("x" * 201, "The name is too long."),
    ],
)
def test_a_name_that_cannot_be_listed_is_refused_and_nothing_is_made(
    dctx: Run, tmp_path: Path, name: str, sentence: str
) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    before = tree(root)
    for kind in ("goal", "step", "task"):
        result = ran(dctx, root, "add", kind, name)
        assert (result.code, result.out) == (2, "")
        assert sentence in result.err and "hint:" in result.err
    assert tree(root) == before


@pytest.mark.parametrize("option", ["--about", "--needs"])
@pytest.mark.parametrize("value", ["", " ", "two\nlines", "a\r2. **Goal 9: Fake**", "\x1b[31mred"])
def test_what_is_said_about_it_is_one_line(
    dctx: Run, tmp_path: Path, option: str, value: str
) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    before = tree(root)
    result = ran(dctx, root, "add", "task", "New", option, value)
    assert (result.code, result.out) == (2, "")
    assert f"{option} is one line of printable text." in result.err
    assert tree(root) == before


@pytest.mark.parametrize("about", ["```", "<!-- later", "## Tasks", "> said", "~~~ x"])
def test_what_is_said_about_a_step_cannot_swallow_its_sections(
    dctx: Run, tmp_path: Path, about: str
) -> None:
    root = write(tmp_path, plan({"01-a.done.md": task("A")}))
    before = tree(root)
    result = ran(dctx, root, "add", "step", "New", "--about", about)
    assert (result.code, "would be read as markup" in result.err) == (2, True)
    assert tree(root) == before


# The place in the parent's list


@pytest.mark.parametrize(
    ("have", "line"),
    [
        ("1. **Goal 1: First** -- a", "2. **Goal 2: New** -- b"),
        (f"1. **Goal 1: First** {DASH} a", f"2. **Goal 2: New** {DASH} b"),
        ("1) **Goal 1: First** -- a", "2) **Goal 2: New** -- b"),
        ("- **Goal 1: First** -- a", "- **Goal 2: New** -- b"),
        ("* **Goal 1: First**", "* **Goal 2: New** -- b"),
        ("+ Goal 1: First -- a", "+ Goal 2: New -- b"),
        ("1. Goal 1: First", "2. Goal 2: New -- b"),
        ("  - Goal 1: First -- a", "  - Goal 2: New -- b"),
    ],
)
def test_a_goal_is_listed_in_the_form_of_its_neighbours(
    dctx: Run, tmp_path: Path, have: str, line: str
) -> None:
    write(tmp_path, {**plan({}), "GAMEPLAN.md": GAMEPLAN.format(have)})
    after = made(dctx, tmp_path, "add", "goal", "New", "--about", "b")["GAMEPLAN.md"].decode()
    assert after == GAMEPLAN.format(f"{have}\n{line}")


@pytest.mark.parametrize(
    ("have", "line"),
    [
        ("- [x] Task 1: A", "- [ ] Task 2: New"),
        ("* [~] Task 1: A -- DONE", "* [ ] Task 2: New"),
        ("  + [x] Task 1: A", "  + [ ] Task 2: New"),
        ("- [x] Task 1: A\n\n- [ ] Something else", None),
    ],
)
def test_a_task_is_listed_in_the_form_of_its_neighbours(
    dctx: Run, tmp_path: Path, have: str, line: str | None
) -> None:
    write(tmp_path, {**plan({"01-a.done.md": task("A")}), STEP: step(1, "S", have)})
    after = made(dctx, tmp_path, "add", "task", "New")[STEP].decode()
    expected = f"{have}\n{line}" if line else have.replace("A\n", "A\n- [ ] Task 2: New\n")
    assert after == step(1, "S", expected)


@pytest.mark.parametrize(
    ("path", "words", "before", "after"),
    [
        (
            "GAMEPLAN.md", ("goal", "New"),
            GAMEPLAN.format("1. **Goal 1: First** -- a long text\n   that goes on\n\n\nWords."),
            GAMEPLAN.format("1. **Goal 1: First** -- a long text\n   that goes on\n2. **Goal 2: New**\n\n\nWords."),
        ),
        (
            GOAL, ("step", "New"),
            "# Goal 1: First\n\n## Steps\n1. **Step 1: A** -- a\n\t- a part\n## Status\n",
            "# Goal 1: First\n\n## Steps\n1. **Step 1: A** -- a\n\t- a part\n2. **Step 2: New**\n## Status\n",
        ),
        (
            STEP, ("task", "New"),
            step(1, "S", "- [ ] Task 1: A\n  - a part\n  more of it\n\nWords."),
            step(1, "S", "- [ ] Task 1: A\n  - a part\n  more of it\n- [ ] Task 2: New\n\nWords."),
        ),
        (
            "GAMEPLAN.md", ("goal", "New"),
            GAMEPLAN.format("1. **Goal 1: First** -- a long text that\nwraps without indentation"),
            GAMEPLAN.format("1. **Goal 1: First** -- a long text that\nwraps without indentation\n2. **Goal 2: New**"),
        ),
        (
            STEP, ("task", "New"),
            step(1, "S", "- [ ] Task 1: A\n\n  Details.\n\n  ```\n\n  code\n  ```"),
            step(1, "S", "- [ ] Task 1: A\n\n  Details.\n\n  ```\n\n  code\n  ```\n- [ ] Task 2: New"),
        ),
        (
            STEP, ("task", "New"),
            "# S\n\n## Tasks\n- [ ] Task 1: A",
            "# S\n\n## Tasks\n- [ ] Task 1: A\n- [ ] Task 2: New",
        ),
    ],
    ids=["goal", "step", "task", "wrapped", "paragraphs", "no final newline"],
)  # fmt: skip
def test_a_new_line_goes_behind_what_belongs_to_the_one_before(
    dctx: Run, tmp_path: Path, path: str, words: tuple[str, ...], before: str, after: str
) -> None:
    write(tmp_path, {**plan({"01-a.md": task("A")}), path: before})
    assert made(dctx, tmp_path, "add", *words)[path].decode() == after


def test_a_missing_line_goes_before_a_higher_number_and_after_a_lower_one(
    dctx: Run, tmp_path: Path
) -> None:
    files = {f"0{number}-x.md": task(f"T{number}") for number in (1, 2, 4, 9)}
    nine, one, two, four = (f"- [ ] Task {number}: T{number}" for number in (9, 1, 2, 4))
    root = write(tmp_path, plan(files))
    for before, after in (
        ((nine, one, four), (nine, one, two, four)),
        ((two, four, nine), (one, two, four, nine)),
    ):
        write(root, {STEP: step(1, "S", "\n".join(before))})
        dctx("doctor", "--fix", cwd=root)
        assert tree(root)[STEP].decode() == step(1, "S", "\n".join(after))


def test_where_goals_are_headings_a_new_one_is_a_heading_below_their_text(
    dctx: Run, tmp_path: Path
) -> None:
    goals = "### Goal 1: First\nAbout the first.\n\n### Goal 2: Second\nAbout the second."
    files = {
        **plan({}),
        "goals/02-second/GOAL.md": "# Goal 2: Second\n",
        "GAMEPLAN.md": GAMEPLAN.format(goals),
    }
    after = made(dctx, write(tmp_path, files), "add", "goal", "New")["GAMEPLAN.md"].decode()
    assert after == GAMEPLAN.format(f"{goals}\n\n### Goal 3: New")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# S\n\n## Tasks\n\n## Needs First\n",
            "# S\n\n## Tasks\n\n- [ ] Task 1: New\n\n## Needs First\n",
        ),
        (
            "# S\n\n## Tasks\n## Needs First\n",
            "# S\n\n## Tasks\n\n- [ ] Task 1: New\n\n## Needs First\n",
        ),
        ("# S\n\n## Tasks\n\nWords.\n", "# S\n\n## Tasks\n\nWords.\n\n- [ ] Task 1: New\n"),
        ("# S\n\n## Tasks\n_No tasks defined yet_\n", "# S\n\n## Tasks\n- [ ] Task 1: New\n"),
        ("# S\n", "# S\n\n## Tasks\n\n- [ ] Task 1: New\n"),
        ("# S", "# S\n\n## Tasks\n\n- [ ] Task 1: New"),
        ("", "\n## Tasks\n\n- [ ] Task 1: New\n"),
    ],
)
def test_an_empty_or_missing_section_is_filled_or_made(
    dctx: Run, tmp_path: Path, before: str, after: str
) -> None:
    write(tmp_path, {**plan({}), STEP: before})
    assert made(dctx, tmp_path, "add", "task", "New")[STEP].decode() == after


@pytest.mark.parametrize(
    ("words", "path", "heading"),
    [
        (
            ("goal", "New"),
            "GAMEPLAN.md",
            "# Gameplan\n\n## Goals\n\n1. **Goal 1: First**\n2. **Goal 2: New**\n",
        ),
        (
            ("step", "New"),
            GOAL,
            "# Goal 1: First\n\n## Steps\n\n1. **Step 1: Step 1**\n2. **Step 2: New**\n",
        ),
        (
            ("task", "New"),
            STEP,
            "# Step 1: Step\n\n## Tasks\n\n- [ ] Task 1: A\n- [ ] Task 2: New\n",
        ),
    ],
)
def test_a_parent_that_is_missing_or_lists_nothing_lists_all(
    dctx: Run, tmp_path: Path, words: tuple[str, ...], path: str, heading: str
) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    (root / ".director" / path).unlink(missing_ok=True)
    bare = write(tmp_path / "bare", plan({"01-a.md": task("A")}))
    write(bare, {path: heading.split("\n", maxsplit=1)[0] + "\n"})
    for one in (root, bare):
        assert made(dctx, one, "add", *words)[path].decode() == heading


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_line_ends_and_the_mark_of_the_parent_stay(dctx: Run, tmp_path: Path, end: str) -> None:
    before = "\ufeff" + step(1, "S", "- [ ] Task 1: A\n  more").replace("\n", end)
    write(tmp_path, {**plan({"01-a.md": task("A")}), STEP: before})
    after = made(dctx, tmp_path, "add", "task", "New")[STEP].decode()
    assert after == before.replace(f"more{end}", f"more{end}- [ ] Task 2: New{end}")


def test_bytes_that_are_no_utf_8_stay_in_the_parent(dctx: Run, tmp_path: Path) -> None:
    before = b"# S caf\xe9\n\n## Tasks\n- [ ] Task 1: caf\xe9\n\xff\n"
    write(tmp_path, {**plan({"01-a.md": task("A")}), STEP: before})
    expected = before + b"- [ ] Task 2: New \xc3\xa9\n"  # what is behind the item is its next line
    assert made(dctx, tmp_path, "add", "task", "New \u00e9")[STEP] == expected


# Where it goes, and what it needs


def test_without_options_it_goes_where_the_project_stands(dctx: Run, tmp_path: Path) -> None:
    files = {
        **plan({"01-a.done.md": task("A")}, {"01-b.md": task("B")}),
        "goals/02-c/GOAL.md": "# Goal 2: C\n",
    }
    root = write(tmp_path, files)
    assert "goals/01-first/02-step/tasks/02-new.md" in made(dctx, root, "add", "task", "New")
    assert "goals/01-first/03-new/STEP.md" in made(dctx, root, "add", "step", "New")


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (("task", "New", "--step", "1"), f"{TASKS}/02-new.md"),
        (("task", "New", "--step", "1/2"), "goals/01-first/02-step/tasks/02-new.md"),
        (("task", "New", "-s", "Step 2"), "goals/01-first/02-step/tasks/02-new.md"),
        (("task", "New", "-g", "2", "-s", "1"), "goals/02-c/01-d/tasks/01-new.md"),
        (("step", "New", "-g", "c"), "goals/02-c/02-new/STEP.md"),
    ],
)
def test_with_options_it_goes_where_they_say(
    dctx: Run, tmp_path: Path, words: tuple[str, ...], path: str
) -> None:
    files: Files = {
        **plan({"01-a.done.md": task("A")}, {"01-b.md": task("B")}),
        "goals/02-c/GOAL.md": "# Goal 2: C\n",
        "goals/02-c/01-d/STEP.md": step(1, "D"),
    }
    assert path in made(dctx, write(tmp_path, files), "add", *words)


@pytest.mark.parametrize(
    "words",
    [
        ("task", "New", "--step", "9"),
        ("task", "New", "--step", "9/9"),
        ("task", "New", "--goal", "2", "--step", "1/1"),
        ("step", "New", "--goal", "nowhere"),
    ],
)
def test_a_place_that_is_not_there_is_refused_and_nothing_is_made(
    dctx: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    before = tree(root)
    result = ran(dctx, root, "add", *words)
    assert (result.code, result.out) == (1, "") and "hint:" in result.err
    assert tree(root) == before


@pytest.mark.parametrize("kind", ["step", "task"])
def test_in_an_empty_plan_it_says_what_to_make_first(dctx: Run, tmp_path: Path, kind: str) -> None:
    result = ran(dctx, write(tmp_path, {}), "add", kind, "New")
    assert (result.code, result.out) == (1, "") and "dctx add goal 'NAME'" in result.err
    assert "dctx add --from FILE" in result.err
    assert tree(tmp_path) == {}


def test_a_goal_without_steps_takes_no_task_yet(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {"goals/01-first/GOAL.md": "# Goal 1: First\n"})
    result = ran(dctx, root, "add", "task", "New")
    assert (result.code, result.out) == (1, "") and "dctx add step 'NAME'" in result.err


def test_where_a_step_is_to_be_planned_a_task_goes_there(dctx: Run, tmp_path: Path) -> None:
    """STATE.md says `Current step: Step 2` here, because the tool wrote so itself."""
    root = write(
        tmp_path, {**plan({"01-a.done.md": task("A")}, {}), "STATE.md": "**Current step:** x\n"}
    )
    assert made(dctx, root, "doctor", "--fix")["STATE.md"] == b"**Current step:** Step 2\n"
    assert "goals/01-first/02-step/tasks/01-new.md" in made(dctx, root, "add", "task", "New")


def test_where_goals_are_to_be_planned_a_step_goes_to_the_first_of_them(
    dctx: Run, tmp_path: Path
) -> None:
    files = {**plan({"01-a.done.md": task("A")}), "STATE.md": "**Current goal:** x\n"}
    root = write(
        tmp_path,
        {**files, "goals/02-b/GOAL.md": "# Goal 2: B\n", "goals/03-c/GOAL.md": "# Goal 3: C\n"},
    )
    assert made(dctx, root, "doctor", "--fix")["STATE.md"] == b"**Current goal:** B\n"
    assert "goals/02-b/01-new/STEP.md" in made(dctx, root, "add", "step", "New")


def test_what_it_needs_is_what_stands_before_it_unless_it_is_said(
    dctx: Run, tmp_path: Path
) -> None:
    root = write(tmp_path, {"goals/01-first/GOAL.md": "# Goal 1: First\n"})
    needs = [
        made(dctx, root, "add", *words, "--json")[path].decode().rpartition("## Needs First\n")[2]
        for words, path in (
            (("step", "A"), "goals/01-first/01-a/STEP.md"),
            (("task", "B"), "goals/01-first/01-a/tasks/01-b.md"),
            (("task", "C"), "goals/01-first/01-a/tasks/02-c.md"),
            (("step", "D"), "goals/01-first/02-d/STEP.md"),
            (("task", "E", "--step", "2"), "goals/01-first/02-d/tasks/01-e.md"),
            (
                ("task", "F", "--step", "1", "--needs", "Step 1 and a key"),
                "goals/01-first/01-a/tasks/03-f.md",
            ),
        )
    ]
    nothing = "Nothing -- this can start right away.\n"
    assert needs == [nothing, nothing, "The previous task.\n", "The previous step.\n", "The previous task.\n",
                     "Step 1 and a key\n"]  # fmt: skip


# Templates


def test_the_project_s_own_templates_are_used(dctx: Run, tmp_path: Path) -> None:
    own = {
        "templates/goal.md": "# Goal {{number}}: {{ name }}\n{{about}}\n",
        "templates/step.md": "# Step {{number}}: {{name}}\n{{needs}}\n{{unknown}} {{ {}}\n",
        "templates/task.md": "# Task: {{name}}\n{{size}} {{number}} {{name}}\n",
    }
    root = write(tmp_path, own)
    assert (
        made(dctx, root, "add", "goal", "G", "--about", "a")["goals/01-g/GOAL.md"]
        == b"# Goal 1: G\na\n"
    )
    text = made(dctx, root, "add", "step", "S", "--needs", "n")["goals/01-g/01-s/STEP.md"].decode()
    assert text == "# Step 1: S\nn\n{{unknown}} {{ {}}\n"
    new = made(dctx, root, "add", "task", "T", "--size", "large")
    assert new["goals/01-g/01-s/tasks/01-t.md"] == b"# Task: T\nlarge 1 T\n"


def test_an_empty_template_counts_as_missing(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {"templates/goal.md": " \n"})
    assert made(dctx, root, "add", "goal", "G")["goals/01-g/GOAL.md"].startswith(
        b"# Goal 1: G\n\n## What Success"
    )


def test_what_looks_like_a_placeholder_in_a_value_is_not_filled_in(
    dctx: Run, tmp_path: Path
) -> None:
    root = write(tmp_path, plan({}))
    new = made(
        dctx,
        root,
        "add",
        "task",
        "{{about}} {{name}}",
        "--about",
        "{{needs}} {{",
        "--needs",
        "{{size}}",
    )
    text = new[f"{TASKS}/01-about-name.md"].decode()
    assert text.startswith("# Task: {{about}} {{name}}\n\n## What To Do\n{{needs}} {{\n")
    assert text.endswith("\n{{size}}\n")


def test_a_template_that_is_a_link_out_of_the_folder_is_not_read(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"/../secret.md": "# Secret {{name}}\n"})
    (root / ".director" / "templates").mkdir()
    (root / ".director" / "templates" / "goal.md").symlink_to(tmp_path / "secret.md")
    assert made(dctx, root, "add", "goal", "G")["goals/01-g/GOAL.md"].startswith(b"# Goal 1: G\n")


# Links


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("goals", ("goal", "New")),
        ("goals/01-first/01-step/tasks", ("task", "New", "--step", "1")),
    ],
)
def test_nothing_is_made_through_a_link_that_leaves_the_folder(
    dctx: Run, tmp_path: Path, link: str, words: tuple[str, ...]
) -> None:
    root = write(tmp_path / "project", plan({}) if link != "goals" else {})
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / ".director" / link).symlink_to(outside)
    result = ran(dctx, root, "add", *words)
    assert result.code == 1 and "leaves .director/" in result.err
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("target", ["/outside.md", "nowhere.md"])
def test_a_parent_that_is_a_link_out_of_the_folder_is_not_written_and_that_is_said(
    dctx: Run, tmp_path: Path, target: str
) -> None:
    root = write(tmp_path / "project", {**plan({}), "/../outside.md": "mine\n"})
    place = root / ".director" / STEP
    place.unlink()
    place.symlink_to(tmp_path / target.lstrip("/"))
    result = ran(dctx, root, "add", "task", "New", "--step", "1")
    assert (tmp_path / "outside.md").read_text() == "mine\n" and not (
        tmp_path / "nowhere.md"
    ).exists()
    assert place.is_symlink()
    assert (result.code, "STEP.md could not be changed" in result.err) == (1, True)


# What is printed


def test_what_was_made_and_what_is_next_is_printed(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, plan({"01-a.md": task("A")}))
    result = ran(dctx, root, "add", "task", "  Mark it  ")
    path = f".director/{TASKS}/02-mark-it.md"
    lines = result.out.splitlines()
    assert (result.code, result.err, lines[0]) == (0, "", f"Added 1/1/2  Mark it: {path}")
    assert f"  .director/{STEP}" in lines and lines[-1] == "Next: 1/1/1  A"


@pytest.mark.parametrize(
    ("words", "ref", "path", "parent"),
    [
        (("goal", "New"), "2", "goals/02-new", "GAMEPLAN.md"),
        (("step", "New"), "1/2", "goals/01-first/02-new", GOAL),
        (("task", "New"), "1/1/2", f"{TASKS}/02-new.md", STEP),
    ],
)
def test_json_tells_the_place_and_the_lines(
    dctx: Run, tmp_path: Path, words: tuple[str, ...], ref: str, path: str, parent: str
) -> None:
    result = ran(dctx, write(tmp_path, plan({"01-a.md": task("A")})), "add", *words, "--json")
    found = json.loads(result.out)
    assert (result.code, result.err) == (0, "")
    assert found["place"]["ref"] == ref
    assert found["place"][words[0]]["path"] == f".director/{path}"
    changed = {one["path"]: one["lines"] for one in found["changed"]}
    assert any("New" in (line["new"] or "") for line in changed[f".director/{parent}"])
    assert found["next"]["ref"] == "1/1/1"


@pytest.mark.parametrize(
    "words",
    [
        ("add",),
        ("add", "goal"),
        ("add", "nothing", "X"),
        ("add", "task", "X", "Y"),
        ("add", "task", "X", "--size", "huge"),
        ("add", "goal", "X", "--step", "1"),
        ("add", "goal", "X", "--needs", "Step 1"),
        ("add", "step", "X", "--size", "small"),
        ("add", "idea", "X", "--about", "Y"),
        ("add", "idea", "X", "Y"),
        ("add", "task", "X", "--dry-run"),
        ("add", "task", "X", "--from", "-"),
        ("add", "--from", "-", "--about", "X"),
    ],
)
def test_a_mistaken_command_line_is_a_usage_error(
    dctx: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    root = write(tmp_path, plan({}))
    before = tree(root)
    result = ran(dctx, root, *words)
    assert (result.code, result.out) == (2, "") and "hint: " in result.err
    assert tree(root) == before


def test_a_title_without_quotes_is_told_with_them(dctx: Run, tmp_path: Path) -> None:
    said = ran(dctx, write(tmp_path, plan({})), "add", "task", "Don't", "stop").err
    assert """hint: dctx add task 'Don'"'"'t stop'""" in said


def test_a_context_for_a_task_that_was_only_added_says_that_it_is_a_template(
    tmp_path: Path, dctx: Callable[..., Result]
) -> None:
    root = write(tmp_path, {"VISION.md": "# Vision\nA boat.\n"})
    for words in (("goal", "One"), ("step", "Two"), ("task", "Three")):
        assert dctx("add", *words, cwd=root).code == 0
    assert (
        "is a template still: it does not say what to do"
        in dctx("assemble", "builder", cwd=root).err
    )
    (path,) = root.rglob("01-three.md")
    path.write_text(path.read_text().replace("## What To Do\n", "## What To Do\nSaw the planks.\n"))
    assert "template" not in dctx("assemble", "builder", cwd=root).err
