"""Goals, steps and tasks removed, moved and renamed: the folder agrees with itself, and whatever a
Needs First named it names still.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import ROOT, Result, write
from hypothesis import given, settings
from hypothesis import strategies as st
from killed import killed_at_each_change

from director_ctx.base.errors import DctxError
from director_ctx.project.dctx_folder import corner_of, make_kept_path, write_kept
from director_ctx.project.project import Project
from director_ctx.project.tasks.nodes import nodes
from director_ctx.upkeep.add import add_unit
from director_ctx.upkeep.add_outline import add_outline
from director_ctx.upkeep.arranging import arrange, journal
from director_ctx.upkeep.arranging.needs_text import needs_after
from director_ctx.upkeep.arranging.numbers import Neighbour, across, within, without
from director_ctx.upkeep.arranging.places import UnitTarget
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.outline import read_outline
from director_ctx.upkeep.repair import repair
from director_ctx.upkeep.tasks import finish, reopen
from director_ctx.upkeep.templates import NewItem

Run = Callable[..., Result]
NOW = "2026-03-04 05:06"
STATE = """# State

**Status:** Not started
**Last updated:** x

## Current Position

**Current goal:** None yet
**Current step:** None yet
**Current task:** None yet
**Position:** Not started

## Progress

_No goals defined yet._
"""
GAMEPLAN = """# Gameplan

## Goals

## Current Focus

**Current Goal:** None yet
**Current Step:** None yet
**Next Up:** None yet
"""
OUTLINE = """
# Alpha
## Bread
- [x] Flour
- [ ] Water
- [ ] Salt
## Soup
- [ ] Onion
- [ ] Leek
# Beta
## Tea
- [ ] Kettle
- [ ] Cup
"""
GOALS = ".director/goals"


def garden(folder: Path) -> Path:
    root = write(folder, {"STATE.md": STATE, "GAMEPLAN.md": GAMEPLAN})
    add_outline(str(root), read_outline(OUTLINE), NOW)
    return root


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """Two goals, three steps, seven tasks; the first is done."""
    return garden(tmp_path / "kitchen")


def problems(root: Path) -> list[str]:
    found = diagnose(Project(str(root))).problems
    return [
        f"{one.path}:{one.line} {one.says}"
        for one in found
        if one.kind != "waits" or "does not exist" in one.says
    ]


def plan_of(root: Path) -> dict[str, str]:
    """Each node's title by its reference."""
    return {node.id: node.description for node in nodes(Project(str(root)))}


def needed(root: Path) -> dict[str, set[str]]:
    """By its title, the titles of what each step or task names as needed."""
    every = nodes(Project(str(root)))
    titles = {node.id: node.description for node in every}
    return {
        node.description: {titles[one] for one in node.needs}
        for node in every
        if node.type != "goal"
    }


def say_needs(root: Path, ref: str, text: str) -> None:
    node = next(node for node in nodes(Project(str(root))) if node.id == ref)
    path = root / node.path
    if path.is_dir():
        path = path / "STEP.md"
    head, mark, _ = path.read_text().rpartition("## Needs First\n")
    path.write_text(f"{head}{mark}{text}\n")


# One at a time


def test_the_numbers_behind_a_removed_task_close_up_and_its_file_is_kept(kitchen: Path) -> None:
    done = arrange.remove(str(kitchen), "1/1/2", NOW)
    assert plan_of(kitchen) | {"1/1/2": "Salt"} == plan_of(kitchen)
    assert "1/1/3" not in plan_of(kitchen)
    assert "Water" in (kitchen / done.archived).read_text()
    listed = (kitchen / GOALS / "01-alpha/01-bread/STEP.md").read_text()
    assert "- [x] Task 1: Flour\n- [ ] Task 2: Salt\n" in listed and "Water" not in listed
    assert problems(kitchen) == []


def test_a_removed_step_takes_its_tasks_along(kitchen: Path) -> None:
    done = arrange.remove(str(kitchen), "1/1", NOW)
    assert plan_of(kitchen)["1/1/2"] == "Leek" and (kitchen / done.archived / "tasks").is_dir()
    assert "# Step 1: Soup" in (kitchen / GOALS / "01-alpha/01-soup/STEP.md").read_text()
    assert problems(kitchen) == []


def test_a_removed_goal_is_gone_from_every_record(kitchen: Path) -> None:
    finish(str(kitchen), "2/1/1", NOW)
    arrange.remove(str(kitchen), "goal 1", NOW)
    assert plan_of(kitchen)["1"] == "Beta"
    for name in ("GAMEPLAN.md", "STATE.md"):
        assert "Alpha" not in (kitchen / ".director" / name).read_text()
    assert "### Goal 1: Beta\n- Step 1: Tea" in (kitchen / ".director/STATE.md").read_text()
    assert problems(kitchen) == []


def test_a_task_moves_into_another_step_with_its_line(kitchen: Path) -> None:
    arrange.move(str(kitchen), "1/1/1", UnitTarget(to="2/1", before="2/1/2"), NOW)
    titles = plan_of(kitchen)
    assert [titles[f"2/1/{number}"] for number in (1, 2, 3)] == ["Kettle", "Flour", "Cup"]
    listed = (kitchen / GOALS / "02-beta/01-tea/STEP.md").read_text()
    assert "- [ ] Task 1: Kettle\n- [x] Task 2: Flour\n- [ ] Task 3: Cup\n" in listed
    assert problems(kitchen) == []


def test_a_goal_moves_before_another(kitchen: Path) -> None:
    arrange.move(str(kitchen), "goal 2", UnitTarget(before="1"), NOW)
    assert (plan_of(kitchen)["1"], plan_of(kitchen)["2/2"]) == ("Beta", "Soup")
    listed = (kitchen / ".director/GAMEPLAN.md").read_text()
    assert listed.index("1. **Goal 1: Beta**") < listed.index("2. **Goal 2: Alpha**")
    assert problems(kitchen) == []


def test_a_new_name_is_in_the_file_on_disk_and_in_the_list(kitchen: Path) -> None:
    for ref, name in (("1/1/2", "Milk"), ("1/2", "Stew"), ("goal 2", "Drinks")):
        arrange.move(str(kitchen), ref, UnitTarget(), NOW, name)
    assert {"1/1/2": "Milk", "1/2": "Stew", "2": "Drinks"}.items() <= plan_of(kitchen).items()
    assert (kitchen / GOALS / "01-alpha/01-bread/tasks/02-milk.md").exists()
    assert (kitchen / GOALS / "02-drinks/01-tea").is_dir()
    assert "**Current task:** Milk" in (kitchen / ".director/STATE.md").read_text()
    assert problems(kitchen) == []


@pytest.mark.parametrize("name", ["a", "Task", "1", "current", "see [docs](x)", "a **b** -- c"])
@pytest.mark.parametrize("ref", ["1/1/1", "1/1", "goal 1"])
def test_a_name_that_is_part_of_other_words_or_markup_is_changed_alone_and_whole(
    ref: str, name: str, kitchen: Path
) -> None:
    """As it is where the unit had its other name from the start."""
    reopen(str(kitchen), "1/1/1", NOW)
    whole = as_text(kitchen)
    old = plan_of(kitchen)[ref.removeprefix("goal ")]
    arrange.move(str(kitchen), ref, UnitTarget(), NOW, name)
    assert as_text(kitchen) != whole and problems(kitchen) == []
    arrange.move(str(kitchen), ref, UnitTarget(), NOW, old)
    assert as_text(kitchen) == whole


def test_a_name_that_the_list_says_otherwise_is_changed_there_as_a_whole(kitchen: Path) -> None:
    arrange.move(str(kitchen), "1/1/2", UnitTarget(), NOW, "a")
    step = kitchen / GOALS / "01-alpha/01-bread/STEP.md"
    step.write_text(step.read_text().replace("Task 2: a", "Task 2: Water"))
    arrange.move(str(kitchen), "1/1/2", UnitTarget(), NOW, "Milk")
    assert "- [ ] Task 2: Milk\n" in step.read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_dry_run_passes_over_a_pipe(kitchen: Path) -> None:
    os.mkfifo(kitchen / ".director/pipe")
    preview = arrange.would(
        str(kitchen), lambda root: arrange.move(root, "1/1/2", UnitTarget(), NOW, "Milk")
    )
    assert preview.rewrites and plan_of(kitchen)["1/1/2"] == "Water"


def as_text(root: Path) -> dict[str, str]:
    paths = sorted((root / ".director").rglob("*.md"))
    return {str(path.relative_to(root)): path.read_text() for path in paths}


def test_two_that_change_places_under_one_name_lose_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, {"STATE.md": STATE, "GAMEPLAN.md": GAMEPLAN})
    outline = "# A\n## B\n- [ ] Same\n- [ ] Same two\n"
    add_outline(str(root), read_outline(outline), NOW)
    tasks = root / GOALS / "01-a/01-b/tasks"
    (tasks / "02-same-two.md").rename(tasks / "02-same.md")
    arrange.move(str(root), "1/1/2", UnitTarget(before="1"), NOW)
    assert [plan_of(root)[ref] for ref in ("1/1/1", "1/1/2")] == ["Same two", "Same"]
    assert sorted(path.name for path in tasks.iterdir()) == ["01-same.md", "02-same.md"]


def test_other_text_stays_byte_for_byte(kitchen: Path) -> None:
    path = kitchen / GOALS / "01-alpha/01-bread/STEP.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\nMine: \xe9\r\n")
    before = path.read_bytes()
    arrange.remove(str(kitchen), "1/1/3", NOW)
    assert path.read_bytes() == before.replace(b"- [ ] Task 3: Salt\r\n", b"")


# What needs what


@pytest.mark.parametrize(
    ("said", "now"),
    [
        ("Needs Task 3.", "Needs Task 2."),
        ("Task 3 (in Step 1) and the key", "Task 2 (in Step 1) and the key"),
        ("Tasks 1 and 3", "Task 1 and Task 2"),
        ("Tasks 1-3", "Task 1, Task 2 and a removed task"),
        ("Needs Task 2.", "Needs a removed task."),
        ("The previous task.", "The previous task."),
        ("Nothing -- Task 3 is beside it.", "Nothing -- Task 3 is beside it."),
        ("Needs Step 2 of Goal 1", "Needs Step 2 of Goal 1"),
        ("**Goal 1, Step 1, Task #3**", "**Goal 1, Step 1, Task #2**"),
    ],
)
def test_what_is_named_follows_its_number(said: str, now: str) -> None:
    moved = without((1, 1, 2), [1, 2, 3, 4])
    assert needs_after(said, (1, 1, 4), (1, 1, 3), moved) == now


def test_a_task_that_went_elsewhere_is_named_in_full() -> None:
    moved = across((1, 1, 2), [1, 2, 3], (2, 1), [1], Neighbour(1, is_after=False))
    assert needs_after("Task 2", (1, 1, 3), (1, 1, 2), moved) == "Task 1 (in Step 1 of Goal 2)"
    assert needs_after("Task 3", (1, 1, 2), (2, 1, 1), moved) == "Task 2 (in Step 1 of Goal 1)"


def test_numbers_keep_their_gaps() -> None:
    moved = within((1, 7), [2, 4, 7], Neighbour(2, is_after=False))
    assert [moved.now((1, number)) for number in (7, 2, 4)] == [(1, 2), (1, 4), (1, 7)]


def test_who_needed_what_is_removed_is_told(kitchen: Path) -> None:
    say_needs(kitchen, "1/2/1", "Needs Task 2 (in Step 1).")
    done = arrange.remove(str(kitchen), "1/1/2", NOW)
    assert done.warnings == ("1/2/1 needed 1/1/2, which is removed; look at its Needs First",)
    assert problems(kitchen) == []


KINDS = ("remove", "move", "done", "reopen", "add")


PICK = st.integers(0, 30)
CHANGE = st.tuples(st.sampled_from(KINDS), PICK, PICK, PICK)


@given(st.lists(CHANGE, min_size=1, max_size=7), st.lists(st.tuples(PICK, PICK), max_size=6))
@settings(max_examples=20)
def test_after_any_changes_the_folder_agrees_and_needs_name_the_same(
    steps: list[tuple[str, int, int, int]], links: list[tuple[int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = garden(Path(folder) / "kitchen")
        _link(root, links)
        for count, (kind, *picks) in enumerate(steps):
            before = needed(root)
            removed = _change(root, count, kind, picks)
            assert problems(root) == []
            after = needed(root)
            for title, names in before.items():
                if title in after:
                    assert after[title] == names - removed, (kind, title)


def _link(root: Path, links: list[tuple[int, int]]) -> None:
    """Some tasks and steps need others, in the forms that people write."""
    ids = [node.id for node in nodes(Project(str(root))) if node.type != "goal"]
    for first, second in links:
        one, other = ids[first % len(ids)], ids[second % len(ids)]
        said = zip(("Goal", "Step", "Task"), other.split("/"), strict=False)
        if one != other:
            say_needs(root, one, f"Needs {', '.join(map(' '.join, said))}, and a good day.")


def _change(root: Path, count: int, kind: str, picks: list[int]) -> set[str]:
    """Carries one change out, where it is possible; the titles of what is gone."""
    ids = [node.id for node in nodes(Project(str(root)))] or ["0"]
    one, other = (ids[pick % len(ids)] for pick in picks[:2])
    name, beside = (ref if "/" in ref else f"goal {ref}" for ref in (one, other))
    before = set(plan_of(root).values())
    place = picks[2] % 3
    try:
        if kind == "remove":
            arrange.remove(str(root), name, NOW)
        elif kind == "move":
            targets = (UnitTarget(to=beside), UnitTarget(before=beside), UnitTarget(after=beside))
            arrange.move(str(root), name, targets[place], NOW)
        elif kind == "done":
            finish(str(root), one, NOW)
        elif kind == "reopen":
            reopen(str(root), one, NOW)
        else:
            unit = ("goal", "step", "task")[place]
            add_unit(str(root), unit, NewItem(f"New thing {count}"), NOW)
    except DctxError:
        assert set(plan_of(root).values()) == before
    return before - set(plan_of(root).values())


# At the command line


def test_a_removal_is_shown_and_needs_a_yes(kitchen: Path, dctx: Run) -> None:
    before = plan_of(kitchen)
    result = dctx("task", "remove", "1/1/2", cwd=kitchen)
    assert result.code == 1 and "say --yes" in result.err
    assert "Remove task 1/1/2  Water" in result.out and plan_of(kitchen) == before
    assert dctx("task", "remove", "1/1/2", "--dry-run", cwd=kitchen).code == 0
    assert plan_of(kitchen) == before
    done = dctx("task", "remove", "1/1/2", "--yes", "--json", cwd=kitchen)
    shown = json.loads(done.out)
    assert (shown["ref"], shown["now"], shown["title"]) == ("1/1/2", None, "Water")
    assert (kitchen / shown["archived"]).exists()


def test_a_dry_run_shows_what_is_then_done(kitchen: Path, dctx: Run) -> None:
    words = ("task", "move", "1/1/3", "--to", "2/1", "--json")
    shown = json.loads(dctx(*words, "--dry-run", cwd=kitchen).out)
    assert plan_of(kitchen)["1/1/3"] == "Salt"
    done = json.loads(dctx(*words, cwd=kitchen).out)
    assert shown["now"] == done["now"] == "2/1/3" and shown["renamed"] == done["renamed"]
    assert [one["path"] for one in shown["changed"]] == [one["path"] for one in done["changed"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("remove", "1"), "Say which: 'goal 1' is 'Alpha', 1/1/1 is the task 'Flour'."),
        (("remove", "2", "--yes"), "'goal 2' is 'Beta', 1/1/2 is the task 'Water'."),
        (("remove", "3", "--yes"), "Say which: 1/1/3 is the task 'Salt'."),
        (("move", "sal", "--title", "Pepper"), "Only part of a word fits"),
        (("remove", "goal alph", "--yes"), "If that is meant, say 'goal 1'."),
        (("move", "1/1/1"), "Move it where?"),
        (("move", "1/1/1", "2/1"), "named by --to, --before or --after"),
        (("move", "1/1/1", "--before", "1/1/2", "--after", "1/1/3"), "exclude each other"),
        (("move", "1/1/1", "--to", "goal 2"), "A task goes into a step"),
        (("move", "1/1", "--before", "1/1/2"), "A step goes into a goal"),
        (("move", "1/1/1", "--to", "2/1", "--before", "1/1/2"), "1/1/2 is not in 2/1"),
        (("move", "1/1/1", "--title", " "), "The name is empty"),
        (("remove", "9/9"), "There is no goal '9'"),
    ],
)
def test_what_cannot_be_meant_is_said(
    kitchen: Path, dctx: Run, words: tuple[str, ...], said: str
) -> None:
    result = dctx("task", *words, cwd=kitchen)
    assert result.code in (1, 2) and said in result.err


def test_part_of_a_word_finishes_no_task(kitchen: Path, dctx: Run) -> None:
    before = plan_of(kitchen)
    result = dctx("task", "done", "wat", cwd=kitchen)
    assert result.code == 1 and "1/1/2" in result.err and plan_of(kitchen) == before
    assert not list(kitchen.glob(".director/goals/**/02-water.done.md"))
    assert dctx("task", "done", "water", cwd=kitchen).code == 0
    assert list(kitchen.glob(".director/goals/**/02-water.done.md"))


def test_whoever_only_reads_is_told_which_task_was_taken(kitchen: Path, dctx: Run) -> None:
    result = dctx("task", "show", "wat", cwd=kitchen)
    assert result.code == 0
    assert "'wat' was taken for task 1/1/2, Water" in result.err
    assert "taken" not in dctx("task", "show", "water", cwd=kitchen).err


@pytest.mark.parametrize("words", ["1/1/1", "1/1", "goal 1"])
def test_the_way_back_that_is_printed_leads_back(kitchen: Path, dctx: Run, words: str) -> None:
    titles = sorted(plan_of(kitchen).values())
    said = dctx("task", "remove", words, "--yes", cwd=kitchen).err
    _, _, moved = said.partition("move ")
    kept, _, rest = moved.partition(" to ")
    target, _, _ = rest.partition(", then")
    (kitchen / kept).rename(kitchen / target)
    assert dctx("doctor", "--fix", cwd=kitchen).code in (0, 1)
    assert sorted(plan_of(kitchen).values()) == titles


def test_notes_in_the_plan_go_with_their_task(kitchen: Path, dctx: Run) -> None:
    dctx("plan", "set", "1/1/3", "failed", "--note", "Too much", cwd=kitchen)
    dctx("plan", "set", "1/2/1", "in_progress", "--note", "Half", cwd=kitchen)
    dctx("task", "remove", "1/1/2", "--yes", cwd=kitchen)
    dctx("task", "move", "1/2/1", "--to", "2/1", "--before", "1", cwd=kitchen)
    dctx("task", "move", "2/1/1", "--title", "Shallot", cwd=kitchen)
    plan = json.loads(dctx("plan", "show", "--json", cwd=kitchen).out)
    told = {one["task_id"]: one for phase in plan["phases"] for one in phase["tasks"]}
    assert (told["1/1/2"]["status"], told["1/1/2"]["notes"]) == ("failed", "Too much")
    assert (told["2/1/1"]["description"], told["2/1/1"]["notes"]) == ("Shallot", "Half")


# A kill at any moment


@pytest.mark.parametrize(
    "words",
    [
        ("task", "move", "1/1/3", "--to", "2/1", "--before", "1"),
        ("task", "move", "goal 2", "--before", "goal 1"),
    ],
    ids=" ".join,
)
def test_a_kill_at_any_moment_leaves_what_was_or_what_was_asked_for(
    kitchen: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    for ref, text in (("1/2/1", "Needs Task 3 (in Step 1)."), ("2/1/1", "Needs Goal 1, Step 2.")):
        say_needs(kitchen, ref, text)
    clocks = ("director_ctx.doors.cli.upkeep.arrange",)
    killed, whole = killed_at_each_change(kitchen, tmp_path / "killed-", words, clocks, NOW)
    possible = [without_times(kitchen), without_times(whole)]
    assert possible[0] != possible[1] and len(killed) > 10
    for root in killed:
        for path in (root / ".director").rglob("*.tmp"):
            os.utime(path, (0, 0))
        repair(str(root), NOW)
        assert problems(root) == []
        assert without_times(root) in possible


def without_times(root: Path) -> dict[str, str]:
    """The documents of the plan, but for when they were last updated."""
    base = root / ".director"
    texts = {}
    for path in base.rglob("*.md"):
        if ".dctx" in path.parts:
            continue
        lines = path.read_text().split("\n")
        texts[path.relative_to(base).as_posix()] = "\n".join(
            line for line in lines if "**Last " not in line
        )
    return texts


def test_doctor_names_a_change_that_was_ended_in_the_middle(kitchen: Path) -> None:
    renaming = {"do": "rename", "path": f"{GOALS}/02-beta", "to": f"{GOALS}/02-gamma"}
    journal_of(kitchen, [renaming])
    assert any("ended in the middle" in one for one in problems(kitchen))
    add_unit(str(kitchen), "goal", NewItem("Delta"), NOW)
    assert (kitchen / GOALS / "02-gamma").is_dir() and not journal.is_unfinished(str(kitchen))


def test_a_journal_of_somebody_else_leads_nowhere(kitchen: Path) -> None:
    outside = kitchen / "keep.txt"
    outside.write_text("mine")
    (kitchen / GOALS / "out").symlink_to(kitchen)
    beta, other, archive = f"{GOALS}/02-beta", f"{GOALS}/02-x", ".director/.dctx/archive"
    renames = [
        (beta, "elsewhere"),
        ("keep.txt", other),
        (f"{GOALS}/../../keep.txt", other),
        (beta, f"{archive}/../../../x"),
    ]
    steps: list[object] = [{"do": "rename", "path": path, "to": to} for path, to in renames]
    for path in ("keep.txt", f"{GOALS}/out/keep.txt"):
        steps.append({"do": "write", "path": path, "before": "", "after": ""})
    before = plan_of(kitchen)
    for number, step in enumerate([*steps, "nonsense", {"do": "run", "path": beta}]):
        journal_of(kitchen, [step])
        add_unit(str(kitchen), "goal", NewItem(f"Delta {number}"), NOW)
        assert outside.read_text() == "mine" and not (kitchen / "elsewhere").exists()
        assert before.items() <= plan_of(kitchen).items()


def test_a_journal_of_somebody_else_writes_through_no_link(kitchen: Path) -> None:
    elsewhere = kitchen / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "keep.md").write_text("mine")
    (elsewhere / "empty").write_text("")
    goals = kitchen / GOALS
    (goals / "link").symlink_to(elsewhere)
    (goals / "file.md").symlink_to(elsewhere / "empty")
    (goals / "gift").write_text("theirs")
    Path(corner_of(str(kitchen))).mkdir(exist_ok=True)
    (Path(corner_of(str(kitchen))) / "archive").symlink_to(elsewhere)
    journal_of(
        kitchen,
        [
            {"do": "rename", "path": f"{GOALS}/gift", "to": f"{journal.ARCHIVE}/gift"},
            # The link gets the name that the next step goes through.
            {"do": "rename", "path": f"{GOALS}/link", "to": f"{GOALS}/later"},
            {"do": "rename", "path": f"{GOALS}/later/keep.md", "to": f"{GOALS}/taken.md"},
            {
                "do": "write",
                "path": f"{GOALS}/file.md",
                "before": sha256(b"").hexdigest(),
                "after": b64encode(b"theirs").decode(),
            },
        ],
    )
    failed = journal.finish_unfinished(str(kitchen))
    assert failed and len(failed) == 3
    assert sorted(path.name for path in elsewhere.iterdir()) == ["empty", "keep.md"]
    assert (elsewhere / "empty").read_text() == ""
    assert not journal.is_unfinished(str(kitchen))


def test_a_document_that_is_gone_does_not_keep_a_change_unfinished(kitchen: Path) -> None:
    step = {"do": "write", "path": f"{GOALS}/02-beta/GOAL.md", "before": "", "after": ""}
    journal_of(kitchen, [step])
    (kitchen / GOALS / "02-beta" / "GOAL.md").unlink()
    failed = journal.finish_unfinished(str(kitchen))
    assert failed and "took it away" in failed[0].why
    assert not journal.is_unfinished(str(kitchen))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_nobody_waits_for_a_pipe_that_is_called_as_the_journal(kitchen: Path) -> None:
    os.mkfifo(make_kept_path(str(kitchen), journal.NAME))
    run = subprocess.run(
        [sys.executable, "-m", "director_ctx.doors.cli.main", "add", "goal", "Delta"],
        cwd=kitchen,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert run.returncode == 0


def journal_of(root: Path, steps: list[object]) -> None:
    write_kept(str(root), journal.NAME, json.dumps(steps).encode())


def test_two_at_once_both_come_to_their_end(kitchen: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "task", "remove", name, "--yes"],
            cwd=kitchen,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        for name in ("Water", "Onion")
    ]
    assert [one.wait(60) for one in running] == [0, 0]
    assert not {"Water", "Onion"} & set(plan_of(kitchen).values())
    assert problems(kitchen) == []


def test_a_new_folder_can_be_arranged_too(tmp_path: Path, dctx: Run) -> None:
    assert dctx("init", cwd=tmp_path).code == 0
    add_outline(str(tmp_path), read_outline(OUTLINE), NOW)
    assert dctx("task", "remove", "goal 1", "--yes", cwd=tmp_path).code == 0
    assert problems(tmp_path) == []
