"""`dctx history proxy`: what is too long goes out shorter. Nothing else is touched, and what goes wrong
goes out as it came.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import process
from proxied import Proxied, Upstream

from director_ctx.history.formats import load
from director_ctx.history.proxy.cut_rule import CutRule, rule_of
from director_ctx.history.proxy.shorten import Shortening
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.valid.check import check

LIMIT, TARGET = 4_000, 2_000
MESSAGES, CHAT, RESPONSES = "/v1/messages", "/v1/chat/completions", "/v1/responses"
WIRES = {
    MESSAGES: ("anthropic", "messages"),
    CHAT: ("openai-chat", "messages"),
    RESPONSES: ("openai-responses", "input"),
}
STORE = ".director/.dctx/store.db"


def result(turn: int) -> str:
    return "".join(f"line {line} of {turn}: value_{turn} = {turn * 37}\n" for line in range(40))


def turn_of(path: str, number: int) -> list[dict[str, Any]]:
    name, given = f"call_{number}", {"path": f"/src/file{number}.py"}
    if path == MESSAGES:
        return [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": name, "name": "Read", "input": given}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": name, "content": result(number)}
                ],
            },
        ]
    written = json.dumps(given)
    if path == CHAT:
        call = {"id": name, "type": "function", "function": {"name": "Read", "arguments": written}}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": name, "content": result(number)},
        ]
    return [
        {"type": "function_call", "call_id": name, "name": "Read", "arguments": written},
        {"type": "function_call_output", "call_id": name, "output": result(number)},
    ]


def conversation(path: str, turns: int, first: str = "Fix it.") -> bytes:
    key = WIRES[path][1]
    messages = [
        {"role": "user", "content": first},
        *(one for number in range(turns) for one in turn_of(path, number)),
    ]
    return json.dumps({"model": "m", key: messages, "stream": False}, ensure_ascii=False).encode()


def sent(upstream: Upstream) -> list[dict[str, Any]]:
    return [json.loads(body) for body in upstream.bodies]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".director").mkdir()
    return tmp_path


def proxied(upstream: Upstream, folder: Path, *words: str) -> Proxied:
    return Proxied(
        upstream.url, folder, "--limit", str(LIMIT), "--target-tokens", str(TARGET), *words
    )


def rule(folder: Path) -> CutRule:
    values = dict.fromkeys(("strategy", "keep", "set_", "dry_run", "counter"))
    return rule_of(
        {**values, "target_tokens": str(TARGET), "limit": str(LIMIT), "root": str(folder)}
    )


@pytest.mark.parametrize("path", WIRES)
def test_each_request_extends_the_bytes_of_the_one_before_until_the_next_cut(
    path: str, folder: Path
) -> None:
    format, key = WIRES[path]
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        given = [conversation(path, turns) for turns in range(25)]
        for body in given:
            proxy.post(path, body)
        proxy.end()
    cuts = proxy.said.count(", receipt ")
    assert 1 < cuts < 8, proxy.said
    starts = [body[: body.rindex(b"]")] for body in upstream.bodies]
    assert (
        sum(not after.startswith(before) for before, after in zip(starts, starts[1:], strict=False))
        == cuts
    )
    assert max(len(body) for body in upstream.bodies) < 4 * LIMIT * 1.5 < len(given[-1])
    for body, full in zip(sent(upstream), map(json.loads, given), strict=True):
        assert check(load(format).decode(body)) == []
        assert body[key][-1] == full[key][-1] and body[key][0] == full[key][0]
        assert {**body, key: 0} == {**full, key: 0} and list(body) == list(full)
    assert f"{cuts} cuts" in proxy.said and f"broken {cuts} times" in proxy.said


@pytest.mark.parametrize("path", WIRES)
def test_a_proxy_that_was_started_anew_goes_on_with_the_same_bytes(path: str, folder: Path) -> None:
    with Upstream() as upstream:
        with proxied(upstream, folder) as proxy:
            for turns in (3, 20):
                proxy.post(path, conversation(path, turns))
        with proxied(upstream, folder) as anew:
            for turns in (21, 22):
                anew.post(path, conversation(path, turns))
    assert ", receipt " in proxy.said and ", receipt " not in anew.said
    assert "0 cuts" in anew.said and ", 0 tokens not sent" not in anew.said
    before, *after = (body[: body.rindex(b"]")] for body in upstream.bodies[1:])
    assert all(body.startswith(before) for body in after)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"again": 1}', '{"again": 1, "text": "["}', '{"again": 1, "text": "7"}']
)
def test_a_kept_cut_that_is_damaged_is_made_anew(content: str, folder: Path) -> None:
    said: list[str] = []
    before = Shortening(rule(folder), said.append)(MESSAGES, conversation(MESSAGES, 20))
    with sqlite3.connect(folder / STORE) as store:
        store.execute("UPDATE dctx_cuts SET content = ?", (content,))
    assert Shortening(rule(folder), said.append)(MESSAGES, conversation(MESSAGES, 20)) == before
    assert len(said) == 2 and ", receipt " in said[1]


def test_as_many_conversations_go_on_as_the_settings_say(folder: Path) -> None:
    said: list[str] = []
    few = rule(folder)
    few = few.replace(wish=few.wish.replace(config=ContextConfig(max_conversations=3)))
    for round_ in range(2):
        shortening = Shortening(few, said.append)
        for name in ("one", "two", "three", "four")[round_:]:
            shortening(MESSAGES, conversation(MESSAGES, 20, name))
    assert len(said) == 4
    Shortening(few, said.append)(MESSAGES, conversation(MESSAGES, 20, "one"))
    assert len(said) == 5


def test_conversations_go_into_a_shared_store_only_where_the_project_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", "postgresql://me@127.0.0.1:1/team")
    refused = process(
        "history", "proxy", "--upstream", "http://127.0.0.1:9", "--port", "0", cwd=folder
    )
    assert (
        refused.code == 1
        and "others may read" in refused.err
        and "hooks: {archive: true}" in refused.err
    )
    with Upstream() as upstream:
        with proxied(upstream, folder, "--dry-run"):
            pass
        (folder / ".director/dctx.yaml").write_text("hooks: {archive: true}\n")
        with proxied(upstream, folder):
            pass


def test_a_request_keeps_its_number_while_others_come(folder: Path) -> None:
    said: list[str] = []
    shortening, come = Shortening(rule(folder), said.append), threading.Event()

    def first() -> None:
        shortening.wants(MESSAGES, 1 << 20)
        come.wait(20)
        shortening(MESSAGES, b"no json" * 10_000)

    thread = threading.Thread(target=first)
    thread.start()
    while not shortening.savings.requests:
        time.sleep(0.01)
    shortening.wants(MESSAGES, 1 << 20)
    come.set()
    thread.join(20)
    assert said[0].startswith("Request 1 was sent as it came")
    assert shortening.summary.startswith("2 requests, ")


def test_a_store_that_came_to_be_shared_gets_no_conversation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    shortening = Shortening(rule(folder), said.append)
    monkeypatch.setenv("DCTX_STORE", "postgresql://me@127.0.0.1:1/team")
    body = conversation(MESSAGES, 16)
    assert shortening(MESSAGES, body) == body
    assert "was not cut: The store is one that others may read" in said[0]


def test_what_is_short_enough_goes_out_to_the_byte(folder: Path) -> None:
    odd = [
        b'{ "messages" :[ {"role":"user","content":"\\u00e9 \\ud800"}],"x":1e5,"model":"m"}',
        b"no json",
        b"[1]",
    ]
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        for body in odd:
            proxy.post(MESSAGES, body)
        assert upstream.bodies == odd
    assert not (folder / STORE).exists()


def test_what_is_not_cut_of_a_long_request_is_its_own_text(folder: Path) -> None:
    body = conversation(MESSAGES, 14)
    last = body.rindex(b'{"role": "assistant"')
    call = (
        b'{"input": {"path": "\\u0041", "n": 1.50},"type":"tool_use","id":"call_13","name":"Read"}'
    )
    odd = b'{"role":  "assistant", "content": [' + call + b"]}"
    body = body[:last] + odd + body[body.index(b', {"role": "user"', last) :]
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, body)
    assert odd in upstream.bodies[0] and len(upstream.bodies[0]) < len(body)


def test_every_locator_that_goes_out_leads_to_its_original(folder: Path) -> None:
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
    located = set(re.findall(rb"dctx:[0-9a-f]{12}", upstream.bodies[0]))
    assert located
    for locator in located:
        assert process("restore", locator.decode(), cwd=folder).code == 0
    receipt = re.findall(r"receipt (\w+)", proxy.said)[0]
    listed = process("restore", "--list", "--json", cwd=folder)
    assert json.loads(listed.out)[0]["receipt"].startswith(receipt), listed


def test_a_count_of_tokens_is_asked_for_what_would_be_sent(folder: Path) -> None:
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
        proxy.post("/v1/messages/count_tokens?beta=true", conversation(MESSAGES, 16))
    assert upstream.bodies[0] == upstream.bodies[1]
    # The provider was sent nothing of it before.
    assert "1 cut, " in proxy.said and "broken" not in proxy.said


def test_other_paths_and_bodies_that_something_vouches_for_are_not_touched(folder: Path) -> None:
    body = conversation(MESSAGES, 16)
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post("/v1/embeddings", body)
        proxy.post(MESSAGES, body, "Content-Encoding: zstd")
        proxy.post(MESSAGES, body, "Content-Digest: sha-256=:x:")
        proxy.post(MESSAGES, body, "Content-Type: multipart/form-data; boundary=x")
        assert upstream.bodies == [body] * 4


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json"]
)
def test_what_a_body_is_called_does_not_matter_and_what_is_no_json_is_told(
    folder: Path, kind: str
) -> None:
    body = conversation(MESSAGES, 16)
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, body, f"Content-Type: {kind}")
        proxy.post(MESSAGES, b"a=" + body, f"Content-Type: {kind}")
    assert len(upstream.bodies[0]) < len(body) and upstream.bodies[1] == b"a=" + body
    assert "Request 2 was sent as it came" in proxy.said


KEPT_THERE = {
    "an answer": {"previous_response_id": "resp_1"},
    "a conversation": {"conversation": {"id": "conv_1"}},
    "a conversation by name": {"conversation": "conv_1"},
}


@pytest.mark.parametrize("name", [*KEPT_THERE, "items"])
def test_a_request_whose_conversation_the_provider_keeps_is_not_touched(
    folder: Path, name: str
) -> None:
    given = json.loads(conversation(RESPONSES, 16))
    if name == "items":
        given["input"][1] = {"type": "item_reference", "id": "fc_1"}
    body = json.dumps({**given, **KEPT_THERE.get(name, {})}).encode()
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(RESPONSES, body)
        assert upstream.bodies == [body]
        proxy.post(
            RESPONSES,
            json.dumps({**given, "previous_response_id": None, "conversation": None}).encode(),
        )
        assert (len(upstream.bodies[1]) < len(body)) is (name != "items")


def test_a_dry_run_says_what_would_be_cut_and_sends_everything(folder: Path) -> None:
    given = [conversation(MESSAGES, turns) for turns in range(12, 18)]
    with Upstream() as upstream, proxied(upstream, folder, "--dry-run") as proxy:
        for body in given:
            proxy.post(MESSAGES, body)
        assert upstream.bodies == given
    assert "would be cut: " in proxy.said and "receipt" not in proxy.said
    assert "6 requests, all sent as they came; 1 cut would have been made." in proxy.said
    assert not (folder / STORE).exists()


def test_nothing_is_cut_where_its_original_cannot_be_kept(folder: Path) -> None:
    body = conversation(MESSAGES, 16)
    (folder / ".director" / ".dctx").write_text("no folder")
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, body)
        proxy.post(MESSAGES, body)
        assert upstream.bodies == [body, body]
    assert "Request 1 was not cut" in proxy.said and "Request 2 was not cut" in proxy.said
    assert "Traceback" not in proxy.said


def test_nobody_else_waits_for_a_store_that_is_locked(folder: Path) -> None:
    other = conversation(MESSAGES, 16, "Another.")
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
        locked = sqlite3.connect(folder / STORE, isolation_level=None)
        locked.execute("BEGIN EXCLUSIVE")
        waits = threading.Thread(target=proxy.post, args=(MESSAGES, other))
        waits.start()
        proxy.post(MESSAGES, conversation(MESSAGES, 17))
        proxy.post(MESSAGES, conversation(MESSAGES, 2))
        assert waits.is_alive() and len(upstream.bodies) == 3
        locked.execute("ROLLBACK")
        locked.close()
        waits.join()
        assert len(upstream.bodies[3]) < len(other)


def test_after_a_cut_that_failed_slowly_none_is_tried_for_a_while(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.history.proxy.shorten.SLOW", 0.0)
    (folder / ".director" / ".dctx").write_text("no folder")
    said: list[str] = []
    shortening = Shortening(rule(folder), said.append)
    for _ in range(2):
        assert shortening(MESSAGES, conversation(MESSAGES, 16)) == conversation(MESSAGES, 16)
    assert len(said) == 1 and said[0].endswith("Nothing is tried for 60 seconds.")


def test_a_cut_that_fails_leaves_the_one_before_in_place(folder: Path) -> None:
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
        assert len(upstream.bodies[0]) < len(conversation(MESSAGES, 16))
        for name in os.listdir(folder / ".director" / ".dctx"):
            os.remove(folder / ".director" / ".dctx" / name)
        os.rmdir(folder / ".director" / ".dctx")
        (folder / ".director" / ".dctx").write_text("no folder")
        proxy.post(MESSAGES, conversation(MESSAGES, 30))
    assert upstream.bodies[1].startswith(upstream.bodies[0][: upstream.bodies[0].rindex(b"]")])
    assert "Request 2 was not cut" in proxy.said


@pytest.mark.parametrize(
    "change",
    [
        lambda body: b"\xef\xbb\xbf" + body,
        lambda body: body.decode().encode("utf-16"),
        lambda body: body[:-30],
        lambda body: body.replace(b'"model": "m"', b'"messages": [], "model": "m"'),
        lambda body: body + b" {}",
        lambda body: b"[" * 100_000 + body,
        lambda body: body.replace(
            b'"messages": [', b'"messages": [null, 7, ["x"], {"content": {"a": 1}}, '
        ),
    ],
    ids=["byte order mark", "utf-16", "half", "twice", "two", "nested", "strange"],
)
def test_what_cannot_be_read_goes_out_as_it_came(folder: Path, change: Any) -> None:
    body = change(conversation(MESSAGES, 16))
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        assert b"200 OK" in proxy.post(MESSAGES, body)
        assert len(upstream.bodies[0]) <= len(body)
        if b"null" not in body:
            assert upstream.bodies == [body]
    assert "Traceback" not in proxy.said


def test_neither_keys_nor_contents_are_told_or_kept_outside_of_the_archive(folder: Path) -> None:
    bodies = [
        conversation(MESSAGES, 16, "SECRET-PLAN"),
        conversation(MESSAGES, 16, "SECRET-PLAN")[:-9],
    ]
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        for body in bodies:
            proxy.post(MESSAGES, body, "Authorization: Bearer SECRET-KEY", "X-Api-Key: SECRET-KEY")
    assert b"Authorization: Bearer SECRET-KEY" in upstream.heads[0]
    assert "SECRET" not in proxy.said and "as it came" in proxy.said
    for path in folder.rglob("*"):
        assert path.is_dir() or b"SECRET-KEY" not in path.read_bytes()
        assert path.is_dir() or path.parent.name == ".dctx" or b"SECRET" not in path.read_bytes()


def marked(body: bytes, *places: int) -> bytes:
    found = json.loads(body)
    for place in places:
        found["messages"][place]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return json.dumps(found, ensure_ascii=False).encode()


def test_marks_for_the_cache_move_on_and_never_become_more(folder: Path) -> None:
    """As clients do it: marks at the last messages, further down in the next request; here once in
    the middle, too.
    """
    given = [
        marked(conversation(MESSAGES, turns), -1, -2, *((4,) if 5 < turns < 15 else ()))
        for turns in range(1, 25)
    ]
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        for body in given:
            proxy.post(MESSAGES, body)
    marks = [body.count(b"cache_control") for body in upstream.bodies]
    assert all(
        now <= before.count(b"cache_control") for now, before in zip(marks, given, strict=True)
    )
    assert all(
        json.loads(body)["messages"][-1]["content"][-1]["cache_control"] for body in upstream.bodies
    )
    assert 0 < proxy.said.count(", receipt ") < 8


@pytest.mark.parametrize(("window", "what"), [("500", "nothing"), ("29", "too little")])
def test_what_cannot_be_cut_or_only_a_little_is_told_once_and_waits(
    folder: Path, window: str, what: str
) -> None:
    """A strategy is not run, and nothing said, at each request anew, and no cache is broken for
    nothing.
    """
    words = ("--strategy", "sliding_window", "--set", f"window_size={window}")
    given = [conversation(MESSAGES, turns) for turns in (16, 16, 17)]
    with Upstream() as upstream, proxied(upstream, folder, *words) as proxy:
        for body in given:
            proxy.post(MESSAGES, body)
        assert upstream.bodies == given
    told = re.findall(
        r"Request (\d): 4,\d+ tokens, over the limit; sliding_window finds (.*) to cut\.",
        proxy.said,
    )
    assert "0 cuts" in proxy.said and told == [("1", what)]


ALONE = {
    "one message": (MESSAGES, {"messages": [{"role": "user", "content": "word " * 5_000}]}),
    "one text": (RESPONSES, {"input": "word " * 5_000}),
    "no messages": (MESSAGES, {"messages": [None, 7, "word " * 5_000]}),
}


@pytest.mark.parametrize("name", ALONE)
def test_what_is_too_long_from_the_beginning_is_told_once(folder: Path, name: str) -> None:
    path, given = ALONE[name]
    body = json.dumps({"model": "m", **given}).encode()
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        for _ in range(3):
            proxy.post(path, body)
        assert upstream.bodies == [body] * 3
    assert proxy.said.count("over the limit; hybrid finds nothing to cut.") == 1, proxy.said
    assert proxy.said.count("Request ") == 1


def test_it_is_told_again_when_more_has_come_and_for_another_conversation(folder: Path) -> None:
    """A checkpoint finds no phase that is over where there is one task and nothing but reading."""
    with Upstream() as upstream, proxied(upstream, folder, "--strategy", "checkpoint") as proxy:
        for turns in range(14, 30):
            proxy.post(MESSAGES, conversation(MESSAGES, turns))
        proxy.post(MESSAGES, conversation(MESSAGES, 20, "Another task."))
        given = [conversation(MESSAGES, turns) for turns in range(14, 30)]
        assert upstream.bodies[:-1] == given
    told = [
        int(one)
        for one in re.findall(r"Request (\d+): .*; checkpoint finds nothing to cut", proxy.said)
    ]
    assert told[0] == 1 and told[-1] == 17 and 3 < len(told) < 10, proxy.said


def test_a_cut_after_a_try_that_found_too_little_stays_in_place(folder: Path) -> None:
    given = [conversation(MESSAGES, turns) for turns in range(16, 22)]
    words = ("--strategy", "sliding_window", "--set", "window_size=29")
    with Upstream() as upstream, proxied(upstream, folder, *words) as proxy:
        for body in given:
            proxy.post(MESSAGES, body)
    assert upstream.bodies[:2] == given[:2] and len(upstream.bodies[2]) < len(given[2]), proxy.said
    assert upstream.bodies[3].startswith(upstream.bodies[2][: upstream.bodies[2].rindex(b"]")]), (
        proxy.said
    )


def test_the_line_of_a_cut_says_what_auto_chose(folder: Path) -> None:
    words = ("--strategy", "auto", "--target-tokens", "2500")
    with Upstream() as upstream, proxied(upstream, folder, *words) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
    receipt = re.findall(
        r"tokens \(auto: (?:clear|hybrid), \d+ blocks\), receipt (\w+)", proxy.said
    )
    listed = process("restore", "--list", "--json", cwd=folder)
    assert receipt and json.loads(listed.out)[0]["strategy"] == "auto", (proxy.said, listed)


def test_where_the_next_cut_would_bring_nothing_the_one_before_stays(folder: Path) -> None:
    first = json.loads(conversation(MESSAGES, 16))
    said = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "word " * 4_000}]
    with Upstream() as upstream, proxied(upstream, folder, "--strategy", "clear") as proxy:
        proxy.post(MESSAGES, json.dumps(first).encode())
        proxy.post(MESSAGES, json.dumps({**first, "messages": first["messages"] + said}).encode())
    before, after = upstream.bodies
    assert len(before) < len(json.dumps(first)) and after.startswith(before[: before.rindex(b"]")])
    # The provider was sent nothing of it before.
    assert "1 cut, " in proxy.said and "broken" not in proxy.said


def test_tools_and_instructions_count(folder: Path) -> None:
    plain = json.loads(conversation(MESSAGES, 6))
    with Upstream() as upstream, proxied(upstream, folder) as proxy:
        proxy.post(MESSAGES, json.dumps(plain).encode())
        proxy.post(
            MESSAGES,
            json.dumps(
                {**plain, "tools": [{"name": "Read", "description": "x " * 5_000}]}
            ).encode(),
        )
        proxy.post(MESSAGES, json.dumps({**plain, "system": "y " * 5_000}).encode())
    before, *after = sent(upstream)
    assert before["messages"] == plain["messages"]
    assert all(one["messages"] != plain["messages"] for one in after)


def test_conversations_do_not_mix(folder: Path) -> None:
    with Upstream() as upstream, proxied(upstream, folder) as proxy:

        def talk(name: str) -> None:
            for turns in range(8, 20):
                proxy.post(MESSAGES, conversation(MESSAGES, turns, name))

        threads = [
            threading.Thread(target=talk, args=(f"Conversation {number}",)) for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(upstream.bodies) == 48
    for number in range(4):
        own = [body for body in upstream.bodies if f"Conversation {number}".encode() in body]
        assert len(own) == 12
        names = {name for body in own for name in re.findall(rb"Conversation \d", body)}
        assert names == {f"Conversation {number}".encode()}
        starts = [body[: body.rindex(b"]")] for body in own]
        assert sum(not b.startswith(a) for a, b in zip(starts, starts[1:], strict=False)) <= 3
    with sqlite3.connect(folder / STORE) as store:
        assert store.execute("SELECT count(*) FROM dctx_originals").fetchone()[0] > 10
    store.close()


def test_outside_of_a_project_originals_are_in_the_users_own_store(tmp_path: Path) -> None:
    with Upstream() as upstream, proxied(upstream, tmp_path) as proxy:
        proxy.post(MESSAGES, conversation(MESSAGES, 16))
    locator = re.findall(rb"dctx:[0-9a-f]{12}", upstream.bodies[0])[0].decode()
    assert process("restore", locator, cwd=tmp_path).code == 0
    assert "Outside of a project" in proxy.said
