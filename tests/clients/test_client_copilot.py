"""The real Copilot CLI, offline: what reaches a session and the agents that it spawns, whoever's
hooks it runs.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making_plugin import make_plugin
from real_clients import (
    NAMED,
    NEXT,
    NEXT_TASK,
    SEARCH,
    Place,
    each_has_its_task,
    four_tasks,
    in_progress,
    sent_whole,
)

from director_ctx.clients.verify.run import ASK, WORK, rules
from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

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


def told_well(place: Place, *, borrowed: bool = False) -> None:
    """The agent and the session have what they should have, once, and the task is free again."""
    printed = place.dctx("assemble", "builder", "--no-record")
    agent = place.first(WORK, without=[ASK])
    session = place.first(ASK)
    assert place.ran[0].code == 0
    sent_whole(agent, printed, WORK, NEXT_TASK, behind=not borrowed)
    assert agent.count("<instructions>") == 1
    assert session.count("Next task: ") == 1
    main = [asked.said for asked in place.asked if ASK in asked.said]
    assert any("<instructions>" in said for said in main) is borrowed
    assert in_progress(place) == []


def test_an_agent_of_copilot_alone_is_sent_everything_that_assemble_prints(copilot: Place) -> None:
    told_well(copilot)


@pytest.mark.parametrize("mode", ["sync", "background"])
def test_each_agent_of_copilot_has_the_task_that_its_prompt_asks_for(
    mode: str, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path)
    four_tasks(place.root)
    place.install()
    calls = []
    for number, prompt in enumerate((NEXT, NEXT, SEARCH, NAMED)):
        told = {"description": "Work", "name": f"w{number}", "prompt": prompt, "mode": mode}
        calls.append(ScriptedCall("task", {"agent_type": "general-purpose", **told}))
    script = [
        AnswerRule(calls=tuple(calls), when=ASK, unless="tool_result"),
        AnswerRule("done", when=ASK),
        AnswerRule("done", after=5),
    ]
    place.run([ASK], script)
    each_has_its_task(place, ASK)
    assert in_progress(place) == []


def test_copilot_runs_the_hooks_that_were_installed_for_claude_code_and_tells_the_same(
    example: Path, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path, example)
    place.install(client="claude")
    assert not (place.root / ".github").exists()
    told_well(spawning(place), borrowed=True)


def test_with_hooks_for_both_nothing_is_told_twice(example: Path, tmp_path: Path) -> None:
    place = Place(COPILOT, tmp_path, example)
    place.install()
    place.install(client="claude")
    told_well(spawning(place))


def test_a_plugin_that_was_built_for_claude_code_tells_copilot_the_same(
    example: Path, tmp_path: Path
) -> None:
    place = Place(COPILOT, tmp_path, example)
    plugin = tmp_path / "plugin"
    make_plugin(plugin, place.own_program())
    place.run([ASK], rules("copilot", TYPE), [TYPE], more=["--plugin-dir", str(plugin)])
    told_well(place, borrowed=True)


def test_the_client_finds_nothing_wrong_with_our_hooks(copilot: Place) -> None:
    (events,) = copilot.home.glob(".copilot/session-state/*/events.jsonl")
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    ended = [line["data"] for line in lines if line["type"] == "hook.end"]
    assert {"sessionStart", "userPromptSubmitted", "subagentStop", "sessionEnd"} <= {
        hook["hookType"] for hook in ended
    }
    assert all(hook["success"] for hook in ended)


def test_copilot_finds_our_skills_where_they_are_installed(copilot: Place) -> None:
    assert copilot.dctx("setup", "--what", "skills", "--client", "copilot", "--yes").code == 0
    listed = copilot.command("skill", "list")
    assert "dctx-build" in listed and "dctx-brainstorm" in listed
