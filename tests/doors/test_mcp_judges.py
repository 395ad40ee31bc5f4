"""A program that nobody here wrote judges the server: the Inspector of the protocol. `make clients` fetches
it, and the Node that it needs.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT, plan, task, write
from mcp_server import COMMAND
from real_clients import CLIENTS

JUDGES = CLIENTS / "mcp" / "node_modules"
NODE = JUDGES / "node" / "bin" / "node"
INSPECTOR = JUDGES / ".bin" / "mcp-inspector"
pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(
        not INSPECTOR.exists() or not NODE.exists(),
        reason=f"it is not in {JUDGES}: `make clients` fetches it",
    ),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan({"01-one.md": task("One")})}
    return write(tmp_path_factory.mktemp("judged"), files)


def inspect(root: Path, words: Sequence[str], *more: str) -> subprocess.CompletedProcess[str]:
    """It starts the server itself, and tells it nothing of our environment."""
    program = root / "dctx.sh"
    line = " ".join(COMMAND)
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec {line} "$@"\n')
    program.chmod(0o755)
    return subprocess.run(
        [NODE, INSPECTOR, "--cli", program, *words, *more],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )


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
