"""`dctx demo` and `dctx init --example`: what somebody without a project sees."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, git, process
from terminals import on_terminal

from director_ctx import assemble, load_project

Dctx = Callable[..., Result]
WIDTH = 80
ESCAPE = "\x1b["


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """One run in a pipe, without a client; its temporary folders go where they can be counted."""
    folder = tmp_path_factory.mktemp("tour")
    ran = process("demo", cwd=folder, env={"TMPDIR": str(folder), "PATH": path_without_clients()})
    assert os.listdir(folder) == []
    return ran


def path_without_clients() -> str:
    """Where git and Python are, and no agent client is."""
    folders = []
    for folder in os.environ["PATH"].split(os.pathsep):
        if not os.path.exists(os.path.join(folder, "claude")):
            folders.append(folder)
    return os.pathsep.join(folders)


def test_four_beats_stand_in_order_and_fit_a_terminal(tour: Result) -> None:
    assert tour.code == 0
    assert tour.err == ""
    captions = [line for line in tour.out.splitlines() if line[:2] in ("1.", "2.", "3.", "4.")]
    assert [caption[0] for caption in captions] == ["1", "2", "3", "4"]
    assert max(map(len, tour.out.splitlines())) <= WIDTH
    assert ESCAPE not in tour.out


def test_its_numbers_are_those_of_the_context(tour: Result, example: Path) -> None:
    context = assemble(load_project(root=str(example)), "builder")

    for section in context.sections:
        assert f"<{section.tag}>".ljust(18) + f"{section.tokens:>6,} tokens" in tour.out
    assert f"{context.budget.used:,} tokens, of {context.budget.limit:,} allowed" in tour.out


def test_what_was_put_off_is_shown_with_the_rule_that_withholds_it(tour: Result) -> None:
    _, _, after = tour.out.partition("withheld from the work")
    assert "| - Renaming a friend or joining two names\n" in after
    assert "do NOT implement them" in after


def test_an_agent_receives_the_context_and_its_own_prompt_behind(tour: Result) -> None:
    _, _, third = tour.out.partition("3. A sub-agent receives it")
    assert "Claude Code is not installed. In its place, an event that it sent" in third
    assert third.index("| <vision>") < third.index("| <task>") < third.index("| Do the next task.")
    assert "what `dctx assemble builder` prints, to the byte" in third


def test_the_last_beat_tells_what_was_cut_and_what_never_is(tour: Result, example: Path) -> None:
    _, _, last = tour.out.partition("4. Over budget")
    cut = assemble(load_project(root=str(example)), "builder", budget="2150")

    assert f"{cut.budget.used:,} tokens, of 2,150 allowed" in last
    for name in ("Vision", "Decisions", "Task", "Instructions"):
        assert f"   never cut  {name} " in last
    for name in ("Current step", "Codebase", "Recent changes"):
        assert f"   cut        {name} " in last


def test_it_ends_with_what_to_type_next(tour: Result) -> None:
    *_, keep, setup = tour.out.splitlines()
    assert keep.strip().startswith("dctx demo --keep reading-list ")
    assert setup.strip().startswith("dctx setup ")


def test_a_kept_folder_is_a_project_to_play_in(tmp_path: Path) -> None:
    path = path_without_clients()

    ran = process("demo", "--keep", "a place", cwd=tmp_path, env={"PATH": path})
    assert "   cd 'a place'\n" in ran.out
    assert git(tmp_path / "a place", "status", "--porcelain") == ""
    following = process("next", cwd=tmp_path / "a place")
    assert following.out.startswith("2/1/3  A page for each friend\n")
    assert "disagree" not in process("status", cwd=tmp_path / "a place").out


def test_a_folder_that_is_in_use_is_left_alone(dctx: Dctx, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")

    for words in (("demo", "--keep", "mine"), ("init", "--example", "--root", "mine")):
        refused = dctx(*words, cwd=tmp_path)
        assert refused.code == 1
        assert "is not empty" in refused.err
    assert os.listdir(tmp_path / "mine") == ["notes.txt"]


def test_captions_are_coloured_at_a_terminal_and_plain_with_no_color(tmp_path: Path) -> None:
    env = {"PATH": path_without_clients(), "COLUMNS": "80"}
    caption = b"1. The plan: a folder of Markdown files, .director/"

    assert b"\x1b[1;36m" + caption in on_terminal(tmp_path, "demo", env=env)
    plain = on_terminal(tmp_path, "demo", env={**env, "NO_COLOR": "1"})
    assert caption in plain
    assert b"36m" not in plain


def test_the_example_is_made_without_the_tour(dctx: Dctx, tmp_path: Path) -> None:
    made = dctx("init", "--example", cwd=tmp_path)

    assert made.out.startswith("Made reading-list: ")
    assert git(tmp_path / "reading-list", "log", "--oneline").count("\n") > 10
    assert dctx("next", "--root", "reading-list", cwd=tmp_path).code == 0
    assert "disagree" not in dctx("status", "--root", "reading-list", cwd=tmp_path).out


@pytest.mark.parametrize("columns", [56, 40])
def test_on_a_narrow_terminal_columns_stay_columns_or_go_on_below(
    columns: int, tmp_path: Path
) -> None:
    env = {"PATH": path_without_clients(), "COLUMNS": str(columns), "NO_COLOR": "1"}
    shown = on_terminal(tmp_path, "demo", env=env).decode()
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()

    assert max(map(len, lines)) <= columns
    assert "     2 of 6 tasks done" in lines
    quoted = [line for line in lines if line.startswith("   | <")]
    assert len(quoted) == 7
    assert all(line.endswith(" lines") for line in quoted)
    assert len(set(map(len, quoted))) == 1
