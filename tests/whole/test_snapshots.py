"""Whole outputs on the bundled example, as users see them. `DCTX_UPDATE_SNAPSHOTS=1` writes them
anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result

from director_ctx.context.settings.profiles import PROFILES

FOLDER = Path(__file__).parents[1] / "snapshots"

COMMANDS = {
    "help": "--help",
    "help-all": "help --all",
    "help-assemble": "assemble --help",
    "help-agents": "agents --help",
    "status": "status",
    "status-goal": "status --goal 2",
    "status-json": "status --json",
    "next": "next",
    "next-json": "next --json",
    "budget": "budget builder",
    "budget-all": "budget --all",
    "budget-what-if": "budget planner --what-if",
    "budget-json": "budget verifier --json",
    "builder-pull": "assemble builder --layout pull --with task",
    "profiles": "profiles",
    "profiles-builder": "profiles builder",
    "profiles-types": "profiles --types",
    "profiles-ladder": "profiles --ladder",
    "profiles-models": "profiles --models",
    "explain": "assemble builder --explain --budget 2900 -o /dev/null",
    "builder-cache": "assemble builder --layout cache --ref terminology.md",
    "builder-markdown": "assemble builder --format markdown",
    "builder-quick": "assemble builder --quick 'Install a dependency'",
    "builder-reduced": "assemble builder --budget 2900",
    "planner-step": "assemble planner --step 2",
    "deep-researcher-step": "assemble deep-researcher --step 2 --input domain=stack",
    "deep-mapper-focus": "assemble deep-mapper --input focus=arch --with vision",
    "synthesizer-mode": "assemble synthesizer --input mode=research",
    "syncer-upstream": "assemble syncer --with task,project_state,changes,cost_data --changes HEAD~2",
    "debugger": "assemble debugger --input attempt=2",
    **{f"agent-{agent}": f"assemble {agent}" for agent in PROFILES},
}


def timeless(text: str) -> str:
    """Without the id of this copy's workflow."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "WORKFLOW", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_as_it_was(name: str, dctx: Callable[..., Result], example: Path) -> None:
    import shlex

    result = dctx(*shlex.split(COMMANDS[name]), cwd=example)
    found = f"$ dctx {COMMANDS[name]}\n{timeless(result.out)}"
    if result.err:
        found += f"--- stderr\n{result.err}"
    found += f"--- exit {result.code}\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_there_is_no_snapshot_without_a_command() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(COMMANDS)
