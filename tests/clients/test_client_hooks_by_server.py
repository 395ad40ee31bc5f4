"""Real clients, offline, whose hooks ask the server: it answers them all, the program steps in where it
is gone, and nobody is told twice.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from claude_spawns import BUILD, PLAN, SPAWN, VERSIONS, attachments, call, spawning
from conftest import commit, process
from making_plugin import make_plugin
from real_clients import BY_SERVER, Place, sent_whole

from director_ctx.clients.by_server import FOLDER
from director_ctx.clients.entries import FALLBACK, TOOL, Asking, hook_entries
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.run import ASK, WORK, rules
from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof

CLAUDE = "claude 2.1.326"
CODEX = "codex 0.169.0"
COPILOT = "copilot 1.0.102"
TYPE = "director-builder"


def before_spawns(place: Place) -> list[tuple[str, dict[str, Any]]]:
    """Who was asked before agents were spawned, and what the client wrote down of it."""
    rows = []
    for row in attachments(place):
        if row["hookEvent"] == "PreToolUse":
            who = "server" if row.get("command", "").endswith("dctx/hook") else "program"
            rows.append((who, row))
    return rows


def asked_of(place: Place) -> list[tuple[str, str]]:
    return [(who, row["type"]) for who, row in before_spawns(place)]


def gave_context(place: Place) -> list[str]:
    return [who for who, row in before_spawns(place) if "updatedInput" in row["stdout"]]


def told_once(said: str, prompt: str) -> None:
    assert said.count("<instructions>") == 1 and said.count("<vision>") == 1
    assert said.index(prompt) > said.index("</instructions>")


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_server_the_program_gives_the_context(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    place.install("--via", "mcp")
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE])
    told_once(place.first(BUILD, without=[SPAWN]), BUILD)
    # The client says in its transcript that the server is not there, and goes on.
    assert sorted(asked_of(place)) == [
        ("program", "hook_non_blocking_error"),
        ("program", "hook_success"),
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_when_the_server_is_killed_the_next_agent_gets_its_context_from_the_program(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    place.way = BY_SERVER
    place.install()
    kill = (
        f'for s in "$HOME"/{FOLDER}/claude-*; do kill -9 "${{s##*-}}"; done; sleep 1; echo KIL""LED'
    )
    killed = ScriptedCall("Bash", {"command": kill, "description": "Kill it"})
    script = [
        AnswerRule(calls=(call(TYPE, BUILD),), when=SPAWN, unless="tool_result"),
        AnswerRule(calls=(call("director-planner", PLAN),), when="KILLED", unless=PLAN),
        AnswerRule(calls=(killed,), when=SPAWN, unless="kill -9"),
        AnswerRule("done"),
    ]
    place.run([SPAWN], script, [TYPE, "director-planner"], more=("--allowedTools", "Bash"))
    told_once(place.first(BUILD, without=[SPAWN]), BUILD)
    told_once(place.first(PLAN, without=[SPAWN]), PLAN)
    assert gave_context(place) == ["server", "program"]


@pytest.mark.parametrize("version", VERSIONS)
def test_at_its_start_an_agent_is_told_each_part_once(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    place.way = BY_SERVER
    place.install("--at", "start")
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE])
    said = place.first(BUILD, without=[SPAWN])
    assert said.count("<instructions>") == 1 and said.count("<vision>") == 1
    assert said.count("(Part 1 of ") == 1


def test_two_sessions_at_once_are_each_answered_by_their_own(example: Path, tmp_path: Path) -> None:
    """One has a server, and the other must not be silent for it."""
    place = Place(CLAUDE, tmp_path, example)
    place.install("--via", "mcp")
    folder = place.home / FOLDER
    folder.mkdir(parents=True)
    # A server that lives, of a client that is not this one.
    (folder / f"claude-1-{os.getpid()}").touch()
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE])
    told_once(place.first(BUILD, without=[SPAWN]), BUILD)


def test_codex_is_told_by_the_server_and_nothing_twice(example: Path, tmp_path: Path) -> None:
    place = Place(CODEX, tmp_path, example)
    place.way = BY_SERVER
    place.install()
    place.run([ASK], rules("codex", TYPE), [TYPE])
    session, agent = place.first(ASK), place.first(WORK, without=[ASK])
    assert session.count("Next task: ") == 1
    assert agent.count("<instructions>") == 1 and agent.count("<vision>") == 1
    assert agent.count("(Part 1 of ") == 1 and agent.count("(Part 2 of ") == 1


def test_copilot_runs_the_commands_that_a_project_shares_beside_hooks_that_ask_a_server(
    example: Path, tmp_path: Path
) -> None:
    """It passes over a whole file in which a hook asks a server."""
    place = Place(COPILOT, tmp_path, example)
    assert place.dctx("agents", "install", "--via", "mcp", "--yes").code == 0
    # As it is where `dctx` is on the PATH: the commands are shared, and the others are not.
    folder = place.root / ".claude"
    both = json.loads((folder / "settings.local.json").read_text())["hooks"]
    shared, own = {}, {}
    for event, groups in both.items():
        shared[event] = [group for group in groups if group["hooks"][0]["type"] == "command"]
        own[event] = [group for group in groups if group["hooks"][0]["type"] != "command"]
    (folder / "settings.json").write_text(json.dumps({"hooks": shared}))
    (folder / "settings.local.json").write_text(json.dumps({"hooks": own}))
    place.knows_server()
    place.run([ASK], rules("copilot", TYPE), [TYPE])
    told_once(place.first(WORK, without=[ASK]), WORK)
    assert place.first(ASK).count("Next task: ") == 1


def plugin_of(folder: Path) -> Path:
    """A plugin that calls this checkout."""
    plugin = folder / "plugin"
    program = f"{sys.executable} -m director_ctx"
    make_plugin(plugin, program)
    return plugin


@pytest.mark.parametrize("version", VERSIONS)
def test_the_plugins_hooks_ask_the_plugins_server(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    plugin = plugin_of(tmp_path)
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE], more=["--plugin-dir", str(plugin)])
    printed = place.dctx("assemble", "builder", "--task", "2/2/1", "--no-record")
    sent_whole(place.first(BUILD, without=[SPAWN]), printed, BUILD)
    told_once(place.first(BUILD, without=[SPAWN]), BUILD)
    assert asked_of(place) == [("server", "hook_success")]
    assert place.first(SPAWN).count("Next task: ") == 1


def test_where_the_settings_have_the_same_server_the_plugins_is_off_and_its_program_answers(
    example: Path, tmp_path: Path
) -> None:
    """Claude Code starts one of two servers with the same command, and hooks ask by its name."""
    place = Place(CLAUDE, tmp_path, example)
    plugin = plugin_of(tmp_path)
    servers = (plugin / ".mcp.json").read_text()
    (place.root / ".mcp.json").write_text(servers)
    place.settings({"enableAllProjectMcpServers": True})
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE], more=["--plugin-dir", str(plugin)])
    told_once(place.first(BUILD, without=[SPAWN]), BUILD)
    assert ("program", "hook_success") in asked_of(place)


@pytest.mark.parametrize("client", [COPILOT, CODEX])
def test_other_clients_take_the_plugin_and_run_its_commands(
    client: str, example: Path, tmp_path: Path
) -> None:
    place = Place(client, tmp_path, example)
    plugin = plugin_of(tmp_path)
    before: list[tuple[str, ...]] = []
    more = ["--plugin-dir", str(plugin)]
    if place.client == "codex":
        before = [
            ("plugin", "marketplace", "add", str(plugin)),
            ("plugin", "add", "dctx@dctx"),
        ]
        more = []
    place.run([ASK], rules(place.client, TYPE), [TYPE], more=more, before=before)
    assert place.first(ASK).count("Next task: ") == 1
    assert "context" in json.dumps([asked.body.get("tools") for asked in place.asked])


@pytest.mark.parametrize("name", [CLAUDE, CODEX])
def test_verify_runs_the_client_with_the_server_and_without_it(
    name: str, example: Path, tmp_path: Path
) -> None:
    place = Place(name, tmp_path, example)
    place.install("--via", "mcp")
    words = ("agents", "verify", "--client", place.client, "--json")
    done = place.dctx(*words, path=place.program)
    assert done.code == 0, done
    ran = next(one for one in json.loads(done.out)["proofs"] if one["name"] == "run offline")
    assert ran["outcome"] == "proven"
    assert "The server dctx gives the same, where the client has started it." in ran["verdict"]


def test_verify_says_when_the_server_gives_nothing(example: Path, tmp_path: Path) -> None:
    """One that does not know hooks yet, such as that of an earlier dctx, with a program that does."""
    place = Place(CLAUDE, tmp_path, example)
    old = tmp_path / "bin" / "dctx"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\n[ "$1" = mcp ] && exit 3\nexec {place.own_program()} "$@"\n')
    old.chmod(0o755)
    env = {"HOME": str(place.home), "PATH": f"{old.parent}{os.pathsep}{os.environ['PATH']}"}
    path = os.pathsep.join((str(Path(place.program).parent), env["PATH"]))
    asking = Asking((TOOL, FALLBACK))
    place.settings({"hooks": hook_entries(CLIENTS["claude"], ("dctx",), asking=asking)})
    words = ("agents", "verify", "--client", "claude", "--json")
    done = process(*words, cwd=place.root, env={**env, "PATH": path})
    ran = next(one for one in json.loads(done.out)["proofs"] if one["name"] == "run offline")
    assert (done.code, ran["outcome"]) == (1, "failed"), done
    assert "The program gives the context, and the server dctx does not." in ran["verdict"]


def test_verify_reads_from_the_transcripts_that_a_server_gave_the_context(
    example: Path, tmp_path: Path
) -> None:
    place = Place(CLAUDE, tmp_path, example)
    place.way = BY_SERVER
    place.install()
    commit(place.root, "Before")
    place.run([SPAWN], spawning(call(TYPE, BUILD)), [TYPE])
    done = place.dctx("agents", "verify", "--client", "claude", "--replay", "--json")
    assert done.code == 0, done
    past = json.loads(done.out)["proofs"][-1]
    assert past["outcome"] == "proven", past
    assert "agents spawned: 1, given their context: 1" in past["verdict"]
