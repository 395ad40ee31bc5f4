"""Real clients, offline: the server that `dctx setup --what mcp` writes is one that they
know, start and list.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import process, write
from real_clients import Place, found

from director_ctx import assemble, load_project
from director_ctx.clients.parts.servers import QUESTION
from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof


def listed(place: Place) -> str:
    """The line in which a client names the server."""
    for line in place.command("mcp", "list").splitlines():
        if "dctx" in line and "plugin" not in line:
            return line
    return ""


@pytest.mark.parametrize(
    ("client", "said"),
    [
        ("claude 2.1.326", "Connected"),
        ("codex 0.169.0", "enabled"),
        ("copilot 1.0.102", "dctx (local)"),
        ("gemini 0.61.0", "Connected"),
    ],
)
def test_a_client_knows_the_server_of_a_project_and_nothing_once_it_is_removed(
    client: str, said: str, tmp_path: Path
) -> None:
    place = Place(client, tmp_path)
    place.install(what="mcp")
    assert said in listed(place)
    place.dctx("setup", "--undo", "--client", place.client, "--what", "mcp", "--yes")
    assert not listed(place)


@pytest.mark.parametrize(
    ("client", "said"), [("claude 2.1.326", "Connected"), ("copilot 1.0.102", "dctx (local)")]
)
def test_and_the_server_of_a_user(client: str, said: str, tmp_path: Path) -> None:
    place = Place(client, tmp_path)
    if place.client == "copilot":
        # Its home is where it is told, and there is no project's file.
        (place.home / ".copilot").mkdir()
    place.install("--user", what="mcp")
    assert said in listed(place)


@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_opencode_starts_the_server(name: str, tmp_path: Path) -> None:
    program = found("opencode 1.18.33")
    root, home = write(tmp_path / "project", {}), tmp_path / "home"
    home.mkdir()
    (root / name).write_text('{\n  // Mine.\n  "theme": "system"\n}\n')
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    words = ("setup", "--client", "opencode", "--what", "mcp", "--yes")
    assert process(*words, cwd=root, env={"HOME": str(home)}).code == 0
    done = subprocess.run(
        [program, "mcp", "list"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    assert "dctx" in done.stdout and "connected" in done.stdout


def test_after_one_command_claude_code_is_asked_and_the_answer_arrives_whole(
    tmp_path: Path, example: Path
) -> None:
    place = Place("claude 2.1.326", tmp_path, example)
    done = place.dctx("setup", "--client", "claude", "--no-verify", "--yes")
    assert done.code == 0, done
    call = ScriptedCall("mcp__dctx__context", {})
    rules = [AnswerRule(calls=(call,), when=QUESTION, unless="<vision>"), AnswerRule("done")]
    asked = place.run([QUESTION], rules, more=("--allowedTools", "mcp__dctx"))
    whole = assemble(load_project(root=str(place.root)), "builder").text
    assert any(whole.rstrip() in request.said for request in asked)


@pytest.mark.parametrize(
    ("client", "tool"),
    [("codex 0.169.0", "mcp__dctx.context"), ("copilot 1.0.102", "dctx-context")],
)
def test_after_one_command_codex_and_copilot_are_asked_and_answer_page_by_page(
    client: str, tool: str, tmp_path: Path, example: Path
) -> None:
    place = Place(client, tmp_path, example)
    done = place.dctx("setup", "--client", place.client, "--no-verify", "--yes")
    assert done.code == 0, done
    second = "Page 2 of 2"
    rules = [
        AnswerRule(calls=(ScriptedCall(tool, {"page": 2}),), when="Page 1 of 2", unless=second),
        AnswerRule(calls=(ScriptedCall(tool, {}),), when=QUESTION, unless="<vision>"),
        AnswerRule("done"),
    ]
    asked = place.run([QUESTION], rules)
    whole = assemble(load_project(root=str(place.root)), "builder").text
    last = next(request for request in asked if second in request.said)
    for line in whole.splitlines():
        assert line.strip() in last.said
