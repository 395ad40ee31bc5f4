"""What changed between two plans: the listed changes explain every difference, and nothing else."""

from __future__ import annotations

import copy
import json

import pytest
from example_plans import SEED, good_plans, spoilt_plans, with_change
from hypothesis import given, settings

from director_ctx.memory.plans.diff import (
    PLAN,
    change_json,
    changes,
    kept_in_order,
    same_plan,
)
from director_ctx.memory.plans.text import in_short, lines


@given(good_plans())
def test_nothing_changed_in_an_equal_plan(plan: dict) -> None:
    assert changes(plan, json.loads(json.dumps(plan, sort_keys=True))) == []
    assert (
        changes(plan, {**plan, "plan_version": 77, "updated_at": "later", "workflow_id": "x"}) == []
    )


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


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("abc", "cab", "ab"),
        ("abcd", "badc", "bd"),
        ("abc", "xaybzc", "abc"),
        ("abc", "de", ""),
        ("acbd", "abcd", "abd"),
    ],
)
def test_as_many_as_can_keep_their_order(old: str, new: str, kept: str) -> None:
    assert len(kept_in_order(list(old), list(new))) == len(kept)


@given(good_plans(), spoilt_plans())
@settings(max_examples=30)
def test_a_plan_that_somebody_else_wrote_can_be_compared_too(good: dict, spoilt: dict) -> None:
    for old, new in ((spoilt, good), (good, spoilt)):
        found = changes(old, new)
        assert bool(found) != same_plan(old, new)
        assert in_short(found) and len(lines(found)) >= len(found)
