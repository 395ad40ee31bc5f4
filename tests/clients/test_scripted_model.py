"""The scripted model: it answers by rules, in the formats of three vendors, and keeps what it was
asked.
"""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Sequence
from typing import Any

import pytest

from director_ctx.clients.verify.scripted_model import (
    AnswerRule,
    ModelRequest,
    ScriptedModel,
    choose,
)
from director_ctx.clients.verify.scripted_wires import ScriptedCall, find_wire

READ, WRITE = (
    ScriptedCall("Read", {"path": "a"}),
    ScriptedCall("Write", {"path": "b", "text": "Grüße"}),
)
TOOLS = [{"name": "Read"}, {"name": "Write"}]
BUILD = {"role": "user", "content": "BUILD it"}


def post(model: ScriptedModel, path: str, body: Any) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(model.url + path, data), timeout=30) as answer:
        return str(answer.read().decode())


def events(text: str) -> list[dict[str, Any]]:
    """Server-sent events: the data of each, and the name in front where there is one."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        found.append(json.loads(lines["data"]))
        assert lines.get("event") == found[-1].get("type")
    return found


def conversation(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": list(messages), **more}


def chosen(
    rules: Sequence[AnswerRule], *messages: Any, offered: Sequence[str] = ("Read", "Write")
) -> tuple[str, list[str]]:
    rule, calls = choose(
        rules, ModelRequest("/v1/messages", conversation(*messages)), frozenset(offered)
    )
    return rule.say, [call.name for call in calls]


def test_the_first_rule_that_applies_answers() -> None:
    rules = [
        AnswerRule("other", when="OTHER"),
        AnswerRule("first", when="BUILD", unless="tool_result"),
        AnswerRule("second"),
    ]
    assert chosen(rules, BUILD) == ("first", [])
    assert (
        chosen(
            rules, BUILD, {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}
        )[0]
        == "second"
    )
    assert chosen(rules, {"role": "user", "content": "anything"})[0] == "second"
    assert chosen([], BUILD) == ("done", [])


def test_a_tool_is_called_by_the_first_name_that_is_offered_and_a_rule_without_one_does_not_apply() -> (
    None
):
    rules = [AnswerRule(calls=(ScriptedCall("Agent|Task", {}), READ)), AnswerRule("none of them")]
    assert chosen(rules, BUILD, offered=("Task", "Read")) == ("", ["Task", "Read"])
    assert chosen(rules, BUILD, offered=("Task", "Agent", "Read")) == ("", ["Agent", "Read"])
    assert chosen(rules, BUILD, offered=("Task",)) == ("none of them", [])


def test_messages_are_answered_whole() -> None:
    with ScriptedModel([AnswerRule("Yes.", (READ, WRITE), tokens=77)]) as model:
        answer = json.loads(post(model, "/v1/messages?beta=true", conversation(BUILD)))
    text, read, write = answer["content"]
    assert text == {"type": "text", "text": "Yes."}
    assert (read["name"], read["input"], write["input"]) == ("Read", READ.input, WRITE.input)
    assert read["id"] != write["id"] and answer["stop_reason"] == "tool_use"
    assert answer["usage"]["input_tokens"] == 77


def test_messages_are_streamed_with_parallel_calls() -> None:
    with ScriptedModel([AnswerRule("Yes.", (READ, WRITE))]) as model:
        found = events(post(model, "/v1/messages", conversation(BUILD, stream=True)))
    assert found[0]["message"]["content"] == [] and found[0]["message"]["stop_reason"] is None
    deltas = [one["delta"] for one in found if one["type"] == "content_block_delta"]
    assert deltas[0]["text"] == "Yes."
    assert [json.loads(one["partial_json"]) for one in deltas[1:]] == [READ.input, WRITE.input]
    starts = [one["content_block"] for one in found if one["type"] == "content_block_start"]
    assert [block.get("text", block.get("input")) for block in starts] == ["", {}, {}]
    assert [one["type"] for one in found[-2:]] == ["message_delta", "message_stop"]
    assert found[-2]["delta"]["stop_reason"] == "tool_use"


def test_responses_are_streamed_with_calls_of_tools_in_a_namespace() -> None:
    tools = [
        {"type": "function", "name": "exec"},
        {"type": "namespace", "name": "team", "tools": [{"name": "spawn"}]},
    ]
    body = {"model": "m", "stream": True, "tools": tools, "input": [BUILD]}
    with ScriptedModel(
        [
            AnswerRule(
                "", (ScriptedCall("spawn|team.spawn", {"message": "go"}), ScriptedCall("exec", {}))
            )
        ]
    ) as model:
        found = events(post(model, "/v1/responses", body))
    assert found[0]["type"] == "response.created" and found[-1]["type"] == "response.completed"
    spawn, run = found[-1]["response"]["output"]
    assert (spawn["namespace"], spawn["name"], json.loads(spawn["arguments"])) == (
        "team",
        "spawn",
        {"message": "go"},
    )
    assert "namespace" not in run and run["call_id"] != spawn["call_id"]
    assert [one["item"] for one in found if one["type"] == "response.output_item.done"] == [
        spawn,
        run,
    ]


@pytest.mark.parametrize("method", ["generateContent", "streamGenerateContent?alt=sse"])
def test_contents_are_generated(method: str) -> None:
    tools = [{"functionDeclarations": [{"name": "Read"}]}]
    body = {"contents": [{"role": "user", "parts": [{"text": "BUILD"}]}], "tools": tools}
    with ScriptedModel(
        [AnswerRule("Yes.", (READ,), when="BUILD", unless="functionResponse")]
    ) as model:
        text = post(model, f"/v1beta/models/x:{method}", body)
    (answer,) = events(text) if "stream" in method else [json.loads(text)]
    (candidate,) = answer["candidates"]
    assert candidate["content"]["parts"] == [
        {"text": "Yes."},
        {"functionCall": {"name": "Read", "args": READ.input}},
    ]
    assert candidate["finishReason"] == "STOP"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/messages/count_tokens?beta=true", "input_tokens"),
        ("/v1/responses/input_tokens", "input_tokens"),
        ("/v1beta/models/x:countTokens", "totalTokens"),
    ],
)
def test_a_request_for_a_size_is_told_the_size_and_is_no_conversation(path: str, name: str) -> None:
    with ScriptedModel([]) as model:
        answer = json.loads(
            post(model, path, conversation({"role": "user", "content": "x" * 4_000}))
        )
        assert 1_000 < answer[name] < 1_100
        assert len(model.requests) == 1 and model.conversations == []


def test_everything_that_was_asked_is_kept_and_other_requests_do_no_harm() -> None:
    with ScriptedModel([]) as model:
        assert post(model, "/v1/organizations/me", b"no json") == "{}"
        assert post(model, "/telemetry", [1]) == "{}"
        post(model, "/v1/messages", conversation(BUILD))
    assert [asked.path for asked in model.requests] == [
        "/v1/organizations/me",
        "/telemetry",
        "/v1/messages",
    ]
    (asked,) = model.conversations
    assert asked.body["messages"] == [BUILD] and "BUILD it" in asked.said
    assert find_wire("/telemetry") is None


def test_an_answer_is_held_back_until_others_have_asked() -> None:
    order: list[str] = []
    rules = [AnswerRule("late", when="FIRST", after=2), AnswerRule("soon")]
    with ScriptedModel(rules) as model:

        def first() -> None:
            post(model, "/v1/messages", conversation({"role": "user", "content": "FIRST"}))
            order.append("first")

        thread = threading.Thread(target=first)
        thread.start()
        thread.join(timeout=0.5)
        assert order == [] and len(model.requests) == 1
        post(model, "/v1/messages", conversation({"role": "user", "content": "SECOND"}))
        thread.join(timeout=5)
    assert order == ["first"]
