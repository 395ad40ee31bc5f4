"""The proxy: a request through it beside one through a proxy that only copies bytes, by the same
means.

usage: python -m benchmarks.proxy [--rounds N]
"""

from __future__ import annotations

import argparse
import functools
import json
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.install import REPOSITORY
from benchmarks.measure import Job, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from benchmarks.measure import Series

SIZES = {"1 KB": 1_000, "32 KB": 32_000, "320 KB": 320_000, "2 MB": 2_000_000}
READ, CUT = "2 MB, read", "2 MB, cut before"
REQUESTS = 10
"""In one sample: a single one is near what a clock can tell."""
AIM = 1.3
EVENTS = 16
"""An answer comes as models say it: in events, each as soon as it is there."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
DATA = b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of it"}}'
EVENT = b"event: content_block_delta\ndata: %s\n\n" % DATA
PIECES = (HEAD, *([b"%x\r\n%s\r\n" % (len(EVENT), EVENT)] * EVENTS), b"0\r\n\r\n")
PIECE = 262_144
ROUNDS = 30


def measure(rounds: int) -> list[Aim]:
    with ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="dctx-proxy-"))
        upstream = stack.enter_context(started("upstream"))
        bare = f"127.0.0.1:{stack.enter_context(started('bare', str(upstream)))}"
        through = functools.partial(proxied, stack, Path(place), upstream)
        whole, reading, cutting = through("10000k"), through("600k"), through("160k")
        jobs: dict[str, Job] = {}
        for name, size in SIZES.items():
            jobs |= {
                f"{name}: {title}": asking(address, size)
                for title, address in (("bare", bare), ("dctx", whole))
            }
        jobs[READ], jobs[CUT] = (asking(address, SIZES["2 MB"]) for address in (reading, cutting))
        first = timed(lambda: ask(cutting, SIZES["2 MB"], 1)).milliseconds
        series = take_turns(jobs, rounds)
    print(
        rows_table(
            f"Proxy: {REQUESTS} requests",
            [Row(name, one, series[_bare(name)]) for name, one in series.items()],
        )
    )
    print(f"The first request of 2 MB, which is cut and archived: {first:.0f} ms.\n")
    return list(aims(series))


def _bare(name: str) -> str:
    return f"{'2 MB' if name in (READ, CUT) else name.partition(':')[0]}: bare"


def aims(series: Mapping[str, Series]) -> Iterator[Aim]:
    for name in SIZES:
        above, below = series[f"{name}: dctx"], series[f"{name}: bare"]
        yield Aim(f"proxy: {name}", above.median / below.median, above.least / below.least, AIM)


def request(address: str, size: int) -> bytes:
    turns: list[dict[str, Any]] = [{"role": "user", "content": "Build it."}]
    text = "".join(f"line {line}: value_{line} = compute({line})\n" for line in range(60))
    number = 0
    while sum(map(len, map(str, turns))) + 2_800 < size:
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "Read",
            "input": {"path": f"/src/file{number}.py"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{number}",
            "content": f"{number}\n{text}" * max(1, size // 400_000),
        }
        turns += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        number += 1
    turns[0]["content"] += " " * max(0, size - len(json.dumps(turns)))
    body = json.dumps({"model": "m", "messages": turns}).encode()
    host, _, base = address.partition("/")
    path = f"/{base}/v1/messages" if base else "/v1/messages"
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nX-Api-Key: none\r\n"
    return f"{head}User-Agent: benchmark\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


request = functools.cache(request)


def asking(address: str, size: int) -> Job:
    return Job(lambda: timed(lambda: ask(address, size, REQUESTS)))


def ask(address: str, size: int, times: int) -> None:
    data = request(address, size)
    sock = connection(address)
    for _ in range(times):
        sock.sendall(data)
        found = b""
        while not found.endswith(b"0\r\n\r\n"):
            found += sock.recv(PIECE)


@functools.cache
def connection(address: str) -> socket.socket:
    """Kept open, as clients do."""
    host, _, port = address.partition("/")[0].rpartition(":")
    sock = socket.create_connection((host, int(port)))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


@contextmanager
def started(*words: str) -> Iterator[int]:
    """A part of this module in a process of its own; its port."""
    command = [sys.executable, "-m", "benchmarks.proxy", *words]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.terminate()


def proxied(stack: ExitStack, place: Path, upstream: int, limit: str) -> str:
    """Its address: the host with its port, and how every path begins."""
    words = ["--port", "0", "--upstream", f"http://127.0.0.1:{upstream}", "--limit", limit]
    command = [sys.executable, "-m", "director_ctx", "history", "proxy", *words]
    environment = {"PYTHONPATH": str(REPOSITORY), "HOME": str(place), "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )  # fmt: skip
    stack.callback(process.wait)
    stack.callback(process.terminate)
    assert process.stdout
    stack.enter_context(process.stdout)
    return process.stdout.readline().decode().strip().removeprefix("http://")


def listen(serve: Callable[[socket.socket], None]) -> None:
    """A thread for each connection; the port is printed first."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        while True:
            client, _ = listening.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(client,), daemon=True).start()


def answer(client: socket.socket) -> None:
    """A model that reads what it is asked and says the same each time."""
    rest = b""
    while True:
        while (end := rest.find(b"\r\n\r\n")) < 0:
            piece = client.recv(PIECE)
            if not piece:
                return
            rest += piece
        length = int(rest[:end].lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        left = length - (len(rest) - end - 4)
        rest = b""
        while left > 0:
            left -= len(client.recv(PIECE))
        for piece in PIECES:
            client.sendall(piece)


def copy(upstream: int, client: socket.socket) -> None:
    """The floor: bytes go to the other side as they come, and nothing is looked at."""
    model = socket.create_connection(("127.0.0.1", upstream))
    model.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with selectors.DefaultSelector() as both:
        both.register(client, selectors.EVENT_READ, model)
        both.register(model, selectors.EVENT_READ, client)
        while True:
            for key, _ in both.select():
                piece = key.fileobj.recv(PIECE)  # type: ignore[union-attr]
                if not piece:
                    return
                key.data.sendall(piece)


def main() -> None:
    if sys.argv[1:2] == ["upstream"]:
        listen(answer)
    elif sys.argv[1:2] == ["bare"]:
        listen(functools.partial(copy, int(sys.argv[2])))
    else:
        parser = argparse.ArgumentParser(
            prog="python -m benchmarks.proxy", description="What the proxy costs."
        )
        parser.add_argument(
            "--rounds",
            type=int,
            default=ROUNDS,
            metavar="N",
            help=f"how many rounds (default: {ROUNDS})",
        )
        print(aims_table(measure(parser.parse_args().rounds)))


if __name__ == "__main__":
    main()
