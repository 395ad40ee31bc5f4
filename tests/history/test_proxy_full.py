"""More connections than a proxy serves at a time: each is answered, and told when to come again."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from proxied import OK, Upstream

from director_ctx.history.proxy import server
from director_ctx.history.proxy.server import Proxy
from director_ctx.history.proxy.upstream import parse_upstream

MOST = 3
BODY = b'{"messages": []}' + b" " * 300_000
FULL = f"{MOST} connections are busy, so more are refused (503) until one of them ends."


class AsItCame:
    """Nothing is looked at."""

    def wants(self, path: str, length: int) -> bool:
        return False

    def __call__(self, path: str, body: bytes | bytearray) -> bytes | bytearray:
        return body

    def offer(self, path: str, body: bytes | bytearray) -> None:
        pass


class Busy:
    """A proxy for three, whose model answers when it is told to; `said` is what it told the
    terminal.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.answer = threading.Event()
        self.upstream = Upstream(
            lambda client, head, body: self.answer.wait(30) and client.sendall(OK)
        )

    def __enter__(self) -> Busy:
        self.upstream.__enter__()
        upstream = parse_upstream(self.upstream.url)
        self.proxy = Proxy(0, upstream, AsItCame(), "/t/x", self.said.append)
        self.serving = threading.Thread(target=self.proxy.serve, daemon=True)
        self.serving.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.set()
        self.proxy.end.send(b".")
        self.serving.join(30)
        # Left open they would be found by the garbage collector, in the midst of another test.
        self.proxy.end.close()
        self.proxy._ended.close()
        self.upstream.__exit__()

    def ask(self, body: bytes = BODY) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.proxy.port), 20)
        head = f"POST /t/x/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{self.proxy.port}\r\nContent-Length: {len(body)}\r\n"
        sock.sendall(head.encode() + b"Connection: close\r\n\r\n" + body)
        return sock

    def fill(self) -> list[socket.socket]:
        """As many as there is room for; who is refused because another one is about to leave comes
        again.
        """
        asking: list[socket.socket] = []
        while len(asking) < MOST:
            under_way, sock = len(self.upstream.bodies), self.ask()
            refused: list[socket.socket] = []
            while len(self.upstream.bodies) == under_way and not refused:
                refused, _, _ = select.select([sock], [], [], 0.01)
            if refused:
                sock.close()
            else:
                asking.append(sock)
        return asking

    def let_in(self) -> bytes:
        """What the model answers, once there is room."""
        while b" 503 " in (answer := told(self.ask()))[0]:
            time.sleep(0.01)
        return answer[1]


def told(sock: socket.socket) -> tuple[bytes, bytes]:
    """The head and the body of an answer."""
    found = b""
    with sock:
        while piece := sock.recv(65_536):
            found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    return head, body


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Busy]:
    monkeypatch.setattr(server, "MOST_CONNECTIONS", MOST)
    with Busy() as made:
        yield made


def test_one_connection_too_many_is_told_so_in_http_and_when_to_come_again(busy: Busy) -> None:
    asking = busy.fill()
    head, body = told(busy.ask())
    assert (
        head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        and b"\r\nRetry-After: 1\r\n" in head
    )
    error = json.loads(body)["error"]
    assert error["type"] == "api_error" and "Too many requests are under way" in error["message"]
    busy.answer.set()
    assert all(told(sock)[1] == b"{}" for sock in asking)


def test_every_one_of_many_is_answered_and_one_line_says_so(busy: Busy) -> None:
    asking = busy.fill()
    more = [busy.ask(b"{}") for _ in range(40)]
    assert all(b" 503 " in told(sock)[0] for sock in more)
    assert busy.said == [FULL]
    busy.answer.set()
    for sock in asking:
        told(sock)


def test_whoever_comes_again_is_let_in_once_there_is_room_and_the_next_time_is_said_anew(
    busy: Busy,
) -> None:
    asking = busy.fill()
    told(busy.ask())
    assert busy.said == [FULL]
    busy.answer.set()
    for sock in asking:
        told(sock)
    assert busy.let_in() == b"{}"

    said_before = len(busy.said)
    busy.answer.clear()
    again = busy.fill()
    assert b" 503 " in told(busy.ask())[0]
    assert len(busy.said) > said_before and set(busy.said) == {FULL}
    busy.answer.set()
    for sock in again:
        told(sock)


def test_who_has_asked_nothing_still_makes_room(busy: Busy) -> None:
    silent = [socket.create_connection(("127.0.0.1", busy.proxy.port), 20) for _ in range(MOST)]
    time.sleep(0.2)
    busy.answer.set()
    assert busy.let_in() == b"{}"
    left, _, _ = select.select(silent, [], [], 20)
    assert left and left[0].recv(1) == b""
    for sock in silent:
        sock.close()


def test_a_system_without_more_threads_is_an_answer_too(
    busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(server.threading.Thread, "start", start)
        assert b" 503 " in told(busy.ask(b""))[0]
    busy.answer.set()
    assert busy.let_in() == b"{}"
