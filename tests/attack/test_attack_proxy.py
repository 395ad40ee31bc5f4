"""Hostile clients, heads, paths and models around `dctx history proxy`; a real server on the loopback plays
the model.
"""

from __future__ import annotations

import os
import posixpath
import re
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from proxied import OK, Answer, Proxied, Upstream

Figure = Callable[[str, str], None]
PREFIX = "/team/a"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
MEGABYTE = 1_048_576


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as serving:
        yield serving


@pytest.fixture
def proxied(upstream: Upstream, tmp_path: Path) -> Iterator[Proxied]:
    with Proxied(upstream.url + PREFIX, tmp_path) as serving:
        yield serving


def heard(sock: socket.socket, data: bytes) -> bytes:
    """What comes back until there is no more, or the time of the socket is over."""
    found = b""
    try:
        sock.sendall(data)
        while piece := sock.recv(65_536):
            found += piece
    except OSError:
        pass
    return found


def told(proxied: Proxied, data: bytes, seconds: float = 0.5) -> bytes:
    """What comes back; a proxy that waits for more is left."""
    with proxied.connect() as sock:
        sock.settimeout(seconds)
        return heard(sock, data)


# Heads that two readers could understand differently

NAMED = {
    b"{HIDDEN}": HIDDEN, b"{LENGTH}": b"Content-Length: %d\r\n" % len(HIDDEN),
    b"{CODING}": b"Transfer-Encoding: chunked\r\n", b"{NOTHING}": b"0\r\n\r\n",
    b"{HEAD}": b"HTTP/1.1 200 OK\r\n", b"{POISON}": b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison",
}  # fmt: skip
SMUGGLING = r"""
a length and chunks: {LENGTH}{CODING} | {NOTHING}{HIDDEN}
chunks and a length: {CODING}{LENGTH} | {NOTHING}{HIDDEN}
chunks and no length: {CODING}Content-Length: 0\r\n | {NOTHING}{HIDDEN}
two lengths: Content-Length: 0\r\n{LENGTH} | {HIDDEN}
two lengths in one: Content-Length: 0, 33\r\n | {HIDDEN}
two lengths that agree: {LENGTH}{LENGTH} | {HIDDEN}
an empty length: Content-Length:\r\n | {HIDDEN}
an empty length and chunks: Content-Length:\r\n{CODING} | {NOTHING}{HIDDEN}
a signed length: Content-Length: +0\r\n | {HIDDEN}
a length below nothing: Content-Length: -1\r\n | {HIDDEN}
a length in hexadecimal: Content-Length: 0x0\r\n | {HIDDEN}
a length with a comment: Content-Length: 0 (none)\r\n | {HIDDEN}
a length with a space in it: Content-Length: 0 0\r\n | {HIDDEN}
a length in other digits: Content-Length: \xd9\xa0\r\n | {HIDDEN}
a length of many digits: Content-Length: 0000000000000000000000000000000000000000\r\n | {HIDDEN}
a length behind a folded line: X: 1\r\n Content-Length: 0\r\n{LENGTH} | {HIDDEN}
a folded coding: Transfer-Encoding:\r\n chunked\r\n{LENGTH} | {NOTHING}{HIDDEN}
a coding behind a bare line feed: X: 1\n{CODING}{LENGTH} | {NOTHING}{HIDDEN}
a coding behind a bare carriage return: X: 1\r{CODING}{LENGTH} | {NOTHING}{HIDDEN}
an unknown coding: Transfer-Encoding: xchunked\r\n{LENGTH} | {NOTHING}{HIDDEN}
an unknown coding alone: Transfer-Encoding: xchunked\r\n | {NOTHING}{HIDDEN}
two codings: Transfer-Encoding: chunked, identity\r\n | {NOTHING}{HIDDEN}
two coding fields: {CODING}Transfer-Encoding: identity\r\n | {NOTHING}{HIDDEN}
chunked twice: {CODING}{CODING} | {NOTHING}{HIDDEN}
identity: Transfer-Encoding: identity\r\n{LENGTH} | {HIDDEN}
an empty coding: Transfer-Encoding:\r\n | {NOTHING}{HIDDEN}
a coding in quotes: Transfer-Encoding: "chunked"\r\n{LENGTH} | {NOTHING}{HIDDEN}
a coding with a vertical tab: Transfer-Encoding: \x0bchunked\r\n{LENGTH} | {NOTHING}{HIDDEN}
a coding with a NUL: Transfer-Encoding: chunked\x00\r\n{LENGTH} | {NOTHING}{HIDDEN}
a space before the colon: Transfer-Encoding : chunked\r\n{LENGTH} | {NOTHING}{HIDDEN}
a space before the name:  {CODING}{LENGTH} | {NOTHING}{HIDDEN}
an underscore for a hyphen: Transfer_Encoding: chunked\r\n{LENGTH} | {NOTHING}{HIDDEN}
an underscore in the length: Content_Length: 0\r\n{LENGTH} | {HIDDEN}
a length that Connection takes away: Connection: Content-Length\r\n{LENGTH} | {HIDDEN}
a coding that Connection takes away: Connection: Transfer-Encoding\r\n{CODING} | {NOTHING}{HIDDEN}
an extension: {CODING} | 0;a=1\r\n\r\n{HIDDEN}
an extension with a line feed: {CODING} | 2;a\nxx\r\n21\r\n{HIDDEN}
an extension with a carriage return: {CODING} | 0;a\rb\r\n\r\n{HIDDEN}
a size behind a line feed alone: {CODING} | 0\n\n{HIDDEN}
a size in hexadecimal as a program writes it: {CODING} | 0x{NOTHING}{HIDDEN}
a size with a sign: {CODING} | +{NOTHING}{HIDDEN}
a size below nothing: {CODING} | -1\r\n\r\n{HIDDEN}
a size with an underscore: {CODING} | 0_{NOTHING}{HIDDEN}
a size that overflows: {CODING} | 1000000000000000{NOTHING}{HIDDEN}
a chunk that is longer than it says: {CODING} | 1\r\nab\r\n{NOTHING}{HIDDEN}
a chunk that ends with a line feed: {CODING} | 1\r\na\n{NOTHING}{HIDDEN}
a field behind the chunks: {CODING} | 0\r\nContent-Length: 9\r\n\r\n{HIDDEN}
a body that no method has:  | {HIDDEN}
a protocol that is another's: Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 0\r\n | {HIDDEN}
"""
"""Fields and a body, each by what is wrong with it."""


def rows_of(table: str) -> Iterator[tuple[str, bytes]]:
    """What a row is called, and its bytes."""
    for row in table.strip().splitlines():
        name, _, told = row.partition(": ")
        data = told.encode().decode("unicode_escape").encode("latin-1")
        for short, meant in NAMED.items():
            data = data.replace(short, meant)
        yield name, data


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
def test_no_request_is_smuggled_in_another(
    path: str, proxied: Proxied, upstream: Upstream, figure: Figure
) -> None:
    smuggled = []
    for name, data in rows_of(SMUGGLING):
        fields, _, body = data.partition(b" | ")
        upstream.heads.clear()
        head = f"POST {proxied.base}{path} HTTP/1.1\r\nHost: 127.0.0.1:{proxied.port}\r\n".encode()
        told(proxied, head + fields + b"\r\n" + body, seconds=0.1)
        if len(upstream.heads) > 1 or any(b"/hidden" in one for one in upstream.heads):
            smuggled.append(name)
    older = f"POST {proxied.base}{path} HTTP/1.0\r\nHost: 127.0.0.1:{proxied.port}\r\n".encode()
    assert told(proxied, older + NAMED[b"{CODING}"] + b"\r\n0\r\n\r\n" + HIDDEN).startswith(
        b"HTTP/1.1 400"
    )
    figure(
        f"Requests in requests, {path}", f"{len(smuggled)} of {SMUGGLING.count(chr(10))} smuggled"
    )
    assert smuggled == []


# Paths that lead elsewhere

CLIMBING = (
    "/..", "/../b", "/v1/../../b", "/./../b", "/v1/..", "/.", "/v1/.", "/...", "/.. /", "//b", "//host/b", "/v1//b",
    "///", "/%2e%2e/b", "/%2E%2e/b", "/.%2e/b", "/%2e./b", "/%252e%252e/b", "/%25252e%25252e/b", "/..%2fb", "/..%2Fb",
    "/v1/..%2f..%2fb", "/%2e%2e%2fb", "/..%252fb", "/..\\b", "/v1\\..\\..\\b", "/%5c..%5cb", "/..%5cb",
    "/%255c..%255cb", "/%" + "25" * 12 + "2e%2e/b",
    "/..;/b", "/..;a=1/b", "/;/../b", "/.;/b", "/%2e%2e;/b", "/..%3b/b", "/..%00/b", "/%00", "/..%0d%0a/b", "/..%20/b",
    "/%c0%ae%c0%ae/b", "/%c0%af..%c0%afb", "/v1#/../b", "/#", "/..?x=/v1", "/../?/v1/messages",
)  # fmt: skip
STRAIGHT = (
    "/", "/v1/messages", "/v1/messages?beta=true", "/v1/messages?to=../x", "/v1/models/", "/v1/models/a%3A0/invoke",
    "/v1/models/ft:gpt-4o:me::abc", "/v1/models/us%2Fanthropic.claude", "/v1/files/a..b", "/v1beta/m:stream;x=1",
)  # fmt: skip


def test_no_path_climbs_out_of_the_models_own(proxied: Proxied, upstream: Upstream) -> None:
    climbed = []
    for path in CLIMBING:
        upstream.heads.clear()
        answer = proxied.ask(proxied.request("GET", path, b"", "Connection: close"))
        if upstream.heads or not answer.startswith(b"HTTP/1.1 400"):
            climbed.append(path)
    assert climbed == []


def test_paths_that_clients_really_ask_for_pass(proxied: Proxied, upstream: Upstream) -> None:
    for path in STRAIGHT:
        assert b" 200 OK" in proxied.ask(proxied.request("GET", path, b"", "Connection: close")), (
            path
        )
    asked = [head.split(b" ")[1].decode() for head in upstream.heads]
    assert asked == [PREFIX + path for path in STRAIGHT]
    for path in asked:
        plain = posixpath.normpath(unquote(path.partition("?")[0]))
        assert (plain + "/").startswith(PREFIX + "/")


# The token

WRONG = (
    "", "/t", "/t/", "/t/x", "/T/{token}", "/t/{token}x", "/t/{less}", "/t//{token}", "/x/t/{token}", "/{token}",
)  # fmt: skip


def test_who_does_not_know_the_address_is_refused(proxied: Proxied, upstream: Upstream) -> None:
    token = proxied.base.rpartition("/")[2]
    bases = [base.format(token=token, less=token[:-1]) for base in WRONG]
    host = f"Host: 127.0.0.1:{proxied.port}\r\nConnection: close"
    answers = {
        base: proxied.ask(f"GET {base}/v1/models HTTP/1.1\r\n{host}\r\n\r\n".encode())
        for base in bases
    }
    passed = [base for base, said in answers.items() if not said.startswith(b"HTTP/1.1 403")]
    assert passed == [] and upstream.connections == 0
    assert token.encode() not in b"".join(answers.values())


def test_the_token_is_told_on_standard_output_alone(
    proxied: Proxied, upstream: Upstream, tmp_path: Path
) -> None:
    token = proxied.base.rpartition("/")[2]
    assert len(token) >= 32
    proxied.post("/v1/messages", b'{"messages": [}')
    proxied.end()
    assert token not in proxied.said
    assert not any(token.encode() in head for head in upstream.heads)
    kept = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and token.encode() in path.read_bytes()
    ]
    assert kept == []


def test_the_token_is_the_same_the_next_time_and_its_owners_alone(
    upstream: Upstream, tmp_path: Path
) -> None:
    bases = []
    for _ in range(2):
        with Proxied(upstream.url, tmp_path) as proxied:
            bases.append(proxied.base)
    assert bases[0] == bases[1]
    place = Path.home() / ".local" / "state" / "dctx" / "proxy" / "token"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    place.write_text("short\n")
    with Proxied(upstream.url, tmp_path) as proxied:
        assert len(proxied.base) > 32 and proxied.base != bases[0]


# Memory, and clients that take their time

LIARS = 30


def in_use(proxied: Proxied) -> int:
    """The most memory that the process ever had in use, in megabytes."""
    text = Path("/proc", str(proxied._process.pid), "status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) // 1024


needs_proc = pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="what a process takes is told there"
)


@needs_proc
def test_what_was_announced_takes_no_memory(proxied: Proxied, figure: Figure) -> None:
    answer = proxied.post("/v1/messages", b"{}")
    opened = []
    for _ in range(LIARS):
        sock = proxied.connect()
        sock.sendall(
            proxied.request("POST", "/v1/messages", b"", f"Content-Length: {100 * MEGABYTE}")
        )
        opened.append(sock)
    time.sleep(0.5)
    most = in_use(proxied)
    figure(f"Peak memory with {LIARS} lying heads", f"{most:,} MB")
    assert proxied.post("/v1/messages", b"{}") == answer
    for sock in opened:
        sock.close()
    assert most < 100


SENDERS, EACH = 30, 14 * MEGABYTE


@needs_proc
def test_bodies_that_stop_short_of_their_end_share_one_room(tmp_path: Path, figure: Figure) -> None:
    """More than fits is passed on as it comes, and who asks meanwhile is answered."""
    with sink() as port, Proxied(f"http://127.0.0.1:{port}", tmp_path) as proxied:
        opened = []
        for _ in range(SENDERS):
            sock = proxied.connect()
            opened.append(sock)
            sock.sendall(
                proxied.request("POST", "/v1/messages", b"", f"Content-Length: {90 * MEGABYTE}")
            )
            sock.sendall(bytes(EACH))
        time.sleep(0.5)
        most = in_use(proxied)
        for sock in opened:
            sock.close()
    sent = SENDERS * EACH // MEGABYTE
    figure(f"Peak memory with {sent} MB of bodies", f"{most} MB")
    assert most < 400 < sent


class sink:  # noqa: N801
    """A server that takes everything, keeps nothing, and says nothing."""

    def __enter__(self) -> int:
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()
        return int(self._listening.getsockname()[1])

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._swallow, args=(client,), daemon=True).start()

    def _swallow(self, client: socket.socket) -> None:
        with client:
            try:
                while client.recv(MEGABYTE):
                    pass
            except OSError:
                pass


IDLE = 300
BEGUN = (
    b"",
    b"GET / HTTP/1.1\r\n",
    b"POST " + b"x" * 5_000,
    b"GET / HTTP/1.1\r\nX: " + b"y" * 30_000,
)


def test_connections_that_ask_nothing_keep_nobody_out(proxied: Proxied) -> None:
    opened = []
    for number in range(IDLE):
        sock = proxied.connect()
        sock.sendall(BEGUN[number % len(BEGUN)])
        opened.append(sock)
    answers = [proxied.post("/v1/models", b"{}") for _ in range(10)]
    for sock in opened:
        sock.close()
    answered = sum(answer.startswith(b"HTTP/1.1 200") for answer in answers)
    assert answered == 10


def test_heads_without_end_are_refused(proxied: Proxied, upstream: Upstream) -> None:
    for data in (b"G" * 200_000, b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 40_000, b"\n" * 100_000):
        assert told(proxied, data, seconds=5).startswith(b"HTTP/1.1 4")
    assert upstream.connections == 0


# Models that lie

LIES = r"""
more than the length: {HEAD}Content-Length: 2\r\n\r\n{}{POISON}
two lengths: {HEAD}Content-Length: 2\r\nContent-Length: 6{NOTHING}{}{POISON}
a length and chunks: {HEAD}Content-Length: 2\r\n{CODING}\r\n{NOTHING}{POISON}
an empty length: {HEAD}Content-Length:\r\n\r\n{POISON}
a length below nothing: {HEAD}Content-Length: -1\r\n\r\n{POISON}
an unknown coding: {HEAD}Transfer-Encoding: xchunked\r\n\r\n{NOTHING}{POISON}
more than the chunks: {HEAD}{CODING}\r\n2\r\n{}\r\n{NOTHING}{POISON}
chunks with line feeds: {HEAD}{CODING}\r\n2\n{}\n0\n\n{POISON}
a chunk that is longer: {HEAD}{CODING}\r\n2\r\n{}}}\r\n{NOTHING}{POISON}
a size that is none: {HEAD}{CODING}\r\nzz\r\n{POISON}
an older protocol in chunks: HTTP/1.0 200 OK\r\n{CODING}\r\n{NOTHING}{POISON}
a body where none may be: HTTP/1.1 204 No Content\r\n\r\n{POISON}
a body beside an unchanged page: HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n{POISON}
a folded field: {HEAD}X: 1\r\n Content-Length: 2\r\nContent-Length: 6{NOTHING}{}{POISON}
a bare line feed: {HEAD}X: 1\nContent-Length: 2\r\n\r\n{}{POISON}
two answers: {HEAD}Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}{POISON}
no protocol: +OK ready\r\n\r\n{POISON}
"""
LONG = {
    "hints without end": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 500 + NAMED[b"{POISON}"],
    "a header without end": NAMED[b"{HEAD}"] + b"X: " + b"x" * 200_000,
}


def test_no_answer_reaches_a_request_that_it_is_not_for(tmp_path: Path, figure: Figure) -> None:
    def first(lie: bytes) -> Answer:
        return lambda client, head, _: client.sendall(lie if b"/first" in head else OK)

    lies = {**dict(rows_of(LIES)), **LONG}
    poisoned = []
    with Upstream() as model, Proxied(model.url, tmp_path) as proxied:
        for name, lie in lies.items():
            model.answer = first(lie)
            with proxied.connect() as sock:
                sock.settimeout(0.3)
                before, behind = (
                    heard(sock, proxied.request("GET", path)) for path in ("/first", "/second")
                )
            own = before.partition(b"\r\n\r\n")[2].partition(b"HTTP/1.1")[0]
            poisoned += [name] if b"poison" in own + behind else []
    figure("Answers that reach another request", f"{len(poisoned)} of {len(lies)}")
    assert poisoned == []
