"""Real agent clients, offline: asked what to do next, a scripted model calls the server's tools, and
their answers arrive whole.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from claude_spawns import BUILD, SPAWN, call, spawning
from mcp_server import Server
from real_clients import Place

from benchmarks.push_or_pull import CLIENTS, COUNTER, Measurement
from director_ctx import assemble, load_project
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest
from director_ctx.clients.verify.scripted_wires import ScriptedCall
from director_ctx.context.tokens.tokenizers import load
from director_ctx.doors.mcp.methods import INSTRUCTIONS
from director_ctx.tools.tool_sets import CONTEXT

pytestmark = pytest.mark.proof

PROMPT = "WHAT SHOULD I DO NEXT, and what do I need to know?"
CLAUDE = "claude 2.1.326"
NAMED_CALL = re.compile(r"The rest: context (\{.*?\})\.")


def offered(asked: ModelRequest) -> str:
    """The tools of a request, whatever form they have."""
    return json.dumps(asked.body.get("tools"))


def test_claude_code_shows_the_context_tool_at_once_and_passes_its_answer_on_whole(
    tmp_path: Path, example: Path
) -> None:
    place = Place(CLAUDE, tmp_path, example)
    asking = ScriptedCall("mcp__dctx__context", {})
    rules = [AnswerRule(calls=(asking,), when=PROMPT, unless="<vision>"), AnswerRule("done")]
    asked = place.run([PROMPT], rules, more=place.knows_server())
    whole = assemble(load_project(root=str(place.root)), "builder").text
    assert len(whole) > 10_000

    first = next(one for one in asked if PROMPT in one.said)
    assert '"mcp__dctx__context"' in offered(first)
    # The others are names until the model looks for them.
    assert '"mcp__dctx__search"' not in offered(first)
    # In one piece, and without a search for the tool before.
    assert whole.rstrip() in asked[1].said


@pytest.mark.parametrize(
    ("client", "tool"),
    [("codex 0.169.0", "mcp__dctx.context"), ("copilot 1.0.102", "dctx-context")],
)
def test_codex_and_copilot_pass_each_page_on_whole(
    client: str, tool: str, tmp_path: Path, example: Path
) -> None:
    place = Place(client, tmp_path, example)
    more = place.knows_server()
    with Server(place.root) as server:
        first = server.text("context")
        # What the model does next is what the answer names.
        named = NAMED_CALL.search(first)
        assert named
        rest = json.loads(named[1])
        second = server.text("context", **rest)
    assert 9_000 < len(first) <= 10_000

    rules = [
        AnswerRule(calls=(ScriptedCall(tool, rest),), when="Page 1 of 2", unless="Page 2 of 2"),
        AnswerRule(calls=(ScriptedCall(tool, {}),), when=PROMPT, unless="<vision>"),
        AnswerRule("done"),
    ]
    place.run([PROMPT], rules, more=more)
    assert place.first(first.rstrip(), without=["Page 2 of 2"])
    assert place.first(first.rstrip(), second.rstrip())


def shown_tokens(asked: ModelRequest) -> int:
    """What a model is shown of tools and told besides, counted as the benchmark counts it."""
    count = load(COUNTER)
    total = count(asked.said)
    for tool in asked.body["tools"]:
        for one in (tool, *tool.get("tools", ())):
            schema = one.get("input_schema") or one.get("parameters") or {}
            text = json.dumps(schema, separators=(",", ":"))
            name = one.get("name", one.get("type"))
            total += count(f"{name} {one.get('description', '')} {text}")
    return total


@pytest.mark.parametrize("program", [CLAUDE, "codex 0.169.0", "copilot 1.0.102"])
def test_a_client_shows_as_much_of_the_tools_as_the_benchmark_says(
    program: str, tmp_path: Path, example: Path
) -> None:
    without = Place(program, tmp_path / "without", example)
    first = without.run([PROMPT], [AnswerRule("done")])
    with_tools = Place(program, tmp_path / "with", example)
    second = with_tools.run([PROMPT], [AnswerRule("done")], more=with_tools.knows_server())

    own, more = (
        shown_tokens(next(one for one in asked if PROMPT in one.said)) for asked in (first, second)
    )
    client = CLIENTS[without.client]
    said = Measurement(load_project(root=str(with_tools.root)), client).tools()
    # Around names and instructions a client puts a few words of its own.
    assert abs((more - own) - said) < 60
    assert abs(own - client.own) < 0.1 * client.own


@pytest.mark.parametrize(
    ("client", "told"),
    [
        (CLAUDE, INSTRUCTIONS),
        ("codex 0.169.0", INSTRUCTIONS),
        # It shows no instructions of servers, but all of their tools.
        ("copilot 1.0.102", CONTEXT.says),
    ],
)
def test_the_model_is_told_when_to_call_which_tool(
    client: str, told: str, tmp_path: Path, example: Path
) -> None:
    place = Place(client, tmp_path, example)
    place.run([PROMPT], [AnswerRule("done")], more=place.knows_server())
    asked = next(request for request in place.asked if PROMPT in request.said)
    assert json.dumps(told)[1:-1] in json.dumps(asked.body)


def test_an_agent_that_is_handed_the_prompt_asks_by_the_tools_that_it_names(
    tmp_path: Path, example: Path
) -> None:
    place = Place(CLAUDE, tmp_path, example)
    place.install()
    asking = ScriptedCall("mcp__dctx__context", {"agent": "builder", "sections": ["task"]})
    rules = [
        AnswerRule(calls=(asking,), when=BUILD, unless="<task>"),
        *spawning(call("director-builder", BUILD)),
    ]
    switched = {"CLEAN_CONTEXT_ENABLED": "true"}
    place.run([SPAWN], rules, ["director-builder"], place.knows_server(), switched)

    project = load_project(root=str(place.root))
    prompt = assemble(project, "builder", layout="pull", task="2/2/1").text.rstrip()
    first = place.first(BUILD, without=[SPAWN, "<task>"])
    assert prompt in first
    assert "<vision>" not in first
    # What it asked for came back to it, and to nobody else.
    assert "\n# Task: " in place.first(BUILD, "<task>", without=[SPAWN])
