"""`dctx agents install --what skills`: where each client looks, never over somebody's own, and out again without a
trace.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from conftest import Result, write
from skill_rules import complaints

from director_ctx.clients.skills.by_client import PLACES, installed_skill, is_ours
from director_ctx.clients.skills.files import parse_shipped, shipped_names, shipped_skills
from director_ctx.doors.cli.clients.menu import COMMANDS
from director_ctx.doors.cli.complete import COMPLETERS

Run = Callable[..., Result]
NAMES = shipped_names()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a dctx that everybody finds."""
    own = own_program(tmp_path / "programs", monkeypatch)
    monkeypatch.setenv("PATH", f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    return write(tmp_path / "project", {"VISION.md": "# Vision\n"})


def own_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dctx that was called by its place."""
    folder.mkdir()
    script = folder / "dctx"
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m director_ctx \"$@\"\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(script)])
    return script


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"/"
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("client", PLACES)
@pytest.mark.parametrize("scope", ["--project", "--user"])
def test_every_skill_is_where_the_client_looks_and_gone_again(
    client: str, scope: str, root: Path, dctx: Run
) -> None:
    base = root if scope == "--project" else Path.home()
    (base / "kept.txt").write_text("mine")
    before = tree(base)
    done = dctx(
        "agents", "install", "--what", "skills", "--client", client, scope, "--yes", cwd=root
    )
    assert done.code == 0, done
    for name in NAMES:
        here = PLACES[client]
        path = base / (
            here.user_path if scope == "--user" and here.user_path else here.path
        ).replace("NAME", name)
        assert is_ours(path.read_text("utf-8")) and path.name in done.out
    assert len(tree(base)) > len(before)
    again = dctx(
        "agents", "install", "--what", "skills", "--client", client, scope, "--yes", cwd=root
    )
    assert again.code == 0 and again.out.count("as it should be") == len(NAMES)
    assert (
        dctx(
            "agents", "remove", "--what", "skills", "--client", client, scope, "--yes", cwd=root
        ).code
        == 0
    )
    assert tree(base) == before


def test_claude_has_them_in_its_own_folder_wherever_that_was_moved(
    root: Path, tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    dctx("agents", "install", "--what", "skills", "build", "--user", "--yes", cwd=root)
    assert (tmp_path / "moved" / "skills" / "dctx-build" / "SKILL.md").is_file()
    dctx("agents", "install", "--what", "skills", "build", "--project", "--yes", cwd=root)
    assert (root / ".claude" / "skills" / "dctx-build" / "SKILL.md").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_what_claude_gets_is_portable_and_out_of_the_way_of_its_own_commands(name: str) -> None:
    (skill,) = shipped_skills((name,))
    text = installed_skill(skill, "claude", ("dctx",))
    assert complaints(text, f"dctx-{name}") == []
    assert complaints(installed_skill(skill, "codex", ("dctx",)), f"dctx-{name}") == []
    assert text.split("---\n", 2)[2].strip() == skill.body.strip()


@pytest.mark.parametrize("name", NAMES)
def test_gemini_gets_a_command_in_its_own_form(name: str) -> None:
    (skill,) = shipped_skills((name,))
    value = tomllib.loads(installed_skill(skill, "gemini", ("dctx",)))
    assert value["description"] == skill.description
    carried_out = re.sub(r"^!`(.*)`$", r"!{\1}", skill.body, flags=re.MULTILINE)
    assert value["prompt"].strip() == carried_out.replace("$ARGUMENTS", "{{args}}")


@pytest.mark.parametrize("client", ["codex", "cursor"])
def test_a_client_that_carries_nothing_out_is_told_to_run_it(client: str) -> None:
    (skill,) = shipped_skills(("build",))
    text = installed_skill(skill, client, ("dctx",))
    assert "!`" not in text and "$ARGUMENTS" not in text
    assert "\n`dctx assemble --skill build --inject`\n" in text and "run it yourself" in text


def test_a_program_that_is_not_on_the_path_is_called_by_its_place() -> None:
    (skill,) = shipped_skills(("next",))
    text = installed_skill(skill, "claude", ("/opt/my tools/dctx",))
    assert "\n!`'/opt/my tools/dctx' next --inject`\n" in text and "`dctx " not in text
    assert yaml.safe_load(text.split("---\n")[1])["allowed-tools"] == "Bash('/opt/my tools/dctx' *)"
    assert is_ours(text)
    toml = tomllib.loads(installed_skill(skill, "gemini", ("C:\\tools\\dctx.exe",)))
    assert '!{"C:\\tools\\dctx.exe" next --inject}' in toml["prompt"]


@pytest.mark.parametrize("client", PLACES)
def test_a_file_that_somebody_changed_is_left_alone(client: str, root: Path, dctx: Run) -> None:
    dctx("agents", "install", "--what", "skills", "--client", client, "--yes", cwd=root)
    path = root / PLACES[client].path.replace("NAME", "next")
    path.write_text(path.read_text("utf-8").replace("What comes next", "What I want"), "utf-8")
    mine = path.read_bytes()
    for command in ("install", "remove"):
        done = dctx("agents", command, "--what", "skills", "--client", client, "--yes", cwd=root)
        assert done.code == 1 and "changed by somebody" in done.out
        assert "hint: Delete what is marked as changed" in done.err and (
            "install again" in done.err
        ) == (command == "install")
        assert path.read_bytes() == mine
    assert [
        one
        for one in tree(root)
        if "dctx" in one and tree(root)[one] != b"/" and ".director" not in one
    ] == [str(path.relative_to(root))]


@pytest.mark.parametrize("command", ["install", "remove"])
@pytest.mark.parametrize("name", ["nothing", "./build", "skills/build/SKILL.md"])
def test_only_names_of_our_own_are_taken_and_all_of_them_told(
    command: str, name: str, root: Path, dctx: Run
) -> None:
    done = dctx("agents", command, "--what", "skills", name, "--yes", cwd=root)
    assert done.code == 2 and f"dctx brings no skill '{name.casefold()}'" in done.err
    assert ", ".join(NAMES) in done.err
    told = dctx("agents", command, "--help", cwd=root).out
    assert "by name" in told and "or path" not in told.lower()


def test_a_file_that_was_never_ours_is_left_alone(root: Path, dctx: Run) -> None:
    path = root / ".claude" / "skills" / "dctx-next" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: dctx-next\n---\n")
    assert dctx("agents", "install", "--what", "skills", "next", "--yes", cwd=root).code == 1
    assert path.read_text() == "---\nname: dctx-next\n---\n"


def test_what_an_earlier_version_wrote_is_brought_up_to_date_or_taken_away(
    root: Path, dctx: Run
) -> None:
    (skill,) = shipped_skills(("next",))
    place = root / ".claude" / "skills"
    for name in ("next", "gone"):
        (place / f"dctx-{name}").mkdir(parents=True)
        old = installed_skill(skill.replace(name=name, body="# Old"), "claude", ("dctx",))
        (place / f"dctx-{name}" / "SKILL.md").write_text(old)
    (place / "dctx-mine").mkdir()
    (place / "dctx-mine" / "SKILL.md").write_text("---\nname: dctx-mine\n---\n")
    assert (
        "dctx-next/SKILL.md: updated"
        in dctx("agents", "install", "--what", "skills", "next", "--yes", cwd=root).out
    )
    assert dctx("agents", "remove", "--what", "skills", "--yes", cwd=root).code == 0
    assert [path.name for path in place.iterdir()] == ["dctx-mine"]


def test_line_ends_of_a_checkout_are_no_change(root: Path, dctx: Run) -> None:
    dctx("agents", "install", "--what", "skills", "next", "--yes", cwd=root)
    path = root / ".claude" / "skills" / "dctx-next" / "SKILL.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert dctx("agents", "remove", "--what", "skills", "--yes", cwd=root).code == 0
    assert not path.exists()


def test_nothing_is_written_unasked(root: Path, dctx: Run) -> None:
    before = tree(root)
    shown = dctx("agents", "install", "--what", "skills", "--dry-run", cwd=root)
    assert shown.code == 0 and shown.out.count(": new") == len(NAMES)
    asked = dctx("agents", "install", "--what", "skills", cwd=root)
    assert asked.code == 1 and "nobody can be asked" in asked.err
    assert tree(root) == before


def test_a_link_out_of_the_project_is_not_followed(root: Path, tmp_path: Path, dctx: Run) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".claude").symlink_to(tmp_path / "elsewhere")
    done = dctx("agents", "install", "--what", "skills", "--yes", cwd=root)
    assert done.code == 1 and "leads out of the project" in done.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_unknown_skill_or_client_is_a_usage_error(root: Path, dctx: Run) -> None:
    for words in (["nope"], ["--client", "vim"], ["--user", "--project"]):
        result = dctx("agents", "install", "--what", "skills", *words, "--yes", cwd=root)
        assert result.code == 2 and "hint:" in result.err
    assert (
        dctx(
            "agents", "install", "--what", "skills", "dctx-build", "BUILD", "--yes", cwd=root
        ).out.count("new")
        == 1
    )


def test_the_plugin_that_brings_them_is_noticed(root: Path, dctx: Run) -> None:
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"dctx@dctx": true}}')
    done = dctx("agents", "install", "--what", "skills", "--yes", cwd=root)
    assert done.code == 1 and "brings the same skills" in done.err
    assert not (root / ".claude" / "skills").exists()


def test_all_clients_means_those_that_are_used_here(
    root: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(root / "nothing"))
    (root / ".gemini").mkdir()
    done = dctx(
        "agents", "install", "--what", "skills", "next", "--client", "all", "--yes", cwd=root
    )
    assert (root / ".gemini" / "commands" / "dctx" / "next.toml").is_file()
    assert (
        not (root / ".claude").exists()
        and "Claude Code does not seem to be used here; skipped." in done.err
    )


def test_a_place_of_this_machine_is_pointed_out_where_others_would_read_it(
    tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = own_program(tmp_path / "my programs", monkeypatch)
    root = write(tmp_path / "project", {})
    assert (
        "place on this machine"
        in dctx("agents", "install", "--what", "skills", "next", "--yes", cwd=root).err
    )
    assert f"!`'{own}' next --inject`" in (
        root / PLACES["claude"].path.replace("NAME", "next")
    ).read_text("utf-8")
    assert (
        "place on this machine"
        not in dctx(
            "agents", "install", "--what", "skills", "next", "--yes", "--user", cwd=root
        ).err
    )


def test_a_shipped_skill_is_read_as_it_is_written() -> None:
    skill = parse_shipped("---\nname: a\ndescription: Does b: c.\n---\n\n# A\n\n---\nline\n")
    assert (skill.name, skill.description, skill.body) == ("a", "Does b: c.", "# A\n\n---\nline")


def test_a_shell_offers_only_names_of_our_own() -> None:
    assert tuple(COMPLETERS["our-skill"]("")) == NAMES and COMPLETERS["our-skill"]("bu") == [
        "budget",
        "build",
    ]
    for name in ("agents install", "agents remove"):
        (command,) = [one for one in COMMANDS if one.name == name]
        assert [one.complete for one in command.arguments] == ["our-skill"]
