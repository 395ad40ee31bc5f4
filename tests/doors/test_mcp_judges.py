"""Programs that nobody here wrote judge the server: the protocol's conformance suite, and its
Inspector. `make clients` fetches them, and the Node that they need.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import ROOT, plan, task, write
from mcp_server import COMMAND, Site
from real_clients import CLIENTS

JUDGES = CLIENTS / "mcp" / "node_modules"
NODE = JUDGES / "node" / "bin" / "node"
pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(
        not (JUDGES / ".bin" / "conformance").exists() or not NODE.exists(),
        reason=f"the judges are not in {JUDGES}: `make clients` fetches them",
    ),
]
SCENARIOS = {
    "server-initialize": 2,
    "ping": 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "completion-complete": 2,
    "caching": 8,
    "http-header-validation": 14,
    "dns-rebinding-protection": 2,
    "sep-2164-resource-not-found": 4,
}
"""Those that need no tool of a certain name, with the number of their checks."""
NEED_TOOLS = ("test_missing_capability", "test_logging_tool", "test_streaming_elicitation")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan({"01-one.md": task("One")})}
    return write(tmp_path_factory.mktemp("judged"), files)


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[Site]:
    running = Site(root)
    yield running
    running.end()


def judged(name: str, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NODE, JUDGES / ".bin" / name, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )


@pytest.mark.parametrize(("scenario", "checks"), SCENARIOS.items())
def test_the_conformance_suite_finds_nothing(site: Site, scenario: str, checks: int) -> None:
    done = judged("conformance", "server", "--url", site.url, "--scenario", scenario)
    assert f"Passed: {checks}/{checks}, 0 failed" in done.stdout, done.stdout


def test_of_stateless_requests_it_finds_nothing_but_tools_that_only_tests_have(site: Site) -> None:
    done = judged("conformance", "server", "--url", site.url, "--scenario", "server-stateless")
    errors = [line for line in done.stdout.splitlines() if line.strip().startswith("Error: ")]
    assert "Passed: 24/28" in done.stdout
    assert len(errors) == 4
    assert all(any(tool in line for tool in NEED_TOOLS) for line in errors), errors


def inspect(root: Path, words: Sequence[str], *more: str) -> subprocess.CompletedProcess[str]:
    """It starts the server itself, and tells it nothing of our environment."""
    program = root / "dctx.sh"
    line = " ".join(COMMAND)
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec {line} "$@"\n')
    program.chmod(0o755)
    return judged("mcp-inspector", "--cli", str(program), *words, *more, cwd=root)


@pytest.mark.skipif(os.name == "nt", reason="it starts a script of a shell")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_no_schema_that_a_client_could_not_take(root: Path, era: str) -> None:
    words = ("--tools", "all", "--write", "plan,variables,tasks,browser")
    done = inspect(root, words, "--method", "tools/list", "--protocol-era", era, "--strict")
    assert done.returncode == 0, done.stderr
    assert "0 errors" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="it starts a script of a shell")
@pytest.mark.parametrize(
    "tool", [("status",), ("context",), ("search", "--tool-arg", "text=links")], ids=str
)
def test_the_inspector_loads_the_server_without_an_error(root: Path, tool: tuple[str, ...]) -> None:
    load = ("--load", "--load-requests", "300", "--load-concurrency", "20")
    done = inspect(root, (), "--method", "tools/call", "--tool-name", *tool, *load)
    summary = json.loads(done.stdout)
    assert (summary["ok"], summary["errors"], summary["toolErrors"]) == (300, 0, 0)


@pytest.mark.skipif(os.name == "nt", reason="it starts a script of a shell")
@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(("tool", "view"), [("plan", "plan"), ("context", "budget")])
def test_the_inspector_finds_the_page_of_a_tool_where_it_says_that_it_shows_them(
    root: Path, era: str, tool: str, view: str
) -> None:
    ask = ("--method", "tools/call", "--tool-name", tool, "--app-info", "--protocol-era", era)
    silent = inspect(root, (), *ask)
    assert (silent.returncode, json.loads(silent.stdout)["hasApp"]) == (2, False)
    shown = inspect(root, (), *ask, "--advertise-apps")
    about = json.loads(shown.stdout)
    assert (shown.returncode, about["hasApp"]) == (0, True), shown.stderr
    assert about["resourceUri"] == f"ui://dctx/{view}"
    assert "resourceError" not in about
