"""What changed between two plans: the listed changes explain every difference, and nothing else."""

from __future__ import annotations

import copy
import json

import pytest
from example_plans import SEED, good_plans, spoilt_plans, with_change
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.memory.plans.diff import (
    ADDED,
    CHANGED,
    MOVED,
    NOTHING,
    PHASE,
    PLAN,
    REMOVED,
    TASK,
    PlanChange,
    change_json,
    changes,
    kept_in_order,
    same,
    same_plan,
)
from director_ctx.memory.plans.rules import STAMPS
from director_ctx.memory.plans.text import in_short, lines


def applied(old: dict, found: list[PlanChange]) -> dict:
    """The old plan with every listed change made to it, and no other."""
    plan = copy.deepcopy(old)
    for change in found:
        if change.what == PLAN:
            put(plan, change)
    if not isinstance(plan.get("phases"), list) or not any(one.what != PLAN for one in found):
        return plan
    tasks = {str(task["task_id"]): task for phase in plan["phases"] for task in phase["tasks"]}
    rows = {
        phase["phase_name"]: [str(task["task_id"]) for task in phase["tasks"]]
        for phase in plan["phases"]
    }
    phases = {phase["phase_name"]: phase for phase in plan["phases"]}
    order = arranged(list(phases), [one for one in found if one.what == PHASE])
    was = {one.after: one.name for one in found if one.what == PHASE and one.field == "phase_name"}
    for change in found:
        if change.what == PHASE and change.kind == ADDED:
            phases[change.name], rows[change.name] = copy.deepcopy(change.after), []
        if change.what == TASK and change.kind == ADDED:
            tasks[change.name] = copy.deepcopy(change.after)
    ours = [one for one in found if one.what == TASK]
    leaving = [one.name for one in ours if one.kind in (REMOVED, MOVED)]
    rows = {name: [one for one in row if one not in leaving] for name, row in rows.items()}
    for change in sorted(ours, key=lambda one: one.place):
        if change.kind in (ADDED, MOVED):
            rows[was.get(change.phase, change.phase)].insert(change.place, change.name)
    for change in found:
        if change.kind == CHANGED and change.what != PLAN:
            put(phases[change.name] if change.what == PHASE else tasks[change.name], change)
    plan["phases"] = [
        {**phases[name], "tasks": [tasks[one] for one in rows[name]]} for name in order
    ]
    return plan


def arranged(names: list[str], found: list[PlanChange]) -> list[str]:
    leaving = [one.name for one in found if one.kind in (REMOVED, MOVED)]
    order = [name for name in names if name not in leaving]
    for change in sorted(found, key=lambda one: one.place):
        if change.kind in (ADDED, MOVED):
            order.insert(change.place, change.name)
    return order


def put(thing: dict, change: PlanChange) -> None:
    assert same(thing.get(change.field, NOTHING), change.before)
    if change.after is NOTHING:
        del thing[change.field]
    else:
        thing[change.field] = change.after


def unstamped(plan: dict) -> str:
    return json.dumps(
        {key: value for key, value in plan.items() if key not in STAMPS}, sort_keys=True
    )


@st.composite
def two_plans(draw: st.DrawFn) -> tuple[dict, dict]:
    """A plan, and another one that has much in common with it."""
    old = draw(good_plans())
    if draw(st.booleans()):
        return old, draw(good_plans())
    new = copy.deepcopy(old)
    new["phases"] = draw(st.permutations(new["phases"]))
    for phase in new["phases"]:
        phase["tasks"] = draw(st.permutations(phase["tasks"]))
        for task in phase["tasks"]:
            if draw(st.integers(0, 4)) == 0:
                task["status"] = draw(st.sampled_from(["pending", "completed"]))
        if draw(st.integers(0, 3)) == 0:
            phase["phase_name"] = f"New {phase['phase_name']}"
    if new["phases"] and draw(st.booleans()):
        moving = draw(st.sampled_from(new["phases"]))["tasks"]
        draw(st.sampled_from(new["phases"]))["tasks"].extend([moving.pop()] if moving else [])
    return old, new


@given(two_plans())
def test_the_changes_explain_every_difference(plans: tuple[dict, dict]) -> None:
    old, new = plans
    assert unstamped(applied(old, changes(old, new))) == unstamped(new)


@given(good_plans())
def test_nothing_changed_in_an_equal_plan(plan: dict) -> None:
    assert changes(plan, json.loads(json.dumps(plan, sort_keys=True))) == []
    assert (
        changes(plan, {**plan, "plan_version": 77, "updated_at": "later", "workflow_id": "x"}) == []
    )


@given(two_plans())
def test_each_difference_is_told_once_and_has_words(plans: tuple[dict, dict]) -> None:
    found = changes(*plans)
    assert len({json.dumps(change_json(one), sort_keys=True) for one in found}) == len(found)
    assert len(lines(found)) >= len(found)
    assert bool(found) != same_plan(*plans)


@given(good_plans(), spoilt_plans(), st.booleans())
def test_a_plan_that_somebody_else_wrote_can_be_compared_too(
    good: dict, spoilt: dict, first: bool
) -> None:
    old, new = (spoilt, good) if first else (good, spoilt)
    found = changes(old, new)
    assert unstamped(applied(old, found)) == unstamped(new)
    in_short(found)


@pytest.mark.parametrize("odd", [None, [], "plan", {"phases": 3}, {"phases": [{"tasks": None}]}])
def test_what_is_no_plan_is_compared_as_a_whole(odd: object) -> None:
    assert all(one.what == PLAN for one in changes(odd, SEED))
    assert changes(odd, odd) == []


def told(new: dict) -> list[str]:
    return [f"{sign} {text}" for sign, text in lines(changes(SEED, new))]


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (
            "phases/1/tasks/0/status",
            "completed",
            "~ task 4 Extract email list from inbox: pending -> completed",
        ),
        (
            "phases/0/tasks/0/notes",
            ...,
            '~ task 1 Scout Gmail login flow, notes: "Found stable selectors: #identifierId, #identifierNext"'
            " -> (nothing)",
        ),
        (
            "phases/1/tasks/0/description",
            "Read mails",
            '~ task 4, description: "Extract email list from inbox" -> "Read mails"',
        ),
        (
            "phases/1/phase_name",
            "Emails",
            '~ phase Email Extraction, phase_name: "Email Extraction" -> Emails',
        ),
        ("phases/1/tasks/0", ..., "- task 4 Extract email list from inbox"),
        ("blockers", ["No key"], '+ blockers: "No key"'),
        ("next_actions/0", ..., '- next_actions: "Test email entry validation node"'),
        ("next_actions", [*reversed(SEED["next_actions"])], "~ next_actions: in another order"),
        ("notes", None, '~ notes: "Gmail redirects to accounts.google.com as expected" -> null'),
        (
            "current_phase",
            "Email Extraction",
            '~ current_phase: "Gmail Login Setup" -> "Email Extraction"',
        ),
    ],
)
def test_a_change_in_words(path: str, value: object, line: str) -> None:
    assert told(with_change(path, value)) == [line]


def test_what_was_added_and_moved_says_where() -> None:
    new = copy.deepcopy(SEED)
    first, second = new["phases"]
    first["tasks"].insert(0, {"task_id": "5", "description": "Ask", "status": "failed"})
    second["tasks"].append(first["tasks"].pop(2))
    assert told(new) == [
        "+ task 5 Ask, failed (Gmail Login Setup)",
        "~ task 2 Build navigation node moved from Gmail Login Setup to Email Extraction",
    ]
    new["phases"].append({"phase_name": "Last", "status": "pending", "tasks": []})
    new["phases"].insert(0, new["phases"].pop(1))
    assert "+ phase Last" in told(new) and any("moved from place" in line for line in told(new))


def test_a_task_in_a_phase_that_was_renamed_is_in_the_phase_of_the_new_name() -> None:
    new = copy.deepcopy(SEED)
    new["phases"][0]["phase_name"] = "Setup"
    new["phases"][0]["tasks"][0]["notes"] = "New"
    new["phases"][0]["tasks"].append({"task_id": 9, "description": "More", "status": "pending"})
    assert {one.phase for one in changes(SEED, new) if one.what == "task"} == {"Setup"}


def test_an_entry_of_a_list_counts_as_often_as_it_is_there() -> None:
    once, twice = {**SEED, "blockers": ["Rain"]}, {**SEED, "blockers": ["Rain", "Rain"]}
    assert lines(changes(once, twice)) == [("+", "blockers: Rain")]
    assert lines(changes(twice, once)) == [("-", "blockers: Rain")]


def test_a_value_that_only_looks_equal_is_a_change() -> None:
    assert [
        one.field for one in changes({**SEED, "x": 1, "y": [1]}, {**SEED, "x": True, "y": [1.0]})
    ] == ["x", "y"]


def test_null_and_nothing_are_told_apart() -> None:
    (gone,) = changes({**SEED, "x": None}, SEED)
    assert change_json(gone) == {"kind": "changed", "what": "plan", "field": "x", "before": None}


def test_the_first_change_stands_for_the_rest_in_short() -> None:
    new = with_change("phases/1/tasks/0/status", "failed")
    new["notes"] = "x"
    new["blockers"] = ["y"]
    assert (
        in_short(changes(SEED, new))
        == "task 4 Extract email list from inbox: pending -> failed; 2 more"
    )
    assert in_short([]) == "nothing"


@given(st.lists(st.integers(0, 9), unique=True), st.lists(st.integers(0, 9), unique=True))
def test_what_kept_its_order_follows_in_both_and_could_not_be_more(
    old: list[int], new: list[int]
) -> None:
    one, other = [str(number) for number in old], [str(number) for number in new]
    kept = kept_in_order(one, other)
    assert [name for name in one if name in kept] == [name for name in other if name in kept]
    assert len(kept) == longest(one, other)


def longest(one: list[str], other: list[str]) -> int:
    """The length of the longest common row, found the slow and plain way."""
    best = [0] * (len(other) + 1)
    for name in one:
        row = [0]
        for place, there in enumerate(other):
            row.append(best[place] + 1 if name == there else max(row[-1], best[place + 1]))
        best = row
    return best[-1]
