"""Many clients at once, what comes in malformed or slowly, servers that are killed: nobody else notices."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest
from conftest import plan, task, write
from mcp_server import MODERN, Server

from director_ctx import load_project, plan_history, variables

EVERYTHING = ("--write", "plan,variables,tasks")
PROCESSES = 50


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tasks = {f"{number:02}-task.md": task(f"Task {number}", "Nothing") for number in range(1, 6)}
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan(tasks)}
    return write(tmp_path, files)


def put(number: int, **more: object) -> dict[str, object]:
    name = f"client.number_{number}"
    return {"action": "set_variable", "name": name, "value": number, "reason": "Load", **more}


def test_fifty_servers_work_on_one_project_at_once(root: Path) -> None:
    def visit(number: int) -> str:
        with Server(root, *EVERYTHING) as server:
            assert "A list of links." in server.text("context")
            server.text("plan", **put(number))
            result = server.call("plan", action="claim", name="1/1/1", agent=f"agent-{number}")
            assert "Next: 1/1/1  Task 1" in server.text("status")
            text: str = result["content"][0]["text"]
            return text

    with ThreadPoolExecutor(PROCESSES) as pool:
        answers = list(pool.map(visit, range(PROCESSES)))
    winners = [answer for answer in answers if "is yours" in answer]
    others = [
        answer for answer in answers if "No other task is ready" in answer or "Free: " in answer
    ]
    assert (len(winners), len(others)) == (1, PROCESSES - 1)

    project = load_project(root=str(root))
    assert len(variables(project)) == PROCESSES
    [taken] = project.claims().values()
    assert taken.id in winners[0]


def odd_frames(random_numbers: random.Random) -> Iterator[bytes]:
    """Lines that no good client sends."""
    good = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}
    line = json.dumps(good).encode()
    for _ in range(300):
        yield random_numbers.randbytes(random_numbers.randrange(1, 300))
        broken = bytearray(line)
        for _ in range(random_numbers.randrange(1, 6)):
            broken[random_numbers.randrange(len(broken))] = random_numbers.randrange(256)
        yield bytes(broken)
        yield line[: random_numbers.randrange(len(line))]

    ids = [1e400, -1, 10**400, [], {}, "", "\ud800", "x" * 100_000, None, False, 1.0]
    parameters = [
        [],
        "x",
        7,
        None,
        {"_meta": []},
        {"name": 7},
        {"name": "\udfff"},
        {"arguments": "x"},
    ]
    for own in ids:
        yield line.replace(b'"id": 1', b'"id": ' + json.dumps(own).encode())
    for given in parameters:
        for method in ("tools/call", "prompts/get", "resources/read", "x"):
            yield json.dumps({**good, "method": method, "params": given}).encode()
            if isinstance(given, dict):
                whole = {"_meta": MODERN, **given}
                yield json.dumps({**good, "method": method, "params": whole}).encode()
    for opening in (b"[", b'{"a":', b'[{"a":'):
        for depth in (900, 5_000, 500_000):
            yield opening * depth
    yield (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":' + b"[" * 990 + b"]" * 990 + b"}"
    )
    yield b"\x00" * 1000
    yield b"\xed\xa0\x80"
    yield b"\xef\xbb\xbf" + line
    yield json.dumps([good] * 150).encode()


def test_no_frame_brings_the_server_out_of_step(root: Path) -> None:
    frames = [frame.replace(b"\n", b" ") for frame in odd_frames(random.Random(17))]
    with Server(root) as server:
        for first in range(0, len(frames), 50):
            for frame in frames[first : first + 50]:
                server.write(frame + b"\n")
            server.number = 1_000_000 + first
            own = server.send("tools/call", {"name": "status", "arguments": {}})
            assert "result" in server.answer_to(own)
        for reply in server.told:
            if isinstance(reply, dict):
                assert ("error" in reply) is not ("result" in reply), reply
                assert reply.get("error", {}).get("code") != -32603, reply
        code, log = server.close()
    assert (code, log) == (0, b"")


def test_half_a_line_at_the_end_is_answered_as_no_message(root: Path) -> None:
    with Server(root) as server:
        server.write(b'{"jsonrpc":"2.0","id":1,"met')
        assert server.process.stdin
        server.process.stdin.close()
        assert server.read()["error"]["code"] == -32700
        assert server.process.wait(20) == 0


def is_confirmed(server: Server, arguments: dict[str, object]) -> bool:
    """Whether a change was answered before the server was gone."""
    assert server.process.stdout
    try:
        server.send("tools/call", {"name": "plan", "arguments": arguments})
    except OSError:
        return False
    line = server.process.stdout.readline()
    if not line.endswith(b"\n"):
        return False
    result = json.loads(line)["result"]
    assert not result["isError"], result
    return True


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_server_killed_in_a_write_loses_nothing_that_it_confirmed(root: Path) -> None:
    random_numbers = random.Random(19)
    confirmed = 0
    for round_number in range(12):
        with Server(root, *EVERYTHING) as server:
            server.text("plan", action="variables")
            killer = Timer(random_numbers.uniform(0.001, 0.08), server.process.kill)
            killer.start()
            for number in range(10_000):
                arguments = put(number, name=f"round.n_{round_number}_{number}")
                if not is_confirmed(server, arguments):
                    break
                confirmed += 1
            killer.join()
        kept = variables(load_project(root=str(root)))
        # The last one may have been kept and not confirmed any more.
        assert confirmed <= len(kept) <= confirmed + 1
        confirmed = len(kept)
    assert confirmed > 12
    assert plan_history(load_project(root=str(root))) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it in a file")
def test_thousands_of_different_calls_leave_the_server_as_small_as_it_was(
    root: Path,
) -> None:
    calls = [
        ("status", {}),
        ("search", {"text": "list links"}),
        ("original", {"locator": ".director/VISION.md:1"}),
        ("plan", {"action": "show"}),
        ("context", {"agent": "nobody"}),
    ]
    # Without a record of contexts, which is kept up to a size of its own.
    with Server(root, DCTX_RECORD="off") as server:
        sizes = []
        for _ in range(4):
            for number in range(500):
                tool, arguments = calls[number % len(calls)]
                server.call(tool, **arguments)
            sizes.append(resident(server.process.pid))
        assert sizes[-1] - sizes[0] < 1_000_000, sizes


def resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
