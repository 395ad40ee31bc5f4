"""`dctx history proxy` as a proxy: what it passes on, byte for byte, and what it refuses."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Result
from proxied import OK, Answer, Proxied, Upstream

from director_ctx.history.proxy import http_head
from director_ctx.history.proxy.http_body import Chunks, ProxySide
from director_ctx.history.proxy.http_head import Refused

CLOSING = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS = [b"event: a\ndata: 1\n\n", b"event: b\ndata: \xe2\x82\xac\n\n", b"data: [DONE]\n\n"]
Pair = tuple[Upstream, Proxied]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Callable[..., Pair]]:
    """An address and a proxy in front of it."""
    opened: list[Upstream | Proxied] = []

    def make(answer: bytes | Answer = OK, *words: str) -> Pair:
        upstream = Upstream(answer).__enter__()
        proxied = Proxied(upstream.url, tmp_path, *words).__enter__()
        opened.extend((proxied, upstream))
        return upstream, proxied

    yield make
    for one in opened:
        one.__exit__()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def error_of(answer: bytes) -> tuple[int, str]:
    found = json.loads(body_of(answer))
    assert found["type"] == "error" and found["error"]["type"] in (
        "api_error",
        "invalid_request_error",
    )
    return int(answer.split(b" ")[1]), found["error"]["message"]


def fields_of(head: bytes) -> dict[str, str]:
    return {
        name.lower(): value
        for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n"))
    }


def test_a_request_goes_out_as_it_came_with_the_models_name_for_a_host(
    pair: Callable[..., Pair],
) -> None:
    upstream, proxied = pair()
    body = b'{"model": "m",  "messages":[{"role":"user","content":"hi"}]}'
    answer = proxied.post(
        "/v1/messages?beta=true", body, "X-Api-Key: secret", "anthropic-version: 2023-06-01"
    )
    assert body_of(answer) == b"{}" and answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert upstream.bodies == [body]
    assert upstream.heads[0].startswith(b"POST /v1/messages?beta=true HTTP/1.1\r\n")
    fields = fields_of(upstream.heads[0])
    assert fields["host"] == f"127.0.0.1:{upstream.port}"
    assert (fields["x-api-key"], fields["anthropic-version"]) == ("secret", "2023-06-01")
    assert "connection" not in fields


def test_a_path_of_the_upstream_stands_in_front_of_every_path(tmp_path: Path) -> None:
    with Upstream() as upstream, Proxied(upstream.url + "/team/a/", tmp_path) as proxied:
        proxied.post("/v1/messages", b"{}")
        assert upstream.heads[0].startswith(b"POST /team/a/v1/messages HTTP/1.1\r\n")


def test_fields_between_neighbours_are_dropped_on_both_ways(pair: Callable[..., Pair]) -> None:
    answer = (
        b"HTTP/1.1 200 OK\r\nConnection: X-Own\r\nX-Own: 1\r\nKeep-Alive: a\r\nX-Kept: "
        b"2\r\nContent-Length: 0\r\n\r\n"
    )
    upstream, proxied = pair(answer)
    asked = proxied.request(
        "GET", "/v1/models", b"", "Connection: close, X-Mine", "X-Mine: 1", "Upgrade: h2c", "TE: trailers",
        "Proxy-Authorization: Basic x", "X-Stays: 1",
    )  # fmt: skip
    back = proxied.ask(asked)
    sent = fields_of(upstream.heads[0])
    assert "x-stays" in sent
    assert not {"x-mine", "upgrade", "te", "proxy-authorization", "connection"} & sent.keys()
    assert b"X-Kept: 2" in back and b"X-Own" not in back and b"Keep-Alive" not in back


def test_events_come_before_the_model_has_finished(pair: Callable[..., Pair]) -> None:
    def trickle(client: socket.socket, head: bytes, body: bytes) -> None:
        client.sendall(SSE + chunk(EVENTS[0]))
        client.settimeout(30)
        assert go.recv(1)  # the client has seen the first event
        client.sendall(chunk(EVENTS[1]) + chunk(EVENTS[2]) + b"0\r\n\r\n")

    ready, go = socket.socketpair()
    _, proxied = pair(trickle)
    with proxied.connect() as sock:
        sock.sendall(proxied.request("POST", "/v1/messages", b"{}"))
        found = b""
        while EVENTS[0] not in found:
            found += sock.recv(65_536)
        assert EVENTS[1] not in found
        ready.send(b"x")
        while not found.endswith(b"0\r\n\r\n"):
            found += sock.recv(65_536)
    assert found == SSE + b"".join(chunk(one) for one in EVENTS) + b"0\r\n\r\n"
    ready.close()
    go.close()


@pytest.mark.parametrize("cut", [1, 3, 7, 1000])
def test_an_answer_in_chunks_is_the_same_bytes_however_it_arrives(
    pair: Callable[..., Pair], cut: int
) -> None:
    data = SSE + b"".join(chunk(one) for one in EVENTS) + b"0\r\nX-Trailer: 1\r\n\r\n"

    def pieces(client: socket.socket, head: bytes, body: bytes) -> None:
        for start in range(0, len(data), cut):
            client.sendall(data[start : start + cut])
            if cut < 5 and start % 20 == 0:
                time.sleep(0.001)

    upstream, proxied = pair(pieces)
    with proxied.connect() as sock:
        for _ in range(2):
            sock.sendall(proxied.request("POST", "/v1/messages", b"{}"))
            found = b""
            while len(found) < len(data):
                found += sock.recv(65_536)
            assert found == data
    assert upstream.connections == 1


def test_a_compressed_answer_is_not_touched(pair: Callable[..., Pair]) -> None:
    packed = gzip.compress(b"x" * 100_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    _, proxied = pair(head + packed)
    answer = proxied.post("/v1/messages", b"{}", "Accept-Encoding: gzip")
    assert body_of(answer) == packed and b"Content-Encoding: gzip" in answer


def test_a_models_error_passes_unchanged(pair: Callable[..., Pair]) -> None:
    said = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    head = (
        b"HTTP/1.1 529 Site Overloaded\r\nrequest-id: r1\r\nretry-after: 3\r\nContent-Length: %d\r\n"
        % len(said)
    )
    _, proxied = pair(head + b"\r\n" + said)
    assert proxied.post("/v1/messages", b"{}") == head + b"Connection: close\r\n\r\n" + said


def test_an_answer_without_a_length_ends_with_its_connection(pair: Callable[..., Pair]) -> None:
    def close(client: socket.socket, head: bytes, body: bytes) -> None:
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\nuntil the end")
        client.close()

    _, proxied = pair(close)
    answer = proxied.ask(proxied.request("GET", "/"))
    assert body_of(answer) == b"until the end" and b"Connection: close" in answer


def test_an_answer_that_breaks_off_breaks_off_for_the_client(pair: Callable[..., Pair]) -> None:
    def half(client: socket.socket, head: bytes, body: bytes) -> None:
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        client.close()

    _, proxied = pair(half)
    assert body_of(proxied.ask(proxied.request("GET", "/"))) == b"half"


def test_one_connection_serves_many_requests_on_both_sides(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    with proxied.connect() as sock:
        for number in range(20):
            sock.sendall(proxied.request("POST", f"/v1/messages?{number}", b"{}"))
            found = b""
            while not found.endswith(b"{}"):
                found += sock.recv(65_536)
    assert len(upstream.heads) == 20 and upstream.connections == 1


def test_a_connection_that_the_model_closed_meanwhile_is_made_anew(
    pair: Callable[..., Pair],
) -> None:
    def once(client: socket.socket, head: bytes, body: bytes) -> None:
        client.sendall(OK)
        client.shutdown(socket.SHUT_RDWR)

    upstream, proxied = pair(once)
    with proxied.connect() as sock:
        for _ in range(3):
            sock.sendall(proxied.request("POST", "/v1/messages", b"{}"))
            found = b""
            while not found.endswith(b"{}"):
                found += sock.recv(65_536)
            assert upstream.hung_up.wait(10)
            time.sleep(0.05)
    assert upstream.connections == 3


def test_a_client_that_hangs_up_takes_the_models_answer_with_it(pair: Callable[..., Pair]) -> None:
    def endless(client: socket.socket, head: bytes, body: bytes) -> None:
        client.sendall(SSE)
        client.settimeout(20)
        assert client.recv(1) == b""  # the proxy hung up, though nothing more was sent
        raise OSError

    upstream, proxied = pair(endless)
    with proxied.connect() as sock:
        sock.sendall(proxied.request("POST", "/v1/messages", b"{}"))
        assert sock.recv(65_536)
    assert upstream.hung_up.wait(10)


def test_clients_do_not_wait_for_each_other(pair: Callable[..., Pair]) -> None:
    ready, go = socket.socketpair()

    def slow(client: socket.socket, head: bytes, body: bytes) -> None:
        if b"/slow" in head:
            go.recv(1)
        client.sendall(OK)

    _, proxied = pair(slow)
    with proxied.connect() as sock:
        sock.sendall(proxied.request("POST", "/slow", b"{}"))
        assert body_of(proxied.post("/fast", b"{}")) == b"{}"
        ready.send(b"x")
        assert sock.recv(65_536).endswith(b"{}")
    ready.close()
    go.close()


def test_a_large_body_arrives_whole(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    body = b'{"a":"' + b"x" * 30_000_000 + b'"}'
    proxied.post("/v1/files", body)
    assert upstream.bodies[0] == body


def test_a_body_that_is_too_large_to_be_looked_at_is_passed_on(pair: Callable[..., Pair]) -> None:
    upstream, proxy = pair()
    body = b'{"messages": [' + b" " * (100 * 1_048_576) + b"]}"
    proxy.post("/v1/messages", body, "Content-Type: application/json")
    assert upstream.bodies == [body]


def test_a_body_in_chunks_arrives_whole_with_a_length(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    asked = proxied.request(
        "POST", "/v1/messages", b"", "Transfer-Encoding: chunked", "Connection: close"
    )
    proxied.ask(
        asked + chunk(b'{"a":') + b"5;ext=1\r\n  1  \r\n" + chunk(b"}") + b"0\r\nX-T: 1\r\n\r\n"
    )
    assert upstream.bodies == [b'{"a":  1  }']
    assert "transfer-encoding" not in fields_of(upstream.heads[0])


def test_chunks_that_are_not_looked_at_are_passed_on_as_chunks_of_our_own(
    pair: Callable[..., Pair],
) -> None:
    upstream, proxied = pair()
    asked = proxied.request(
        "POST", "/v1/files", b"", "Transfer-Encoding: chunked", "Connection: close"
    )
    proxied.ask(asked + chunk(b"one") + b"3;ext=1\r\ntwo\r\n" + b"0\r\nX-T: 1\r\n\r\n")
    assert upstream.bodies == [b"onetwo"]
    assert fields_of(upstream.heads[0])["transfer-encoding"] == "chunked"


def test_chunks_that_are_too_many_to_be_looked_at_are_passed_on(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    asked = proxied.request(
        "POST", "/v1/messages", b"", "Transfer-Encoding: chunked", "Connection: close"
    )
    piece = b" " * 1_048_576
    assert proxied.ask(asked + chunk(piece) * 101 + b"0\r\n\r\n") == CLOSING
    assert upstream.bodies == [piece * 101]


def test_a_client_that_waits_to_be_told_to_go_on_is_told(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    with proxied.connect() as sock:
        head = proxied.request(
            "POST", "/v1/messages", b"", "Expect: 100-continue", "Content-Length: 2"
        )
        sock.sendall(head)
        assert sock.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b"{}")
        assert sock.recv(65_536).endswith(b"{}")
    assert "expect" not in fields_of(upstream.heads[0])


def test_hints_before_an_answer_are_dropped_and_the_answer_is_not(
    pair: Callable[..., Pair],
) -> None:
    _, proxied = pair(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK)
    assert proxied.post("/v1/messages", b"{}") == CLOSING


def test_an_answer_to_head_has_no_body(pair: Callable[..., Pair]) -> None:
    _, proxied = pair(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    answer = proxied.ask(proxied.request("HEAD", "/", b"", "Connection: close"))
    assert b"Content-Length: 5" in answer and not body_of(answer)


def test_a_model_that_cannot_be_reached_is_a_sentence_in_the_shape_of_an_error(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Proxied(f"http://127.0.0.1:{port}", tmp_path) as proxied:
        status, said = error_of(proxied.post("/v1/messages", b"{}"))
    assert status == 502 and "cannot be reached (Connection refused)" in said


def test_a_model_that_hangs_up_or_speaks_something_else_is_a_sentence(
    pair: Callable[..., Pair],
) -> None:
    for answer in (lambda client, *_: client.close(), b"SSH-2.0-OpenSSH_9.6\r\n\r\n"):
        _, proxied = pair(answer)
        assert error_of(proxied.post("/v1/messages", b"{}"))[0] == 502


POST, GET = (b"%s {base}/ HTTP/1.1\r\nHost: {host}\r\n" % method for method in (b"POST", b"GET"))
BAD = {
    "both framings": (POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
    "two lengths": (POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    "a signed length": (POST + b"Content-Length: +2\r\n\r\n{}", 400),
    "a foreign coding": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    "a broken chunk": (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    "a chunk that is longer": (POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
    "a folded field": (GET + b" X: 1\r\n\r\n", 400),
    "a space before the colon": (GET + b"X : 1\r\n\r\n", 400),
    "a bare line feed": (GET + b"X: 1\nY: 2\r\n\r\n", 400),
    "a NUL": (GET + b"X: \x00\r\n\r\n", 400),
    "an absolute address": (b"GET http://example.org/ HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
    "a tunnel": (b"CONNECT example.org:443 HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
    "another protocol": (b"GET / HTTP/2.0\r\nHost: {host}\r\n\r\n", 400),
    "a header that is too large": (GET + b"X: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    "too many fields": (GET + b"" + b"X: 1\r\n" * 300 + b"\r\n", 431),
    "no host": (b"GET {base}/ HTTP/1.1\r\n\r\n", 403),
    "a foreign host": (b"GET {base}/ HTTP/1.1\r\nHost: rebound.example.org:{port}\r\n\r\n", 403),
    "another port": (b"GET {base}/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 403),
    "two hosts": (GET + b"Host: {host}\r\n\r\n", 400),
    "a web page": (POST + b"Origin: http://127.0.0.1:{port}\r\nContent-Length: 2\r\n\r\n{}", 403),
    "an image in a web page": (GET + b"Sec-Fetch-Site: cross-site\r\n\r\n", 403),
}  # fmt: skip


def test_what_two_readers_could_understand_differently_and_what_web_pages_ask_is_refused(
    pair: Callable[..., Pair],
) -> None:
    upstream, proxied = pair()
    host, port, base = b"127.0.0.1:%d" % proxied.port, b"%d" % proxied.port, proxied.base.encode()
    found = {
        name: error_of(
            proxied.ask(
                asked.replace(b"{base}", base).replace(b"{host}", host).replace(b"{port}", port)
            )
        )[0]
        for name, (asked, _) in BAD.items()
    }
    assert found == {name: status for name, (_, status) in BAD.items()}
    assert upstream.bodies == []


def test_a_field_cannot_be_smuggled_behind_connection(pair: Callable[..., Pair]) -> None:
    upstream, proxied = pair()
    proxied.ask(
        proxied.request("POST", "/v1/messages", b"{}", "Connection: close, Content-Length, Host")
    )
    assert upstream.bodies == [b"{}"]


@pytest.mark.parametrize("name", ["localhost", "[::1]"])
def test_other_names_of_the_loopback_are_its_own(pair: Callable[..., Pair], name: str) -> None:
    _, proxied = pair()
    asked = (
        f"GET {proxied.base}/ HTTP/1.1\r\nHost: {name}:{proxied.port}\r\nConnection: close\r\n\r\n"
    )
    assert proxied.ask(asked.encode()) == CLOSING


def test_it_listens_on_the_loopback_only(pair: Callable[..., Pair]) -> None:
    _, proxied = pair()
    others = {
        info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    } - {"127.0.0.1"}
    for address in {*others, "127.0.0.2"}:
        with pytest.raises(OSError), socket.create_connection((str(address), proxied.port), 3):
            pass


def test_variables_that_name_proxies_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with Upstream() as upstream, Proxied(upstream.url, tmp_path) as proxied:
        assert proxied.post("/v1/messages", b"{}") == CLOSING


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_a_summary(pair: Callable[..., Pair], how: signal.Signals) -> None:
    _, proxied = pair()
    proxied.post("/v1/messages", b'{"messages":[]}')
    proxied.post("/v1/models", b"{}")
    assert proxied.end(how) == 0
    assert (
        "1 request, 0 cuts, 0 tokens not sent" in proxied.said and "Traceback" not in proxied.said
    )


WRONG = {
    "a strategy that is none": (
        ("--upstream", "http://127.0.0.1:1", "--strategy", "foo"), "There is no strategy 'foo'.",
    ),
    "no address": ((), "The model's address is missing."),
    "no scheme": (("--upstream", "api.example.org"), "--upstream is no address."),
    "a file": (("--upstream", "file:///etc/passwd"), "--upstream is no address."),
    "a password": (("--upstream", "https://me:secret@example.org"), "more in it than a host"),
    "a port that is none": (("--upstream", "http://127.0.0.1:1", "--port", "x"), "that is not a port"),
    "a port of more digits than Python reads": (
        ("--upstream", "http://127.0.0.1:1", "--port", "9" * 5_000), "that is not a port",
    ),
    "a limit that is none": (("--upstream", "http://127.0.0.1:1", "--limit", "0"), "--limit 0"),
    "a setting that is none": (("--upstream", "http://127.0.0.1:1", "--set", "strategy=foo"), "strategy is 'foo'"),
    "a target above the limit": (
        ("--upstream", "http://127.0.0.1:1", "--limit", "1k", "--target-tokens", "2k"), "is not below the limit",
    ),
}  # fmt: skip


def test_a_command_line_that_cannot_be_meant_is_a_sentence(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    for words, said in WRONG.values():
        done = dctx("history", "proxy", *words, cwd=tmp_path)
        assert done.code == 2 and said in done.err and "secret" not in done.err, done
        assert "Outside of a project" not in done.err


def test_its_options_are_told_in_its_own_words(dctx: Callable[..., Result]) -> None:
    told = " ".join(dctx("history", "proxy", "--help").out.split())
    assert "The model's address, such as" in told and "hybrid (the default)," in told
    assert "(20000, and at most half of the limit)" in told and "(180000, and at most 90%)" in told


def test_a_limit_alone_can_be_lowered(tmp_path: Path) -> None:
    with Upstream() as upstream, Proxied(upstream.url, tmp_path, "--set", "limit=9000") as proxied:
        assert proxied.post("/v1/messages", b"{}") == CLOSING
    assert "Conversations in requests over 9,000 tokens are shortened to 4,500." in proxied.said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "over 180,000 tokens are shortened to 20,000."),
        (("--set", "limit=100000"), "over 100,000 tokens are shortened to 20,000."),
        (("--limit", "30000"), "over 30,000 tokens are shortened to 15,000."),
        (
            ("--limit", "200000", "--target-tokens", "60k"),
            "over 200,000 tokens are shortened to 60,000.",
        ),
        (("--set", "target_tokens=7000"), "over 180,000 tokens are shortened to 7,000."),
    ],
)
def test_what_nobody_says_is_as_the_library_has_it(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    with Upstream() as upstream, Proxied(upstream.url, tmp_path, *words) as proxied:
        pass
    assert said in proxied.said


def test_a_port_that_is_taken_is_a_sentence(dctx: Callable[..., Result], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = dctx(
            "history", "proxy", "--upstream", "http://127.0.0.1:1", "--port", port, cwd=tmp_path
        )
    assert done.code == 1 and f"Port {port} is not available" in done.err and "--port 0" in done.err


def test_it_does_not_ask_itself(dctx: Callable[..., Result], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    done = dctx(
        "history", "proxy", "--upstream", f"http://localhost:{port}", "--port", port, cwd=tmp_path
    )
    assert done.code == 2 and "names the proxy's own address" in done.err


def test_a_key_is_not_kept_when_its_request_is_through() -> None:
    head = http_head.read_request(
        b"POST /v1/messages HTTP/1.1\r\nAuthorization: Bearer sk-1234\r\nX-Api-Key:sk-1234"
    )
    assert b"sk-1234" in head.passed() and head.value_of(b"x-api-key") == b"sk-1234"
    del head
    assert "sk-1234" not in repr(vars(http_head))


CHUNKED = b"5;x=1\r\nhello\r\n1\r\n\n\r\n0\r\nA: b\r\n\r\n"


@pytest.mark.parametrize(
    "broken",
    [
        b"5\nhello\r\n0\r\n\r\n",
        b"5\r\nhelloXX0\r\n\r\n",
        b"5\r\nhello\n\n0\r\n\r\n",
        b"0\n\n",
        b"0\r\nA: b\n\r\n",
    ],
)
def test_chunks_whose_lines_end_otherwise_are_refused(broken: bytes) -> None:
    with pytest.raises(Refused):
        Chunks().take(broken)


def test_a_trailer_without_end_is_refused() -> None:
    here, there = socket.socketpair()
    with here, there, ThreadPoolExecutor() as pool:
        there.settimeout(20)
        line = Trailed(here)
        pool.submit(there.sendall, b"0\r\n" + b"A: b\r\n" * 40_000 + b"\r\n")
        with pytest.raises(Refused) as refused:
            list(line.pieces(-1))
        assert refused.value.status == 431
        here.close()


class Trailed(ProxySide):
    """A line over a pair of sockets, which know no TCP."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.socket, self.rest = sock, b""
