"""`dctx history proxy --retrieve`: a model asks for what was cut, and its client does not notice."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from asking_models import (
    CHAT,
    MESSAGES,
    RESPONSES,
    STREAM_HEAD,
    AskingModel,
    Call,
    Json,
    Part,
    Say,
    Think,
    message_events,
    plain,
    streamed,
)
from conftest import process
from proxied import Proxied, Upstream
from sdk_talks import TALKS, Talk

from director_ctx.history.proxy.cuts import as_cached, unmarked
from director_ctx.history.proxy.retrieving.answering import MOST_ROUNDS
from director_ctx.history.retrieve.tool import NAME

Begin = Callable[[str, Proxied, bool], Talk]
LIMIT, TARGET = 4_000, 2_000
PATHS = (MESSAGES, CHAT, RESPONSES)
STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
EVERYWHERE = pytest.mark.parametrize("path", PATHS)
LOCATED = re.compile(rf"{NAME} (dctx:[0-9a-f]{{12}})")
UNKNOWN = "dctx:000000000000"
NO_SUCH = f"The archive of this project has no {UNKNOWN}."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".director").mkdir()
    return tmp_path


@pytest.fixture
def begin() -> Iterator[Begin]:
    """A talk with the model behind a proxy."""
    talks: list[Talk] = []

    def begun(path: str, proxy: Proxied, stream: bool) -> Talk:
        talks.append(TALKS[path](proxy.url, stream))
        return talks[-1]

    yield begun
    for talk in talks:
        talk.end()


def proxied(model: Upstream, folder: Path, *words: str) -> Proxied:
    return Proxied(model.url, folder, "--retrieve", *words)


def conversation(asked: Json) -> list[Any]:
    messages: list[Any] = asked.get("messages") or asked["input"]
    return messages


def names(asked: Json) -> list[str]:
    return [tool.get("function", tool)["name"] for tool in asked.get("tools", ())]


def content(number: int) -> str:
    lines = (f"line {line} of {number}: value_{number} = {number * 37}\n" for line in range(40))
    return "".join(lines)


def reading(asked: Json, number: int) -> list[Part] | bytes:
    """Reads files until something was cut; asks for that, and says what it is."""
    said = json.dumps(conversation(asked))
    last = json.dumps(conversation(asked)[-1])
    located = LOCATED.search(said)
    if "lines of it" in said:
        return [Say("Known already.")]
    if f'"{NAME}"' in said:
        values = re.findall(r"value_\d+ = \d+", last)
        return [Say(f"There were {len(values)} lines of it, such as {values[0]}.")]
    if located:
        return [Think("What was it?"), Say("Let me look."), Call(NAME, locator=located[1])]
    return [Call("Read", path=f"file{number}.py")]


def run(talk: Talk) -> str:
    told = talk.say("Read them all.")
    number = 0
    while told.calls:
        number += 1
        told = talk.give(content(number))
    return told.text


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def breaks(asked: list[Json]) -> int:
    lists = [[as_cached(unmarked(element)) for element in conversation(one)] for one in asked]
    return sum(
        after[: len(before)] != before for before, after in zip(lists, lists[1:], strict=False)
    )


@STREAMED
@EVERYWHERE
def test_what_was_cut_is_asked_for_given_and_used_and_the_client_sees_an_answer(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    words = ("--limit", str(LIMIT), "--target-tokens", str(TARGET))
    with AskingModel(reading, 50) as model, proxied(model, folder, *words) as proxy:
        talk = begin(path, proxy, stream)
        text = run(talk)
        assert talk.say("And now?").text == "Known already."
        proxy.end()
    assert re.search(
        r"Let me look\.\s*There were [1-9]\d+ lines of it, such as value_\d+ = \d+\.", text
    )
    assert NAME not in json.dumps(talk.transcript)
    assert "1 original asked for" in proxy.said and ", receipt " in proxy.said
    assert "value_" not in proxy.said


@STREAMED
@EVERYWHERE
def test_each_request_begins_with_the_one_before_calls_included(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    words = ("--limit", str(LIMIT), "--target-tokens", str(TARGET))
    with AskingModel(reading) as model, proxied(model, folder, *words) as proxy:
        talk = begin(path, proxy, stream)
        run(talk)
        talk.say("And now?")
        talk.say("And then?")
        proxy.end()
    assert breaks(model.asked) == proxy.said.count(", receipt ") < 4
    tools = {json.dumps(one["tools"]) for one in model.asked}
    assert len(tools) == 1 and names(model.asked[0]) == ["Read", "Write", NAME]


@EVERYWHERE
def test_a_proxy_that_was_started_anew_still_has_the_calls(
    path: str, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        if number == 1:
            return [Say("Wait."), Call(NAME, locator=UNKNOWN)]
        return [Say(f"Answer {number}.")]

    with AskingModel(script) as model:
        with proxied(model, folder) as proxy:
            talk = begin(path, proxy, True)
            talk.say("Do it.")
        with proxied(model, folder) as anew:
            after = begin(path, anew, True)
            after.transcript = talk.transcript
            after.say("Go on.")
    assert breaks(model.asked) == 0
    assert NO_SUCH in json.dumps(conversation(model.asked[-1]))


@STREAMED
@EVERYWHERE
def test_calls_of_both_in_one_answer_get_all_their_results_at_once(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        if number == 1:
            own = Call(NAME, locator=UNKNOWN)
            return [Think("Both."), Call("Read", path="a"), own, Call("Write", path="b"), own]
        return [Say("Done.")]

    with AskingModel(script, 9) as model, proxied(model, folder) as proxy:
        talk = begin(path, proxy, stream)
        told = talk.say("Do it.")
        assert told.calls == [("Read", {"path": "a"}), ("Write", {"path": "b"})]
        assert told.why in ("tool_use", "tool_calls", "completed") and told.spent == (100, 7)
        assert len(model.asked) == 1
        assert talk.give("of a", "of b").text == "Done."
        talk.say("Go on.")
    assert breaks(model.asked) == 0
    written = json.dumps(conversation(model.asked[1]))
    places = [
        written.index(one) for one in ('"Read"', f'"{NAME}"', '"Write"', NO_SUCH, "of a", "of b")
    ]
    assert places == sorted(places)
    assert written.count(NO_SUCH) == 2
    if path == MESSAGES:
        answer, results = conversation(model.asked[1])[-2:]
        called = {block["id"] for block in answer["content"] if block["type"] == "tool_use"}
        given = [block["tool_use_id"] for block in results["content"]]
        assert len(given) == 4 and set(given) == called
        assert answer["content"][0]["signature"] == "signed Both."


@STREAMED
@EVERYWHERE
def test_rounds_have_a_limit_and_their_numbers_are_added_up(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        if NAME in names(asked):
            return [Say(f"{number}, "), Call(NAME, locator=UNKNOWN), Call(NAME, locator=UNKNOWN)]
        return [Say("enough.")]

    with AskingModel(script) as model, proxied(model, folder) as proxy:
        talk = begin(path, proxy, stream)
        told = talk.say("Count.")
    assert len(model.asked) == MOST_ROUNDS + 1
    assert "".join(told.text.split()) == "1,2,3,4,5,6,7,8,enough."
    assert told.why in ("end_turn", "stop", "completed") and not told.calls
    assert told.spent == (100 * (MOST_ROUNDS + 1), 7 * (MOST_ROUNDS + 1))
    assert breaks(model.asked) == 0


@pytest.mark.parametrize("path", PATHS)
def test_a_model_that_calls_without_being_offered_the_tool_comes_to_its_end(
    path: str, folder: Path, begin: Begin
) -> None:
    with (
        AskingModel(lambda asked, number: [Call(NAME, locator=UNKNOWN)]) as model,
        proxied(model, folder) as proxy,
    ):
        talk = begin(path, proxy, True)
        told = talk.say("Count.")
    assert (told.text, told.calls) == ("", []) and len(model.asked) == MOST_ROUNDS + 1


LEFT_AS_THEY_ARE: list[tuple[str, Json]] = [
    (MESSAGES, {}),
    (MESSAGES, {"tools": []}),
    (MESSAGES, {"tools": [{"name": NAME}]}),
    (MESSAGES, {"tools": [{"name": "a"}], "tool_choice": {"type": "any"}}),
    (MESSAGES, {"tools": [{"name": "a"}], "tool_choice": {"type": "tool", "name": "a"}}),
    (MESSAGES, {"metadata": {"tools": [{"name": "a"}]}}),
    (CHAT, {"tools": [{"type": "function", "function": {"name": NAME}}]}),
    (CHAT, {"tools": [{"type": "function", "function": {"name": "a"}}], "tool_choice": "required"}),
    (CHAT, {"tools": [{"type": "function", "function": {"name": "a"}}], "n": 2}),
    (CHAT, {"functions": [{"name": "a"}]}),
    (RESPONSES, {"tools": [{"type": "function", "name": "a"}], "previous_response_id": "r"}),
    (RESPONSES, {"tools": [{"type": "function", "name": "a"}], "input": "One text."}),
    ("/v1/messages/count_tokens", {"tools": [{"name": "a"}]}),
    ("/v1/responses/input_tokens", {"tools": [{"type": "function", "name": "a"}]}),
]


@pytest.mark.parametrize(("path", "more"), LEFT_AS_THEY_ARE)
def test_a_request_that_cannot_have_the_tool_goes_out_as_it_came(
    path: str, more: Json, folder: Path
) -> None:
    key = "input" if "responses" in path else "messages"
    body = json.dumps({"model": "m", key: [{"role": "user", "content": "Hi."}], **more}).encode()
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(path, body, "Accept-Encoding: gzip")
    assert upstream.bodies == [body] and b"Accept-Encoding: gzip" in upstream.heads[0]


@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        {"tool_choice": {"type": "none"}},
        {"metadata": {"tools": [1]}},
        {"system": 'It said "tools": [1] and "tool_choice": {"type": "any"}.'},
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("style", [{}, {"indent": 1}, {"separators": (",", ":")}])
def test_nothing_else_of_a_request_is_changed(
    more: Json, is_first: bool, style: Any, folder: Path
) -> None:
    tools = {"tools": [{"name": "a"}, {"name": "b", "input_schema": {"n": []}}]}
    messages = {"messages": [{"role": "user", "content": "Hi."}]}
    asked: Json = {**tools, "model": "m", **messages, **more}
    if not is_first:
        asked = {**more, "model": "m", **messages, **tools}
    body = json.dumps(asked, **style).encode()
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, body)
    (sent,) = upstream.bodies
    added = re.sub(rb',\{"name":"%s".*?"required":\["locator"\]\}\}' % NAME.encode(), b"", sent)
    assert added == body and sent != body
    assert names(json.loads(sent)) == ["a", "b", NAME]
    assert b"Accept-Encoding: identity" in upstream.heads[0]


def failing(
    status: str, is_refused: Callable[[Json, int], bool]
) -> Callable[..., list[Part] | bytes]:
    error = {"type": "error", "error": {"type": "some_error", "message": "Not now."}}

    def script(asked: Json, number: int) -> list[Part] | bytes:
        if is_refused(asked, number):
            return plain(error, status)
        if NAME in names(asked):
            return [Say("A moment."), Call(NAME, locator=UNKNOWN)]
        return [Say("As ever.")]

    return script


@STREAMED
@EVERYWHERE
@pytest.mark.parametrize("status", ["400 Bad Request", "529 Overloaded"])
def test_where_the_second_request_fails_comes_what_would_have_come_without_the_tool(
    status: str, path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    script = failing(status, lambda asked, number: number == 2)
    with AskingModel(script) as model, proxied(model, folder) as proxy:
        talk = begin(path, proxy, stream)
        assert talk.say("Do it.").text.endswith("As ever.")
        assert talk.say("Again.").text.endswith("As ever.")
    assert NAME not in json.dumps(model.asked[2])


@STREAMED
@EVERYWHERE
def test_a_request_that_is_refused_with_the_tool_is_asked_without_it(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    script = failing("400 Bad Request", lambda asked, number: NAME in names(asked))
    with AskingModel(script) as model, proxied(model, folder) as proxy:
        assert begin(path, proxy, stream).say("Do it.").text == "As ever."
    assert len(model.asked) == 2


@STREAMED
@EVERYWHERE
def test_where_nothing_helps_the_client_gets_the_models_error(
    path: str, stream: bool, folder: Path, begin: Begin
) -> None:
    script = failing("529 Overloaded", lambda asked, number: number > 1)
    with AskingModel(script) as model, proxied(model, folder) as proxy:
        talk = begin(path, proxy, stream)
        with pytest.raises((anthropic.APIError, openai.APIError), match="Not now"):
            talk.say("Do it.")
    assert len(model.asked) == 3


@pytest.mark.parametrize("after", [1, 2])
def test_a_stream_that_breaks_off_breaks_off_for_the_client_too(
    after: int, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        whole = streamed(message_events([Say("A moment."), Call(NAME, locator=UNKNOWN)], number))
        if number < after:
            return [Say("A moment."), Call(NAME, locator=UNKNOWN)]
        part = whole[: whole.index(b"partial_json") if number == 1 else 400]
        head = STREAM_HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        return head + chunk(part)

    with AskingModel(script) as model, proxied(model, folder) as proxy:
        talk = begin(MESSAGES, proxy, True)
        with pytest.raises(Exception, match=r"(?i)incomplete|closed|peer"):
            talk.say("Do it.")
        assert len(model.asked) == after
        assert proxy.post("/v1/other", b"{}").startswith(b"HTTP/1.1")


def test_text_is_passed_on_at_once_before_and_after_a_call(folder: Path) -> None:
    ready, go = socket.socketpair()

    def trickle(client: socket.socket, head: bytes, body: bytes) -> None:
        parts: list[Part] = [Say("A moment."), Call(NAME, locator=UNKNOWN)]
        if NO_SUCH.encode() in body:
            parts = [Say("Here it is.")]
        data = streamed(message_events(parts, 1))
        middle = data.index(b"content_block_stop")
        client.sendall(STREAM_HEAD + chunk(data[:middle]))
        go.settimeout(30)
        assert go.recv(1)  # The client has seen what was said.
        client.sendall(chunk(data[middle:]) + chunk(b""))

    asked = {
        "stream": True,
        "messages": [{"role": "user", "content": "Hi."}],
        "tools": [{"name": "a"}],
    }
    with Upstream(trickle) as upstream, proxied(upstream, folder) as proxy, proxy.connect() as sock:
        sock.sendall(proxy.request("POST", MESSAGES, json.dumps(asked).encode()))
        came = b""
        for text in (b"ment.", b"it is."):
            while text not in came:
                piece = sock.recv(65_536)
                assert piece
                came += piece
            assert b"message_stop" not in came
            ready.send(b"x")
        while not came.endswith(b"0\r\n\r\n"):
            piece = sock.recv(65_536)
            assert piece
            came += piece
    assert came.count(b"event: message_start") == came.count(b"event: message_stop") == 1
    assert came.count(b"event: ping") == 2 and NAME.encode() not in came
    ready.close()
    go.close()


def test_a_client_that_hangs_up_takes_the_round_with_it_that_it_never_saw(folder: Path) -> None:
    second = threading.Event()

    def waiting(client: socket.socket, head: bytes, body: bytes) -> None:
        if NO_SUCH.encode() in body:
            second.set()
            assert not client.recv(1)  # Until the proxy hangs up.
            return
        data = streamed(message_events([Say("A moment."), Call(NAME, locator=UNKNOWN)], 1))
        client.sendall(STREAM_HEAD + chunk(data) + chunk(b""))

    asked = {
        "stream": True,
        "messages": [{"role": "user", "content": "Hi."}],
        "tools": [{"name": "a"}],
    }
    with Upstream(waiting) as upstream, proxied(upstream, folder) as proxy:
        with proxy.connect() as sock:
            sock.sendall(proxy.request("POST", MESSAGES, json.dumps(asked).encode()))
            assert second.wait(30)
        assert upstream.hung_up.wait(30)


@EVERYWHERE
def test_half_a_character_of_a_model_beside_its_call_comes_to_the_client(
    path: str, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        if number == 1:
            return [Say("Half: \ud83d."), Call(NAME, locator=UNKNOWN)]
        return [Say("That was \ud83d all.")]

    with AskingModel(script) as model, proxied(model, folder) as proxy:
        told = begin(path, proxy, False).say("Do it.")
    assert told.text.endswith("That was \ud83d all.")


def test_an_answer_without_a_call_is_the_same_bytes(folder: Path) -> None:
    asked = {
        "stream": True,
        "messages": [{"role": "user", "content": "Hi."}],
        "tools": [{"name": "a"}],
    }
    parts: list[Part] = [Think("Hm."), Say("Hello."), Call("a")]
    with AskingModel(lambda asked, number: parts, 11) as model, proxied(model, folder) as proxy:
        came = proxy.post(MESSAGES, json.dumps(asked).encode())
    _, _, body = came.partition(b"\r\n\r\n")
    pieces = re.split(rb"[0-9a-f]+\r\n", body)
    events = streamed(message_events(parts, 1))
    assert b"".join(piece.removesuffix(b"\r\n") for piece in pieces) == events


def test_a_model_that_speaks_an_older_http_is_answered_for_in_the_newer(folder: Path) -> None:
    def old(client: socket.socket, head: bytes, body: bytes) -> None:
        data = streamed(message_events([Say("Hello.")], 1))
        client.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + data)
        client.shutdown(socket.SHUT_RDWR)

    asked = {
        "stream": True,
        "messages": [{"role": "user", "content": "Hi."}],
        "tools": [{"name": "a"}],
    }
    with Upstream(old) as upstream, proxied(upstream, folder) as proxy:
        came = proxy.post(MESSAGES, json.dumps(asked).encode())
    head, _, body = came.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n") and b"Transfer-Encoding: chunked" in head
    assert body.endswith(b"0\r\n\r\n") and b"Hel" in body


def test_what_cannot_be_said_to_the_model_again_is_asked_without_the_tool(folder: Path) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        if NAME not in names(asked):
            return [Say("As ever.")]
        data = streamed(message_events([Say("A moment."), Call(NAME, locator=UNKNOWN)], number))
        data = data.replace(b'"text_delta"', b'"delta_of_tomorrow"')
        return STREAM_HEAD + chunk(data) + chunk(b"")

    asked = {
        "stream": True,
        "messages": [{"role": "user", "content": "Hi."}],
        "tools": [{"name": "a"}],
    }
    with AskingModel(script) as model, proxied(model, folder) as proxy:
        came = proxy.post(MESSAGES, json.dumps({**asked}).encode())
    assert b"delta_of_tomorrow" in came and b'ver."' in came and NAME.encode() not in came
    assert [NAME in names(one) for one in model.asked] == [True, False]


def test_another_conversation_with_the_same_beginning_does_not_get_the_calls(
    folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        if number == 1:
            return [Call(NAME, locator=UNKNOWN)]
        return [Say(f"Answer {number}.")]

    with AskingModel(script) as model, proxied(model, folder) as proxy:
        talk = begin(MESSAGES, proxy, False)
        talk.say("Do it.")
        other = begin(MESSAGES, proxy, False)
        other.say("Do it.")
        other.say("Go on.")
        assert NO_SUCH not in json.dumps(model.asked[-1]["messages"])
        talk.say("Go on.")
        assert NO_SUCH in json.dumps(model.asked[-1]["messages"])


@EVERYWHERE
def test_many_conversations_at_once_each_get_their_own(
    path: str, folder: Path, begin: Begin
) -> None:
    def script(asked: Json, number: int) -> list[Part] | bytes:
        said = json.dumps(conversation(asked))
        (name,) = set(re.findall(r"name\d", said))
        if number % 2 and "has no" not in said:
            return [Say("Wait."), Call(NAME, locator=f"dctx:{name[-1] * 12}")]
        return [Say(f"Hello {name}. ")]

    def talked(number: int) -> list[str]:
        talk = begin(path, proxy, bool(number % 2))
        return [talk.say(f"I am name{number}.").text for _ in range(4)]

    with (
        AskingModel(script, 99) as model,
        proxied(model, folder) as proxy,
        ThreadPoolExecutor(6) as pool,
    ):
        answers = list(pool.map(talked, range(6)))
    for number, texts in enumerate(answers):
        assert all(f"Hello name{number}." in text for text in texts)
    for asked in model.asked:
        assert len(set(re.findall(r"no dctx:(\d)", json.dumps(conversation(asked))))) <= 1


def test_what_would_change_nothing_cannot_give_anything_back(folder: Path) -> None:
    words = ("--upstream", "http://127.0.0.1:9", "--retrieve", "--dry-run")
    done = process("history", "proxy", *words, cwd=folder)
    assert done.code == 2 and "Leave out --retrieve or --dry-run." in done.err


def test_without_the_flag_nothing_is_offered(folder: Path, begin: Begin) -> None:
    with (
        AskingModel(lambda asked, number: [Say("Hello.")]) as model,
        Proxied(model.url, folder) as proxy,
    ):
        begin(MESSAGES, proxy, False).say("Hi.")
    assert names(model.asked[0]) == ["Read", "Write"]
