"""A provider of the Responses API that has one answer to everything, as a process of its own.

usage: python -m benchmarks.answering [SECONDS]
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import contextmanager
from itertools import count
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = "127.0.0.1"
ADDRESS = f"http://{HOST}:{{port}}/v1"
PIECE = 65_536
_numbers = count(1)


def read_request(connection: socket.socket) -> bytes:
    """The body of the next one; nothing where none comes any more."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(PIECE)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += connection.recv(PIECE)
    return body


def answer(connection: socket.socket, body: bytes) -> None:
    previous = json.loads(body).get("previous_response_id")
    number = next(_numbers)
    text = {"type": "output_text", "text": "Step 2.", "annotations": []}
    said = {
        "type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text],
    }  # fmt: skip
    document = {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed", "model": "m",
        "output": [said], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "previous_response_id": previous,
        "usage": {
            "input_tokens": 1000, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1007,
        },
    }  # fmt: skip
    sent = json.dumps(document).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    )
    connection.sendall(head.encode() + sent)


@contextmanager
def answers(seconds: float = 0) -> Iterator[str]:
    """Its address, until the end of the block. It takes so long for each answer."""
    command = (sys.executable, "-m", "benchmarks.answering", str(seconds))
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout
        yield process.stdout.readline().decode().strip()
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    seconds = float(sys.argv[1])
    listening = socket.create_server((HOST, 0))
    print(ADDRESS.format(port=listening.getsockname()[1]), flush=True)
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Thread(target=_talk, args=(connection, seconds), daemon=True).start()


def _talk(connection: socket.socket, seconds: float) -> None:
    with connection:
        while body := read_request(connection):
            sleep(seconds)
            answer(connection, body)


if __name__ == "__main__":
    main()
