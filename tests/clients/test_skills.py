"""The shipped skills: portable by the open standard, thin, and every command in them works."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, process, write
from hook_events import ask, new_prompt, spawn
from injecting import injected
from skill_rules import complaints

from director_ctx.clients.skills.files import shipped_skills
from director_ctx.context.settings.profiles import PROFILES, SKILLS
from director_ctx.doors.cli import parse

Run = Callable[..., Result]
FOLDERS = sorted((ROOT / "skills").iterdir())
NEEDED = {"build", "status", "next", "budget", "brainstorm", "pivot", "inspect", "blueprint"}
INJECTED = re.compile(r"^!`([^`]+)`$", re.MULTILINE)


def text_of(folder: Path) -> str:
    return (folder / "SKILL.md").read_text("utf-8")


def test_the_skills_that_are_needed_are_there() -> None:
    names = [skill.name for skill in shipped_skills()]
    assert names == [folder.name for folder in FOLDERS] and {*names} >= NEEDED


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_strict_validator_of_the_open_standard_accepts_it(folder: Path) -> None:
    assert complaints(text_of(folder), folder.name) == []


@pytest.mark.parametrize(
    "text",
    [
        "# No frontmatter\n",
        "---\nname: Build\ndescription: x\n---\n",
        "---\nname: other\ndescription: x\n---\n",
        "---\nname: build\ndescription: <b>\n---\n",
        "---\nname: build\ndescription: x\nargument-hint: y\n---\n",
        "---\nname: build\ndescription: x\nallowed-tools: [Bash]\n---\n",
        "---\nname: build\ndescription: x\nmetadata: {a: 1}\n---\n",
    ],
)
def test_the_validator_above_would_notice(text: str) -> None:
    assert complaints(text, "build")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_it_is_thin_and_says_when_to_use_it(folder: Path) -> None:
    text = text_of(folder)
    assert len(text.splitlines()) <= 40 and all(len(line) <= 300 for line in text.splitlines())
    assert (
        " Use when " in {skill.name: skill.description for skill in shipped_skills()}[folder.name]
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_it_injects_is_allowed_and_can_never_fail(
    folder: Path, example: Path, dctx: Run
) -> None:
    text = text_of(folder)
    commands = INJECTED.findall(text)
    # What a skill reads of a file itself, it need not inject.
    assert (commands or folder.name == "idea") and "allowed-tools: Bash(dctx *)\n" in text
    assert text.count("!`") == len(commands), "an injection stands where no client carries it out"
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "dctx" and words[-1] == "--inject" and parse.parse(words[1:])
        assert injected(dctx, *words[1:-1], cwd=example)
        assert injected(dctx, *words[1:-1], cwd=Path("/")).startswith("There is no .director/")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_users_words_stand_in_prose_and_in_no_command(folder: Path) -> None:
    text = text_of(folder)
    assert text.count("$ARGUMENTS") == 1
    assert not any("$" in command for command in re.findall(r"`[^`]*`", text))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_command_that_it_names_is_one_of_ours(folder: Path) -> None:
    for command in re.findall(r"`(dctx [^`]+)`", text_of(folder)):
        words = shlex.split(command)[1:]
        assert parse.parse(words), command


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_agent_that_it_spawns_has_a_profile(folder: Path) -> None:
    assert set(re.findall(r"`dctx:([\w-]+)`", text_of(folder))) <= set(PROFILES)


ROLES = {"build": "builder", "inspect": "verifier", "blueprint": "planner"}


def line_for(skill: str) -> str:
    """What an agent's prompt begins with, wherever the skill is installed."""
    found = re.search(r"^ +> (.*)\n +> (.*)$", text_of(ROOT / "skills" / skill), re.MULTILINE)
    assert found
    return f"{found[1]} {found[2]}".replace("TASK", "2/2/1")


def test_a_skill_that_spawns_has_a_line_for_the_prompt_that_brings_the_context_without_hooks(
    example: Path, dctx: Run
) -> None:
    assert {folder.name for folder in FOLDERS if "agent type `dctx" in text_of(folder)} == set(
        ROLES
    )
    for skill, role in ROLES.items():
        (command,) = re.findall(r"`(dctx [^`]+)`", line_for(skill))
        words = shlex.split(command)[1:]
        assert words[:2] == [
            "assemble",
            role,
        ] and f"a section of instructions for a {role} already" in line_for(skill)
        out = injected(dctx, *words[:-1], cwd=example)
        assert "<instructions>" in out and (
            "2/2/1" not in command or "Download as a spreadsheet" in out
        )


@pytest.mark.parametrize("skill", ROLES)
def test_the_same_line_lets_hooks_put_the_context_of_that_task_before_it(
    skill: str, example: Path, tmp_path: Path
) -> None:
    # Who is given a task has it, and the example is everybody's.
    example = shutil.copytree(example, tmp_path / "own")
    prompt = f"{line_for(skill)}\n\nDo it well."
    told = new_prompt(ask(example, spawn(prompt, f"dctx:{ROLES[skill]}"), DCTX_RECORD="off"))
    task = [] if skill == "blueprint" else ["--task", "2/2/1"]
    printed = process("assemble", ROLES[skill], *task, "--no-record", cwd=example)
    assert told.partition("\n\n")[2] == f"{printed.out}\n{prompt}"


def test_each_skill_of_the_seed_loads_its_own_profile() -> None:
    several = {"blueprint": 3, "brainstorm": 4, "pivot": 4}
    for name in SKILLS:
        command = f"!`dctx assemble --skill {name}"
        parts = several.get(name, 0)
        lines = [f"{command} --part {number}/{parts} --inject`\n" for number in range(1, parts + 1)]
        expected = "".join(lines) or f"{command} --inject`\n"
        assert f"\n\n{expected}\n" in text_of(ROOT / "skills" / name)


def test_what_a_skill_tells_an_agent_to_run_works(example: Path, tmp_path: Path, dctx: Run) -> None:
    """Those that only read, with something real where it names a place."""
    real = {"TASK": "3", "AGENT": "builder", "N": "2", "FILE": str(tmp_path / "out")}
    seen = set()
    for folder in FOLDERS:
        for command in re.findall(
            r"(?<!!)`(dctx (?:status|next|assemble|budget|task show) [^`]+)`", text_of(folder)
        ):
            words = [real.get(word, word) for word in shlex.split(command)[1:]]
            result = dctx(
                *words, "--no-record" if words[0] == "assemble" else "--json", cwd=example
            )
            assert result.code == 0, (command, result)
            seen.add(words[0])
    assert seen == {"status", "assemble", "budget", "task"}


def test_a_skill_of_an_empty_project_says_what_to_do(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {})
    for name in ("build", "blueprint"):
        (command, *_) = INJECTED.findall(text_of(ROOT / "skills" / name))
        assert "dctx " in injected(dctx, *shlex.split(command)[1:-1], cwd=root)
