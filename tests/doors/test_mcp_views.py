"""Pages beside what a tool answers (MCP Apps): only for clients that show them, with nothing from elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from chromium import needs_chromium, needs_playwright
from conftest import plan, task, write
from mcp_server import CAPABILITIES, MODERN, Server
from proofs import belongs_to_a_proof

UI = "io.modelcontextprotocol/ui"
PAGE = "text/html;profile=mcp-app"
SHOWING = {"extensions": {UI: {"mimeTypes": [PAGE]}}}
FILES = {
    "VISION.md": "# Vision\n\nA list of links.\n",
    **plan({"01-one.md": task("<script>alert(1)</script>"), "02-two.md": task("Two")}),
}
HOST = """<!doctype html><iframe sandbox="allow-scripts" style="width:100%"></iframe><script>
const told = [];
const frame = document.querySelector("iframe");
let html = HTML;
const send = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
addEventListener("message", ({source, data}) => {
  if (source !== frame.contentWindow) return;
  told.push(data.method ?? `answer ${data.id}`);
  if (data.method === "ui/initialize") send({id: data.id, result: {protocolVersion: "2026-01-26"}});
  if (data.method === "ui/notifications/initialized") {
    send({method: "ui/notifications/tool-input", params: {arguments: {agent: "builder"}}});
    send({id: "here", method: "ping"});
  }
  if (data.method === "resources/read") send({id: data.id, result: {contents: [{text: html}]}});
  if (data.method === "ui/notifications/size-changed") frame.style.height = `${data.params.height}px`;
});
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none';
 script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:">`;
frame.srcdoc = html.replace("<head>", `<head>${policy}`);
</script>"""
"""A client as the extension describes it: its sandbox, its policy, its side of the talk."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


def meta(capabilities: dict[str, Any]) -> dict[str, Any]:
    return {**MODERN, CAPABILITIES: capabilities}


def views_of(answer: dict[str, Any]) -> dict[str, str]:
    views = {}
    for tool in answer["result"]["tools"]:
        shown = tool.get("_meta", {}).get("ui")
        if shown:
            views[tool["name"]] = shown["resourceUri"]
    return views


def read(server: Server, uri: str) -> dict[str, Any]:
    answer = server.ask("resources/read", {"uri": uri}, meta=meta(SHOWING))
    [contents] = answer["result"]["contents"]
    found: dict[str, Any] = contents
    return found


def test_only_a_client_that_shows_such_pages_is_told_of_them(root: Path) -> None:
    expected = {"plan": "ui://dctx/plan", "context": "ui://dctx/budget"}
    with Server(root) as server:
        for capabilities in ({}, {"extensions": {}}, {"extensions": {UI: {"mimeTypes": ["x"]}}}):
            listed = server.ask("tools/list", meta=meta(capabilities))
            assert views_of(listed) == {}
            about = server.ask("server/discover", meta=meta(capabilities))["result"]
            assert "extensions" not in about["capabilities"]
        listed = server.ask("tools/list", meta=meta(SHOWING))
        assert views_of(listed) == expected
        about = server.ask("server/discover", meta=meta(SHOWING))["result"]
        assert about["capabilities"]["extensions"] == {UI: {}}
        # Beside what other clients read there.
        context = next(tool for tool in listed["result"]["tools"] if tool["name"] == "context")
        assert context["_meta"]["anthropic/alwaysLoad"] is True


@pytest.mark.parametrize("capabilities", [{}, SHOWING])
def test_a_handshake_says_it_for_all_that_follows(root: Path, capabilities: dict[str, Any]) -> None:
    info = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info}
    with Server(root) as server:
        answer = server.ask("initialize", hello, meta={})
        assert ("extensions" in answer["result"]["capabilities"]) == bool(capabilities)
        assert bool(views_of(server.ask("tools/list", meta={}))) == bool(capabilities)


def test_a_page_is_one_document_that_needs_nothing_and_leads_nowhere(root: Path) -> None:
    with Server(root) as server:
        for name in ("plan", "budget"):
            contents = read(server, f"ui://dctx/{name}")
            text = contents["text"]
            assert contents["mimeType"] == PAGE
            assert not re.search(r'(src|href)="(?!#)', text)
            assert text.count("<script") == 1
            assert "<script>alert(1)" not in text
        assert "&lt;script&gt;alert(1)" in read(server, "ui://dctx/plan")["text"]


def test_a_page_is_as_the_folder_is_now(root: Path) -> None:
    with Server(root) as server:
        before = read(server, "ui://dctx/plan")["text"]
        (file,) = root.rglob("02-two.md")
        file.rename(file.with_name("02-two.done.md"))
        after = read(server, "ui://dctx/plan")["text"]
    assert "0 of 2 done" in before
    assert "1 of 2 done" in after


@pytest.mark.parametrize("uri", ["ui://dctx/health", "ui://dctx/", "ui://dctx/../plan", "ui://x"])
def test_there_are_no_other_pages(root: Path, uri: str) -> None:
    with Server(root) as server:
        answer = server.ask("resources/read", {"uri": uri})
    assert answer["error"]["message"] == "There is no such resource."


@pytest.mark.proof
@needs_chromium
@needs_playwright
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_client_that_shows_it_is_answered_and_told_how_high_it_is(
    root: Path, tmp_path: Path, scheme: str
) -> None:
    belongs_to_a_proof("a real browser")
    from chromium import PROGRAM
    from playwright.sync_api import sync_playwright

    with Server(root) as server:
        before = read(server, "ui://dctx/budget")["text"]
    after = before.replace("What each agent would be told now", "What came later")
    place = tmp_path / "host.html"
    place.write_text(HOST.replace("HTML;", json.dumps(before).replace("</", "<\\/") + ";", 1))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        page = browser.new_page(color_scheme=scheme)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(place.as_uri())
        frame = page.frame_locator("iframe")
        frame.locator("#agent-builder[open]").wait_for()
        page.wait_for_function("told.includes('answer here') && frame.style.height")
        height = page.evaluate("frame.clientHeight")
        assert height == frame.locator("body").evaluate("(body) => body.offsetHeight")

        page.evaluate("(text) => { html = text; }", after)
        page.evaluate("send({method: 'ui/notifications/tool-result', params: {content: []}})")
        frame.locator("text=What came later").wait_for()
        # What somebody opened stays open.
        frame.locator("#agent-builder[open]").wait_for()
        assert said == []
        browser.close()
