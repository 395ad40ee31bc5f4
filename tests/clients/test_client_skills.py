"""Skills and the plugin in the real Claude Code, offline: what the model is sent is what `dctx
skill show --rendered` prints.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from claude_spawns import BUILD, PLAN, SPAWN, VERSIONS, attachments, call, spawning
from conftest import Result
from making_plugin import make_plugin
from real_clients import NAMED_TASK, Place, sent_whole

from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof

ASK = "offline mode"
TALK = f"/dctx:brainstorm {ASK}"


@pytest.fixture(scope="module", params=VERSIONS)
def plugged(
    request: pytest.FixtureRequest, example: Path, tmp_path_factory: pytest.TempPathFactory
) -> Place:
    """The plugin, made for this checkout and loaded for one session, which does all that
    hooks do.
    """
    folder = tmp_path_factory.mktemp("plugin")
    place = Place(str(request.param), folder, example)
    make_plugin(folder / "made", place.own_program())
    calls = call("dctx:builder", BUILD), call("dctx:planner", PLAN)
    more = ("--plugin-dir", str(folder / "made"))
    place.run([SPAWN, "/compact", "AND NOW", TALK], spawning(*calls), more=more)
    return place


def shown(said: str, rendered: Result) -> None:
    """The text of a skill, from its first line to its last, in one piece."""
    assert rendered.code == 0 and len(rendered.out) > 1_000, rendered
    assert rendered.out.strip() in said


def test_a_skill_shows_the_client_what_render_prints(example: Path, tmp_path: Path) -> None:
    place = Place(VERSIONS[1], tmp_path, example)
    assert place.dctx("setup", "--what", "skills", "--client", "claude", "--yes").code == 0
    skill = place.root / ".claude" / "skills" / "dctx-brainstorm" / "SKILL.md"
    place.run([f"/{skill.parent.name} {ASK}"], spawning())
    rendered = place.dctx("skill", "show", str(skill), "--rendered", *ASK.split())
    assert "<vision>" in rendered.out and ASK in rendered.out and "!`" not in rendered.out
    shown(place.first(ASK), rendered)


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_that_no_hook_knows_gets_its_context_by_the_line_that_the_skill_puts_into_its_prompt(
    version: str, hooks: bool, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    if hooks:
        place.install()
    assert place.dctx("setup", "--what", "skills", "--client", "claude", "--yes").code == 0
    text = (place.root / ".claude" / "skills" / "dctx-build" / "SKILL.md").read_text("utf-8")
    (line,) = [" ".join(two) for two in re.findall(r"^ +> (.*)\n +> (.*)$", text, re.MULTILINE)]
    prompt = f"{line.replace('TASK', '2/2/1')} {BUILD}"
    command = prompt.split("`")[1]
    reads = AnswerRule(
        calls=(ScriptedCall("Bash", {"command": command, "description": "Read"}),),
        when=BUILD,
        unless="tool_result",
    )
    spawns = AnswerRule(
        calls=(call("Explore", prompt),), when="# Build the next task", unless="tool_result"
    )
    place.run(["/dctx-build"], [spawns, reads, AnswerRule("done")])
    said = place.first(BUILD, "tool_result", without=["# Build the next task"])
    printed = place.dctx("assemble", "builder", "--task", "2/2/1", "--inject", "--no-record")
    assert said.count("<instructions>") == 1 and printed.out.strip() in said


def test_a_skill_of_the_plugin_shows_the_client_what_render_prints(plugged: Place) -> None:
    skill = plugged.root.parent / "made" / "skills" / "brainstorm" / "SKILL.md"
    shown(plugged.first(ASK), plugged.dctx("skill", "show", str(skill), "--rendered", *ASK.split()))


def test_agents_of_the_plugin_that_are_spawned_together_are_each_sent_their_context(
    plugged: Place,
) -> None:
    for agent, prompt, task, head in (
        ("builder", BUILD, ("--task", "2/2/1"), NAMED_TASK),
        ("planner", PLAN, (), "Context of the planner"),
    ):
        printed = plugged.dctx("assemble", agent, *task, "--no-record")
        sent_whole(plugged.first(prompt, without=[SPAWN]), printed, prompt, head)


def test_a_session_with_the_plugin_is_told_where_the_project_stands(plugged: Place) -> None:
    said = plugged.first(SPAWN, without=["tool_result"])
    assert "Next task: 2/1/" in said and "<task>" not in said


def test_after_a_compaction_the_plugin_brings_the_task_and_the_decisions_again(
    plugged: Place,
) -> None:
    said = plugged.first("AND NOW")
    for tag in ("task", "decisions"):
        printed = plugged.dctx("assemble", "builder", "--only", tag, "--no-record")
        assert printed.out.startswith(f"<{tag}>") and printed.out.rstrip("\n") in said


def test_the_client_finds_nothing_wrong_with_the_plugin(plugged: Place) -> None:
    assert {one["type"] for one in attachments(plugged)} == {
        "hook_success",
        "hook_additional_context",
    }
    assert [json.loads(ran.out)["is_error"] for ran in plugged.ran] == [False] * 4
