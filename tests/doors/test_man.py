"""The manual page: everything that the tables of commands say, in a form that `man` reads."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

from director_ctx import __version__
from director_ctx.base import errors
from director_ctx.doors.cli.man import _plain, page
from director_ctx.doors.cli.shared.menu import commands
from director_ctx.doors.cli.shared.topics import ENVIRONMENT, EXIT_CODES

REQUESTS = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".nf", ".fi", ".RS", ".RE", ".ad", ".nh"}
CHECKERS = {
    "groff": ("groff", "-man", "-Tutf8", "-ww", "-z"),
    "mandoc": ("mandoc", "-T", "lint", "-W", "warning"),
}


def text() -> str:
    """Without the marks of roff, on one line."""
    bare = re.sub(r"\\f[BIR]|\\&", "", page()).replace(r"\-", "-").replace(r"\e", "\\")
    return " ".join(bare.split())


def test_it_has_every_command_with_every_option_and_every_example() -> None:
    sections = text().split(" .SS dctx ")
    for command in commands():
        (section,) = [one for one in sections if re.match(rf"{command.name} ?(\[|[A-Z])", one)]
        assert command.help in section
        for option in command.options:
            assert f"{', '.join(option.flags)} {option.metavar}".strip() in section
            assert option.help in section
        for argument in command.arguments:
            assert f"{argument.name.upper()} {argument.help}" in section
        for example in command.examples:
            assert " ".join(example.split()) in section


def test_its_version_is_ours_and_it_has_the_sections_that_readers_look_for() -> None:
    assert page().startswith(f'.TH DCTX 1 "" "dctx {__version__}" ')
    names = ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES")
    places = [page().index(f"\n.SH {name}\n") for name in names]
    assert places == sorted(places)


def test_no_words_of_ours_are_taken_for_requests() -> None:
    assert _plain(r".director and C:\new --all") == r"\&.director and C:\enew \-\-all"
    requests = {line.split()[0] for line in page().splitlines() if line.startswith((".", "'"))}
    assert requests <= REQUESTS


def test_each_exit_code_of_ours_is_told() -> None:
    codes = {value for name, value in vars(errors).items() if name.isupper() and type(value) is int}
    assert codes and {str(code) for code in codes} <= {code for code, _ in EXIT_CODES}


def test_each_variable_that_it_names_is_one_that_we_read() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "director_ctx").rglob("*.py"))
    named = re.findall(r"DCTX_[A-Z_]+", " ".join(name for name, _ in ENVIRONMENT))
    assert len(named) > 5
    for name in named:
        assert f'"{name}"' in source, name


@pytest.mark.proof
@pytest.mark.parametrize("program", CHECKERS)
def test_programs_that_show_such_pages_find_nothing_wrong_with_it(
    program: str, tmp_path: Path
) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not here")
    file = tmp_path / "dctx.1"
    file.write_text(page(), "utf-8")
    done = subprocess.run(
        [*CHECKERS[program], file],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
    assert said == []


@pytest.mark.proof
def test_at_80_columns_it_reads_as_it_was_written(tmp_path: Path) -> None:
    if not shutil.which("groff"):
        pytest.skip("groff is not here")
    file = tmp_path / "dctx.1"
    file.write_text(page(), "utf-8")
    words = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=78n", file]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "       --root DIR\n              The project, instead of" in shown
    for command in commands():
        assert f"\n   dctx {command.name}" in shown
