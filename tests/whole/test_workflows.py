"""What runs on GitHub: pinned, with few rights, and the same as here. `make workflows` looks
deeper.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def loaded(path: Path) -> dict[str, Any]:
    """YAML takes the key `on` for a truth value; what is asked for here has other names."""
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def test_there_is_one_for_changes_and_one_for_releases() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_a_commit_with_its_version_beside_it(path: Path) -> None:
    uses = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    actions = [one for one in uses if not one.startswith("./")]
    assert actions
    for action in actions:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_write_nothing_and_no_strangers_change_runs_with_rights(path: Path) -> None:
    assert loaded(path)["permissions"] in ({}, {"contents": "read"})
    assert "pull_request_target" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_checkout_leaves_a_credential_behind(path: Path) -> None:
    steps = [step for job in loaded(path)["jobs"].values() for step in job.get("steps", ())]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_who_may_sign_or_write_runs_nothing_of_the_packages() -> None:
    """Only the pinned action of its task, and GitHub's own program."""
    jobs = loaded(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    trusted = {name: job for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert set(trusted) == {"attest", "publish", "announce"}

    commands = [step["run"] for job in trusted.values() for step in job["steps"] if "run" in step]
    assert all(command.startswith("gh release create ") for command in commands)


def test_every_promised_python_is_tested_on_every_system() -> None:
    jobs = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    for job in jobs.values():
        assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert set(jobs) == {"posix", "windows"}
