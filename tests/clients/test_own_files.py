"""Skills and sub-agents as files: in the form that each client wants, and never over somebody's own."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from conftest import write
from setting_up import Dctx, home, put, show, take
from skill_rules import complaints

from director_ctx.clients.skills.by_client import (
    OPEN,
    SKILL_FOLDERS,
    installed_skill,
    is_ours,
    sealed,
)
from director_ctx.clients.skills.files import parse_shipped, shipped_skills

SHIPPED = {skill.name: skill for skill in shipped_skills()}
AGENTS = ("dctx-builder", "dctx-verifier")


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


def skill_file(root: Path, client: str = "claude", name: str = "next") -> Path:
    return root / SKILL_FOLDERS[client].path.replace("NAME", name)


def agent_file(root: Path, name: str = "builder") -> Path:
    return root / f".claude/agents/dctx-{name}.md"


# What they are


@pytest.mark.parametrize("name", SHIPPED)
def test_each_client_gets_a_skill_in_its_own_form(name: str) -> None:
    skill = SHIPPED[name]
    text = installed_skill(skill, "claude", ("dctx",))
    assert complaints(text, f"dctx-{name}") == []
    assert text.split("---\n", 2)[2].strip() == skill.body.strip()
    by_hand = installed_skill(skill, "codex", ("dctx",))
    assert complaints(by_hand, f"dctx-{name}") == []
    for told in (by_hand, installed_skill(skill, "cursor", ("dctx",))):
        assert "!`" not in told and "$ARGUMENTS" not in told
    value = tomllib.loads(installed_skill(skill, "gemini", ("dctx",)))
    assert value["description"] == skill.description
    carried_out = re.sub(r"^!`(.*)`$", r"!{\1}", skill.body, flags=re.MULTILINE)
    assert value["prompt"].strip() == carried_out.replace("$ARGUMENTS", "{{args}}")


def test_a_program_that_is_not_on_the_path_is_called_by_its_place() -> None:
    text = installed_skill(SHIPPED["next"], "claude", ("/opt/my tools/dctx",))
    assert "\n!`'/opt/my tools/dctx' next --inject`\n" in text and "`dctx " not in text
    assert yaml.safe_load(text.split("---\n")[1])["allowed-tools"] == "Bash('/opt/my tools/dctx' *)"
    assert is_ours(text)
    toml = tomllib.loads(installed_skill(SHIPPED["next"], "gemini", ("C:\\tools\\dctx.exe",)))
    assert '!{"C:\\tools\\dctx.exe" next --inject}' in toml["prompt"]


def test_a_shipped_skill_is_read_as_it_is_written() -> None:
    skill = parse_shipped("---\nname: a\ndescription: Does b: c.\n---\n\n# A\n\n---\nline\n")
    assert (skill.name, skill.description, skill.body) == ("a", "Does b: c.", "# A\n\n---\nline")


# Where they are


def test_claude_has_them_in_its_own_folder_wherever_that_was_moved(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    put(dctx, root, "skills,agents", "--user", "--yes")
    assert (tmp_path / "moved/skills/dctx-build/SKILL.md").is_file()
    assert (tmp_path / "moved/agents/dctx-builder.md").is_file()
    put(dctx, root, "skills,agents")
    assert skill_file(root).exists() is agent_file(root).exists() is False, "the user's are enough"


def test_agents_of_the_user_are_in_the_folder_of_each_client(root: Path, dctx: Dctx) -> None:
    for client, folder in (("claude", ".claude"), ("copilot", ".copilot")):
        put(dctx, root, "agents", "--user", "--yes", client=client)
        assert (home() / folder / "agents/dctx-builder.md").exists()


def test_a_place_of_this_machine_is_pointed_out_where_others_would_read_it(
    tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = own_program(tmp_path / "my programs", monkeypatch)
    root = write(tmp_path / "project", {})
    assert "place on this machine" in put(dctx, root, "skills").err
    assert f"!`'{own}' next --inject`" in skill_file(root).read_text("utf-8")
    assert "place on this machine" not in put(dctx, root, "skills", "--user", "--yes").err


# Somebody's own


@pytest.mark.parametrize("client", SKILL_FOLDERS)
def test_a_skill_that_somebody_changed_is_left_alone(client: str, root: Path, dctx: Dctx) -> None:
    put(dctx, root, "skills", client=client)
    path = skill_file(root, client)
    path.write_text(path.read_text("utf-8").replace("What comes next", "What I want"), "utf-8")
    mine = path.read_bytes()
    again = put(dctx, root, "skills", client=client)
    assert again.code == 0 and "is somebody else's and stays" in again.out
    [found] = show(dctx, root, "skills")
    assert found["changed"] == [path.relative_to(root).as_posix()]
    gone = take(dctx, root, "skills", client=client)
    assert gone.code == 0 and "stays, because somebody else wrote or changed it" in gone.out
    assert path.read_bytes() == mine
    files = [
        one
        for one in root.rglob("*")
        if one.is_file() and "dctx" in one.as_posix()[len(str(root)) :]
    ]
    assert [one for one in files if ".director" not in one.parts] == [path]


def test_an_agent_that_somebody_wrote_or_changed_stays_and_is_named(root: Path, dctx: Dctx) -> None:
    builder, verifier = agent_file(root), agent_file(root, "verifier")
    builder.parent.mkdir(parents=True)
    builder.write_text("Mine.\n")
    assert "dctx-builder.md is somebody else's and stays" in put(dctx, root, "agents").out
    verifier.write_text(verifier.read_text().replace("Read, ", ""))
    [found] = show(dctx, root, "agents")
    assert found["names"] == [*AGENTS]
    assert found["changed"] == [f".claude/agents/{name}.md" for name in AGENTS]
    assert "dctx-verifier.md stays, because" in take(dctx, root, "agents").out
    assert builder.read_text() == "Mine.\n" and verifier.exists()


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_an_earlier_version_wrote_is_brought_up_to_date_or_taken_away(
    ends: str, root: Path, dctx: Dctx
) -> None:
    older = sealed(f"---\n# dctx-sha256: {OPEN}\nname: dctx-builder\n---\n\nBuild.\n")
    agent = agent_file(root)
    agent.parent.mkdir(parents=True)
    agent.write_bytes(older.replace("\n", ends).encode())
    for name in ("next", "gone"):
        old = installed_skill(SHIPPED["next"].replace(name=name, body="# Old"), "claude", ("dctx",))
        path = skill_file(root, name=name)
        path.parent.mkdir(parents=True)
        path.write_bytes(old.replace("\n", ends).encode())
    mine = skill_file(root, name="mine")
    mine.parent.mkdir()
    mine.write_text("---\nname: dctx-mine\n---\n")
    told = dctx("agents", cwd=root).out
    assert told.count("brings it up to date") == 2 and "dctx-gone" in told
    done = put(dctx, root, "skills,agents")
    assert "bring skills for Claude Code up to date in .claude/skills (10 files)" in done.out
    assert "Does one task of the plan" in agent.read_text()
    take(dctx, root, "skills,agents")
    assert [path.name for path in (root / ".claude/skills").iterdir()] == ["dctx-mine"]
    assert not agent.exists()
