"""The suite in two parts: what needs a real client, browser or database server is a proof, and
nothing is in neither.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pg
import pytest
from chromium import chromium
from conftest import ROOT
from proofs import belongs_to_a_proof
from real_clients import found

INTERRUPTED = (
    "tests/doors/test_bad_input.py::test_an_interrupt_ends_with_130_and_without_a_traceback"
)


def pytest_as(before: str, *words: str) -> str:
    """What another run says, begun by a shell that does this first."""
    line = f'{before}; exec "$0" -m pytest -q -p no:cacheprovider "$@"'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout + done.stderr


def recipe(target: str) -> str:
    """The commands by which `make` would reach a target, on a machine that has nothing yet."""
    words = ["make", "--no-print-directory", "--dry-run", "--always-make", target]
    told = ("DCTX_CLIENTS", "MAKEFLAGS", "MAKEOVERRIDES")  # by whoever runs this suite
    env = {name: value for name, value in os.environ.items() if name not in told}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_in_the_background_where_ctrl_c_is_ignored_it_is_still_tested(
    tmp_path: Path,
) -> None:
    said = pytest_as("trap '' INT", "-n", "1", f"--basetemp={tmp_path / 'base'}", INTERRUPTED)
    assert "1 passed" in said, said


def test_whatever_starts_a_client_a_browser_or_a_server_has_to_be_marked(tmp_path: Path) -> None:
    said = r"mark it with @pytest\.mark\.proof"
    with pytest.raises(pytest.fail.Exception, match=said):
        found("claude 2.1.197")
    with pytest.raises(pytest.fail.Exception, match=said), chromium(tmp_path):
        pass
    with pytest.raises(pytest.fail.Exception, match=said):
        next(pg.running())


@pytest.mark.proof
def test_what_is_marked_may_start_them() -> None:
    belongs_to_a_proof("a PostgreSQL server")


def test_what_needs_a_server_is_a_proof() -> None:
    said = pytest_as(":", "--collect-only", "-m", "proof", "tests/memory/test_store_contract.py")
    proofs = [line for line in said.splitlines() if "::" in line]
    assert len(proofs) > 20 and all("postgresql" in line for line in proofs)


def test_tests_fetch_no_client_and_no_browser_and_proofs_say_first_how_much_they_fetch() -> None:
    tested = recipe("test")
    assert '-m "not proof"' in tested
    assert "npm" not in tested and "chromium" not in tested

    proven = recipe("proof")
    assert "-m proof" in proven
    assert proven.index("1.7 GB on disk") < proven.index("npm install")
    assert proven.index("400 MB on disk") < proven.index("install chromium >/dev/null")


def test_ci_runs_both_and_the_summary_of_the_proofs_comes_last() -> None:
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    made = [line.split()[2] for line in lines if line.startswith("make --no-print-directory")]
    assert made == ["test", "proof"]
    assert lines[-1] == 'exit "$tested"'
