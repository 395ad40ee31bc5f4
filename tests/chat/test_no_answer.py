"""What a provider sends that is no answer, and what is said of it: a sentence and a hint, without the innards of
anybody's library.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from asking_models import Say
from chats import KEY, keys, project_in
from conftest import process
from keeping_provider import KeepingProvider
from proxied import Upstream

from director_ctx import DirectorConversation

GPT, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"
MODELS = (GPT, CLAUDE)
INNARDS = (
    "object has no attribute",
    "Traceback",
    "Expecting",
    "NoneType",
    "Error.",
    "{",
    "'id'",
    KEY,
)
UNREADABLE = "is no answer that can be read."


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def answer(
    body: str, status: str = "200 OK", kind: str = "application/json", more: str = ""
) -> bytes:
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{more}\r\n"
    return head.encode() + data


def stream(*events: Any) -> bytes:
    """Each is a document, or text as it is."""
    pieces: list[str] = []
    for event in events:
        if isinstance(event, str):
            pieces.append(event)
            continue
        pieces.append(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n")
    return answer("".join(pieces), kind="text/event-stream")


def said(server: bytes, root: str, model: str, streams: bool = False) -> tuple[str, str, str]:
    """How a turn ended, in which words, and the hint."""
    with Upstream(server) as upstream:
        url = upstream.url if model == CLAUDE else f"{upstream.url}/v1"
        with DirectorConversation(root, model=model, base_url=url, retries=0) as conversation:
            turn = conversation.say("Hi", (lambda piece: None) if streams else None)
    for words in INNARDS:
        assert words not in turn.why + turn.hint, turn.why
    return turn.ended, turn.why, turn.hint


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<html>A router</html>", "text/html"),
        ("<html>A router</html>", "application/json"),
        ("null", "application/json"),
        ("[]", "application/json"),
        ("{}", "application/json"),
        ('"x"', "application/json"),
        ('{"id": "x"}', "application/json"),
        ('{"id": "x", "status": "completed", "output": [3], "content": [3]}', "application/json"),
        ("data: {not json\n\n", "text/event-stream"),
        ("event: message_start\ndata: {not json\n\n", "text/event-stream"),
        ("event: message_start\ndata: 3\n\n", "text/event-stream"),
        ('event: message_start\ndata: {"type": "message_start"}\n\n', "text/event-stream"),
    ],
)
def test_what_is_no_answer_is_said_with_its_address(
    root: str, model: str, streams: bool, body: str, kind: str
) -> None:
    ended, why, hint = said(answer(body, kind=kind), root, model, streams)
    assert ended == "failed"
    # A stream without a word of an answer.
    is_nothing = streams and why == "The answer broke off."
    assert UNREADABLE in why or is_nothing, why
    assert "http://127.0.0.1" in why or is_nothing
    assert "--base-url" in hint or is_nothing


def test_a_server_whose_answer_has_no_id_is_not_taken_for_one_that_keeps_nothing(root: str) -> None:
    answers = iter([[Say("a")]])
    with KeepingProvider(lambda asked, number: next(answers)) as provider:
        url = f"{provider.url}/v1"
        notices: list[str] = []
        with DirectorConversation(
            root, base_url=url, model=GPT, retries=0, on_notice=notices.append
        ) as conversation:
            conversation.say("Hi")
            provider.answer = answer("{}")
            turn = conversation.say("on")
    assert UNREADABLE in turn.why and not notices


NO_CREDIT = {"error": {"code": "insufficient_quota", "message": "Broke."}}
AT = "Fri, 20 Nov 2026 05"
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("model", "events", "words", "hint"),
    [
        (CLAUDE, [OVERLOADED], "(529): Overloaded.", "goes along with the next message"),
        (
            GPT,
            [{"type": "error", "code": "server_error", "message": "Busy.", "sequence_number": 1}],
            "(500): Busy.",
            "goes along",
        ),
        (GPT, [{"type": "error", "error": {"message": "Too busy."}}], ": Too busy.", "goes along"),
        (
            GPT,
            [{"type": "response.failed", "response": {
                "id": "r", "status": "failed", "output": [],
                "error": {"code": "rate_limit_exceeded", "message": "Slow down."}}}],
            "(429): Slow down.",
            "Wait a moment",
        ),
    ],
)  # fmt: skip
def test_an_error_in_the_middle_of_an_answer_is_told_in_its_own_words(
    root: str, model: str, events: list[Any], words: str, hint: str
) -> None:
    ended, why, told = said(stream(*events), root, model, streams=True)
    assert ended == "failed" and why == f"The provider answered with an error {words}".replace(
        "error :", "error:"
    )
    assert hint in told


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("status", "more", "body", "why", "hint"),
    [
        ("400 Bad", "", {"error": {"message": f"Bad {KEY}."}}, "(400): Bad [hidden].", "/undo"),
        ("429 Many", "Retry-After: 3600\r\n", {"error": {"message": "No."}}, "(429): No.", "Wait 60 minutes."),
        ("429 Many", "Retry-After: 20\r\n", {}, "(429).", "Wait 20 seconds."),
        ("429 Many", f"Retry-After: {AT}:01:40 GMT\r\nDate: {AT}:00:00 GMT\r\n", {}, "(429).", "Wait 100 seconds."),
        ("429 Many", "Retry-After: soon\r\n", "<html>", "(429).", "Wait a moment."),
        ("429 Many", "", NO_CREDIT, "(429): Broke.", "plan of your account"),
        ("529 Over", "", OVERLOADED, "(529): Overloaded.", "goes along"),
        ("503 Down", "", "<html>\nNginx", "(503).", "goes along"),
        ("502 Down", "", "Bad gateway", "(502): Bad gateway.", "goes along"),
        ("404 None", "", {"detail": "Not Found"}, "(404): Not Found.", "--base-url"),
        ("500 Down", "", {"error": "it broke"}, "(500): it broke.", "goes along"),
    ],
)  # fmt: skip
def test_an_error_of_the_provider_is_a_sentence_and_a_hint(
    root: str, model: str, status: str, more: str, body: Any, why: str, hint: str
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    _, told, hinted = said(answer(text, status, more=more), root, model)
    assert told == f"The provider answered with an error {why}"
    assert hint in hinted and "Say it again" not in hinted


@pytest.mark.parametrize("streams", [True, False])
def test_kinds_that_nobody_knows_yet_are_passed_over_in_silence(root: str, streams: bool) -> None:
    """A provider may add to its answers what its client has no form for."""
    odd = {
        "id": "resp_1", "object": "response", "status": "completed", "model": "m", "created_at": 1,
        "output": [
            {"type": "hologram", "id": "h", "light": 3},
            {"type": "message", "id": 5, "role": "assistant", "status": "odd", "content": [
                {"type": "smell", "strength": "much"}, {"type": "output_text", "text": "on\ud800", "annotations": 3}]},
        ],
        "usage": "none",
    }  # fmt: skip
    del odd["usage"]
    data = (
        stream({"type": "response.completed", "response": odd})
        if streams
        else answer(json.dumps(odd))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Upstream(data) as upstream, DirectorConversation(
            root, model="m", base_url=f"{upstream.url}/v1", retries=0
        ) as conversation:  # fmt: skip
            turn = conversation.say("Hi", (lambda piece: None) if streams else None)
    assert (turn.ended, turn.text) == ("answered", "on\ufffd")


@pytest.mark.parametrize("streams", [True, False])
def test_the_same_of_anthropic(root: str, streams: bool) -> None:
    blocks = [
        {"type": "hologram", "light": 3},
        {"type": "text", "text": "on", "citations": 5},
        {"type": "tool_use", "id": "t", "name": "status", "input": "odd"},
    ]
    usage = {"input_tokens": 1, "output_tokens": 1, "service_tier": 5}
    whole = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
        "stop_sequence": None, "usage": usage, "content": blocks,
    }  # fmt: skip
    last = {**whole, "content": blocks[:2], "stop_reason": "end_turn"}
    asked = iter([whole, last])

    def send(client: Any, head: bytes, body: bytes) -> None:
        document = next(asked)
        if not streams:
            client.sendall(answer(json.dumps(document)))
            return
        events: list[Any] = [{"type": "message_start", "message": {**document, "content": []}}]
        for number, block in enumerate(document["content"]):
            events.append({"type": "content_block_start", "index": number, "content_block": block})
            events.append({"type": "content_block_stop", "index": number})
        delta = {"stop_reason": document["stop_reason"], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": delta, "usage": usage})
        events.append({"type": "message_stop"})
        client.sendall(stream(*events))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Upstream(send) as upstream, DirectorConversation(
            root, model=CLAUDE, base_url=upstream.url, retries=0
        ) as conversation:  # fmt: skip
            turn = conversation.say("Hi", (lambda piece: None) if streams else None)
    assert (turn.ended, turn.text) == ("answered", "on"), turn.why
    assert turn.results[0].is_error and "no object" in turn.results[0].text


def test_at_the_command_line_it_is_said_without_a_warning(root: str) -> None:
    with Upstream(answer("<html>", kind="text/html")) as upstream:
        done = process("chat", "--base-url", upstream.url, "Hi", cwd=Path(root), stdin=b"")
    assert done.code == 1 and not done.out and done.err.count("\n") == 2
    assert UNREADABLE in done.err
