"""The next task: order, readiness, what else can be done, what waits and why, and how the program
says so.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Files, Result, plan, step, task, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx import Project, load_project, next_task
from director_ctx.project.tasks.next import (
    Candidate,
    Next,
    choose,
    current_place,
    listed_goals,
    places,
    step_complete,
)

Make = Callable[[Files], Project]
Run = Callable[..., Result]
GAMEPLAN = "# Gameplan\n\n## Goals\n\n1. **Goal 1: First** -- the beginning\n"


def shown(candidates: tuple[Candidate, ...]) -> list[str]:
    return [f"{one.place.ref} {one.readiness.kind}" for one in candidates]


def short(found: Next) -> tuple[str, str | None, list[str], list[str]]:
    """State, next task, what is ready beside it, what waits."""
    chosen = shown((found.task,))[0] if found.task else None
    return found.state, chosen, shown(found.also_ready), shown(found.waiting)


def reasons(found: Next) -> list[str]:
    return [one.readiness.why for one in found.waiting]


def needing(*needs: str, done: tuple[int, ...] = ()) -> dict[str, str]:
    """The tasks of one step, from what each needs; those in `done` are finished."""
    return {
        f"{number:02}-task.{'done.' if number in done else ''}md": task(f"Task {number}", text)
        for number, text in enumerate(needs, 1)
    }


PROSE = "The design is approved."


# A project's life


# Order


def test_goals_steps_and_tasks_are_taken_by_number(project: Make) -> None:
    files = {
        f"goals/{goal}-g/{each}-s/tasks/{one}-t.md": task()
        for goal in (9, 10)
        for each in (9, 10)
        for one in (9, 10)
    }
    found = next_task(project(files))
    assert [found.task.place.ref if found.task else "", *(one.place.ref for one in found.waiting)] == [
        "9/9/9", "9/9/10", "9/10/9", "9/10/10", "10/9/9", "10/9/10", "10/10/9", "10/10/10",
    ]  # fmt: skip


def test_what_gameplan_and_state_call_current_decides_nothing(project: Make) -> None:
    focus = "## Current Focus\n\n**Current Goal:** Goal 1\n**Current Step:** Step 2\n"
    state = "**Current step:** Step 2\n**Current task:** Task 2\n**Position:** Goal 1 > Step 2 > Task 2\n"
    loaded = project(
        plan(needing("", ""), needing("", ""))
        | {"GAMEPLAN.md": GAMEPLAN + focus, "STATE.md": state}
    )
    assert short(next_task(loaded))[1] == "1/1/1 assumed"


def test_ticked_boxes_do_not_make_a_task_done(project: Make) -> None:
    files = plan({"01-task.md": task(done="- [x] It works")})
    files["goals/01-first/01-step/STEP.md"] = step(1, "S", "- [x] Task 1: Task 1 -- DONE")
    assert short(next_task(project(files)))[1] == "1/1/1 assumed"


def test_a_step_s_own_needs_are_not_looked_at(project: Make) -> None:
    files = plan(needing("Nothing"))
    files["goals/01-first/01-step/STEP.md"] = step(needs="Needs Goal 7.")
    assert short(next_task(project(files)))[1] == "1/1/1 declared"


def test_an_unfinished_task_before_finished_ones_is_next(project: Make) -> None:
    assert short(next_task(project(plan(needing("", "", "", done=(1, 3))))))[1] == "1/1/2 assumed"


# Readiness


@pytest.mark.parametrize(
    "needs",
    ["Nothing.", "**None**", "N/A", "Nothing -- can run beside Step 9.", "Can start right away."],
)
def test_a_task_that_declares_it_needs_nothing_is_ready_anywhere(project: Make, needs: str) -> None:
    loaded = project(plan(needing("", "")) | {"goals/02-b/03-s/tasks/05-t.md": task(needs=needs)})
    assert short(next_task(loaded)) == (
        "ready",
        "1/1/1 assumed",
        ["2/3/5 declared"],
        ["1/1/2 assumed"],
    )


def test_a_task_without_the_section_is_assumed(project: Make) -> None:
    found = next_task(project(plan({"01-a.md": "# Task: A\n", "02-b.md": ""})))
    assert short(found) == ("ready", "1/1/1 assumed", [], ["1/1/2 assumed"])


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"goals/01-a/01-s/tasks/01-t.md": task(needs="Goal 8")},
            "task 1 comes before it and is not done",
        ),
        (
            {
                "goals/01-a/01-s/tasks/01-t.done.md": "",
                "goals/01-a/00-s/tasks/01-t.md": task(needs="Goal 8"),
            },
            "step 0 comes before it and is not complete",
        ),
        (
            {"goals/01-a/01-s/tasks/01-t.done.md": "", "goals/01-a/00-s/STEP.md": step()},
            "step 0 comes before it and has no tasks yet",
        ),
        (
            {
                "goals/01-a/01-s/tasks/01-t.done.md": "",
                "goals/00-a/00-s/tasks/01-t.md": task(needs="Goal 8"),
            },
            "goal 0 comes before it and is not complete",
        ),
        (
            {"goals/01-a/01-s/tasks/01-t.done.md": "", "goals/00-a/GOAL.md": ""},
            "goal 0 comes before it and is not complete",
        ),
    ],
    ids=[
        "earlier task",
        "earlier step",
        "earlier step without tasks",
        "earlier goal",
        "earlier goal without steps",
    ],
)
def test_an_assumed_task_waits_for_everything_before_it(
    project: Make, files: Files, why: str
) -> None:
    found = next_task(project({"goals/01-a/01-s/tasks/02-t.md": task(needs=PROSE), **files}))
    assert found.state == "waiting"
    assert reasons(found)[-1] == why


REFERENCES = [
    ("Task 1", "1/2/1", "it needs task 1/2/1 (Do it), which is not done"),
    ("Task 1 (in Step 1)", "1/1/1", "it needs task 1/1/1 (Do it), which is not done"),
    ("Step 1", "1/1", "it needs step 1/1 (s), which is not complete"),
    ("Goal 1 Step 1", "1/1", "it needs step 1/1 (s), which is not complete"),
    ("Goal 0", "0", "it needs goal 0 (a), which is not complete"),
    ("Goal 0, Step 3", "0/3", "it needs step 0/3 (s), which is not complete"),
    ("Goal 0 > Step 3 > Task 4", "0/3/4", "it needs task 0/3/4 (Do it), which is not done"),
    ("The previous task", "1/2/1", "it needs the previous task, and task 1 is open"),
    ("All earlier tasks", "1/2/1", "it needs the earlier tasks, and task 1 is open"),
    ("The previous step", "1/1", "it needs the previous step, and step 1 is open"),
    ("The previous goal", "0", "it needs the previous goal, and goal 0 is open"),
]


def referring(needs: str, open_units: str) -> dict[str, str]:
    """Task 1/2/2 with those needs; everything is done but the unit that is left open."""
    files = {"goals/01-b/02-s/tasks/02-t.md": task(needs=needs)}
    for ref, name in {
        "0/3/4": "00-a/03-s/tasks/04-t", "1/1/1": "01-b/01-s/tasks/01-t", "1/2/1": "01-b/02-s/tasks/01-t",
    }.items():  # fmt: skip
        ending = ".md" if (ref + "/").startswith(open_units + "/") else ".done.md"
        files[f"goals/{name}{ending}"] = task(needs="Goal 99")
    return files


@pytest.mark.parametrize(("needs", "unit", "why"), REFERENCES)
def test_a_named_unit_makes_a_task_wait_until_it_is_complete_whatever_else_is_open(
    tmp_path: Path, needs: str, unit: str, why: str
) -> None:
    def found(open_unit: str) -> Next:
        root = write(tmp_path / open_unit.replace("/", "-"), referring(needs, open_unit))
        return next_task(load_project(root=str(root)))

    waiting = {one.place.ref: one.readiness for one in found(unit).waiting}
    assert (waiting["1/2/2"].kind, waiting["1/2/2"].why) == ("explicit", why)
    other = next(ref for ref in ("0/3/4", "1/1/1", "1/2/1") if not f"{ref}/".startswith(f"{unit}/"))
    assert short(found(other))[:2] == ("ready", "1/2/2 explicit")


def test_all_units_that_are_named_must_be_complete(project: Make) -> None:
    files = plan(
        {"01-a.done.md": ""}, needing("Steps 1, 3 and 9; Task 2"), {"01-a.md": task(needs="Goal 9")}
    )
    found = next_task(project(files))
    assert reasons(found)[0] == (
        "it needs step 1/3 (Step 3), which is not complete; it needs Step 9, which does not exist; "
        "it needs Task 2, which does not exist"
    )


@pytest.mark.parametrize(
    "needs",
    [
        *(
            "Goal 7",
            "Goal 7 Step 1",
            "Step 7",
            "Step 7, Task 1",
            "Task 7",
            "Goal 1, Step 1, Task 7",
        ),
        *("Task 1", "Step 1", "Goal 1", "Goal 1, Step 1, Task 1"),
    ],
)
def test_a_task_that_needs_itself_or_what_does_not_exist_waits(project: Make, needs: str) -> None:
    found = next_task(project(plan(needing(needs))))
    assert short(found) == ("waiting", None, [], ["1/1/1 explicit"])


@pytest.mark.parametrize(
    ("needs", "named"),
    [
        ("Task 2", "task 1/1/2 (Task 2)"),
        ("Step 2", "step 1/2 (Step 2)"),
        ("Goal 2", "goal 2 (b)"),
        ("Step 2, Task 1", "task 1/2/1 (Task 1)"),
    ],
)
def test_a_task_that_needs_what_comes_later_waits(project: Make, needs: str, named: str) -> None:
    files = plan(needing(needs, PROSE), needing(PROSE)) | {"goals/02-b/01-s/tasks/01-t.md": task()}
    found = next_task(project(files))
    assert found.state == "waiting"
    assert found.waiting[0].readiness.why.startswith(f"it needs {named}, which is not")


def test_a_step_without_tasks_is_never_complete(project: Make) -> None:
    loaded = project(plan({}, needing("Step 1")))
    assert reasons(next_task(loaded)) == ["it needs step 1/1 (Step 1), which is not complete"]
    assert not step_complete(loaded, loaded.steps(loaded.goals()[0])[0])


def test_before_the_first_task_of_a_step_stands_the_step_before(project: Make) -> None:
    open_step = plan(needing("Goal 9"), needing("The previous task."))
    assert (
        reasons(next_task(project(open_step)))[1]
        == "it needs the previous task, and step 1 is open"
    )


def test_the_previous_unit_is_the_one_right_before_and_the_earlier_ones_are_all(
    project: Make,
) -> None:
    found = next_task(
        project(plan(needing("Goal 9", "", "The previous task", "All earlier tasks", done=(2,))))
    )
    assert short(found) == ("ready", "1/1/3 explicit", [], ["1/1/1 explicit", "1/1/4 explicit"])


def test_before_the_very_first_task_stands_nothing(project: Make) -> None:
    assert short(next_task(project(plan(needing("The previous task.")))))[1] == "1/1/1 explicit"


def test_of_two_units_with_the_named_number_both_must_be_complete(project: Make) -> None:
    files = plan(
        {"01-a.done.md": "", "01-b.md": task(needs="Goal 9"), "02-c.md": task(needs="Task 1")}
    )
    assert reasons(next_task(project(files)))[1] == "it needs task 1/1/1 (a), which is not done"


# A later task


def test_a_later_task_is_chosen_when_it_is_declared_or_explicit_and_says_why(project: Make) -> None:
    waits = "1/1/1 stands before it but waits (it needs Goal 9, which does not exist)"
    declared = next_task(project(plan(needing("Goal 9", PROSE, "Nothing"))))
    assert short(declared) == ("ready", "1/1/3 declared", [], ["1/1/1 explicit", "1/1/2 assumed"])
    assert declared.why == f"it needs nothing first; {waits}"


def test_a_later_task_with_met_references_is_chosen_and_says_why(project: Make) -> None:
    found = next_task(project(plan({"01-a.done.md": ""}, needing("Goal 9", PROSE, "Step 1"))))
    assert short(found) == ("ready", "1/2/3 explicit", [], ["1/2/1 explicit", "1/2/2 assumed"])
    assert found.why == (
        "everything that it needs is done; "
        "1/2/1 stands before it but waits (it needs Goal 9, which does not exist)"
    )


def test_a_later_task_that_is_only_assumed_is_never_chosen(project: Make) -> None:
    found = next_task(
        project(
            plan(needing("Goal 9", PROSE), needing(PROSE)) | {"goals/02-b/1-s/tasks/1-t.md": task()}
        )
    )
    assert short(found) == (
        "waiting",
        None,
        [],
        ["1/1/1 explicit", "1/1/2 assumed", "1/2/1 assumed", "2/1/1 assumed"],
    )
    assert choose(project({})) is None


def test_a_later_task_with_the_same_number_is_not_assumed_ready_either(project: Make) -> None:
    found = next_task(
        project(plan({"01-a.md": task(needs="Goal 9"), "01-b.md": task(needs=PROSE)}))
    )
    assert short(found) == ("waiting", None, [], ["1/1/1 explicit", "1/1/1 assumed"])


@pytest.mark.parametrize(
    ("needs", "ground"),
    [
        ("Nothing", "it needs nothing first"),
        ("The previous task", "everything that it needs is done"),
        ("", "everything before it is done"),
        (
            PROSE,
            "everything before it is done. What it needs first is described in words: "
            "read it before you start",
        ),
    ],
)
def test_the_first_task_says_on_what_ground_it_is_ready(
    project: Make, needs: str, ground: str
) -> None:
    assert next_task(project(plan(needing(needs)))).why == f"the first open task in order; {ground}"


# The states of a plan


def test_a_goal_in_gameplan_without_a_folder_is_unplanned_and_not_done(project: Make) -> None:
    loaded = project(
        plan({"01-a.done.md": ""}) | {"GAMEPLAN.md": GAMEPLAN + "2. **Goal 2: More** -- later\n"}
    )
    found = next_task(loaded)
    assert short(found) == ("unplanned", None, [], [])
    assert found.unplanned == ("goal 2 (More) is in GAMEPLAN.md and has no folder yet",)


def test_goals_without_steps_and_steps_without_tasks_are_unplanned_and_not_done(
    project: Make,
) -> None:
    loaded = project(
        plan({"01-a.done.md": ""}, {})
        | {"goals/02-b/GOAL.md": "", "goals/03-c/01-s/tasks/notes.txt": ""}
    )
    found = next_task(loaded)
    assert short(found) == ("unplanned", None, [], [])
    assert found.unplanned == (
        "step 2 of goal 1 has no tasks yet",
        "goal 2 has no steps yet",
        "step 1 of goal 3 has no tasks yet",
    )


def test_a_task_that_waits_for_review_is_still_pending(project: Make) -> None:
    files = plan(needing("", done=()))
    files["goals/01-first/01-step/STEP.md"] = step(1, "S", "- [~] Task 1: Task 1")
    assert short(next_task(project(files)))[1] == "1/1/1 assumed"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["1. **Goal 1: Ship it** -- fast"], [(1, "Ship it")]),
        (["- Goal 2: Ship it"], [(2, "Ship it")]),
        (["### Goal 3: Ship: all of it"], [(3, "Ship: all of it")]),
        (["10. **Goal 10: J**", "9. **Goal 9: I**", "9. **Goal 9: Again**"], [(9, "I"), (10, "J")]),
        (["1. **Goal 1: [Goal Name]** -- [what it is]"], []),
        (["1. Something about Goal 1: it is big"], []),
        (["**Current Goal:** Goal 1"], []),
        (["_No goals defined yet_"], []),
        (["## Later", "1. **Goal 1: No** -- x"], []),
    ],
)
def test_goals_are_read_from_the_forms_that_gameplans_have(
    lines: list[str], expected: list[tuple[int, str]]
) -> None:
    assert (
        listed_goals("# Gameplan\n\n## Goals\n\n" + "\n".join(lines) + "\n\n## Current Focus\n")
        == expected
    )


@pytest.mark.parametrize(
    "hidden",
    ["<!--\n2. **Goal 2: Maybe** -- later\n-->", "```\n2. **Goal 2: Like this** -- x\n```"],
)
def test_a_goal_in_a_comment_or_a_fence_is_not_listed(project: Make, hidden: str) -> None:
    loaded = project(plan({"01-a.done.md": ""}) | {"GAMEPLAN.md": f"{GAMEPLAN}\n{hidden}\n"})
    assert next_task(loaded).state == "done"


def test_the_current_place_is_the_first_pending_task_ready_or_not(project: Make) -> None:
    place = current_place(project(plan({"01-a.done.md": ""}, needing("Goal 9", "Nothing"))))
    assert place and place.ref == "1/2/1"


# Plans of any kind


_NEEDS = st.sampled_from(
    ["", PROSE, "Nothing", "None.", "Step 1", "Step 2", "Task 1", "Task 2", "Goal 1", "Goal 2", "Goal 1 Step 2",
     "Steps 1 and 2", "Task 2 (in Step 1)", "The previous task", "All previous steps", "The previous goal", "Goal 9"]
)  # fmt: skip
_TASK = st.tuples(st.booleans(), _NEEDS)
_PLAN = st.lists(st.lists(st.lists(_TASK, max_size=3), max_size=3), max_size=3)


def files_of(goals: list[list[list[tuple[bool, str]]]], gameplan: bool) -> Mapping[str, str]:
    files = {"GAMEPLAN.md": GAMEPLAN} if gameplan else {}
    for goal, steps in enumerate(goals, 1):
        files[f"goals/{goal:02}-g/GOAL.md"] = f"# Goal {goal}: G\n"
        for number, tasks in enumerate(steps, 1):
            files[f"goals/{goal:02}-g/{number:02}-s/STEP.md"] = step(number)
            for index, (done, needs) in enumerate(tasks, 1):
                ending = ".done.md" if done else ".md"
                files[f"goals/{goal:02}-g/{number:02}-s/tasks/{index:02}-t{ending}"] = task(
                    needs=needs
                )
    return files


@settings(max_examples=60)
@given(_PLAN, st.booleans())
def test_in_any_plan_each_pending_task_is_judged_once_and_the_quick_choice_is_the_full_one(
    goals: list[list[list[tuple[bool, str]]]], gameplan: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = str(write(Path(folder), files_of(goals, gameplan)))
        found = next_task(load_project(root=root))
        assert choose(load_project(root=root)) == found.task
        ready = ([found.task] if found.task else []) + list(found.also_ready)
        every = list(places(load_project(root=root)))
        pending = [place for place in every if place.task and not place.task.done]
        judged = [one.place for one in [*ready, *found.waiting]]
        assert sorted(judged, key=pending.index) == pending
        assert [one.place for one in ready] == [
            one for one in pending if one in judged[: len(ready)]
        ]
        assert all(one.readiness.ready and not one.readiness.why for one in ready)
        assert all(one.readiness.why for one in found.waiting)
        assert (found.state == "ready") == bool(ready) == bool(found.task)
        assert (found.state == "waiting") == bool(found.waiting and not ready)
        assert (found.state == "done") == bool(every and not pending and not found.unplanned)
        # Only what is declared or explicit may be taken out of order.
        assert all(one.readiness.kind != "assumed" or one.place == pending[0] for one in ready)


# The program


def test_next_prints_the_whole_plan_as_json_and_ends_with_0(dctx: Run, tmp_path: Path) -> None:
    files = plan(needing("Nothing.", "The previous task.", "None"), needing(PROSE)) | {
        "goals/02-b/GOAL.md": ""
    }
    result = dctx("next", "--json", cwd=write(tmp_path, files))
    goal = {"number": 1, "title": "First", "path": ".director/goals/01-first"}

    def unit(number: int) -> dict[str, Any]:
        return {
            "number": number,
            "title": f"Step {number}",
            "path": f".director/goals/01-first/0{number}-step",
        }

    def item(number: int, index: int, readiness: str) -> dict[str, Any]:
        return {
            "ref": f"1/{number}/{index}",
            "path": f".director/goals/01-first/0{number}-step/tasks/0{index}-task.md",
            "title": f"Task {index}",
            "readiness": readiness,
            "goal": goal,
            "step": unit(number),
        }

    assert json.loads(result.out) == {
        "state": "ready",
        "task": item(1, 1, "declared"),
        "also_ready": [item(1, 3, "declared")],
        "waiting": [
            {**item(1, 2, "explicit"), "why": "it needs the previous task, and task 1 is open"},
            {**item(2, 1, "assumed"), "why": "step 1 comes before it and is not complete"},
        ],
        "in_progress": [],
    }
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize(
    ("files", "code", "state"),
    [
        (plan({"01-a.done.md": "", "02-b.done.md": "", "02-b.md": ""}), 5, "done"),
        ({"GAMEPLAN.md": GAMEPLAN}, 6, "unplanned"),
    ],
    ids=["done", "only goals"],
)
def test_a_plan_without_pending_tasks_is_done_with_5_or_unplanned_with_6(
    dctx: Run, tmp_path: Path, files: Files, code: int, state: str
) -> None:
    result = dctx("next", "--json", cwd=write(tmp_path, files))
    nothing = {"task": None, "also_ready": [], "waiting": [], "in_progress": []}
    assert json.loads(result.out) == {"state": state, **nothing}
    assert result.code == code


def test_next_says_in_words_what_is_next_what_else_and_why(dctx: Run, tmp_path: Path) -> None:
    result = dctx("next", cwd=write(tmp_path, plan(needing("", "Nothing", PROSE))))
    assert result.out.splitlines() == [
        "1/1/1  Task 1",
        "Goal 1: First, step 1: Step 1",
        ".director/goals/01-first/01-step/tasks/01-task.md",
        "Ready: the first open task in order; everything before it is done.",
        "Also ready, at the same time:",
        "  1/1/2  Task 2 (it needs nothing first)",
    ]
    assert result.code == 0


def test_next_says_in_words_what_waits_and_for_what(dctx: Run, tmp_path: Path) -> None:
    result = dctx("next", cwd=write(tmp_path, plan(needing("Goal 9", PROSE), {})))
    assert result.out.splitlines()[1:] == [
        "Waiting:",
        "  1/1/1  Task 1 (it needs Goal 9, which does not exist)",
        "  1/1/2  Task 2 (task 1 comes before it and is not done)",
        "Not planned yet: step 2 of goal 1 has no tasks yet",
    ]
    assert result.code == 6


def test_next_says_in_words_that_everything_is_done(dctx: Run, tmp_path: Path) -> None:
    result = dctx("next", cwd=write(tmp_path, plan({"01-a.done.md": ""})))
    assert (result.out, result.code) == ("Everything in the gameplan is done.\n", 5)


def test_a_title_with_quotes_and_a_name_with_odd_bytes_are_still_json(
    dctx: Run, tmp_path: Path
) -> None:
    files = plan({"01-a.md": '# Task: The "hidden" \\ one\n'})
    write(tmp_path, files)
    folder = bytes(tmp_path / ".director/goals/01-first/01-step/tasks")
    os.rename(folder + b"/01-a.md", folder + b"/01-\xe9.md")
    result = dctx("next", "--json", cwd=tmp_path)
    found = json.loads(result.out)["task"]
    assert (found["title"], found["path"].rpartition("/")[2]) == (
        'The "hidden" \\ one',
        "01-\ufffd.md",
    )
