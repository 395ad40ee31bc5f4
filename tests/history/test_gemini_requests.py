"""Requests to Gemini: read, shortened and written so that the provider takes them, and through the proxy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from proxied import Proxied, Upstream
from test_proxy_sizes import stats_of

from director_ctx.history.formats import gemini_api, load
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import CALL, RESULT
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import mend

PATH = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"
SAMPLE = Path(__file__).parents[1] / "samples/histories/gemini-api.json"
Raw = dict[str, Any]


def refusals(document: Raw) -> list[str]:
    """What Google's documentation says that it refuses, by code of its own."""
    found = []
    contents = document["contents"]
    if contents[0].get("role") == "model":
        found.append("the model begins")
    calls: list[Raw] = []
    for number, content in enumerate(contents):
        parts = content["parts"]
        if not parts:
            found.append(f"{number}: no parts")
        responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if calls and len(responses) != len(calls):
            found.append(f"{number}: {len(responses)} responses to {len(calls)} calls")
        if responses and not calls:
            found.append(f"{number}: responses without calls")
        if [one["name"] for one in responses] != [one["name"] for one in calls if responses]:
            found.append(f"{number}: other names")
        signed = [part for part in parts if "functionCall" in part]
        if signed and number and contents[number - 1].get("role") == "model":
            found.append(f"{number}: calls behind the model's own words")
        if signed and "thoughtSignature" not in signed[0]:
            found.append(f"{number}: the first call has no signature")
        calls = [part["functionCall"] for part in signed]
    return found


def response(output: str) -> Raw:
    return {"functionResponse": {"name": "read_file", "response": {"output": output}}}


def request(steps: int, asked: str = "Go on.") -> Raw:
    """So many steps, in pairs of parallel calls without ids, each answer signed."""
    contents: list[Raw] = [{"role": "user", "parts": [{"text": "Read all of the files."}]}]
    for step in range(steps):
        calls: list[Raw] = [
            {"functionCall": {"name": "read_file", "args": {"path": f"file{step}_{number}.py"}}}
            for number in range(2)
        ]
        calls[0]["thoughtSignature"] = f"signature-{step}"
        contents.append({"role": "model", "parts": [{"text": f"Step {step}."}, *calls]})
        responses = [response(f"{step} {number} " + "value = 1\n" * 90) for number in range(2)]
        contents.append({"role": "user", "parts": responses})
        if step % 7 == 6:
            contents.append({"role": "model", "parts": [{"text": f"Done with {step}."}]})
            contents.append({"role": "user", "parts": [{"text": asked}]})
    return {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": contents,
        "tools": [{"functionDeclarations": [{"name": "read_file"}]}],
    }


def test_calls_without_ids_find_their_responses_by_name_and_order() -> None:
    conversation = read(SAMPLE.read_bytes())
    assert conversation.format == "gemini-api"
    blocks = [block for message in conversation.messages for block in message.blocks]
    calls = [block.call for block in blocks if block.kind == CALL]
    assert calls == [block.call for block in blocks if block.kind == RESULT]
    assert len(set(calls)) == 3 and calls[-1] == "fc-7"
    failed = [block.text for block in blocks if block.error]
    assert failed == ["test_box.py is not there"]


def test_a_changed_part_keeps_what_belongs_to_it() -> None:
    document = request(1)
    conversation = gemini_api.decode(document)
    system, user, answer, results = conversation.messages
    text, first, second = answer.blocks
    shorter = first.changed('{"path":"x"}', "shortened", len)
    cut = results.blocks[0].changed("[cut]", "shortened", len)
    messages = [
        system,
        user,
        answer.with_blocks([text, shorter, second]),
        results.with_blocks([cut, results.blocks[1]]),
    ]
    written = gemini_api.encode(conversation, messages)
    said, call, other = written["contents"][1]["parts"]
    assert call == {
        "functionCall": {"name": "read_file", "args": {"path": "x"}},
        "thoughtSignature": "signature-0",
    }
    assert [said, other] == [document["contents"][1]["parts"][at] for at in (0, 2)]
    response = written["contents"][2]["parts"][0]["functionResponse"]
    assert response == {"name": "read_file", "response": {"output": "[cut]"}}
    assert refusals(written) == []


def test_an_open_call_that_lost_its_signature_is_refused() -> None:
    conversation = gemini_api.decode(request(2))
    assert check(conversation) == []
    messages = list(conversation.messages)
    messages[-2] = messages[-2].with_blocks([*messages[-2].blocks[:1], messages[-2].blocks[2]])
    messages[-1] = messages[-1].with_blocks(messages[-1].blocks[1:])
    rules = [problem.rule for problem in check(conversation.replace(messages=messages))]
    assert rules == ["signature"]


def test_a_broken_request_is_mended_into_one_that_is_taken() -> None:
    document = request(2)
    del document["contents"][0]
    document["contents"][1]["parts"].pop()
    conversation = gemini_api.decode(document)
    assert {problem.rule for problem in check(conversation)} >= {"first"}
    mended = conversation.replace(messages=mend(conversation))
    assert check(mended) == []
    again = gemini_api.encode(conversation, mended.messages)
    assert refusals(again) == []


def test_answers_that_became_neighbours_are_one() -> None:
    conversation = gemini_api.decode(request(8))
    messages = conversation.messages
    done = next(number for number, one in enumerate(messages) if one.blocks[0].text == "Done with 6.")  # fmt: skip
    left = [*messages[: done + 1], *messages[done + 2 :]]
    assert refusals(gemini_api.encode(conversation, left)) == []


@pytest.mark.parametrize("source", ["anthropic.json", "openai-chat.json", "gemini.jsonl"])
def test_other_conversations_become_requests_that_are_sound(source: str) -> None:
    from director_ctx.history.formats.convert import convert

    conversation = read((SAMPLE.parent / source).read_bytes())
    converted = convert(conversation, conversation.messages, "gemini-api")
    data = write(converted, converted.messages)
    again = read(data)
    assert again.format == "gemini-api" and check(again) == []


@pytest.mark.parametrize("strategy", ["hybrid", "clear", "sliding_window", "compression"])
def test_each_request_through_the_proxy_is_one_that_is_taken(strategy: str, tmp_path: Path) -> None:
    (tmp_path / ".director").mkdir()
    words = ("--limit", "12k", "--target-tokens", "6000", "--strategy", strategy)
    with Upstream() as upstream, Proxied(upstream.url, tmp_path, *words) as proxy:
        given = [request(steps) for steps in range(1, 60, 4)]
        for document in given:
            proxy.post(PATH, json.dumps(document).encode())
        stats = stats_of(proxy)
        proxy.end()
    assert stats["cuts"] > 1, proxy.said
    assert "sent as it came" not in proxy.said and "was not cut" not in proxy.said
    for body, document in zip(upstream.bodies, given, strict=True):
        sent = json.loads(body)
        assert refusals(sent) == []
        assert check(load("gemini-api").decode(sent)) == []
        assert sent["contents"][-1] == document["contents"][-1]
        assert {**sent, "contents": 0} == {**document, "contents": 0}


def test_its_limit_is_that_of_the_model_in_the_path_and_goes_by_its_usage(tmp_path: Path) -> None:
    (tmp_path / ".director").mkdir()
    usage = {"candidates": [], "usageMetadata": {"promptTokenCount": 30_000}}
    answer = b"data: " + json.dumps(usage).encode() + b"\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n"
    upstream = Upstream(head % len(answer) + answer)
    with upstream, Proxied(upstream.url, tmp_path, "--limit", "2%") as proxy:
        proxy.post(PATH, json.dumps(request(30)).encode())
        stats = stats_of(proxy)
    limit = stats["limits_by_model"]["gemini-3-pro"]
    assert limit["tokens"] == 20_971 and "the window of gemini-3-pro" in limit["from"]
    assert stats["calibration"][0]["by_provider"] == 30_000
