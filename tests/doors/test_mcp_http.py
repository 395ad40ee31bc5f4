"""`dctx mcp --http`: who may come in, headers that say the same as the body, and many clients at once."""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import plan, task, write
from mcp_server import COMMAND, MODERN, Site

from director_ctx.doors.mcp.serving.http_limits import A_SECOND, Rate

TOKEN = "a-token-of-twenty-letters"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan({"01-one.md": task("One")})}
    return write(tmp_path_factory.mktemp("http"), files)


@pytest.fixture
def site(root: Path) -> Iterator[Site]:
    running = Site(root)
    yield running
    code, log = running.end()
    assert (code, b"Traceback" in log) == (0, False)


def test_a_tool_is_called(site: Site) -> None:
    status, answer = site.ask("tools/call", {"name": "status", "arguments": {}})
    assert status == 200
    assert "Next: 1/1/1  One" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", ""]
)
def test_who_calls_us_by_another_name_is_turned_away(site: Site, host: str) -> None:
    status, _ = site.ask("tools/list", Host=host)
    assert status == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "file://", "http://localhost"]
)
def test_a_page_from_elsewhere_is_turned_away(site: Site, origin: str) -> None:
    assert site.ask("tools/list", Origin=origin)[0] == 403


def test_our_own_names_are_let_in(site: Site) -> None:
    for name in ("localhost", "127.0.0.1", "[::1]"):
        where = f"{name}:{site.port}"
        assert site.ask("tools/list", Host=where, Origin=f"http://{where}")[0] == 200


DIFFERENT = [
    {"MCP_Protocol_Version": None},
    {"MCP_Protocol_Version": "2025-11-25"},
    {"Mcp_Method": None},
    {"Mcp_Method": "tools/list"},
    {"Mcp_Name": None},
    {"Mcp_Name": "context"},
    {"Mcp_Name": "=?base64?bm8=?="},
    {"Mcp_Name": "=?base64?***?="},
]


@pytest.mark.parametrize("headers", DIFFERENT, ids=str)
def test_headers_that_say_something_else_than_the_body_are_refused(
    site: Site, headers: dict[str, str | None]
) -> None:
    name = site.ask("tools/call", {"name": "status", "arguments": {}}, **headers)
    status, answer = name
    assert status == 400
    assert answer["error"]["code"] == -32020


def test_all_headers_that_are_missing_are_named_at_once(site: Site) -> None:
    none = {"MCP_Protocol_Version": None, "Mcp_Method": None, "Mcp_Name": None}
    status, answer = site.ask("tools/call", {"name": "status", "arguments": {}}, **none)
    assert status == 400
    said = "Missing headers: mcp-protocol-version, mcp-method, mcp-name."
    assert answer["error"]["message"] == said


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_the_line_for_curl_in_the_documents_is_answered(site: Site) -> None:
    text = (Path(__file__).parents[2] / "docs/mcp.md").read_text()
    command = "curl " + text.partition("\ncurl ")[2].partition("```")[0]
    command = command.replace("http://127.0.0.1:8378/mcp", site.url)
    done = subprocess.run(["sh", "-c", command], check=True, capture_output=True, timeout=20)
    said = json.loads(done.stdout)["result"]["content"][0]["text"]
    assert "Next: 1/1/1  One" in said


def test_headers_may_have_blanks_round_them_and_be_in_base64(site: Site) -> None:
    call = {"name": "status", "arguments": {}}
    assert site.ask("tools/call", call, Mcp_Name="=?base64?c3RhdHVz?=")[0] == 200
    assert site.ask("tools/call", call, Mcp_Name="  status\t")[0] == 200


def test_what_cannot_be_answered_has_the_status_that_the_protocol_names(site: Site) -> None:
    assert site.ask("no/such")[0] == 404
    assert site.ask("ping")[0] == 404
    assert site.post(b"nonsense", {})[0] == 400
    assert site.post(b"[]", {})[0] == 400
    assert site.ask("tools/call", {"name": "nothing"})[0] == 400
    assert site.post(b"", {}, "GET")[0] == 405
    assert site.post(b"", {}, "DELETE")[0] == 405
    assert site.post(b"", {}, "PUT")[0] == 405
    assert site.post(b"{}", {}, path="/")[0] == 404
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert site.post(json.dumps(notice).encode(), {}) == (202, {})


def test_bodies_have_a_limit_and_a_length(site: Site) -> None:
    assert site.post(b"", {"Content-Length": "17000000"})[0] == 413
    assert site.post(b"", {"Content-Length": "9" * 30})[0] == 413
    assert site.post(b"", {"Content-Length": "-1"})[0] == 411
    with socket.create_connection(("127.0.0.1", site.port), 10) as raw:
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost:{site.port}\r\n"
        raw.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 411")


def test_a_header_that_is_there_twice_is_refused(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port), 10) as raw:
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost:{site.port}\r\nHost: evil.example\r\n"
        raw.sendall(head.encode() + b"Content-Length: 2\r\n\r\n{}")
        assert raw.recv(100).startswith(b"HTTP/1.1 400")


def test_an_earlier_client_needs_no_session(site: Site) -> None:
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    status, answer = site.post(json.dumps(begin).encode(), {})
    assert (status, answer["result"]["protocolVersion"]) == (200, "2025-06-18")
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode()
    for headers in ({}, {"MCP-Protocol-Version": "2025-06-18"}):
        status, answer = site.post(listing, headers)
        assert status == 200
        assert "resultType" not in answer["result"]
    status, answer = site.post(listing, {"MCP-Protocol-Version": "1999-01-01"})
    assert (status, answer["error"]["code"]) == (400, -32022)


def test_two_hundred_clients_at_once_are_all_answered(site: Site) -> None:
    def visit(_: int) -> str:
        _, answer = site.ask("tools/call", {"name": "status", "arguments": {}})
        text: str = answer["result"]["content"][0]["text"]
        return text

    with ThreadPoolExecutor(200) as pool:
        answers = set(pool.map(visit, range(200)))
    assert len(answers) == 1


def test_whoever_asks_too_fast_is_told_to_wait() -> None:
    rate = Rate()
    allowed = [rate.allows_one() for _ in range(20 * A_SECOND)]
    assert all(allowed[:A_SECOND])
    assert not all(allowed)


def test_clients_that_hang_keep_nobody_out_for_long(site: Site) -> None:
    hanging = [socket.create_connection(("127.0.0.1", site.port), 10) for _ in range(100)]
    for raw in hanging:
        raw.sendall(b"POST /mcp HTTP/1.1\r\nHost: x")
    assert site.ask("tools/list")[0] == 200
    for raw in hanging:
        raw.close()
    assert site.ask("tools/list")[0] == 200


def test_progress_comes_as_events_before_the_answer(site: Site) -> None:
    meta = {**MODERN, "progressToken": 7}
    parameters = {"name": "search", "arguments": {"text": "links"}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "search",
    }
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    connection.request("POST", "/mcp", json.dumps(message).encode(), headers)
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"
    assert response.headers["X-Accel-Buffering"] == "no"
    told = []
    for line in response.read().decode().splitlines():
        if line.startswith("data: "):
            told.append(json.loads(line.removeprefix("data: ")))
    assert [message.get("method") for message in told] == ["notifications/progress"] * 4 + [None]
    assert told[-1]["id"] == 1


def test_a_token_is_asked_for_where_there_is_one(root: Path) -> None:
    site = Site(root, DCTX_MCP_TOKEN=TOKEN)
    try:
        assert site.ask("tools/list")[0] == 401
        assert site.ask("tools/list", Authorization=f"Bearer {TOKEN}x")[0] == 401
        assert site.ask("tools/list", Authorization=f"Bearer {TOKEN}")[0] == 200
    finally:
        _, log = site.end()
    assert TOKEN.encode() not in log


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("0.0.0.0:0", "open to others"),
        ("nowhere", "no address"),
        ("127.0.0.1:99999", "no address"),
        (":80", "no address"),
    ],
)
def test_an_address_that_is_open_to_others_needs_a_token(
    root: Path, address: str, said: str
) -> None:
    done = subprocess.run(
        [*COMMAND, "--http", address],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_comes_by_http(site: Site, mode: str) -> None:
    pytest.importorskip("mcp.client", reason="the official SDK is not installed")
    from mcp import Client

    async def visit() -> None:
        async with Client(site.url, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 6
            result = await client.call_tool("context", {"sections": ["task"]})
            assert result.content[0].text.startswith("<task>")

    asyncio.run(asyncio.wait_for(visit(), 30))


def test_the_sdk_listens_by_http(site: Site, root: Path) -> None:
    pytest.importorskip("mcp.client", reason="the official SDK is not installed")
    from mcp import Client

    async def visit() -> None:
        async with Client(site.url) as client, client.listen(resources_list_changed=True) as events:
            write(root, {"research/HEARD.md": "# Heard\n"})
            async for event in events:
                assert type(event).__name__ == "ResourcesListChanged"
                break

    asyncio.run(asyncio.wait_for(visit(), 30))
