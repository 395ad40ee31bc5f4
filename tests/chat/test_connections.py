"""Where a chat connects to, what of a key goes along, and how long it waits."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from asking_models import Say
from chats import KEY, keys, project_in, talk
from conftest import process
from keeping_provider import KeepingProvider
from proxied import Upstream

from director_ctx import AsyncDirectorConversation, DirectorConversation
from director_ctx.chat.exchange import TurnLimits

MODELS = ("gpt-6.1-terra", "claude-sonnet-5-5")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.casefold(), raising=False)
    return project_in(tmp_path)


def address(server: Upstream, model: str) -> str:
    return server.url if model.startswith("claude") else f"{server.url}/v1"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_what_goes_to_this_machine_goes_past_every_proxy(
    root: str, monkeypatch: pytest.MonkeyPatch, model: str, name: str
) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider, Upstream() as proxy:
        monkeypatch.setenv(name, proxy.url)
        with talk(provider, root, model=model) as conversation:
            assert conversation.say("Hi").text == "a"

        async def in_loop() -> str:
            url = address(provider, model)
            async with AsyncDirectorConversation(root, model=model, base_url=url) as conversation:
                return (await conversation.say("Hi")).text

        assert asyncio.run(in_loop()) == "a"
        assert len(provider.heads) == 2 and not proxy.heads


@pytest.mark.parametrize("model", MODELS)
def test_by_http_no_key_goes_to_another_machine_through_a_proxy_neither(
    root: str, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    with Upstream() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        url = "http://model.example/v1"
        with DirectorConversation(root, model=model, base_url=url, retries=0) as conversation:
            conversation.say("Hi")
        assert len(proxy.heads) == 1 and b"http://model.example/v1" in proxy.heads[0]
        assert KEY.encode() not in proxy.heads[0] + proxy.bodies[0]


@pytest.mark.parametrize("model", MODELS)
def test_a_server_that_sends_us_elsewhere_is_not_followed(root: str, model: str) -> None:
    """The key would go along."""
    with Upstream() as other:
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {other.url}/v1\r\nContent-Length: 0\r\n\r\n"
        with Upstream(moved.encode()) as server:
            url = address(server, model)
            with DirectorConversation(root, model=model, base_url=url, retries=0) as conversation:
                turn = conversation.say("Hi")
        assert not other.heads
    assert turn.ended == "failed" and turn.why == "The server sends us elsewhere (307)."
    assert "--base-url" in turn.hint


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"ALL_PROXY": "socks5://127.0.0.1:1"}, "socksio (look at ALL_PROXY)"),
        ({"HTTPS_PROXY": "foo://127.0.0.1:1"}, "address of a proxy is wrong (look at HTTPS_PROXY)"),
        ({"https_proxy": "http://127.0.0.1:99999"}, "Look at https_proxy"),
        ({"SSL_CERT_FILE": "/nonexistent"}, "certificates that SSL_CERT_FILE names cannot be read"),
        ({"OPENAI_BASE_URL": "notaurl"}, "OPENAI_BASE_URL is wrong: 'notaurl' is no address"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:99999/v1"}, "is no address"),
        ({"OPENAI_BASE_URL": "http://u:hidden@/v1"}, "'http:///v1' is no address"),
        ({"OPENAI_API_KEY": "sk-é漢"}, "OPENAI_API_KEY has characters that no key has"),
    ],
)
def test_what_the_environment_has_wrong_is_said_by_its_name(
    root: str, env: dict[str, str], said: str
) -> None:
    done = process("chat", "Hi", cwd=Path(root), stdin=b"", env=env)
    assert done.code in (1, 2) and said in done.err, done.err
    assert "bug" not in done.err and "hint: " in done.err and "hidden" not in done.err


@pytest.mark.parametrize("model", MODELS)
def test_a_server_that_is_not_there_is_named(root: str, model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://me:hidden@127.0.0.1:{port}/v1"
    with DirectorConversation(root, model=model, base_url=url, retries=0) as conversation:
        turn = conversation.say("Hi")
    assert turn.why == f"http://127.0.0.1:{port}/v1 cannot be reached: Connection refused."
    assert "goes along with the next message" in turn.hint


def silent(client: socket.socket, head: bytes, body: bytes) -> None:
    """Says nothing until the other side hangs up."""
    client.settimeout(20)
    client.recv(1)


def dripping(client: socket.socket, head: bytes, body: bytes) -> None:
    """Sends a little now and then, without an end."""
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        client.sendall(b": still here\n\n")
        time.sleep(0.05)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("server", [silent, dripping])
@pytest.mark.parametrize("streams", [True, False])
def test_a_turn_ends_in_time_whatever_a_server_does(
    root: str, model: str, server: Callable[[socket.socket, bytes, bytes], None], streams: bool
) -> None:
    """With all that is tried again."""
    on_text = (lambda piece: None) if streams else None
    options = {"model": model, "limits": TurnLimits(seconds=1.0)}
    with Upstream(server) as upstream:
        url = address(upstream, model)
        begun = time.monotonic()
        with DirectorConversation(root, base_url=url, **options) as conversation:
            turn = conversation.say("Hi", on_text)

        async def in_loop() -> None:
            async with AsyncDirectorConversation(root, base_url=url, **options) as conversation:
                assert (await conversation.say("Hi", on_text)).why == turn.why

        asyncio.run(in_loop())
        # Far from the minutes that it would take without a limit, also on a busy machine.
        assert time.monotonic() - begun < 30
    assert (turn.ended, turn.why) == ("failed", "There was no whole answer within 1 second.")


def test_an_answer_takes_no_longer_than_it_may_also_where_it_is_tried_again(root: str) -> None:
    with Upstream(silent) as upstream:
        begun = time.monotonic()
        url = f"{upstream.url}/v1"
        with DirectorConversation(root, model="m", base_url=url, seconds=0.5) as conversation:
            assert conversation.say("Hi").ended == "failed"
        assert time.monotonic() - begun < 3


def test_no_thread_is_left_behind_by_an_answer(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as provider,
        talk(provider, root) as conversation,
    ):
        conversation.say("Hi")
        waiting = [
            thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)
        ]
        assert not [timer for timer in waiting if not timer.finished.is_set()]
