"""Which task a text in ordinary words names, judged by `prompts.jsonl`.

Each row is a prompt and what it means in one of the plans of `benchmarks/named_plans.py`: `task` (null
for none), `also` (other tasks that it names), `unknown` (it names a task that does not exist), `next`
(it asks for the next task), `disagrees` (number and title name different tasks). What is left out is
empty or false; null is not judged, except for `task`. A `debatable` row counts nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Files, plan, task, write
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import named_tasks
from benchmarks.named_plans import PLANS, write_plan
from director_ctx import Project, load_project
from director_ctx.project.tasks.in_words import task_in_words
from director_ctx.project.tasks.next import places

Make = Callable[[Files], Project]
Figure = Callable[[str, str], None]
Row = dict[str, Any]


class Judged(NamedTuple):
    """What a row says, and what was understood."""

    row: Row
    got: Row


ROWS: list[Row] = [
    json.loads(line)
    for line in Path(__file__).with_name("prompts.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Project]:
    made = {}
    for name in PLANS:
        root = tmp_path_factory.mktemp(name)
        write_plan(root, name)
        made[name] = load_project(root=str(root))
    return made


@pytest.fixture(scope="module")
def judged(projects: dict[str, Project]) -> list[Judged]:
    return [_judge(projects[row["plan"]], row) for row in ROWS if not row.get("debatable")]


def _judge(project: Project, row: Row) -> Judged:
    named = task_in_words(project, row["prompt"])
    got = {
        "task": named.place.ref if named.place else None,
        "also": [place.ref for place in named.also],
        "unknown": bool(named.unknown),
        "next": named.asks_next,
        "disagrees": bool(named.disagrees),
    }
    return Judged(row, got)


def test_the_corpus_is_large_and_names_tasks_that_there_are(projects: dict[str, Project]) -> None:
    refs = {name: {place.ref for place in places(made)} for name, made in projects.items()}
    for row in ROWS:
        assert {*filter(None, [row["task"]]), *(row.get("also") or ())} <= refs[row["plan"]], row
        assert not (row["task"] and row.get("next")), row
    assert len({(row["plan"], row["prompt"]) for row in ROWS}) == len(ROWS)
    assert sum(row["task"] is not None for row in ROWS) >= 100


def test_a_task_that_a_prompt_names_is_found_and_no_other(
    judged: list[Judged], figure: Figure
) -> None:
    assert [one for one in judged if one.got["task"] not in (None, one.row["task"])] == []
    wanted = [one for one in judged if one.row["task"]]
    missed = [one for one in wanted if not one.got["task"]]
    figure("prompts: task", f"{len(wanted) - len(missed)} of {len(wanted)} found")
    assert len(missed) <= 0.05 * len(wanted), missed


def test_the_other_tasks_that_a_prompt_names_are_listed(
    judged: list[Judged], figure: Figure
) -> None:
    of_found = [
        (one.row.get("also", []), one.got["also"], one.row["prompt"])
        for one in judged
        if one.got["task"] == one.row["task"]
    ]
    known = [one for one in of_found if one[0] is not None]
    missed = [one for one in known if one[0] != one[1]]
    figure("prompts: also", f"{len(known) - len(missed)} of {len(known)} right")
    assert len(missed) <= 5, missed


@pytest.mark.parametrize("key", ["next", "unknown", "disagrees"])
def test_what_a_prompt_says_is_found_and_nothing_else(
    key: str, judged: list[Judged], figure: Figure
) -> None:
    """It asks for the next task, names one that is not there, or a number disagrees with its title."""
    of_key = [one for one in judged if one.row.get(key, False) is not None]
    assert [one for one in of_key if one.got[key] and not one.row.get(key)] == []
    wanted = [one for one in of_key if one.row.get(key)]
    missed = [one for one in wanted if not one.got[key]]
    figure(f"prompts: {key}", f"{len(wanted) - len(missed)} of {len(wanted)} found, 0 wrong")
    assert len(missed) <= 0.1 * len(wanted), missed


# One small plan, for what is about places in a text and for odd plans.

FILES = {
    **plan(
        {"01-one.done.md": task("One"), "02-two.md": task("Two")}, {"01-three.md": task("Three")}
    ),
    "goals/02-second/GOAL.md": "# Goal 2: Second\n",
    "goals/02-second/01-step/STEP.md": "# Step 1: Other\n",
    "goals/02-second/01-step/tasks/02-two.md": task("Two again"),
    "goals/02-second/01-step/tasks/10-ten.md": task("Ten"),
}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return load_project(root=str(write(tmp_path_factory.mktemp("planned"), FILES)))


def found(project: Project, text: str) -> str:
    place = task_in_words(project, text).place
    return place.ref if place else ""


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        (".director/goals/02-second/01-step/tasks/02-two.md", "2/1/2"),
        ("Read .director/goals/02-second/01-step/tasks/02-two.md, then build it.", "2/1/2"),
        ("goals/02-second/01-step/tasks/10-ten.md", "2/1/10"),
        ("/home/ada/my boat/.director/goals/01-first/02-step/tasks/01-three.md", "1/2/1"),
        ("D:\\my boat\\.director\\goals\\01-first\\02-step\\tasks\\01-three.md", "1/2/1"),
        ("file:///x/.director/goals/01-first/02-step/tasks/01-three.md", "1/2/1"),
        ("**.director/goals/01-first/01-step/tasks/01-one.md**", "1/1/1"),
        ("<.director/goals/01-first/01-step/tasks/02-two.done.md>", "1/1/2"),
        ("TASK=.director/goals/01-first/01-step/tasks/02-two.md", "1/1/2"),
        ("@.director/goals/01-first/01-step/tasks/02-two.md!", "1/1/2"),
        ("See .director/goals/02-second/01-step/tasks/02-two.md:12", "2/1/2"),
        ("See .director/goals/02-second/01-step/tasks/02-two.md#L12", "2/1/2"),
        ("See .director/goals/02-second/01-step/tasks/02-two.md:12:3", "2/1/2"),
        ("2/1/10", "2/1/10"),
        ("#2/1/10:", "2/1/10"),
        ("02/01/10", "2/1/10"),
        ("Goal 2 > Step 1 > Task 10", "2/1/10"),
        ("goal 2>step 1>task 10", "2/1/10"),
        ("GOAL 2 / STEP 1 / TASK 10.", "2/1/10"),
        ("Task 10 of Step 1 in Goal 2", "2/1/10"),
        ("(task 10, step 1, goal 2)", "2/1/10"),
        ("goal 2 > task 10 > step 1", "2/1/10"),
        ("goal: 2\nstep: 1\ntask: 10\n", "2/1/10"),
        ("Goal 2 -> Step 1 -> Task 10", "2/1/10"),
        ("step 1 > task 2", "1/1/2"),
        ("goal one > step one > task two", "1/1/2"),
        ("01-three", "1/2/1"),
        # The first that the plan has; a path before a reference, which it can be told from.
        ("9/9/9, then 2/1/2, then 1/1/2", "2/1/2"),
        (
            ".director/goals/01-first/01-step/tasks/09-no.md"
            " .director/goals/01-first/02-step/tasks/01-three.md 1/1/2",
            "1/2/1",
        ),
        ("1/1/2: .director/goals/02-second/01-step/tasks/02-two.md", "2/1/2"),
        ("2/1/2 " + "x " * 200_000, "2/1/2"),
    ],
)
def test_a_path_and_a_reference_name_a_task(text: str, ref: str, planned: Project) -> None:
    assert found(planned, text) == ref


@pytest.mark.parametrize(
    "text",
    [
        "1/2",
        "1.1.2",
        "1-1-2",
        "2026/01/02",
        "1/1/2026",
        "v1/1/2",
        "1/1/2/3",
        "1/1/",
        "/1/1/2",
        "9/9/9",
        "https://example.org/1/1/2",
        "example/goals/01-first/GOAL.md",
        ".director/goals/01-first/01-step/tasks/",
        ".director/goals/01-first/01-step/tasks/02-two.txt",
        ".director/goals/01-first/01-step/tasks/02-two.md.bak",
        ".director/goals/01-first/01-step/notes/02-two.md",
        ".director/goals/02-second/02-step/tasks/02-two.md",
        # Two tasks end so.
        "tasks/02-two.md",
        "¹/¹/²",
        "١/١/٢",
        # Who names a task by its file, and it is not there, gets no other one.
        "1/1/2: .director/goals/02-second/01-step/tasks/99-no.md",
    ],
)
def test_what_only_looks_like_it_names_none(text: str, planned: Project) -> None:
    assert found(planned, text) == ""


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Do .director/goals/01-first/01-step/tasks/07-seven.md, please", "07-seven"),
        ("Do goal 4, step 1, task 2.", "4"),
        ("Do task 3/1/99.", "3/1/99"),
        ("Do Task 42.", "42"),
        ("As of 9/9/2026, or 1/1/2026, do it.", ""),
        ("Do the next one.", ""),
        ("Do 1/1/2.", ""),
    ],
)
def test_a_name_of_no_task_is_told(text: str, unknown: str, planned: Project) -> None:
    named = task_in_words(planned, text)
    assert unknown in named.unknown
    assert bool(named.unknown) == bool(unknown)


@given(
    words=st.lists(
        st.sampled_from(
            [
                *'0123456789/\\ >.-`<("#:…',
                *("goal ", "step ", "task ", ".director/goals/", ".md", "two", "Two again"),
                *("T012", "next ", "plan", "\n"),
            ]
        )
    )
)
def test_no_text_is_too_odd(words: list[str], planned: Project) -> None:
    named = task_in_words(planned, "".join(words))
    every = list(places(planned))
    assert named.place is None or (named.place in every and not named.asks_next)
    assert all(place in every and place != named.place for place in named.also)


@pytest.mark.parametrize(
    "files",
    [
        {"VISION.md": "# Vision\n"},
        {"goals/01-first/GOAL.md": "# Goal 1: First\n"},
        {"goals/01-first/01-step/STEP.md": "# Step 1: Step\n"},
    ],
)
def test_a_plan_without_tasks_has_none(files: Files, project: Make) -> None:
    empty = project(files)
    for text in ("1/1/1 and .director/goals/01-first/01-step/tasks/02-two.md", "task 2", "#1"):
        assert found(empty, text) == ""
    assert task_in_words(empty, "Do the next task of the plan.").asks_next


def test_a_finished_plan_still_has_its_tasks(project: Make) -> None:
    finished = project(plan({"01-one.done.md": task("One")}, {"01-uno.done.md": task("Uno")}))
    assert found(finished, "Do 1/1/1.") == "1/1/1"
    assert found(finished, 'Look at the task "Uno" again.') == "1/2/1"


def test_of_two_tasks_with_one_number_the_first_is_meant(project: Make) -> None:
    twice = project(plan({"01-one.md": task("One"), "01-uno.md": task("Uno")}))
    place = task_in_words(twice, "1/1/1").place
    assert place and place.task
    assert place.task.path.endswith("01-one.md")


def test_the_prompts_of_real_sessions_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a session of Claude Code and one of Codex: what users and spawning agents wrote."""
    call = {"type": "tool_use", "id": "c1", "name": "Task", "input": {"prompt": "Implement 3/1/2."}}
    claude = [
        {"type": "user", "uuid": "1", "message": {"content": "why is it slow?"}},
        {"type": "assistant", "uuid": "2", "message": {"id": "m", "content": [call]}},
    ]
    said = {"type": "message", "role": "user", "content": [{"text": "Do 3/1/3."}]}
    spawned = {
        "type": "function_call",
        "call_id": "c2",
        "name": "spawn_agent",
        "arguments": json.dumps({"message": "Do the next task of the plan."}),
    }
    codex = [{"type": "session_meta", "payload": {}}] + [
        {"type": "response_item", "payload": payload} for payload in (said, spawned)
    ]
    for name, lines in (("claude", claude), ("codex", codex)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))

    monkeypatch.setattr("sys.argv", ["named_tasks", "--sessions", str(tmp_path)])
    named_tasks.main()
    shown = capsys.readouterr().out
    assert "2 messages of users, 2 prompts of spawned agents" in shown
    assert "plan a: 2 task, 1 next, 0 unknown (75.0%)" in shown
    assert "task 3/1/2\n    spawn, 16 characters: Implement 3/1/2." in shown
