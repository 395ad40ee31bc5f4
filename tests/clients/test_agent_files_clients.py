"""Sub-agents of dctx as the real clients find them, offline."""

from __future__ import annotations

from pathlib import Path

import pytest
from claude_spawns import VERSIONS
from real_clients import Place

from director_ctx.clients.verify.run import ASK, WORK, rules

pytestmark = pytest.mark.proof

WRITING = {"Write", "Edit", "create", "edit", "write_file", "replace"}


def tools_offered(place: Place) -> set[str]:
    """To the agent that was spawned."""
    names: set[str] = set()
    for asked in place.asked:
        if WORK in asked.said and ASK not in asked.said:
            for tool in asked.body["tools"]:
                names.add(tool.get("name", ""))
                names.update(row["name"] for row in tool.get("functionDeclarations", ()))
    return names


@pytest.mark.parametrize("role", ["builder", "verifier"])
@pytest.mark.parametrize("name", [*VERSIONS, "codex 0.169.0", "copilot 1.0.102", "gemini 0.61.0"])
def test_a_client_finds_our_agents_where_they_are_installed(
    name: str, role: str, example: Path, tmp_path: Path
) -> None:
    place = Place(name, tmp_path, example)
    place.install()
    if place.client == "gemini":
        # It asks at its terminal about the agents of a project.
        place.install("--user")
    place.run([ASK], rules(place.client, f"dctx-{role}"))
    said = place.first(WORK, f"You are the {role} of a project", without=[ASK])
    # The agent's own words name it once.
    assert said.count("<instructions>") == 2
    # Codex has no tool for writing alone.
    if place.client != "codex":
        assert bool(WRITING & tools_offered(place)) == (role == "builder")
