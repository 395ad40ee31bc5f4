"""A model's address that keeps every byte, and the proxy in front of it as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from conftest import ROOT

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"
Answer = Callable[[socket.socket, bytes, bytes], object]


class Upstream:
    """Answers each request as it is told, and keeps connections open. `heads` and `bodies` are what
    came.
    """

    def __init__(self, answer: bytes | Answer = OK) -> None:
        self.answer = answer
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self.hung_up = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Its thread ends first: it would take a connection of whoever is given the same number of a file.
        self._listening.shutdown(socket.SHUT_RDWR)
        self._serving.join(10)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._speak, args=(client,), daemon=True).start()

    def _speak(self, client: socket.socket) -> None:
        with client:
            rest = b""
            try:
                while True:
                    while b"\r\n\r\n" not in rest:
                        piece = client.recv(65_536)
                        if not piece:
                            return
                        rest += piece
                    head, _, rest = rest.partition(b"\r\n\r\n")
                    if b"\r\nTransfer-Encoding: chunked" in head:
                        body, rest = self._chunked(client, rest)
                    else:
                        body, rest = self._counted(client, head, rest)
                    self.heads.append(head)
                    self.bodies.append(body)
                    if callable(self.answer):
                        self.answer(client, head, body)
                    else:
                        client.sendall(self.answer)
            except OSError:
                pass
            finally:
                self.hung_up.set()

    def _counted(self, client: socket.socket, head: bytes, rest: bytes) -> tuple[bytes, bytes]:
        length = int((re.findall(rb"(?i)\r\ncontent-length: *(\d+)", head) or [b"0"])[0])
        body = bytearray(rest)
        while len(body) < length:
            body += self._heard(client)
        return bytes(body[:length]), bytes(body[length:])

    def _chunked(self, client: socket.socket, rest: bytes) -> tuple[bytes, bytes]:
        """As strict as a server can be: sizes in hexadecimal digits, no extensions, no trailers."""
        body = bytearray()
        while True:
            while b"\r\n" not in rest:
                rest += self._heard(client)
            digits, _, rest = rest.partition(b"\r\n")
            size = int(digits, 16)
            while len(rest) < size + 2:
                rest += self._heard(client)
            body += rest[:size]
            assert rest[size : size + 2] == b"\r\n"
            rest = rest[size + 2 :]
            if not size:
                return bytes(body), rest

    def _heard(self, client: socket.socket) -> bytes:
        piece = client.recv(1_048_576)
        if not piece:
            raise OSError("it hung up in the midst of a body")
        return piece


class Proxied:
    """`dctx history proxy` in a folder; `said` is what it told the terminal, once it was ended."""

    def __init__(self, upstream: str, folder: Path, *words: str) -> None:
        self._words, self._folder = ("--port", "0", "--upstream", upstream, *words), folder
        self.said = ""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "history", "proxy", *self._words], cwd=self._folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert self._process.stdout
        self.url = self._process.stdout.readline().decode().strip()
        if not self.url:
            _, said = self._process.communicate(timeout=30)
            raise AssertionError(said.decode())
        parts = urlsplit(self.url)
        self.port, self.base = parts.port or 0, parts.path
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self, how: int = signal.SIGINT) -> int:
        """Its exit code."""
        if not self.said:
            self._process.send_signal(how)
            _, said = self._process.communicate(timeout=30)
            self.said = said.decode()
        return self._process.returncode

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def ask(self, data: bytes) -> bytes:
        """Everything that comes back until the connection is closed."""
        with self.connect() as sock:
            sock.sendall(data)
            found = b""
            while piece := sock.recv(1_048_576):
                found += piece
            return found

    def post(self, path: str, body: bytes, *fields: str) -> bytes:
        return self.ask(self.request("POST", path, body, "Connection: close", *fields))

    def request(self, method: str, path: str, body: bytes = b"", *fields: str) -> bytes:
        """By the whole address, token and all."""
        length = (f"Content-Length: {len(body)}",) if body else ()
        lines = [
            f"{method} {self.base}{path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            *fields,
            *length,
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
