"""`dctx agents plugin`: what is in the plugin, what it never touches, and that the real client
accepts it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from conftest import Result
from real_clients import found
from skill_rules import complaints

from director_ctx import __version__
from director_ctx.base.hashing import digest
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.plugin.build import MARK, build_plugin
from director_ctx.clients.plugin.files import AGENTS
from director_ctx.clients.skills.files import shipped_names
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.hooks import Hooks, profile_for
from director_ctx.context.settings.profiles import PROFILES

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin") / "dctx"
    build_plugin(str(folder), ("dctx",))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_is_made_of_the_skills_the_hooks_and_an_agent_for_each_profile(plugin: Path) -> None:
    made = set(files(plugin))
    assert {f"skills/{name}/SKILL.md" for name in shipped_names()} <= made
    assert {
        f"agents/{name}.md" for name in PROFILES if name != "director"
    } <= made  # nobody spawns the director
    others = {path for path in made if not path.startswith(("skills/", "agents/"))}
    manifests = {
        ".claude-plugin/plugin.json",
        ".claude-plugin/marketplace.json",
        ".claude-plugin/icon.png",
        MARK,
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


@pytest.mark.parametrize("name", shipped_names())
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
    assert all(f"`/dctx:{name}`" in text for name in shipped_names())
    assert all(f"`dctx:{agent.name}`" in text for agent in AGENTS)


def test_it_is_the_same_bytes_each_time(plugin: Path, tmp_path: Path) -> None:
    for _ in range(2):
        build_plugin(str(tmp_path / "again"), ("dctx",))
        assert files(tmp_path / "again") == files(plugin)


def test_another_program_is_called_everywhere(tmp_path: Path, dctx: Run) -> None:
    done = dctx("agents", "plugin", str(tmp_path / "p"), "--program", "'/opt/my tools/dctx'")
    assert (
        done.code == 0
        and "It calls '/opt/my tools/dctx'" in done.out
        and "--program dctx" in done.err
    )
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
    for odd in ("", "'open"):
        assert dctx("agents", "plugin", str(tmp_path / "q"), "--program", odd).code == 2


def test_it_is_built_anew_over_what_it_made_and_over_nothing_else(
    tmp_path: Path, dctx: Run
) -> None:
    folder = tmp_path / "p"
    build_plugin(str(folder), ("old",))
    (folder / "notes.txt").write_text("mine")
    old = json.loads((folder / MARK).read_text())
    gone = folder / "skills" / "gone" / "SKILL.md"
    gone.parent.mkdir()
    gone.write_bytes((folder / "LICENSE").read_bytes())
    (folder / MARK).write_text(json.dumps({**old, "skills/gone/SKILL.md": old["LICENSE"]}))
    assert dctx("agents", "plugin", str(folder), "--program", "dctx").code == 0
    assert not gone.parent.exists() and (folder / "notes.txt").read_text() == "mine"
    (folder / "README.md").write_text("my own words")
    before = files(folder)
    refused = dctx("agents", "plugin", str(folder), "--program", "other")
    assert refused.code == 1 and "README.md" in refused.err and "hint:" in refused.err
    assert files(folder) == before


@pytest.mark.parametrize("name", ["", "skills/build/SKILL.md", ".claude-plugin/plugin.json"])
def test_a_folder_of_somebody_elses_is_left_alone(name: str, tmp_path: Path, dctx: Run) -> None:
    path = tmp_path / "p" / (name or "notes.txt")
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    refused = dctx("agents", "plugin", str(tmp_path / "p"))
    assert refused.code == 1 and "not a plugin that dctx made" in refused.err
    assert list(files(tmp_path / "p").values()) == [b"mine"]


def test_links_inside_are_not_followed(tmp_path: Path, dctx: Run) -> None:
    folder, outside = tmp_path / "p", tmp_path / "outside"
    build_plugin(str(folder), ("dctx",))
    outside.mkdir()
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(outside / "README.md")
    assert dctx("agents", "plugin", str(folder), "--program", "dctx").code == 1
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "mark", ["no json", "[1]", '{"../outside": "x", "/etc/x": "y", "README.md": 5}']
)
def test_a_mark_that_makes_no_sense_does_no_harm(mark: str, tmp_path: Path, dctx: Run) -> None:
    folder = tmp_path / "p"
    build_plugin(str(folder), ("old",))
    (tmp_path / "outside").write_text("theirs")
    (folder / MARK).write_text(mark)
    assert dctx("agents", "plugin", str(folder), "--program", "dctx").code == 1
    assert (tmp_path / "outside").read_text() == "theirs"


def test_a_file_in_place_of_the_folder_is_a_sentence(tmp_path: Path, dctx: Run) -> None:
    (tmp_path / "p").write_text("mine")
    assert "is not a folder" in dctx("agents", "plugin", str(tmp_path / "p")).err


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
    build_plugin(str(alone), ("dctx",))
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


@pytest.mark.parametrize(
    "name",
    [".git/HEAD", "skills/x/notes.md", "../beside.txt", "a\0b", "\ud800", ".claude-plugin/.own"],
)
def test_a_list_that_somebody_brought_makes_it_remove_nothing_of_theirs(
    name: str, tmp_path: Path, dctx: Run
) -> None:
    folder = tmp_path / "clone"
    theirs = {
        ".git/HEAD": "ref",
        "skills/x/notes.md": "n",
        ".claude-plugin/.own": "o",
        "../beside.txt": "b",
    }
    for path, text in theirs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    text = theirs.get(name, "")
    (folder / MARK).write_text(json.dumps({name: digest(text.encode())}))
    done = dctx("agents", "plugin", str(folder))
    assert done.code in (0, 1)
    assert all((folder / path).read_text() == text for path, text in theirs.items())


def test_it_waits_for_no_pipe(tmp_path: Path, dctx: Run) -> None:
    (tmp_path / "p" / ".claude-plugin").mkdir(parents=True)
    os.mkfifo(tmp_path / "p" / MARK)
    assert dctx("agents", "plugin", str(tmp_path / "p")).code == 1
    build_plugin(str(tmp_path / "q"), ("dctx",))
    (tmp_path / "q" / "README.md").unlink()
    os.mkfifo(tmp_path / "q" / "README.md")
    assert "README.md" in dctx("agents", "plugin", str(tmp_path / "q")).err
