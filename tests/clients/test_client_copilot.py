"""The real Copilot CLI, offline: what reaches a session and the agents that it spawns, whoever's
hooks it runs.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making_plugin import make_plugin
from real_clients import Place, sent_whole

from director_ctx.clients.verify.run import ASK, WORK, rules

pytestmark = pytest.mark.proof

COPILOT = "copilot 1.0.102"
TYPE = "director-builder"


def spawning(place: Place) -> Place:
    """A session that spawns one agent."""
    place.run([ASK], rules("copilot", TYPE), [TYPE])
    return place


@pytest.fixture(scope="module")
def copilot(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(COPILOT, tmp_path_factory.mktemp("copilot"), example)
    place.install()
    return spawning(place)


def told_well(place: Place) -> None:
    """The agent and the session have what they should have, once."""
    printed = place.dctx("assemble", "builder", "--no-record")
    agent = place.first(WORK, without=[ASK])
    session = place.first(ASK)
    assert place.ran[0].code == 0
    sent_whole(agent, printed, WORK)
    assert agent.count("<instructions>") == 1
    assert session.count("Next task: ") == 1 and "<instructions>" not in session


def test_an_agent_of_copilot_is_sent_everything_that_assemble_prints_with_its_prompt_behind(
    copilot: Place,
) -> None:
    told_well(copilot)


def test_copilot_runs_the_hooks_that_were_installed_for_claude_code_and_tells_the_same(
    example: Path, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path, example)
    assert place.dctx("agents", "install", "--yes").code == 0
    assert not (place.root / ".github").exists()
    told_well(spawning(place))


def test_with_hooks_for_both_nothing_is_told_twice(example: Path, tmp_path: Path) -> None:
    place = Place(COPILOT, tmp_path, example)
    place.install()
    assert place.dctx("agents", "install", "--yes").code == 0
    told_well(spawning(place))


def test_a_plugin_that_was_built_for_claude_code_tells_copilot_the_same(
    example: Path, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path, example)
    plugin = tmp_path / "plugin"
    make_plugin(plugin, place.own_program())
    place.run([ASK], rules("copilot", TYPE), [TYPE], more=["--plugin-dir", str(plugin)])
    told_well(place)


def test_an_agent_of_a_type_that_nobody_named_is_told_nothing_by_copilot(
    example: Path, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path, example)
    place.install()
    place.run([ASK], rules("copilot", "general-purpose"))
    assert "<instructions>" not in place.first(WORK, without=[ASK])


def test_the_client_finds_nothing_wrong_with_our_hooks(copilot: Place) -> None:
    (events,) = copilot.home.glob(".copilot/session-state/*/events.jsonl")
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    ended = [line["data"] for line in lines if line["type"] == "hook.end"]
    assert {"sessionStart", "preToolUse", "sessionEnd"} <= {hook["hookType"] for hook in ended}
    assert all(hook["success"] for hook in ended)


def test_verify_runs_copilot_offline_and_proves_that_the_context_arrives(copilot: Place) -> None:
    done = copilot.dctx("agents", "verify", "--client", "copilot", "--json", path=copilot.program)
    installed, ran, *_ = json.loads(done.out)["proofs"]
    assert done.code == 0, done
    assert (installed["outcome"], ran["outcome"], ran["name"]) == (
        "proven",
        "proven",
        "run offline",
    )


def test_copilot_finds_our_skills_where_they_are_installed(copilot: Place) -> None:
    assert (
        copilot.dctx("agents", "install", "--what", "skills", "--client", "copilot", "--yes").code
        == 0
    )
    listed = copilot.command("skill", "list")
    assert "dctx-build" in listed and "dctx-brainstorm" in listed
