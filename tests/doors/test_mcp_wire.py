"""The protocol as a client sees it: both eras, and everything that can come in malformed."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from conftest import plan, task, write
from loading import loaded_by
from mcp_server import CAPABILITIES, MODERN, VERSION, Server

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\n\nA list of links.\n",
        **plan({"01-one.md": task("One"), "02-two.md": task("Two")}),
    }
    return write(tmp_path, files)


def test_a_modern_client_discovers_what_the_server_can_do_without_a_handshake(root: Path) -> None:
    with Server(root) as server:
        result = server.ask("server/discover")["result"]
    assert result["supportedVersions"][0] == "2026-07-28"
    assert result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {}}
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "dctx"
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    assert "context" in result["instructions"]


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_an_earlier_client_gets_the_revision_that_it_asks_for(root: Path, revision: str) -> None:
    with Server(root) as server:
        begun = server.begin(revision)["result"]
        listed = server.ask("tools/list", meta={})["result"]
        pinged = server.ask("ping", meta={})["result"]
    assert begun["protocolVersion"] == revision
    assert begun["serverInfo"]["name"] == "dctx"
    # What the newest revision adds is nothing that an earlier one knows.
    assert listed.keys() == {"tools"}
    assert pinged == {}


def test_a_client_of_an_unknown_revision_is_offered_the_newest_that_has_a_handshake(
    root: Path,
) -> None:
    with Server(root) as server:
        assert server.begin("2024-11-05")["result"]["protocolVersion"] == "2025-11-25"


def test_a_modern_request_of_another_revision_is_told_which_there_are(root: Path) -> None:
    meta = {VERSION: "2027-01-01", CAPABILITIES: {}}
    with Server(root) as server:
        error = server.ask("tools/list", meta=meta)["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2027-01-01"}


@pytest.mark.parametrize(
    ("meta", "code"), [({VERSION: "2026-07-28"}, -32602), ({VERSION: 7}, -32602), ({}, -32600)]
)
def test_a_request_that_does_not_say_how_it_is_meant_is_refused(
    root: Path, meta: dict[str, object], code: int
) -> None:
    with Server(root) as server:
        assert server.ask("tools/list", meta=meta)["error"]["code"] == code


def test_methods_of_the_other_era_are_not_there(root: Path) -> None:
    with Server(root) as server:
        assert server.ask("ping")["error"]["code"] == -32601
        assert server.ask("initialize")["error"]["code"] == -32601
        server.begin("2025-11-25")
        assert server.ask("server/discover", meta={})["error"]["code"] == -32601


MALFORMED = [
    (b"nonsense\n", -32700),
    (b"\xff\xfe\n", -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"\n', -32700),
    (b"[" * 100_000 + b"\n", -32700),
    (b'{"a":NaN}\n', -32700),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}\n', -32700),
    (b"1\n", -32600),
    (b"[]\n", -32600),
    (b'"ping"\n', -32600),
    (b'{"id":1,"method":"ping"}\n', -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":"x"}}\n', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', -32600),
]


@pytest.mark.parametrize(("line", "code"), MALFORMED)
def test_what_is_no_request_is_told_so_and_the_server_goes_on(
    root: Path, line: bytes, code: int
) -> None:
    with Server(root) as server:
        server.write(line)
        assert server.read()["error"]["code"] == code
        assert "result" in server.ask("tools/list")


def test_a_message_that_is_too_large_is_refused_and_the_next_one_answered(root: Path) -> None:
    with Server(root) as server:
        server.write(b'"' + b"x" * 16_500_000 + b'"\n')
        error = server.read()["error"]
        assert error["code"] == -32600
        assert "16,000,000" in error["message"]
        assert "result" in server.ask("tools/list")


def test_nobody_answers_notices_blank_lines_and_answers_to_nothing(root: Path) -> None:
    with Server(root) as server:
        server.notify("notifications/of-some-kind", {"x": 1})
        server.notify("notifications/cancelled", {"requestId": "never asked"})
        server.write(b"\n  \r\n")
        server.write(b'{"jsonrpc":"2.0","id":99,"result":{}}\n')
        server.write(b'{"jsonrpc":"2.0","method":"tools/list","params":[]}\n')
        number = server.send("tools/list")
        assert server.read()["id"] == number


def test_a_batch_is_answered_by_one_message_where_the_revision_has_batches(root: Path) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
        {"jsonrpc": "2.0", "id": "b", "method": "no/such"},
    ]
    line = json.dumps(batch).encode() + b"\n"
    with Server(root) as server:
        server.begin("2025-03-26")
        server.write(line)
        replies = server.read()
        assert [reply["id"] for reply in replies] == ["a", "b"]
        assert replies[0]["result"] == {}
        assert replies[1]["error"]["code"] == -32601
    with Server(root) as server:
        server.begin("2025-06-18")
        server.write(line)
        assert server.read()["error"]["code"] == -32600


def test_everything_that_was_asked_before_the_end_is_answered(root: Path) -> None:
    with Server(root) as server:
        names = [server.send("tools/call", {"name": "status", "arguments": {}}) for _ in range(40)]
        assert server.process.stdin
        server.process.stdin.close()
        answered = {server.read()["id"] for _ in names}
        assert answered == set(names)
        assert server.process.wait(10) == 0


def test_the_server_ends_when_its_client_is_gone(root: Path) -> None:
    with Server(root) as server:
        server.ask("tools/list")
        code, log = server.close()
    assert (code, log) == (0, b"")


def test_a_client_that_reads_no_more_ends_the_server_without_a_word(root: Path) -> None:
    with Server(root) as server:
        assert server.process.stdout
        server.process.stdout.close()
        for _ in range(3):
            try:
                server.send("tools/call", {"name": "context", "arguments": {}})
                time.sleep(0.05)
            except OSError:
                break
        try:
            server.close()
        except OSError:
            server.process.wait(10)
        assert server.process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_ctrl_c_ends_the_server_without_a_traceback(root: Path) -> None:
    with Server(root) as server:
        server.ask("tools/list")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(10) == 130
        assert server.process.stderr
        assert b"Traceback" not in server.process.stderr.read()


def test_a_call_that_was_cancelled_is_not_answered(root: Path) -> None:
    # A search that takes its time: a hundred large documents.
    line = "needle in a haystack\n"
    for number in range(60):
        write(root, {f"codebase/{number}.md": line * 4000})
    with Server(root) as server:
        number = server.send("tools/call", {"name": "search", "arguments": {"text": "zzz"}})
        server.notify("notifications/cancelled", {"requestId": number, "reason": "changed mind"})
        after = server.send("tools/list")
        assert server.answer_to(after)["id"] == after
        code, _ = server.close()
        assert server.process.stdout
        rest = [json.loads(line) for line in server.process.stdout.readlines()]
    assert number not in [message.get("id") for message in (*server.told, *rest)]
    assert code == 0


def test_long_calls_tell_how_far_they_are_whom_it_interests(root: Path) -> None:
    meta = {**MODERN, "progressToken": "p1"}
    parameters = {"name": "search", "arguments": {"text": "links"}}
    with Server(root) as server:
        server.ask("tools/call", parameters, meta)
        told = [message["params"] for message in server.told]
        assert [row["progress"] for row in told] == [0, 1, 2, 3]
        assert {row["progressToken"] for row in told} == {"p1"}
        server.told.clear()
        server.ask("tools/call", parameters)
        assert server.told == []


def test_two_requests_of_one_id_cannot_be_told_apart_so_the_second_is_refused(root: Path) -> None:
    for number in range(60):
        write(root, {f"codebase/{number}.md": "needle\n" * 4000})
    with Server(root) as server:
        first = server.send("tools/call", {"name": "search", "arguments": {"text": "zzz"}})
        server.number = first - 1
        server.send("tools/call", {"name": "status", "arguments": {}})
        codes = sorted(str(server.read().get("error", {}).get("code")) for _ in range(2))
    assert codes == ["-32600", "None"]


ASKED = """
import json, os
inside, outside = os.pipe()
os.write(outside, {lines!r})
os.close(outside)
os.dup2(inside, 0)
from director_ctx.doors.cli.main import main
assert main(["mcp"]) == 0
"""
SLOW = {
    "typing", "re", "dataclasses", "pathlib", "subprocess", "enum", "asyncio", "threading",
    "logging", "argparse", "datetime", "http", "socket", "typer", "yaml", "sqlite3",
}  # fmt: skip


def test_a_start_loads_nothing_that_only_a_call_needs(root: Path) -> None:
    lines = b""
    for number, method in enumerate(("server/discover", "tools/list"), 1):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": MODERN}}
        lines += json.dumps(message).encode() + b"\n"
    bare = loaded_by("import json", root)
    loaded = loaded_by(ASKED.format(lines=lines), root) - bare
    assert not loaded & SLOW
    ours = {name for name in loaded if name.startswith("director_ctx.")}
    assert "director_ctx.tools.tool_sets" in ours
    assert "director_ctx.tools.context" not in ours
    assert not [name for name in ours if name.startswith("director_ctx.memory")]


def test_nothing_but_the_protocol_is_on_standard_output(root: Path) -> None:
    """Git and whatever else is started may print what it likes."""
    with Server(root, GIT_TRACE="2") as server:
        assert "result" in server.ask("tools/call", {"name": "context", "arguments": {}})
        server.close()
        assert server.process.stdout
        assert server.process.stdout.read() == b""


def test_what_may_be_changed_is_named_rightly_or_the_server_does_not_start(root: Path) -> None:
    with Server(root, "--write", "plan,everything") as server:
        assert server.process.wait(20) == 2
        assert server.process.stderr
        said = server.process.stderr.read().decode()
    assert "--write everything: that is nothing that can be changed." in said
    assert "plan,variables,tasks,browser" in said
