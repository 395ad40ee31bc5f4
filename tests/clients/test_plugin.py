"""`make plugin`: what is in the plugin, and that the real client accepts it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import ROOT
from making_plugin import make_plugin
from real_clients import found
from skill_rules import complaints

from director_ctx import __version__
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.skills.files import shipped_skills
from director_ctx.clients.sub_agents import AGENTS
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.hooks import Hooks, profile_for
from director_ctx.context.settings.profiles import PROFILES

SKILLS = [skill.name for skill in shipped_skills()]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin") / "dctx"
    make_plugin(folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_is_made_of_the_skills_the_hooks_and_an_agent_for_each_profile(plugin: Path) -> None:
    made = set(files(plugin))
    assert {f"skills/{name}/SKILL.md" for name in SKILLS} <= made
    assert {
        f"agents/{name}.md" for name in PROFILES if name != "director"
    } <= made  # nobody spawns the director
    others = {path for path in made if not path.startswith(("skills/", "agents/"))}
    manifests = {
        ".claude-plugin/plugin.json",
        ".claude-plugin/marketplace.json",
        ".claude-plugin/icon.png",
    }
    hooks = {"hooks/hooks.json", ".mcp.json"}
    assert others == manifests | hooks | {"README.md", "LICENSE"}
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_text())["version"] == __version__


def test_its_hooks_are_those_that_are_installed_otherwise(plugin: Path) -> None:
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert hooks == hook_entries(CLIENTS["claude"], ("dctx",))


def test_it_brings_the_server(plugin: Path) -> None:
    servers = json.loads((plugin / ".mcp.json").read_text())
    assert servers == {"mcpServers": {"dctx": {"command": "dctx", "args": ["mcp"]}}}


@pytest.mark.parametrize("name", SKILLS)
def test_its_skills_are_portable_and_keep_their_names(name: str, plugin: Path) -> None:
    assert complaints((plugin / "skills" / name / "SKILL.md").read_text("utf-8"), name) == []


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_each_agent_says_when_to_use_it_and_where_its_context_is(
    agent: object, plugin: Path
) -> None:
    name = agent.name  # type: ignore[attr-defined]
    _, head, body = (plugin / "agents" / f"{name}.md").read_text("utf-8").split("---\n", 2)
    values = yaml.safe_load(head)
    assert values["name"] == name and len(values["description"].split()) > 8
    assert "before your task" in body and f"`dctx assemble {name} --inject`" in body
    assert profile_for(f"dctx:{name}", False, Hooks(), PROFILES).profile == name


def test_agents_that_only_look_have_no_tool_that_writes() -> None:
    tools = {agent.name: agent.tools for agent in AGENTS}
    for name in ("planner", "verifier", "inspector", "interviewer", "mapper", "researcher"):
        assert tools[name] and not {"Write", "Edit"} & set(tools[name].split(", "))
    assert all(
        "Write" in tools[name]
        for name in ("syncer", "deep-mapper", "deep-researcher", "synthesizer")
    )
    assert tools["builder"] == tools["debugger"] == ""


def test_the_readme_names_every_skill_and_agent(plugin: Path) -> None:
    text = (plugin / "README.md").read_text("utf-8")
    assert len(text.split()) >= 40
    assert all(f"`/dctx:{name}`" in text for name in SKILLS)
    assert all(f"`dctx:{agent.name}`" in text for agent in AGENTS)


def test_its_skills_are_those_of_the_repository(plugin: Path) -> None:
    for name in SKILLS:
        path = f"skills/{name}/SKILL.md"
        assert (plugin / path).read_bytes() == (ROOT / path).read_bytes()


def test_another_program_is_called_everywhere(tmp_path: Path) -> None:
    make_plugin(tmp_path / "p", "'/opt/my tools/dctx'")
    made = files(tmp_path / "p")
    handler = json.loads(made["hooks/hooks.json"])["hooks"]["PreCompact"][0]["hooks"][0]
    assert handler == {
        "type": "command",
        "command": "'/opt/my tools/dctx' hook --client claude",
        "timeout": 10,
    }
    assert b"\n!`'/opt/my tools/dctx' status --inject`\n" in made["skills/status/SKILL.md"]
    assert b"`'/opt/my tools/dctx' assemble builder --inject`" in made["agents/builder.md"]
    assert not any(b"`dctx assemble" in data for data in made.values())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(subprocess.CalledProcessError):
        make_plugin(tmp_path)
    assert files(tmp_path) == {"notes.txt": b"mine"}


# the real client


def claude(program: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    import os

    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return subprocess.run(
        [program, *words], env=env, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.proof
@pytest.mark.parametrize("name", ["claude 2.1.197", "claude 2.1.326"])
def test_the_client_accepts_it_strictly(name: str, plugin: Path, tmp_path: Path) -> None:
    program, alone = found(name), tmp_path / "alone"
    make_plugin(alone)
    (alone / ".claude-plugin" / "marketplace.json").unlink()
    for folder in (plugin, alone):
        done = claude(program, tmp_path, "plugin", "validate", "--strict", str(folder))
        assert done.returncode == 0 and "Validation passed" in done.stdout, done
        assert "MISSING" not in done.stdout and "warning" not in done.stdout


@pytest.mark.proof
@pytest.mark.parametrize("name", ["claude 2.1.197", "claude 2.1.326"])
def test_it_can_be_installed_from_its_folder(name: str, plugin: Path, tmp_path: Path) -> None:
    program = found(name)
    for words in (("marketplace", "add", str(plugin)), ("install", "dctx@dctx")):
        done = claude(program, tmp_path, "plugin", *words)
        assert done.returncode == 0, done
    settings = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    assert settings["enabledPlugins"] == {"dctx@dctx": True}
