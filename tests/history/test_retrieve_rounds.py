"""Calls of the proxy's tool in the answers of a model: what a client is told does not depend on how a
stream arrives, and what it never saw is put back where it was.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from asking_models import CHAT, FORMS, MESSAGES, RESPONSES, Call, Json, Part, Say, Think, streamed
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.history.formats import load
from director_ctx.history.proxy.http_body import ChunkPayload
from director_ctx.history.proxy.retrieving.anthropic_answer import ANTHROPIC
from director_ctx.history.proxy.retrieving.chat_answer import CHAT as CHAT_WIRE
from director_ctx.history.proxy.retrieving.events import ToldEvents, added, data_of, events_of
from director_ctx.history.proxy.retrieving.responses_answer import RESPONSES as RESPONSES_WIRE
from director_ctx.history.proxy.retrieving.rounds import (
    HiddenExchange,
    HiddenRound,
    HiddenWire,
    content_of,
    exchange_of,
)
from director_ctx.history.retrieve.tool import NAME
from director_ctx.history.valid.check import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.history.proxy.retrieving.rounds import AnswerReading

WIRES = {MESSAGES: ANTHROPIC, CHAT: CHAT_WIRE, RESPONSES: RESPONSES_WIRE}
EVERYWHERE = pytest.mark.parametrize("path", WIRES)
SIGN = NAME.encode()
_WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)
_BEFORE = st.lists(st.builds(Think, _WORDS) | st.builds(Say, _WORDS), max_size=2)
_OWN = st.builds(lambda word: Call(NAME, locator=word), _WORDS)
_OTHER = st.builds(lambda word: Call("Read", path=word), _WORDS)
ASKING: st.SearchStrategy[list[Part]] = st.builds(
    lambda before, calls: [*before, *calls], _BEFORE, st.lists(_OWN, min_size=1, max_size=2)
)
"""A round that ends with calls of ours alone."""
LAST: st.SearchStrategy[list[Part]] = st.builds(
    lambda before, word, calls: [*before, Say(word), *calls],
    _BEFORE, _WORDS, st.lists(_OWN | _OTHER, max_size=3),
).filter(lambda parts: not any(map(is_own, parts)) or any(map(is_other, parts)))  # fmt: skip
"""One behind which the client comes: without calls, with its own, or with calls of both."""
ROUNDS = st.builds(lambda asking, last: [*asking, last], st.lists(ASKING, max_size=3), LAST)


def is_own(part: Part) -> bool:
    return isinstance(part, Call) and part.name == NAME


def is_other(part: Part) -> bool:
    return isinstance(part, Call) and part.name != NAME


def told(path: str, rounds: list[list[Part]], sizes: list[int]) -> tuple[bytes, AnswerReading]:
    """All that a client gets of an answer whose pieces have these sizes, over and over."""
    reading = WIRES[path].reading()
    events = ToldEvents(reading, SIGN)
    _, stream = FORMS[path]
    got = b""
    for number, parts in enumerate(rounds, 1):
        if number > 1:
            reading.begin_round()
        data = streamed(stream(parts, number))
        at = 0
        while at < len(data):
            size = sizes[at % len(sizes)]
            got += events.take(data[at : at + size])
            at += size
        got += events.end()
    return got, reading


@EVERYWHERE
@given(rounds=ROUNDS, sizes=st.lists(st.integers(1, 400), min_size=1, max_size=7))
def test_what_a_client_is_told_does_not_depend_on_how_a_stream_arrives(
    path: str, rounds: list[list[Part]], sizes: list[int]
) -> None:
    got, _ = told(path, rounds, sizes)
    at_once, _ = told(path, rounds, [1 << 30])
    first = [data_of(event) for event in events_of(got)]
    assert first == [data_of(event) for event in events_of(at_once)]
    assert SIGN not in got


BENDS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "no blank behind the colon": lambda data: data.replace(b"data: ", b"data:"),
    "comments": lambda data: b": wait\n\n" + data.replace(b"\n\n", b"\n\n: wait\n\n"),
    "no empty line at the end": lambda data: data.removesuffix(b"\n"),
    "no line end at the end": lambda data: data.removesuffix(b"\n\n"),
}


@EVERYWHERE
@pytest.mark.parametrize("bend", BENDS.values(), ids=BENDS)
@pytest.mark.parametrize("size", [7, 1 << 30])
def test_a_client_is_told_the_same_in_whatever_way_a_server_writes_its_events(
    path: str, bend: Callable[[bytes], bytes], size: int
) -> None:
    rounds: list[list[Part]] = [[Say("A moment."), Call(NAME, locator="x")], [Say("It is 37.")]]
    reading = WIRES[path].reading()
    events = ToldEvents(reading, SIGN)
    got = b""
    for number, parts in enumerate(rounds, 1):
        data = bend(streamed(FORMS[path][1](parts, number)))
        for at in range(0, len(data), size):
            got += events.take(data[at : at + size])
        got += events.end()
        assert reading.waits == (number == 1)
        if reading.waits:
            reading.begin_round()
    expected, _ = told(path, rounds, [1 << 30])
    said = [data for data in map(data_of, events_of(got)) if data]
    assert said == [data for data in map(data_of, events_of(expected)) if data]
    assert got.count(b"[DONE]") == expected.count(b"[DONE]")
    assert SIGN not in got


_KEYS = st.sampled_from([
    "type", "index", "delta", "content_block", "message", "usage", "choices", "tool_calls", "function", "name",
    "arguments", "item", "output_index", "response", "output", "status", "stop_reason", "finish_reason", "id",
])  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.integers(-1, 3) | st.text(max_size=3)
    | st.sampled_from([
        NAME, "tool_use", "function_call", "message_start", "content_block_start", "content_block_delta",
        "content_block_stop", "message_delta", "message_stop", "text_delta", "input_json_delta",
        "response.created", "response.output_item.added", "response.output_item.done", "response.completed",
    ]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@EVERYWHERE
@given(
    said=st.lists(st.dictionaries(_KEYS, _VALUES, max_size=5), max_size=4),
    rest=st.binary(max_size=9),
)
def test_no_answer_is_so_odd_that_it_breaks_what_reads_it(
    path: str, said: list[Json], rest: bytes
) -> None:
    events = ToldEvents(WIRES[path].reading(), SIGN)
    start = b'data: {"type": "ping", "name": "%s"}\n\n' % SIGN
    data = b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in said)
    for piece in (start, data, rest, b"\n\n", b"data: " + b"[" * 9_000 + b"\n\n"):
        events.take(piece)
    events.end()


@EVERYWHERE
@given(rounds=ROUNDS)
def test_a_client_is_told_everything_but_our_calls_in_its_order_and_once(
    path: str, rounds: list[list[Part]]
) -> None:
    got, _ = told(path, rounds, [1 << 30])
    parts = [part for parts in rounds for part in parts if not is_own(part)]
    texts = [part.text for part in parts if isinstance(part, Say)]
    if path == CHAT:
        texts = [
            part.text for part in parts if isinstance(part, Say) and not isinstance(part, Think)
        ]
    given_paths = [part.given["path"] for part in parts if isinstance(part, Call)]
    assert said_in(path, got) == ("".join(texts), given_paths)
    for begin in (b"message_start", b"response.created", b'"role": "assistant"', b"[DONE]"):
        if path in (MESSAGES, CHAT) or begin == b"response.created":
            assert got.count(b"event: " + begin) <= 1 and got.count(b"data: " + begin) <= 1


def said_in(path: str, stream: bytes) -> tuple[str, list[str]]:
    """The words and the arguments in a stream, put together as a client does it."""
    words: list[str] = []
    arguments: dict[int, str] = {}
    for event in map(data_of, events_of(stream)):
        if event is None:
            continue
        if path == MESSAGES and event["type"] == "content_block_delta":
            delta = event["delta"]
            words.append(delta.get("text", "") + delta.get("thinking", ""))
            if "partial_json" in delta:
                index = event["index"]
                arguments[index] = arguments.get(index, "") + delta["partial_json"]
        elif path == CHAT and event["choices"]:
            delta = event["choices"][0]["delta"]
            words.append((delta.get("content") or "").strip())
            for call in delta.get("tool_calls", ()):
                index = call["index"]
                arguments[index] = arguments.get(index, "") + call["function"]["arguments"]
        elif path == RESPONSES and event["type"] == "response.output_item.done":
            item = event["item"]
            words.append(item.get("encrypted_content", ""))
            words += [part["text"] for part in item.get("content", ())]
            if "arguments" in item:
                arguments[event["output_index"]] = item["arguments"]
    paths = [json.loads(arguments[index])["path"] for index in sorted(arguments)]
    return "".join(words), paths


@EVERYWHERE
@given(rounds=ROUNDS)
def test_streamed_or_in_one_piece_an_answer_says_and_calls_the_same(
    path: str, rounds: list[list[Part]]
) -> None:
    wire = WIRES[path]
    whole, _ = FORMS[path]
    plain = wire.reading()
    _, stream = told(path, rounds, [50])
    for number, parts in enumerate(rounds, 1):
        if number > 1:
            plain.begin_round()
        plain.whole(whole(parts, number))
        assert plain.waits == (number < len(rounds))
    is_read = any(is_own(part) for parts in rounds for part in parts)
    if is_read:
        assert (stream.said, stream.shown, stream.calls) == (plain.said, plain.shown, plain.calls)
        assert stream.is_mixed == plain.is_mixed and stream.has_ended


@EVERYWHERE
@given(rounds=ROUNDS)
def test_what_the_client_never_saw_is_put_back_where_it_was(
    path: str, rounds: list[list[Part]]
) -> None:
    wire = WIRES[path]
    begun: list[Any] = [{"role": "user", "content": "Do it."}]
    known, hidden, reading = played(path, rounds)
    shown = copy.deepcopy(reading.shown)
    written = [*begun, *without_empty(path, shown)]
    results = client_results(path, shown)
    if reading.is_mixed or results:
        written += results
    else:
        written.append({"role": "user", "content": "Go on."})

    if not hidden:
        return
    exchange = exchange_of(
        content_of(HiddenExchange(wire.name, tuple(hidden), wire.seen(shown, 0), 1))
    )
    assert exchange is not None and exchange.seen == wire.seen(written, 1)
    woven = wire.weave(written, 1, exchange.rounds)
    assert woven is not None
    full = [*begun, *woven.elements, *written[woven.behind :]]
    assert full[: 1 + len(known)] == [*begun, *known]
    asked = {"model": "m", wire.key: full}
    # A round may do without thoughts; whether one of them was lost nobody can tell.
    problems = check(load(wire.name).decode(asked))
    assert [problem for problem in problems if problem.rule != "no reason"] == []
    assert json.dumps(full).count(f'"{NAME}"') == sum(
        is_own(part) for parts in rounds for part in parts
    )


def played(
    path: str, rounds: list[list[Part]]
) -> tuple[list[Any], list[HiddenRound], AnswerReading]:
    """What the model was asked again with, what is kept of it, and the answer."""
    wire: HiddenWire = WIRES[path]
    whole, _ = FORMS[path]
    reading = wire.reading()
    known: list[Any] = []
    hidden: list[HiddenRound] = []
    for number, parts in enumerate(rounds, 1):
        if number > 1:
            reading.begin_round()
        reading.whole(whole(parts, number))
        if reading.waits or reading.is_mixed:
            results = wire.results([(call, f"of {call.id}") for call in reading.calls])
            hidden.append(HiddenRound(reading.said, results, reading.is_mixed))
        if reading.waits:
            known += [*reading.said, *results]
    return known, hidden, reading


def without_empty(path: str, shown: list[Any]) -> list[Any]:
    if path == CHAT and not shown[0]["tool_calls"]:
        del shown[0]["tool_calls"]
    return shown


def client_results(path: str, shown: list[Any]) -> list[Any]:
    if path == MESSAGES:
        calls = [block["id"] for block in shown[0]["content"] if block["type"] == "tool_use"]
        content = [{"type": "tool_result", "tool_use_id": name, "content": "x"} for name in calls]
        return [{"role": "user", "content": content}] if calls else []
    if path == CHAT:
        calls = [call["id"] for call in shown[0].get("tool_calls", ())]
        return [{"role": "tool", "tool_call_id": name, "content": "x"} for name in calls]
    calls = [item["call_id"] for item in shown if item["type"] == "function_call"]
    return [{"type": "function_call_output", "call_id": name, "output": "x"} for name in calls]


def test_an_answer_that_its_client_wrote_otherwise_still_gets_its_calls() -> None:
    _, hidden, reading = played(MESSAGES, [[Think("Hm."), Say("One. "), Call(NAME)], [Say("Two.")]])
    written = [{"role": "assistant", "content": "One. Two."}]
    assert ANTHROPIC.seen(written, 0) == ANTHROPIC.seen(reading.shown, 0)
    woven = ANTHROPIC.weave(written, 0, hidden)
    assert woven is not None and [one["role"] for one in woven.elements] == [
        "assistant",
        "user",
        "assistant",
    ]
    assert ANTHROPIC.weave([{"role": "user", "content": "One. Two."}], 0, hidden) is None


def test_a_model_that_says_nothing_beside_its_call_may_leave_its_text_out() -> None:
    _, [hidden], reading = played(CHAT, [[Call(NAME)], [Say("Two.")]])
    said = [{name: value for name, value in hidden.said[0].items() if name != "content"}]
    woven = WIRES[CHAT].weave(reading.shown, 0, [hidden.replace(said=said)])
    assert woven is not None
    assert [message["role"] for message in woven.elements] == ["assistant", "tool", "assistant"]
    assert woven.elements[-1]["content"] == "Two."


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"wire": 1, "rounds": [1]}', "[" * 5_000])
def test_what_is_kept_and_damaged_is_left_out(content: str) -> None:
    assert exchange_of(content) is None


def test_numbers_are_added_up_inside_of_objects_too() -> None:
    first: Json = {"a": 1, "b": {"c": 2}, "tier": "standard", "gone": 4, "null": None}
    second: Json = {"a": 10, "b": {"c": 20, "d": 5}, "tier": "batch", "null": 3}
    total = {"a": 11, "b": {"c": 22, "d": 5}, "tier": "batch", "gone": 4, "null": 3}
    assert added(first, second) == total


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=30), max_size=6),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    behind=st.sampled_from([b"", b"X"]),
)
def test_a_body_comes_out_of_its_chunks_however_they_arrive(
    chunks: list[bytes], sizes: list[int], behind: bytes
) -> None:
    data = (
        b"".join(b"%x;a=1\r\n%s\r\n" % (len(one), one) for one in chunks)
        + b"0\r\nT: 1\r\n\r\n"
        + behind
    )
    payload = ChunkPayload()
    got = b""
    at = 0
    while at < len(data) and not payload.done:
        size = sizes[at % len(sizes)]
        got += payload.take(data[at : at + size])
        at += size
    assert got == b"".join(chunks) and payload.done
    assert not payload.is_too_long or behind
