"""`dctx` without a word: where one stands, how to begin, and nothing for a client's event."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, plan, task, write
from loading import loaded_by
from terminals import talk_on_terminal

Dctx = Callable[..., Result]
RUN = "from director_ctx.doors.cli.main import main\nassert main([]) == 0\n"


def test_outside_of_a_project_three_lines_say_how_to_begin(tmp_path: Path, dctx: Dctx) -> None:
    done = dctx(cwd=tmp_path)
    assert (done.code, done.err, len(done.out.splitlines())) == (0, "", 3)
    assert "  dctx setup " in done.out and "  dctx --help " in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_inside_of_a_project_it_says_where_it_stands_and_what_to_do_next(
    tmp_path: Path, dctx: Dctx
) -> None:
    root = write(
        tmp_path, {"VISION.md": "# Vision\n\nA boat.\n", **plan({"01-one.md": task("Oak")})}
    )
    (root / "src").mkdir()
    done = dctx(cwd=root / "src")
    assert (done.code, done.err) == (0, "")
    assert "Next task: 1/1/1 Oak" in done.out
    assert "  dctx assemble builder " in done.out and "interviewer" not in done.out
    assert len(done.out.splitlines()) < 15


def test_a_project_of_templates_is_led_to_its_vision_and_its_plan(
    tmp_path: Path, dctx: Dctx
) -> None:
    dctx("init", cwd=tmp_path)
    out = dctx(cwd=tmp_path).out
    assert "  dctx assemble interviewer " in out and "  dctx add " in out


def test_a_folder_that_may_not_be_used_is_said(tmp_path: Path, dctx: Dctx) -> None:
    (tmp_path / ".director").write_text("no folder")
    done = dctx(cwd=tmp_path)
    assert done.code == 1 and "is not a folder" in done.err


def test_typer_is_not_loaded_for_it(tmp_path: Path) -> None:
    write(tmp_path, plan({"01-one.md": task("Oak")}))
    new = loaded_by(RUN, tmp_path)
    assert not {"typer", "rich"} & set(new)


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
def test_at_a_terminal_it_says_the_same(tmp_path: Path, dctx: Dctx) -> None:
    root = write(tmp_path, plan({"01-one.md": task("Oak")}))
    code, screen = talk_on_terminal(root)
    assert (code, screen) == (0, dctx(cwd=root).out)


def test_what_is_said_at_a_terminal_is_broken_between_words(tmp_path: Path) -> None:
    _, seen = talk_on_terminal(tmp_path, "status", env={"COLUMNS": "40"})
    lines = seen.replace("\r", "").rstrip("\n").split("\n")
    assert len(lines) > 2 and all(len(line) <= 40 for line in lines)
    assert "`dctx setup`" in seen and lines[0].startswith("dctx: ")


def test_help_about_an_unknown_word_names_what_is_near(
    tmp_path: Path, dctx: Callable[..., Result]
) -> None:
    assert "Did you mean `dctx help task move`?" in dctx("help", "move", cwd=tmp_path).err
    assert "`dctx help budget`" in dctx("help", "budgets", cwd=tmp_path).err


def test_a_topic_of_help_fits_a_narrow_terminal(tmp_path: Path) -> None:
    _, seen = talk_on_terminal(tmp_path, "help", "exit-codes", env={"COLUMNS": "40"})
    assert max(map(len, seen.replace("\r", "").split("\n"))) <= 40
