"""The official SDK is the judge: its client drives every tool, in both eras, and checks each answer
against the protocol's own types.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import plan, task, write

# A development dependency; where it was not fetched, the wire's own tests still run.
pytest.importorskip("mcp.client", reason="the official SDK is not installed")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from director_ctx import load_project
from director_ctx.tools.tool_sets import SETS

PLAN = {
    "overall_goal": "A list",
    "current_phase": "First",
    "phases": [
        {
            "phase_name": "First",
            "status": "in_progress",
            "tasks": [{"task_id": "1", "description": "One", "status": "pending"}],
        }
    ],
}
CALLS: dict[str, list[dict[str, Any]]] = {
    "context": [
        {},
        {"agent": "verifier", "sections": ["task"]},
        {"agent": "researcher", "inputs": {"question": "Which?"}},
    ],
    "status": [{}, {"goal": "1"}],
    "search": [{"text": "links"}, {"text": "links", "where": "conversations"}],
    "original": [{"locator": "dctx:000000000000"}],
    "plan": [
        {"action": "update", "plan": PLAN, "version": 0, "reason": "First"},
        {"action": "show"},
        {"action": "set_status", "name": "1", "status": "completed", "version": 1, "reason": "x"},
        {"action": "set_variable", "name": "a", "value": {"b": [1]}, "reason": "Seen"},
        {"action": "variables", "name": "a"},
        {"action": "claim", "name": "1/1/1", "agent": "builder-1"},
    ],
    "browser": [{"action": "tabs"}],
    "get_workflow_summary": [{}],
    "get_workflow_nodes": [{"range": "1-10"}, {"type": "task"}],
    "get_workflow_variables": [{"key": "all"}],
    "get_workflow_variable": [{"variableName": "a"}, {"nodeId": 7}],
    "get_current_plan": [{}],
    "update_plan": [{"plan": {**PLAN, "plan_version": 2}, "reason": "Anew"}],
    "get_workflow_description": [{}],
    "set_variable": [{"variableName": "b", "value": "x", "reason": "Test"}],
    "clear_variable": [{"variableName": "b", "reason": "Test", "version": 2}],
    "clear_all_variables": [{"reason": "Test", "version": 3}],
    "get_browser_state": [{}],
    "inspect_tab": [{"tabName": "Main Tab", "inspectionType": "dom_snapshot"}],
    "debug_navigate": [{"url": "http://localhost:1", "reason": "Test"}],
    "debug_action": [{"action": "click", "selector": "#x", "reason": "Test"}],
    "debug_open_tab": [{"url": "http://localhost:1", "tabName": "Debug Tab"}],
    "debug_close_tab": [{"tabName": "Debug Tab"}],
}
NAMED = re.compile(r"original (\{.*?\})")
NEED_MORE = {
    "original", "browser", "inspect_tab",
    "debug_navigate", "debug_action", "debug_open_tab", "debug_close_tab",
}  # fmt: skip
"""Without an archive or a browser these can only say what they lack."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan({"01-one.md": task("One")})}
    return write(tmp_path, files)


def held(root: Path) -> str:
    (claim,) = load_project(root=str(root)).claims().values()
    return claim.id


def with_client(
    root: Path, mode: str, work: Callable[[Client], Awaitable[None]], **options: Any
) -> None:
    words = ["-m", "director_ctx", "mcp", "--tools", "all"]
    server = StdioServerParameters(
        command=sys.executable,
        args=[*words, "--write", "plan,variables,tasks,browser"],
        cwd=root,
        env={**os.environ},
    )

    async def run() -> None:
        async with Client(stdio_client(server), mode=mode, **options) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_sdk_calls_every_tool(root: Path, mode: str) -> None:
    async def work(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in SETS["all"]]
        for tool in listed:
            for arguments in CALLS[tool.name]:
                result = await client.call_tool(tool.name, arguments)
                said = result.content[0].text
                assert said
                assert bool(result.is_error) is (tool.name in NEED_MORE), (tool.name, said)

        # What these take comes out of another answer.
        claim = {"action": "claim", "name": "1/1/1"}
        refused = await client.call_tool("plan", claim)
        assert refused.is_error and "is in progress" in refused.content[0].text
        assert not (await client.call_tool("plan", {**claim, "claim": held(root)})).is_error
        release = {"action": "release", "name": "1/1/1", "claim": held(root)}
        assert not (await client.call_tool("plan", release)).is_error
        taken = await client.call_tool("plan", claim)
        finish_it = json.loads(taken.content[0].text.rpartition("When it is done: plan ")[2])
        assert not (await client.call_tool("plan", finish_it)).is_error
        shown = await client.call_tool("search", {"text": "links", "where": "folder"})
        locator = json.loads(NAMED.findall(shown.content[0].text)[0])
        assert "links" in (await client.call_tool("original", locator)).content[0].text

    with_client(root, mode, work)


@pytest.mark.parametrize(("mode", "revision"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_sdk_settles_the_newest_revision_of_its_era(
    root: Path, mode: str, revision: str
) -> None:
    async def work(client: Client) -> None:
        assert client.protocol_version == revision
        assert client.server_info.name == "dctx"
        assert "context" in client.instructions
        assert client.server_capabilities.prompts

    with_client(root, mode, work)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_reads_prompts_and_resources(root: Path, mode: str) -> None:
    async def work(client: Client) -> None:
        prompts = (await client.list_prompts()).prompts
        assert "builder" in [prompt.name for prompt in prompts]
        got = await client.get_prompt("builder", {"task": "1/1/1"})
        assert "A list of links." in got.messages[0].content.text
        resources = (await client.list_resources()).resources
        read = await client.read_resource(resources[0].uri)
        assert read.contents[0].text
        assert (await client.list_resource_templates()).resource_templates

    with_client(root, mode, work)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_is_told_how_far_a_call_is(root: Path, mode: str) -> None:
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        assert total == 4
        assert message
        told.append(progress)

    async def work(client: Client) -> None:
        await client.call_tool("search", {"text": "links"}, progress_callback=heard)

    with_client(root, mode, work)
    assert told == [0, 1, 2, 3]


def test_fifty_calls_at_once_get_the_same_answer(root: Path) -> None:
    async def work(client: Client) -> None:
        calls = [client.call_tool("status", {}) for _ in range(50)]
        results = await asyncio.gather(*calls)
        assert {result.content[0].text for result in results} == {results[0].content[0].text}

    with_client(root, "auto", work)
