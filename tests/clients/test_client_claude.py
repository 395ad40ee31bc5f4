"""The real Claude Code, two versions of it, offline: what reaches a session, its agents, and those
after `/compact`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from claude_spawns import (
    BUILD,
    GO_ON,
    NEWEST,
    PLAN,
    SPAWN,
    VERSIONS,
    attachments,
    call,
    spawning,
)
from conftest import ROOT, commit, task, write
from real_clients import (
    NAMED,
    NAMED_TASK,
    NEXT,
    NEXT_TASK,
    SEARCH,
    Place,
    each_has_its_task,
    four_tasks,
    in_progress,
    sent_whole,
)

from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof

ONE = spawning(call("director-builder", BUILD))


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def talk(version: str, example: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A session that spawns two agents in one answer, is compacted and goes on."""
    place = Place(version, tmp_path_factory.mktemp("talk"), example)
    place.install()
    calls = call("director-builder", BUILD), call("director-planner", PLAN, model="haiku")
    place.run(
        [SPAWN, "/compact", GO_ON], spawning(*calls), ["director-builder", "director-planner"]
    )
    return place


def ended_well(place: Place) -> None:
    """The run came to its end, and the agent had its prompt."""
    for ran in place.ran:
        result = json.loads(ran.out)
        assert (ran.code, result["subtype"], result["is_error"], result["result"]) == (
            0,
            "success",
            False,
            "done",
        )
    place.first(BUILD, without=[SPAWN])


def test_a_spawned_agent_is_sent_everything_that_assemble_prints_with_its_prompt_behind(
    talk: Place,
) -> None:
    printed = talk.dctx("assemble", "builder", "--task", "2/2/1", "--no-record")
    assert "<task>" in printed.out and "<recent_changes>" in printed.out
    sent_whole(talk.first(BUILD, without=[SPAWN]), printed, BUILD, NAMED_TASK)


def test_two_agents_that_are_spawned_in_one_answer_are_each_sent_their_own(talk: Place) -> None:
    printed = talk.dctx("assemble", "planner", "--model", "haiku", "--no-record")
    assert "<gameplan>" in printed.out
    said = talk.first(PLAN, without=[SPAWN])
    sent_whole(said, printed, PLAN, "Context of the planner")
    assert BUILD not in said
    assert "<gameplan>" not in talk.first(BUILD, without=[SPAWN])


def test_every_other_field_of_a_spawn_is_kept(talk: Place) -> None:
    models = [
        asked.body["model"]
        for asked in talk.asked
        if PLAN in asked.said and SPAWN not in asked.said
    ]
    assert models and all("haiku" in model for model in models)


def test_nothing_of_a_context_is_put_into_the_conversation_that_spawned_it(talk: Place) -> None:
    assert "<instructions>" not in talk.first(SPAWN, "tool_result")


def test_a_session_is_told_where_the_project_stands(talk: Place) -> None:
    said = talk.first(SPAWN, without=["tool_result"])
    assert "Goal 2: " in said and "Next task: 2/1/" in said and "Open questions" in said
    assert "<task>" not in said


def test_after_a_compaction_the_task_and_the_decisions_are_there_again(talk: Place) -> None:
    said = talk.first(GO_ON)
    for tag in ("task", "decisions"):
        printed = talk.dctx("assemble", "builder", "--only", tag, "--no-record")
        assert printed.out.startswith(f"<{tag}>") and printed.out.rstrip("\n") in said
    assert "A summary of what was said." in said
    # Of what was said before, only the hand-over tells, and it is no request of now.
    assert said.count(SPAWN) == 1 and f"- {SPAWN}" in said


def test_the_client_finds_nothing_wrong_with_our_answers(talk: Place) -> None:
    ended = [one for one in attachments(talk) if one["type"] != "hook_additional_context"]
    assert {one["type"] for one in ended} == {"hook_success"}
    assert {"SessionStart", "PreToolUse"} <= {one["hookEvent"] for one in ended}
    answers = [json.loads(one["stdout"]) for one in ended if one["stdout"]]
    assert {key for answer in answers for key in answer} == {"hookSpecificOutput"}
    keys = {key for answer in answers for key in answer["hookSpecificOutput"]}
    assert keys == {"hookEventName", "additionalContext", "updatedInput"}


def test_each_agent_has_the_task_that_its_prompt_asks_for_and_gives_it_back_or_does_it(
    version: str, tmp_path: Path
) -> None:
    place = Place(version, tmp_path)
    four_tasks(place.root)
    place.install()
    calls = [
        call("general-purpose", prompt, run_in_background=prompt == NAMED)
        for prompt in (NEXT, NEXT, SEARCH, NAMED)
    ]

    def bash(*words: str) -> tuple[ScriptedCall]:
        command = f"{place.own_program()} {' '.join(words)}"
        return (ScriptedCall("Bash", {"command": command, "description": "Run it"}),)

    script = [
        AnswerRule(
            calls=bash("task", "done", "1/1/3"), when="your prompt names it", unless="tool_result"
        ),
        AnswerRule(calls=tuple(calls), when=SPAWN, unless="tool_result"),
        AnswerRule(calls=bash("next", "--json"), when=SPAWN, unless="in_progress"),
        AnswerRule("done"),
    ]
    place.run([SPAWN], script, more=("--allowedTools", "Bash"))
    each_has_its_task(place, SPAWN)
    # While the session went on: the one in the background may not have ended yet.
    _, _, held = place.first(SPAWN, '"in_progress": ').partition('"in_progress": ')
    held, _, _ = held.partition("]")
    assert "1/1/1" not in held and "1/1/2" not in held
    assert in_progress(place) == []
    assert list(place.root.rglob("03-task.done.md"))


def test_without_our_hooks_no_agent_is_sent_anything(
    example: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = Place(NEWEST, tmp_path_factory.mktemp("bare"), example)
    place.install()
    assert place.dctx("setup", "--undo", "--what", "hooks,agents", "--yes").code == 0
    place.run([SPAWN], ONE, ["director-builder"])
    ended_well(place)
    assert "<instructions>" not in place.first(BUILD, without=[SPAWN])
    assert "Next task" not in place.first(SPAWN)


@pytest.mark.parametrize("variable", [{"DCTX_HOOKS": "off"}, {"DCTX_ROOT": "~"}])
def test_what_its_settings_put_into_the_environment_silences_hooks_and_status_says_so(
    variable: dict[str, str], example: Path, tmp_path: Path
) -> None:
    place = Place(NEWEST, tmp_path, example)
    place.install()
    place.settings({"env": variable})
    place.run([SPAWN], ONE, ["director-builder"])
    ended_well(place)
    assert "<instructions>" not in place.first(
        BUILD, without=[SPAWN]
    ) and "Next task" not in place.first(SPAWN)
    done = place.dctx("agents")
    assert done.code == 1 and "in .claude/settings.json (env): hooks " in done.out


def test_the_nearest_settings_decide_what_is_in_the_environment(
    example: Path, tmp_path: Path
) -> None:
    place = Place(NEWEST, tmp_path, example)
    place.install("--user")
    place.settings({"env": {"DCTX_HOOKS": "off"}})
    (place.root / ".claude" / "settings.local.json").write_text(
        json.dumps({"env": {"DCTX_HOOKS": "on"}})
    )
    place.run([SPAWN], ONE, ["director-builder"])
    assert "<instructions>" in place.first(BUILD, without=[SPAWN])
    assert place.dctx("agents").code == 0


def test_a_context_of_more_than_60_000_characters_arrives_whole(tmp_path: Path) -> None:
    what = "\n".join(
        f"{number}. Do the thing number {number}, größer als 10 000 Zeichen."
        for number in range(1_800)
    )
    place = Place(NEWEST, tmp_path)
    step = "goals/01-first/01-step"
    write(place.root, {
        "VISION.md": "# Vision\n\nA thing for everyone.\n", "goals/01-first/GOAL.md": "# Goal 1: First\n",
        f"{step}/STEP.md": "# Step 1: A step\n", f"{step}/tasks/01-large.md": task("Large", what=what),
    })  # fmt: skip
    commit(place.root, "Begin")
    place.install()
    place.run([SPAWN], spawning(call("dctx-builder", "Go on.")), ["dctx-builder"])
    printed = place.dctx("assemble", "builder", "--no-record")
    assert len(printed.out) > 60_000
    sent_whole(place.first("Go on.", without=[SPAWN]), printed, "Go on.", NEXT_TASK)


def test_a_broken_folder_does_a_run_no_harm(tmp_path: Path) -> None:
    place = Place(NEWEST, tmp_path)
    broken = {"dctx.yaml": "hooks: [\n\t{", "config.json": "{", "STATE.md": b"\xff\xfe\x00\x01" * 99,
              "VISION.md/inside": "a folder", "goals/01-x/GOAL.md": b"\x00"}  # fmt: skip
    write(place.root, broken)
    (place.root / ".director" / "goals" / "02-y").symlink_to(place.root)
    place.install()
    place.run([SPAWN], ONE, ["director-builder"])
    ended_well(place)
    assert {one["type"] for one in attachments(place)} <= {
        "hook_success",
        "hook_additional_context",
    }


def crashing(*scripts: str) -> dict[str, Any]:
    hooks = [
        {"type": "command", "command": "/bin/sh", "args": ["-c", script]} for script in scripts
    ]
    return {
        "hooks": {
            event: [{"hooks": hooks}] for event in ("PreToolUse", "SessionStart", "SessionEnd")
        }
    }


def test_a_hook_that_dies_does_a_run_no_harm(example: Path, tmp_path: Path) -> None:
    place = Place(NEWEST, tmp_path, example)
    end = "# dctx hook --client claude"
    place.settings(
        crashing(f"kill -9 $$ {end}", f"echo '{{\"hookSpec'; echo No such module >&2; exit 3 {end}")
    )
    place.run([SPAWN], ONE, ["director-builder"])
    ended_well(place)


SLOW = """
import builtins, io, os, time
def slow(real):
    def wait(path=".", *more, **named):
        if isinstance(path, (str, bytes)) and ".director" in os.fsdecode(path):
            time.sleep(30)
        return real(path, *more, **named)
    return wait
builtins.open = io.open = slow(io.open)
os.open, os.stat, os.lstat, os.scandir, os.listdir = map(slow, (os.open, os.stat, os.lstat, os.scandir, os.listdir))
"""


def test_a_disk_that_does_not_answer_holds_a_run_up_for_seconds_only(
    example: Path, tmp_path: Path
) -> None:
    """Half a minute for each look into the folder: the hook gives up long before the client would."""
    place = Place(NEWEST, tmp_path, example)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "sitecustomize.py").write_text(SLOW)
    place.install()
    path = f"{tmp_path / 'slow'}:{ROOT}"
    place.run([SPAWN], ONE, ["director-builder"], environment={"PYTHONPATH": path})
    ended_well(place)
    assert "Next task" not in place.first(SPAWN) and "<instructions>" not in place.first(
        BUILD, without=[SPAWN]
    )
    assert attachments(place) == []
