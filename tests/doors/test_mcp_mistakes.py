"""What agents get wrong when they ask, and what they are told to do instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import plan, task, write
from mcp_server import Server
from support.claims import started

from director_ctx import load_project, set_variable

EVERYTHING = ("--write", "plan,variables,tasks")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\n\nA list of links.\n",
        "GAMEPLAN.md": "# Gameplan\n\nGoal by goal.\n",
        "codebase/STRUCTURE.md": "# Structure\n\nFlat.\n",
        **plan(
            {
                "01-one.md": task("One", needs="Nothing.", what="Build the page of links."),
                "02-two.md": task("Two", needs="Nothing."),
                "03-three.md": task("Three", needs="Task 2"),
            }
        ),
    }
    return write(tmp_path / "project", files)


def test_who_has_a_task_is_said_and_the_next_one_that_is_free_is_given(root: Path) -> None:
    started(root, "1/1/1", "builder-1")
    with Server(root) as server:
        said = server.text("status")
        assert "\n1/1/1  One: in progress since " in said
        assert "\nNext: 1/1/2  Two" in said
        assert "<task>\n# Task: Two\n" in server.text("context")
        asked = server.text("context", task="1/1/1")
        assert "[Task 1/1/1 is in progress since" in asked
        assert asked.endswith(", builder-1. For another agent, the tasks that are free: 1/1/2.]")


def test_a_task_that_cannot_be_claimed_names_those_that_can(root: Path) -> None:
    started(root, "1/1/1", "builder-1")
    with Server(root, *EVERYTHING) as server:
        take_it = {"action": "claim", "agent": "builder-2"}
        call = 'Free: 1/1/2 Two: plan {"action":"claim","name":"1/1/2","agent":"builder-2"}'
        refused = server.refusal("plan", **take_it, name="1/1/1")
        assert "Task 1/1/1 is in progress since" in refused
        assert call in refused

        waiting = server.refusal("plan", **take_it, name="1/1/3")
        assert waiting == (
            f"Task 1/1/3 cannot start yet: it needs task 1/1/2 (Two), which is not done.\n{call}"
        )
        server.text("plan", **take_it, name="1/1/2")
        refused = server.refusal("plan", **take_it, name="1/1/1")
        assert "No other task is ready." in refused


def test_whoever_is_done_is_named_a_task_that_is_free(root: Path) -> None:
    with Server(root, *EVERYTHING) as server:
        started(root, "1/1/1", "builder-1")
        said = server.text("plan", action="claim", name="1/1/2", agent="builder-2")
        done = json.loads(said.rpartition("When it is done: plan ")[2])
        said = server.text("plan", **done)
        assert said.endswith("\nNext: 1/1/3 Three\n")


MISSING = [
    ({"action": "done"}, "done needs the arguments name and version."),
    ({"action": "claim"}, "claim needs the argument name."),
    ({"action": "release", "name": "1/1/1"}, "release needs the argument claim."),
    ({"action": "set_variable"}, "set_variable needs the arguments name, value and reason."),
    ({"action": "set_status"}, "set_status needs the arguments name, status and reason."),
    ({"action": "update", "reason": " "}, "update needs the arguments plan and reason."),
]


@pytest.mark.parametrize(("arguments", "said"), MISSING)
def test_every_argument_that_is_missing_is_named_at_once(
    root: Path, arguments: dict[str, str], said: str
) -> None:
    with Server(root, *EVERYTHING) as server:
        assert said in server.refusal("plan", **arguments)


def test_a_section_that_does_not_exist_is_taken_for_one_that_the_agent_has(root: Path) -> None:
    with Server(root) as server:
        refused = server.refusal("context", sections=["code"])
        assert "sections: there is no section 'code'." in refused
        assert "Did you mean codebase? It has: vision, current_step" in refused
        assert "browser_state" not in refused


def test_a_task_may_be_named_by_its_number_alone(root: Path) -> None:
    with Server(root) as server:
        assert server.text("context", task=2) == server.text("context", task="1/1/2")
        assert "Goal 1" in server.text("status", goal=1)


def test_a_task_of_the_plan_is_shown_alone(root: Path) -> None:
    with Server(root) as server:
        said = server.text("plan", action="show", name="1/1/2")
        assert said.startswith("- [ ] 1/1/2 Two\n")
        assert 'What it needs: context {"task":"1/1/2"}' in said
        assert "1/1/1" not in said
        assert "There is no task '9/9/9'" in server.refusal("plan", action="show", name="9/9/9")


@pytest.mark.parametrize(
    ("tools", "tool", "shown", "whole"),
    [
        (
            "few",
            "plan",
            {"action": "variables"},
            'plan {"action":"variables","name":"found.links"}',
        ),
        (
            "seed",
            "get_workflow_variables",
            {},
            'get_workflow_variable {"variableName":"found.links"}',
        ),
    ],
)
def test_a_value_that_was_cut_names_the_call_for_the_whole(
    root: Path, tools: str, tool: str, shown: dict[str, str], whole: str
) -> None:
    set_variable(load_project(root=str(root)), "port", 80, "Seen")
    with Server(root, "--tools", tools) as server:
        assert "as a whole" not in server.text(tool, **shown)
        set_variable(load_project(root=str(root)), "found.links", "x" * 300, "Seen")
        assert f"A value as a whole: {whole}\n" in server.text(tool, **shown)


def test_what_is_to_be_done_instead_is_a_call_and_no_command(root: Path) -> None:
    with Server(root, "--write", "plan") as server:
        refused = server.refusal("context", task="no such thing")
        assert "`status` shows the goals" in refused
        assert "dctx" not in refused
        # Only a person can change what agents may do.
        refused = server.refusal("plan", action="claim", name="1/1/1", agent="builder-1")
        assert "A person allows that with `dctx setup --what mcp --write plan,tasks`" in (refused)
        (root / ".director/VISION.md").unlink()
        assert "--without" not in server.text("context")
