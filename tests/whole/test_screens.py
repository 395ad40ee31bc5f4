"""What people see first, on terminals of 40, 80 and 120 columns: on the bundled example, and on a
project that was let go. `DCTX_UPDATE_SNAPSHOTS=1` writes the screens anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from bad_folder import bad_folder
from terminals import on_terminal

FOLDER = Path(__file__).parents[1] / "snapshots" / "screens"
WIDTHS = (40, 80, 120)
COMMANDS = (
    "--help",
    "help --all",
    "assemble --help",
    "status",
    "status --goal 2",
    "next",
    "budget builder",
    "budget --all",
    "tokens",
    "tokens --tree",
    "doctor",
    "profiles",
)
OF_A_BAD_FOLDER = ("status", "next", "doctor", "tokens --tree")
MOST_OF_STATUS = 15
MOST_OF_DOCTOR = 40


@pytest.fixture(scope="session")
def let_go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bad_folder(tmp_path_factory.mktemp("let-go"))


def screen(project: Path, command: str, width: int) -> str:
    """What stands on a terminal, without its colours."""
    env = {"COLUMNS": str(width), "PYTHONIOENCODING": "utf-8"}
    # The doctor of a project that has something wrong with it ends with 1.
    written = on_terminal(project, *command.split(), env=env, codes=(0, 1, 6)).decode()
    return re.sub(r"\x1b\[[\d;]*m", "", written).replace("\r\n", "\n")


def check(project: Path, name: str, command: str, width: int) -> str:
    """The screen, which is as it was; no line of it is longer than the terminal, unless it is one word
    or an example."""
    seen = screen(project, command, width)
    for line in seen.split("\n"):
        is_one_word = len(line.split()) == 1
        # An example is one line, to be copied.
        is_example = line.startswith("    dctx ")
        assert len(line) <= width or is_one_word or is_example, line

    words = command.replace("--", " ").replace("  ", " ").strip().replace(" ", "-")
    path = FOLDER / f"{name}-{words}-{width}.txt"
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen, encoding="utf-8")
    assert seen == path.read_text(encoding="utf-8")
    return seen


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_of_the_example_fits_its_terminal(example: Path, command: str, width: int) -> None:
    check(example, "example", command, width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", OF_A_BAD_FOLDER)
def test_a_screen_of_a_bad_folder_fits_its_terminal(let_go: Path, command: str, width: int) -> None:
    check(let_go, "bad", command, width)


def test_the_status_of_a_bad_folder_is_fifteen_lines_and_its_doctor_is_brief(let_go: Path) -> None:
    assert screen(let_go, "status", 120).count("\n") <= MOST_OF_STATUS
    brief = screen(let_go, "doctor", 200).count("\n")
    assert brief <= MOST_OF_DOCTOR
    assert screen(let_go, "doctor --verbose", 200).count("\n") > 5 * brief


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_tokens_is_whole_at_every_width(example: Path, width: int) -> None:
    numbers = r" ([\d,]+)\s+\d+%$"
    wide = re.findall(numbers, screen(example, "tokens", 400), re.MULTILINE)
    assert len(wide) > 30
    assert re.findall(numbers, screen(example, "tokens", width), re.MULTILINE) == wide


def test_there_is_no_screen_that_nothing_checks() -> None:
    names = {path.name.rpartition("-")[0] for path in FOLDER.glob("*.txt")}
    assert len(names) == len(COMMANDS) + len(OF_A_BAD_FOLDER)
