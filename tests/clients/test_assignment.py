"""Which agent is given which task by a hook: by its type, by its prompt, and by who has what."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, plan, task, write
from hook_events import BUILDER, ask, new_prompt, spawn

from director_ctx import load_project

Run = Callable[..., Result]
FREE = "Nothing. This can start right away."
TASKS = {
    "01-set-up.done.md": task("Set up"),
    "02-readme-create-image.md": task("Write README for create-image", FREE),
    "03-argument-hint.md": task("Add argument-hint to the review command", FREE),
    "04-readme-create-video.md": task("Write README for create-video", FREE),
}
GENERAL = "general-purpose"
ENDS = "Where your prompt and this context disagree, your prompt wins."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "boat", {"VISION.md": "# Vision\n\nA boat.\n", **plan(TASKS)})


def told(root: Path, prompt: str, agent: str = BUILDER, **fields: Any) -> str:
    """What stands before the prompt; empty where nothing does."""
    event = {**spawn(prompt, agent), "tool_use_id": f"toolu_{prompt}", **fields}
    answer = ask(root, event)
    if answer is None:
        return ""
    whole = new_prompt(answer)
    assert whole.endswith(f"\n{prompt}")
    return whole.removesuffix(prompt)


def head(root: Path, prompt: str, agent: str = BUILDER, **fields: Any) -> str:
    return told(root, prompt, agent, **fields).partition("\n")[0]


# What the prompt says


@pytest.mark.parametrize(
    "prompt",
    [
        "Do task 3",
        "Do task 3 of the plan: Add argument-hint to the review command",
        "Add argument-hint to the review command",
        "Please carry out Task 3 (Add argument-hint …)",
        "Read tasks/03-argument-hint.md and do it",
        "Implement: Add argument-hint to the review command",
        "task three",
        "1/1/3",
        "Step 1, task 3: start now.",
    ],
)
@pytest.mark.parametrize("agent", [BUILDER, "dctx-builder", GENERAL])
def test_the_task_that_a_prompt_names_is_given_and_the_first_line_says_why(
    prompt: str, agent: str, root: Path
) -> None:
    said = told(root, prompt, agent)
    first, _, rest = said.partition("\n")
    assert first.startswith(
        "Task 1/1/3, Add argument-hint to the review command: your prompt names it. " + ENDS
    )
    assert "<task>\n# Task: Add argument-hint to the review command\n" in rest


@pytest.mark.parametrize(
    "prompt",
    [
        "Search the repository for PORT. Do not change anything.",
        "Review the last commit",
        "Write a haiku",
        "Task 1: read the file. Task 2: write the test.",
        "Fix issue #2",
        "Do task 42",
    ],
)
def test_a_general_purpose_agent_is_given_nothing_unless_its_prompt_names_a_task(
    prompt: str, root: Path
) -> None:
    assert told(root, prompt, GENERAL) == ""
    assert load_project(root=str(root)).claims() == {}


@pytest.mark.parametrize("prompt", ["Do the next task.", "Continue with the plan.", "next task"])
def test_a_general_purpose_agent_that_is_to_do_the_next_task_is_given_it(
    prompt: str, root: Path
) -> None:
    assert head(root, prompt, GENERAL).startswith(
        "Task 1/1/2, Write README for create-image: the next"
    )


def test_an_agent_whose_job_it_is_is_given_the_next_task_where_none_is_named(root: Path) -> None:
    assert head(root, "Go on.").startswith("Task 1/1/2, Write README for create-image: the next")


@pytest.mark.parametrize("agent", ["Explore", "code-reviewer", "fork"])
def test_other_types_are_given_nothing_whatever_they_are_asked(agent: str, root: Path) -> None:
    assert told(root, "Do task 3", agent) == ""


def test_a_project_can_say_always_and_never(root: Path) -> None:
    config = (
        "hooks:\n  agents:\n    general-purpose: never\n    tester: verifier\n    worker: always\n"
    )
    write(root, {"dctx.yaml": config})
    assert told(root, "Do task 3", GENERAL) == ""
    assert head(root, "Write a haiku", "worker").startswith("Task 1/1/2, ")
    assert head(root, "Check task 3", "tester").startswith("Task 1/1/3, ")


def test_a_title_counts_more_than_a_number(root: Path) -> None:
    first = head(root, "Task 2: Write README for create-video")
    assert first.startswith("Task 1/1/4, ")
    assert "Your prompt also says task 2, which is another task: the title counts." in first


def test_of_several_tasks_the_first_is_given_and_the_others_are_named(root: Path) -> None:
    first = head(root, "Do tasks 2 and 3.")
    assert first.startswith("Task 1/1/2, ")
    assert "also names 1/1/3 Add argument-hint to the review command: not part of" in first


def test_a_task_that_does_not_exist_is_named_with_the_nearest_and_no_task_is_given(
    root: Path,
) -> None:
    said = told(root, "Do 1/1/99")
    assert "names '1/1/99', which is no task of this plan" in said.partition("\n")[0]
    assert "The nearest: 1/1/4 Write README for create-video; 1/1/3 Add" in said
    assert "<task>" not in said and "<current_step>" not in said and "<vision>" in said
    assert load_project(root=str(root)).claims() == {}


def test_a_finished_task_is_given_with_a_word_about_it(root: Path) -> None:
    said = told(root, "Do task 1 again")
    assert "This task is done already." in said.partition("\n")[0]
    assert "# Task: Set up" in said
    assert load_project(root=str(root)).claims() == {}


# A prompt that carries its context


INSPECT = """\
<vision>
# Vision
A boat.
</vision>

<task>
Verify the whole of goal 1. Check each step for stubs and orphans.
</task>

<instructions>
Report what needs attention.
</instructions>"""
SYNC = """\
<task>
Task: Set up
</task>

<changes>
Two files were added.
</changes>

<cost_data>
Context size: 4000 characters
</cost_data>"""
DEEP_MAP = """\
<instructions>
Focus area: tech. Write .director/codebase/STACK.md and INTEGRATIONS.md.
</instructions>"""
DEBUG = """\
  <task>
  Fix what the verifier found.
  </task>

  <issues>
  1. A stub in app.py.
  </issues>"""


@pytest.mark.parametrize("prompt", [INSPECT, SYNC, DEEP_MAP, DEBUG])
@pytest.mark.parametrize(
    "agent",
    [
        *(f"director:director-{name}" for name in ("builder", "verifier", "syncer", "debugger")),
        *(f"director:director-{name}" for name in ("mapper", "deep-mapper", "deep-researcher")),
        *(
            f"director:director-{name}"
            for name in ("interviewer", "planner", "researcher", "synthesizer")
        ),
        "dctx-builder",
        GENERAL,
    ],
)
def test_a_prompt_with_a_context_of_its_own_is_left_alone(
    prompt: str, agent: str, root: Path
) -> None:
    """As the Director plugin writes them; a hook that answers nothing changes no byte."""
    assert ask(root, spawn(prompt, agent)) is None
    assert load_project(root=str(root)).claims() == {}


def test_tags_within_a_line_are_no_context_and_stay_as_they_are(root: Path) -> None:
    prompt = 'Do task 3. The form has <task type="auto"> and `</vision>`.'
    assert told(root, prompt).startswith("Task 1/1/3, ")


# Who has what


def test_two_agents_that_are_spawned_together_are_given_two_tasks(root: Path) -> None:
    def spawned(number: int) -> str:
        event = {**spawn("Do the next task."), "tool_use_id": f"toolu_{number}"}
        return new_prompt(ask(root, event)).partition(",")[0]

    with ThreadPoolExecutor(4) as pool:
        heads = sorted(pool.map(spawned, range(4)))
    assert heads[:3] == ["Task 1/1/2", "Task 1/1/3", "Task 1/1/4"]
    assert heads[3].startswith(
        "dctx gives you no task: every task that is ready is taken: 1/1/2 is in"
    )


def test_the_claim_stands_in_the_first_line_and_in_the_list_of_what_is_in_progress(
    root: Path, dctx: Run
) -> None:
    first = head(root, "Do task 3")
    (claim,) = load_project(root=str(root)).claims().values()
    assert first.endswith(f"You have it (claim {claim.id}).")
    assert "session 5f0c1d0e (director:director-builder)" in dctx("next", cwd=root).out


def test_a_task_that_another_agent_has_is_given_to_who_names_it_with_a_warning(root: Path) -> None:
    told(root, "Do task 3")
    first = head(root, "Do task 3 now")
    assert "It is in progress since" in first and "do not both work on it" in first


def test_an_agent_that_checks_starts_nothing_and_is_given_what_its_session_has_begun(
    root: Path,
) -> None:
    told(root, "Do task 3")
    first = head(root, "Check the work.", "director:director-verifier")
    assert first.startswith("Task 1/1/3, ") and "the last one that your session has begun" in first
    assert len(load_project(root=str(root)).claims()) == 1
    other = head(root, "Check the work.", "director:director-verifier", session_id="another")
    assert other.startswith("Task 1/1/2, ")


def taken(root: Path) -> list[str]:
    return [claim.ref for claim in load_project(root=str(root)).claims().values()]


def claude(event: str, **fields: Any) -> dict[str, Any]:
    return {"session_id": "5f0c1d0e", "transcript_path": "/nowhere/5f0c1d0e.jsonl", "cwd": "/",
            "hook_event_name": event, **fields}  # fmt: skip


TOOL = {
    "tool_name": "Agent",
    "tool_input": {"prompt": "Do task 3"},
    "tool_use_id": "toolu_Do task 3",
}


@pytest.mark.parametrize(
    "ending",
    [
        claude("PostToolUse", **TOOL, tool_response={"status": "completed", "agentId": "a1"}),
        claude("PostToolUseFailure", **TOOL, error="unknown agent"),
        claude("SessionEnd", reason="other"),
    ],
    ids=lambda ending: str(ending["hook_event_name"]),
)
def test_a_task_is_free_again_when_its_agent_has_ended(ending: dict[str, Any], root: Path) -> None:
    told(root, "Do task 3")
    told(root, "Do task 4", session_id="other")
    assert ask(root, ending) is None
    assert taken(root) == ["1/1/4"]
    again = head(root, "Do task 3 again")
    assert "It was begun at" in again and "look at what is there before you begin" in again


def test_an_agent_in_the_background_has_its_task_until_it_ends(root: Path, tmp_path: Path) -> None:
    first = head(root, "Do task 3")
    launched = claude(
        "PostToolUse", **TOOL, tool_response={"status": "async_launched", "agentId": "a1"}
    )
    ask(root, launched)
    assert taken(root) == ["1/1/3"]
    ask(root, claude("SubagentStop", agent_id="another"))
    assert taken(root) == ["1/1/3"]
    ask(root, claude("SubagentStop", agent_id="a1"))
    assert taken(root) == [], first


@pytest.mark.parametrize("event", ["SubagentStop", "StopFailure"])
def test_an_agent_that_ends_is_known_by_the_claim_in_its_prompt(
    event: str, root: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "agent-a1.jsonl"
    transcript.write_text(json.dumps({"message": {"content": told(root, "Do task 3")}}) + "\n")
    ask(root, claude(event, agent_id="a1", agent_transcript_path=str(transcript)))
    assert taken(root) == []


def test_after_a_compaction_a_session_is_told_the_task_that_it_has_begun(root: Path) -> None:
    told(root, "Do task 3")
    event = {"session_id": "5f0c1d0e", "hook_event_name": "SessionStart", "source": "compact"}
    answer = ask(root, event)["hookSpecificOutput"]["additionalContext"]
    assert "# Task: Add argument-hint to the review command" in answer


def test_without_a_place_for_claims_the_context_arrives_all_the_same(root: Path) -> None:
    corner = root / ".director" / ".dctx"
    corner.write_text("in the way")
    first = head(root, "Do the next task.")
    assert first.startswith("Task 1/1/2, ") and "claim" not in first


# Other clients


def test_codex_is_told_by_the_prompt_in_its_older_way(root: Path) -> None:
    event = {
        "session_id": "c1", "turn_id": "t1", "transcript_path": "/x/.codex/sessions/rollout-1-c1.jsonl",
        "cwd": "/", "hook_event_name": "PreToolUse", "model": "m", "tool_name": "spawn_agent",
        "tool_input": {"message": "Do task 3", "agent_type": "dctx-builder"}, "tool_use_id": "call_1",
    }  # fmt: skip
    specific = ask(root, event, "--client", "codex")["hookSpecificOutput"]
    assert specific["permissionDecision"] == "allow"
    message = specific["updatedInput"]["message"]
    assert message.startswith("Task 1/1/3, ") and message.endswith("\nDo task 3")
    usual = {**event, "tool_input": {"message": "Search for PORT"}}
    assert ask(root, usual, "--client", "codex") is None
    forked = {**event, "tool_input": {"message": "Do task 3", "fork_context": True}}
    assert ask(root, forked, "--client", "codex") is None
    stop = {
        "session_id": "c1", "transcript_path": event["transcript_path"], "hook_event_name": "SubagentStop",
        "agent_id": "child", "agent_type": "dctx-builder", "agent_transcript_path": "",
    }  # fmt: skip
    rollout = root / "rollout-1-child.jsonl"
    rollout.write_text(json.dumps({"text": message}) + "\n")
    ask(root, {**stop, "agent_transcript_path": str(rollout)}, "--client", "codex")
    assert taken(root) == []


@pytest.mark.parametrize(
    ("name", "agent", "ref"),
    [
        ("task_1_1_3", "default", "1/1/3"),
        ("task_3", "dctx-builder", "1/1/3"),
        ("add_argument_hint_to_the_review_command", "default", "1/1/3"),
        ("next_task", "default", "1/1/2"),
        ("look_around", "dctx-builder", "1/1/2"),
        ("search_for_port", "default", ""),
    ],
)
def test_codex_is_told_by_the_name_of_the_task_in_its_newer_way(
    name: str, agent: str, ref: str, root: Path
) -> None:
    folder = root / ".codex"
    folder.mkdir()
    rollout = folder / "rollout-1-child.jsonl"
    meta = {"multi_agent_version": "v2", "agent_path": f"/root/{name}"}
    rollout.write_text(json.dumps({"type": "session_meta", "payload": meta}) + "\n")
    event = {
        "session_id": "c1", "transcript_path": str(rollout), "cwd": "/", "hook_event_name": "SubagentStart",
        "agent_id": "child", "agent_type": agent,
    }  # fmt: skip
    answer = ask(root, event, "--client", "codex")
    if not ref:
        assert answer is None
        return
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert text.startswith(f"Task {ref}, ") and "<task>" in text
    # In the older way the prompt was answered before.
    rollout.write_text(json.dumps({"type": "session_meta", "payload": {}}) + "\n")
    assert ask(root, event, "--client", "codex") is None


def copilot(prompt: str, child: str = "c1", agent: str = GENERAL) -> dict[str, Any]:
    return {
        "hook_event_name": "UserPromptSubmit", "session_id": child, "timestamp": "2026-11-20T09:42:51.382Z",
        "cwd": "/", "agent_id": child, "agent_type": agent, "parent_agent_id": "main", "prompt": prompt,
    }  # fmt: skip


def test_copilot_is_told_in_the_agent_alone_and_once(root: Path) -> None:
    answer = ask(root, copilot("Do task 3"), "--client", "copilot")
    text = answer["additionalContext"]
    assert text.startswith("Task 1/1/3, ") and "<task>" in text
    assert ask(root, copilot("And task 4, too."), "--client", "copilot") is None
    assert ask(root, copilot("Search for PORT", "c2"), "--client", "copilot") is None
    second = ask(root, copilot("Do the next task", "c3"), "--client", "copilot")
    assert second["additionalContext"].startswith("Task 1/1/2, ")
    for name in ("SubagentStop", "ErrorOccurred"):
        ended = {**copilot("", "c1" if name == "SubagentStop" else "c3"), "hook_event_name": name}
        ask(root, ended, "--client", "copilot")
    assert taken(root) == []


def test_gemini_gives_a_task_back_by_the_claim_in_the_prompt(root: Path) -> None:
    before = {
        "session_id": "g1", "transcript_path": "/x/.gemini/tmp/chat.json", "cwd": "/",
        "hook_event_name": "BeforeTool", "tool_name": "invoke_agent",
        "tool_input": {"agent_name": "dctx-builder", "prompt": "Do task 3"},
    }  # fmt: skip
    changed = ask(root, before, "--client", "gemini")["hookSpecificOutput"]["tool_input"]
    assert taken(root) == ["1/1/3"]
    after = {**before, "hook_event_name": "AfterTool", "tool_input": changed, "tool_response": {}}
    ask(root, after, "--client", "gemini")
    assert taken(root) == []


def test_many_prompts_take_no_longer_than_a_hook_may(root: Path) -> None:
    """Half a megabyte of prompt is still read to its end in time."""
    prompt = "Some words of a long story about tasks. " * 12_000 + "\nDo task 3."
    event = {**spawn(prompt), "tool_use_id": "toolu_long"}
    assert ask(root, event) is not None
    assert os.path.exists(root / ".director" / ".dctx" / "claims.json")
