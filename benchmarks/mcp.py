"""The server of tools: from its start to its first answer, beside a bare loop of the standard library
and the official SDK's bare server; and calls beside the same calls of the library, in the example and
in a project of a thousand tasks.

usage: python -m benchmarks.mcp [--rounds N] [--sdk PYTHON]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.generate import generate
from benchmarks.measure import Job, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table
from director_ctx import assemble, current_plan, load_project, status
from director_ctx.clients.demo.example import make_example
from director_ctx.memory.plans.text import plan_markdown
from director_ctx.project.find_text import find_in_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.measure import Series

ROUNDS = 20
CALLS = 10
"""In one sample: a single one is near what a clock can tell."""
SMALL, LARGE = "example", "generated"
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


def own_sdk() -> str | None:
    """This Python, where the official SDK is among what development installs."""
    if find_spec("mcp"):
        return sys.executable
    return None


def measure(roots: Mapping[str, Path], rounds: int, sdk: str | None) -> dict[str, Series]:
    """Starts in the first project; calls in each, of a server that is warm."""
    first = next(iter(roots.values()))
    with ExitStack() as stack:
        jobs: dict[str, Job] = {}
        for name, command in commands(sdk).items():
            jobs[f"start: {name}"] = Job(partial(timed, started(command, first)))
        for name, root in roots.items():
            server = stack.enter_context(talk(commands(None)[DCTX], root))
            for tool, arguments in CALLED.items():
                jobs[f"{name}: library: {tool}"] = repeatedly(partial(LIBRARY[tool], str(root)))
                jobs[f"{name}: call: {tool}"] = repeatedly(partial(server.call, tool, **arguments))
        series = take_turns(jobs, rounds)
    floor = series[f"start: {BARE}"]
    rows = [Row(name, one, floor) for name, one in series.items()]
    print(rows_table("MCP", rows), end="\n\n", flush=True)
    return series


def contexts(root: str) -> None:
    assemble(load_project(root=root), "builder", record=True)


def standing(root: str) -> None:
    status(load_project(root=root))


def lines(root: str) -> None:
    list(find_in_folder(load_project(root=root), WORDS))


def plan(root: str) -> None:
    version = current_plan(load_project(root=root))
    assert version
    plan_markdown(version.data, version.number)


WORDS = "the list"
CALLED: dict[str, dict[str, str]] = {
    "context": {},
    "status": {},
    "search": {"text": WORDS, "where": "folder"},
    "plan": {"action": "show"},
}
LIBRARY = {"context": contexts, "status": standing, "search": lines, "plan": plan}
"""The same as each of these calls, by the library."""


def aims(series: Mapping[str, Series]) -> Iterator[Aim]:
    start = f"start: {DCTX}"
    pairs = [
        ("start: dctx mcp / bare loop", start, f"start: {BARE}", 1.5),
        ("start: dctx mcp / the SDK's server", start, f"start: {SDK}", 0.2),
    ]
    for name in series:
        project, _, call = name.partition(": ")
        kind, _, tool = call.partition(": ")
        if kind == "call":
            what = f"{project}: {tool}: call / library"
            pairs.append((what, name, f"{project}: library: {tool}", 3))
    for what, ours, theirs, limit in pairs:
        if theirs in series:
            one, other = series[ours], series[theirs]
            yield Aim(what, one.median / other.median, one.least / other.least, limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sdk", default=own_sdk(), help="A Python that has the official SDK.")
    values = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dctx-mcp-") as place:
        roots = {SMALL: Path(place) / SMALL, LARGE: Path(place) / LARGE}
        make_example(str(roots[SMALL]))
        generate(roots[LARGE])
        print(aims_table(list(aims(measure(roots, values.rounds, values.sdk)))))


if __name__ == "__main__":
    main()
