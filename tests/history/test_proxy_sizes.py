"""`dctx history proxy`: its limit is the model's, as the model's own provider counts."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proxied import Proxied, Upstream

from director_ctx.base.errors import UsageProblem
from director_ctx.history.proxy.cut_rule import rule_of
from director_ctx.history.proxy.http_head import read_status
from director_ctx.history.proxy.request import model_of
from director_ctx.history.proxy.usage import AnswerUsage, Usage, usage_in

LIMIT, TARGET = 30_000, 12_000
MESSAGES, CHAT, ITEMS = "/v1/messages", "/v1/chat/completions", "/v1/responses"
KEYS = {MESSAGES: "messages", CHAT: "messages", ITEMS: "input"}
JAPANESE = "会議の議事録を読み、決定事項と担当者をまとめてから、次の作業に進みます。"
JSON = '{"id":41,"k":[7,12,9],"v":"x41","ok":true,"t":1718},'


class CountingProvider:
    """Counts in its own way: a token for each character beyond ASCII, and for each two others."""

    def __init__(self, stream: bool = False) -> None:
        self.sizes: list[int] = []
        self.stream = stream
        self.read = 0

    def __call__(self, client: socket.socket, head: bytes, body: bytes) -> None:
        text = json.dumps(json.loads(body), ensure_ascii=False)
        wide = sum(char > "\x7f" for char in text)
        self.sizes.append(wide + (len(text) - wide) // 2)
        path = head.split(b" ")[1].decode()
        answer = json.dumps(self.usage(path)).encode()
        kind = b"application/json"
        if self.stream:
            first = {"type": "message_start", "message": self.usage(path)}
            answer = b"event: message_start\ndata: " + json.dumps(first).encode() + b"\n\n"
            kind = b"text/event-stream"
        client.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
            % (kind, len(answer), answer)
        )

    def usage(self, path: str) -> dict[str, Any]:
        size = self.sizes[-1]
        if path.endswith(CHAT):
            return {"usage": {"prompt_tokens": size, "completion_tokens": 5}}
        if path.endswith(ITEMS):
            return {"usage": {"input_tokens": size, "output_tokens": 5}}
        # What the cache has is counted beside what came in.
        cached = {"cache_read_input_tokens": size - 100, "cache_creation_input_tokens": 90}
        return {"usage": {"input_tokens": 10, "output_tokens": 5, **cached}}


def turns(text: str, count: int) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [{"role": "user", "content": "Go through all of it."}]
    for number in range(count):
        listed.append({"role": "assistant", "content": f"Part {number} comes next."})
        listed.append({"role": "user", "content": f"Part {number}: {text}"})
    return listed


def request(path: str, text: str, count: int, model: str = "claude-sonnet-4-5") -> bytes:
    body = {"model": model, KEYS[path]: turns(text, count)}
    return json.dumps(body, ensure_ascii=False).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".director").mkdir()
    return tmp_path


def behind(upstream: Upstream, folder: Path, *words: str) -> Proxied:
    return Proxied(upstream.url, folder, *words)


LIMITS = ("--limit", str(LIMIT), "--target-tokens", str(TARGET))


@pytest.mark.parametrize("path", KEYS)
@pytest.mark.parametrize("text", [JAPANESE * 12, JSON * 9], ids=["Japanese", "minified JSON"])
def test_a_conversation_stays_below_the_limit_as_its_provider_counts(
    path: str, text: str, folder: Path
) -> None:
    provider = CountingProvider()
    with Upstream(provider) as upstream, behind(upstream, folder, *LIMITS) as proxy:
        whole = 0
        for count in range(0, 260, 6):
            body = request(path, text, count)
            whole = len(body.decode())
            proxy.post(path, body)
        proxy.end()
    assert whole / 4 > LIMIT, "or the estimate alone would do"
    assert max(provider.sizes) <= LIMIT
    assert ", receipt " in proxy.said
    assert "by the provider's count" in proxy.said


def test_without_sizes_in_the_answers_a_conversation_goes_by_the_estimate(folder: Path) -> None:
    with Upstream() as upstream, behind(upstream, folder, *LIMITS) as proxy:
        for count in range(0, 90, 6):
            proxy.post(MESSAGES, request(MESSAGES, JAPANESE * 12, count))
        stats = stats_of(proxy)
    assert stats["calibration"] == [] and stats["cuts"] == 0
    assert len(upstream.bodies[-1].decode()) > LIMIT, "three tokens of four characters, it would be"


def test_sizes_are_read_from_events_as_they_pass(folder: Path) -> None:
    provider = CountingProvider(stream=True)
    with Upstream(provider) as upstream, behind(upstream, folder, *LIMITS) as proxy:
        for count in range(0, 120, 6):
            proxy.post(MESSAGES, request(MESSAGES, JAPANESE * 12, count))
        (calibration,) = stats_of(proxy)["calibration"]
    assert max(provider.sizes) <= LIMIT
    assert calibration["factor"] > 3
    assert calibration["by_provider"] == provider.sizes[-1]


def test_a_proxy_that_was_started_anew_knows_how_a_conversation_is_counted(folder: Path) -> None:
    provider = CountingProvider()
    with Upstream(provider) as upstream:
        with behind(upstream, folder, *LIMITS) as proxy:
            for count in (40, 58):
                proxy.post(MESSAGES, request(MESSAGES, JAPANESE * 12, count))
        with behind(upstream, folder, *LIMITS) as anew:
            anew.post(MESSAGES, request(MESSAGES, JAPANESE * 12, 70))
            anew.end()
    assert "0 cuts" in proxy.said
    assert ", receipt " in anew.said, "by four characters a token it would be far from its limit"
    assert provider.sizes[-1] <= LIMIT < provider.sizes[-2] * 70 / 58


def test_two_conversations_are_counted_each_in_its_own_way(folder: Path) -> None:
    provider = CountingProvider()
    plain = json.dumps(
        {"model": "m", "messages": [{"role": "user", "content": "words of it " * 4_000}]}
    )
    with Upstream(provider) as upstream, behind(upstream, folder, *LIMITS) as proxy:
        proxy.post(MESSAGES, plain.encode())
        proxy.post(MESSAGES, request(MESSAGES, JAPANESE * 12, 58))
        factors = sorted(size["factor"] for size in stats_of(proxy)["calibration"])
    assert factors[0] == pytest.approx(2, rel=0.05) and factors[1] > 3


def stats_of(proxy: Proxied) -> dict[str, Any]:
    with urllib.request.urlopen(proxy.url + "/dctx/stats", timeout=20) as answer:
        stats: dict[str, Any] = json.load(answer)
    return stats


def test_stats_say_what_was_saved_net_of_what_the_cache_lost(folder: Path) -> None:
    provider = CountingProvider()
    with Upstream(provider) as upstream, behind(upstream, folder, *LIMITS) as proxy:
        for count in range(0, 120, 6):
            proxy.post(MESSAGES, request(MESSAGES, JAPANESE * 12, count))
        stats = stats_of(proxy)
        proxy.end()
    assert stats["requests"] == 20 == len(provider.sizes)
    assert stats["cuts"] > 0 and stats["tokens_not_sent"] > 0
    assert stats["tokens_net"] == stats["tokens_not_sent"] - stats["cache_tokens_lost"]
    assert stats["limit"] == {"tokens": LIMIT, "from": "--limit", "target": TARGET}
    assert stats["counter"] == "chars/4"
    assert f"net {stats['tokens_net']:,}" in proxy.said


def test_nobody_gets_stats_without_the_token(folder: Path) -> None:
    with Upstream() as upstream, behind(upstream, folder, *LIMITS) as proxy:
        asked = f"GET /dctx/stats HTTP/1.1\r\nHost: 127.0.0.1:{proxy.port}\r\n\r\n"
        assert proxy.ask(asked.encode()).startswith(b"HTTP/1.1 403 ")
        assert upstream.heads == []


# Limits


def values(folder: Path, **more: object) -> dict[str, Any]:
    names = "strategy ratio window keep config set_ dry_run counter limit target_tokens"
    return {**dict.fromkeys(names.split()), "root": str(folder), **more}


@pytest.mark.parametrize(
    ("limit", "model", "tokens", "source"),
    [
        (None, "claude-sonnet-4-5", 180_000, "the default"),
        (None, "claude-opus-5", 180_000, "the default"),
        (None, "gpt-4o-2024-08-06", 115_200, "the window of gpt-4o-2024-08-06"),
        (None, "nobody knows it", 180_000, "the default"),
        ("90%", "claude-opus-5", 900_000, "90% of 1,000,000 tokens"),
        ("0.5", "gpt-4", 4_096, "50% of 8,192 tokens"),
        ("50%", "", 100_000, "the usual window"),
        ("120k", "gpt-4", 120_000, "--limit"),
    ],
)
def test_a_limit_is_that_of_the_model_that_is_asked(
    limit: str | None, model: str, tokens: int, source: str, folder: Path
) -> None:
    rule = rule_of(values(folder, limit=limit)).of_model(model)
    assert rule.limit == tokens and source in rule.limit_from
    assert rule.target < rule.limit


def test_a_model_of_the_project_has_its_window(folder: Path) -> None:
    (folder / ".director" / "dctx.yaml").write_text("models:\n  ours:\n    window: 40000\n")
    rule = rule_of(values(folder)).of_model("ours-large")
    assert rule.limit == 36_000


def test_a_settings_file_that_is_broken_stops_no_proxy(folder: Path) -> None:
    (folder / ".director" / "dctx.yaml").write_text("models: [")
    assert rule_of(values(folder)).of_model("gpt-4o").limit == 115_200


@pytest.mark.parametrize("limit", ["0%", "150%", "1.5", "x%"])
def test_a_share_that_is_none_is_refused(limit: str, folder: Path) -> None:
    with pytest.raises(UsageProblem):
        rule_of(values(folder, limit=limit))


def test_requests_to_a_model_with_a_small_window_are_cut_below_it(folder: Path) -> None:
    provider = CountingProvider()
    with Upstream(provider) as upstream, behind(upstream, folder) as proxy:
        for count in range(0, 40, 4):
            proxy.post(CHAT, request(CHAT, JAPANESE * 12, count, model="gpt-4"))
        stats = stats_of(proxy)
        proxy.end()
    assert max(provider.sizes) <= 8_192
    assert stats["limits_by_model"]["gpt-4"]["tokens"] == 7_372
    assert "The limit for gpt-4: 7,372 tokens (90% of 8,192 tokens" in proxy.said
    assert (
        "over 180,000 tokens are" in proxy.said and "The limit is from the default." in proxy.said
    )


# What answers say


@pytest.mark.parametrize(
    ("document", "usage"),
    [
        ({"usage": {"input_tokens": 9, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 1}},
         Usage(90, 80, 1)),
        ({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}, Usage(9, 0, 0, 1)),
        ({"usage": {"prompt_tokens": 90, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 80}}},
         Usage(90, 80, 0, 3)),
        ({"type": "response.completed", "response": {"usage": {"input_tokens": 90, "output_tokens": 3,
          "input_tokens_details": {"cached_tokens": 80}}}}, Usage(90, 80, 0, 3)),
        ({"input_tokens": 90}, Usage(90)),
        ({"usage": None}, None),
        ({"content": [{"input": {"usage": {"input_tokens": 7}}}]}, None),
        ({"usage": {"input_tokens": "many"}}, Usage(0)),
    ],
)  # fmt: skip
def test_each_provider_says_its_size_in_its_own_words(document: Any, usage: Usage | None) -> None:
    assert usage_in(document) == usage


@pytest.fixture
def streamed() -> Iterator[Callable[..., Usage | None]]:
    def read(data: bytes, step: int, kind: bytes = b"text/event-stream") -> Usage | None:
        head = read_status(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind)
        answer = AnswerUsage(head)
        for start in range(0, len(data), step):
            answer.take(data[start : start + step])
        return answer.end()

    yield read


@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_a_size_is_found_however_the_answer_arrives(
    step: int, streamed: Callable[..., Usage | None]
) -> None:
    first = {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 900, "output_tokens": 1}},
    }
    text = {"type": "content_block_delta", "delta": {"text": '"usage": {"input_tokens": 5}'}}
    last = {"type": "message_delta", "usage": {"output_tokens": 40, "input_tokens": 3}}
    data = b"".join(
        b"event: x\ndata: %s\n\n" % json.dumps(one).encode() for one in (first, text, last)
    )
    assert streamed(data, step) == Usage(900, 0, 0, 40)
    whole = json.dumps({"usage": {"prompt_tokens": 4}}).encode()
    assert streamed(whole, step, b"application/json; charset=utf-8") == Usage(4)
    assert streamed(b'data: {broken "usage\n\n', step) is None


def test_the_model_stands_at_either_end_of_a_request() -> None:
    assert model_of(b'{"model": "claude-x", "messages": []}') == "claude-x"
    assert model_of(b'{"messages": [' + b" " * 9_000 + b'], "model":"gpt-4o"}') == "gpt-4o"
    assert model_of(b'{"messages": ["\\"model\\": \\"no\\""]}') == ""
