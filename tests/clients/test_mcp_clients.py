"""Real agent clients, offline: asked what to do next, a scripted model calls the server's tools, and
their answers arrive whole.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from real_clients import Place

from director_ctx import assemble, load_project
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest
from director_ctx.clients.verify.scripted_wires import ToolCall

pytestmark = pytest.mark.proof

PROMPT = "WHAT SHOULD I DO NEXT, and what do I need to know?"
CLAUDE = "claude 2.1.326"


def offered(asked: ModelRequest) -> str:
    """The tools of a request, whatever form they have."""
    return json.dumps(asked.body.get("tools"))


def test_claude_code_shows_the_context_tool_at_once_and_passes_its_answer_on_whole(
    tmp_path: Path, example: Path
) -> None:
    place = Place(CLAUDE, tmp_path, example)
    call = ToolCall("mcp__dctx__context", {})
    rules = [AnswerRule(calls=(call,), when=PROMPT, unless="<vision>"), AnswerRule("done")]
    asked = place.run([PROMPT], rules, more=place.knows_server())
    whole = assemble(load_project(root=str(place.root)), "builder").text
    assert len(whole) > 10_000

    first = next(one for one in asked if PROMPT in one.said)
    assert '"mcp__dctx__context"' in offered(first)
    # The others are names until the model looks for them.
    assert '"mcp__dctx__search"' not in offered(first)
    assert any(whole.rstrip() in one.said for one in asked)


@pytest.mark.parametrize(
    ("client", "tool"),
    [("codex 0.169.0", "mcp__dctx.context"), ("copilot 1.0.102", "dctx-context")],
)
def test_codex_and_copilot_pass_each_page_on_whole(
    client: str, tool: str, tmp_path: Path, example: Path
) -> None:
    place = Place(client, tmp_path, example)
    more = place.knows_server()
    second = "Page 2 of 2"
    rules = [
        AnswerRule(calls=(ToolCall(tool, {"page": 2}),), when="Page 1 of 2", unless=second),
        AnswerRule(calls=(ToolCall(tool, {}),), when=PROMPT, unless="<vision>"),
        AnswerRule("done"),
    ]
    asked = place.run([PROMPT], rules, more=more)
    whole = assemble(load_project(root=str(place.root)), "builder").text
    last = next(one for one in asked if second in one.said)
    for line in whole.splitlines():
        assert line.strip() in last.said
