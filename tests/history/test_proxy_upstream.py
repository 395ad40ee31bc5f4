"""The model's side of `dctx history proxy`: TLS, and patience with either side."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from proxied import OK, Proxied

from director_ctx.history.proxy import connection
from director_ctx.history.proxy.connection import ProxiedConnection
from director_ctx.history.proxy.http_body import ProxySide
from director_ctx.history.proxy.upstream import parse_upstream

PART = b"data: 1\n\n"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(PART) * 3_000) + PART * 3_000


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """For localhost, signed by itself."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl to make a certificate with")
    path = tmp_path / "localhost.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    files = ["-keyout", str(path), "-out", str(tmp_path / "public.pem")]
    subprocess.run(["openssl", *words.split(), *files], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (tmp_path / "public.pem").read_bytes())
    return path


def asked(client: ssl.SSLSocket) -> bool:
    """Whether a request came; whoever hangs up instead sends nothing for ever."""
    while piece := client.recv(65_536):
        if b"\r\n\r\n" in piece:
            return True
    return False


@pytest.fixture
def secure(certificate: Path) -> Iterator[int]:
    """The port of an address that speaks TLS, and answers two requests on a connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def speak(client: socket.socket) -> None:
        try:
            with context.wrap_socket(client, server_side=True) as wrapped:
                for answer in (OK, WHOLE):
                    if not asked(wrapped):
                        return
                    wrapped.sendall(answer)
        except OSError:
            client.close()

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=speak, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def test_an_address_that_nobody_vouches_for_is_not_asked(secure: int, tmp_path: Path) -> None:
    with Proxied(f"https://localhost:{secure}", tmp_path) as proxied:
        answer = proxied.post("/v1/messages", b"{}", "X-Api-Key: secret")
    assert answer.startswith(b"HTTP/1.1 502") and b"cannot be reached" in answer


def test_tls_is_spoken_with_whom_an_authority_vouches_for(
    secure: int, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("public.pem")))
    with Proxied(f"https://localhost:{secure}", tmp_path) as proxied, proxied.connect() as sock:
        for answer in (OK, WHOLE):
            sock.sendall(proxied.request("POST", "/v1/messages", b"{}"))
            found = b""
            while len(found) < len(answer):
                found += sock.recv(65_536)
            assert found == answer
        other = proxied.ask(proxied.request("GET", "/", b"", "Connection: close"))
    assert other.startswith(b"HTTP/1.1 200 OK")


def test_plain_http_over_a_network_is_warned_of() -> None:
    assert parse_upstream("http://model.example.org").open_to_all
    assert not parse_upstream("https://model.example.org").open_to_all
    assert not parse_upstream("http://127.0.0.1:8000").open_to_all


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://api.example.org", b"api.example.org", ""),
        ("https://api.example.org:443/", b"api.example.org", ""),
        ("https://api.example.org:8443/a/b/", b"api.example.org:8443", "/a/b"),
        ("http://[::1]:80", b"[::1]", ""),
        ("https://bücher.example", b"xn--bcher-kva.example", ""),
    ],
)
def test_an_address_is_read(url: str, authority: bytes, path: str) -> None:
    found = parse_upstream(url)
    assert (found.authority, found.path) == (authority, path)


@pytest.mark.parametrize(
    ("url", "path", "whole"),
    [
        ("https://api.example.org/v1", b"/v1/responses", b"/v1/responses"),
        ("https://api.example.org/a/v1/", b"/v1/responses", b"/a/v1/responses"),
        ("https://api.example.org/v1", b"/responses", b"/v1/responses"),
        ("https://api.example.org/v1", b"/v1beta/models", b"/v1/v1beta/models"),
        ("https://api.example.org/av1", b"/v1/messages", b"/av1/v1/messages"),
        ("https://api.example.org", b"/v1/messages", b"/v1/messages"),
    ],
)
def test_a_version_that_stands_in_the_address_and_in_the_path_is_meant_once(
    url: str, path: bytes, whole: bytes
) -> None:
    assert parse_upstream(url).whole_path(path) == whole


def test_a_head_that_trickles_in_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as slow,
        listening.accept()[0] as client,
    ):
        ends, stop = ProxiedConnection(ProxySide(client)), threading.Event()

        def trickle() -> None:
            while not stop.wait(0.02):
                slow.sendall(b"G")

        thread = threading.Thread(target=trickle)
        thread.start()
        with pytest.raises(TimeoutError):
            ends.next_head()
        stop.set()
        thread.join()
        ends.close()
