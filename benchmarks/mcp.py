"""The server of tools: from its start to its first answer, beside a bare loop of the standard library
and the official SDK's bare server; a call beside the same call of the library; and the hook of a spawn,
answered by a server and by a process.

usage: python -m benchmarks.mcp [--rounds N] [--sdk PYTHON]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hooks import spawn
from benchmarks.measure import Job, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table
from director_ctx import assemble, load_project, status
from director_ctx.clients.demo.example import make_example

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.measure import Series

ROUNDS = 20
CALLS = 10
"""In one sample: a single one is near what a clock can tell."""
SPAWNED, BY_PROCESS = "call: a spawn", "process: a spawn"
DCTX, BARE, SDK = "dctx mcp", "bare loop", "the SDK's server"
FRONT_DOOR = "from director_ctx.doors.cli.main import main; main()"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"},
}
LOOP = """
import json, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare")
@server.tool()
def echo(text: str) -> str:
    return text
server.run("stdio")
"""


class Talk:
    """A server that was started, and requests to it."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe)

    def ask(self, method: str, **parameters: object) -> bytes:
        parameters["_meta"] = META
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def call(self, tool: str, **arguments: object) -> None:
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        assert b'"isError":false' in answer, answer

    def hook(self, event: dict[str, object], number: int) -> None:
        """A spawn that nobody else was asked about, as the hooks of Claude Code tell of it."""
        told = {**event, "client": "claude", "tool_use_id": f"toolu_{number}"}
        told["tool_input"] = json.dumps(event["tool_input"])
        answer = self.ask("tools/call", name="hook", arguments=told)
        assert b"updatedInput" in answer, answer

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def talk(command: Sequence[str], root: Path) -> Iterator[Talk]:
    server = Talk(command, root)
    try:
        yield server
    finally:
        server.end()


def started(command: Sequence[str], root: Path) -> Callable[[], object]:
    """One start, up to the first answer."""

    def run() -> None:
        with talk(command, root) as server:
            assert server.ask("server/discover")

    return run


def repeatedly(call: Callable[[], object]) -> Job:
    def run() -> None:
        for _ in range(CALLS):
            call()

    return Job(lambda: timed(run))


def commands(sdk: str | None) -> dict[str, Sequence[str]]:
    servers: dict[str, Sequence[str]] = {
        BARE: (sys.executable, "-c", LOOP),
        DCTX: (sys.executable, "-c", FRONT_DOOR, "mcp"),
    }
    if sdk:
        servers[SDK] = (sdk, "-c", SERVER)
    return servers


def measure(rounds: int, sdk: str | None) -> str:
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dctx-mcp-")))
        root = place / "reading-list"
        make_example(str(root))
        # What says that a server answers hooks is in the home.
        os.environ["HOME"] = str(place)
        server = stack.enter_context(talk(commands(None)[DCTX], root))
        server.ask("tools/list")

        jobs: dict[str, Job] = {}
        for name, command in commands(sdk).items():
            start = started(command, root)
            jobs[f"start: {name}"] = Job(partial(timed, start))
        jobs["library: context"] = repeatedly(lambda: contexts(root))
        jobs["call: context"] = repeatedly(lambda: server.call("context"))
        jobs["library: status"] = repeatedly(lambda: status(load_project(root=str(root))))
        jobs["call: status"] = repeatedly(lambda: server.call("status"))
        event, numbers = spawn(root), count()
        jobs[SPAWNED] = repeatedly(lambda: server.hook(event, next(numbers)))
        jobs[BY_PROCESS] = repeatedly(lambda: hook_process(root, event))
        series = take_turns(jobs, rounds)
    floor = series[f"start: {BARE}"]
    rows = [Row(name, one, floor) for name, one in series.items()]
    return f"{rows_table('MCP', rows)}\n{aims_table(aims(series))}"


def hook_process(root: Path, event: dict[str, object]) -> None:
    words = [sys.executable, "-c", FRONT_DOOR, "hook", "--client", "claude"]
    done = subprocess.run(
        words, cwd=root, input=json.dumps(event).encode(), capture_output=True, check=True
    )
    assert b"updatedInput" in done.stdout


def contexts(root: Path) -> None:
    assemble(load_project(root=str(root)), "builder", record=True)


def aims(series: dict[str, Series]) -> list[Aim]:
    start = f"start: {DCTX}"
    pairs = [
        ("start: dctx mcp / bare loop", start, f"start: {BARE}", 1.5),
        ("start: dctx mcp / the SDK's server", start, f"start: {SDK}", 0.2),
        ("context: call / library", "call: context", "library: context", 3),
        ("status: call / library", "call: status", "library: status", 3),
    ]
    listed = []
    for what, ours, theirs, limit in pairs:
        if theirs in series:
            one, other = series[ours], series[theirs]
            listed.append(Aim(what, one.median / other.median, one.least / other.least, limit))
    process, call = series[BY_PROCESS], series[SPAWNED]
    listed.append(
        Aim(
            "a spawn: process / call",
            process.median / call.median,
            process.least / call.least,
            5,
            at_least=True,
        )
    )
    return listed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sdk", help="A Python that has the official SDK.")
    values = parser.parse_args()
    print(measure(values.rounds, values.sdk))


if __name__ == "__main__":
    main()
