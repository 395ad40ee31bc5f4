"""What a good plan is: mistakes with their paths, and the shipped schema says the same."""

from __future__ import annotations

import json
import math

import pytest
from example_plans import (
    SEED,
    good_plans,
    spoilt_plans,
    with_change,
)
from hypothesis import given
from jsonschema import Draft202012Validator

from director_ctx.base.resources import read_shipped
from director_ctx.memory.plans import rules
from director_ctx.memory.plans.rules import DEEPEST, LARGEST, mistakes, read_plan

SCHEMA = json.loads(read_shipped("templates", "plan.schema.json"))


def told(plan: object) -> list[str]:
    return [str(one) for one in mistakes(plan)]


def test_the_example_of_every_field_is_good() -> None:
    assert told(SEED) == []
    Draft202012Validator.check_schema(SCHEMA)
    assert Draft202012Validator(SCHEMA).is_valid(SEED)


def test_unknown_keys_are_no_mistake() -> None:
    assert told({**SEED, "owner": {"name": "Ann", "tags": [1, None, True, 2.5]}}) == []


@pytest.mark.parametrize(
    ("path", "value", "mistake"),
    [
        ("overall_goal", ..., "$: overall_goal is missing"),
        ("overall_goal", " ", "$.overall_goal: it is empty"),
        ("overall_goal", 5, "$.overall_goal: 5 is not a text"),
        ("current_phase", ..., "$: current_phase is missing"),
        (
            "current_phase",
            "Gmail",
            "$.current_phase: 'Gmail' is no phase; there are 'Gmail Login Setup', 'Email Extraction'",
        ),
        ("phases", {}, "$.phases: an object is not a list"),
        ("phases/1", "x", "$.phases[1]: 'x' is not an object"),
        ("phases/1/tasks", ..., "$.phases[1]: tasks is missing"),
        ("phases/1/tasks", None, "$.phases[1].tasks: null is not a list"),
        ("phases/1/tasks/0", [], "$.phases[1].tasks[0]: a list is not an object"),
        (
            "phases/1/phase_name",
            "Gmail Login Setup",
            "$.phases[1].phase_name: 'Gmail Login Setup' is another phase's already ($.phases[0].phase_name)",
        ),
        (
            "phases/1/status",
            "done",
            "$.phases[1].status: 'done' is not a status; known are pending, in_progress, completed, failed"
            " (is completed meant?)",
        ),
        (
            "phases/1/tasks/0/status",
            "Completed",
            "$.phases[1].tasks[0].status: 'Completed' is not a status; known are pending, in_progress, completed,"
            " failed (is completed meant?)",
        ),
        (
            "phases/1/tasks/0/status",
            "purple",
            "$.phases[1].tasks[0].status: 'purple' is not a status; known are pending, in_progress, completed, failed",
        ),
        (
            "phases/1/tasks/0/task_id",
            "3",
            "$.phases[1].tasks[0].task_id: '3' is another task's already ($.phases[0].tasks[2].task_id)",
        ),
        (
            "phases/1/tasks/0/task_id",
            True,
            "$.phases[1].tasks[0].task_id: true is not an id: a whole number, or a text that is not empty",
        ),
        ("phases/0/tasks/1/node_ids/0", 123, "$.phases[0].tasks[1].node_ids[0]: 123 is not a text"),
        ("phases/0/tasks/0/notes", None, "$.phases[0].tasks[0].notes: null is not a text"),
        ("plan_version", -1, "$.plan_version: -1 is not a version: a whole number"),
        ("next_actions", "go on", "$.next_actions: 'go on' is not a list"),
        ("blockers", [1], "$.blockers[0]: 1 is not a text"),
        ("notes", "a\0b", "$.notes: the text has a NUL character, which PostgreSQL cannot hold"),
        ("notes", "a\ud800b", "$.notes: the text has half a character (a lone surrogate)"),
        ("two words", math.nan, '$["two words"]: nan is not a number between'),
        ("more", 2**53, "$.more: an integer of this size is not a number between"),
        ("more", 1e300, "$.more: 1e+300 is not a number between"),
        ("more", {"a\0": 1}, "$.more: the key 'a\\x00' has a NUL character"),
        ("more", {3: 1}, "$.more: the key 3 is not a text"),
        ("more", {1, 2}, "$.more: a set is nothing that JSON has"),
    ],
)
def test_a_mistake_is_told_with_its_path(path: str, value: object, mistake: str) -> None:
    (one,) = told(with_change(path, value))
    assert one == mistake or (len(mistake) > 30 and one.startswith(mistake))


def test_every_mistake_is_told_at_once() -> None:
    plan = with_change("phases/0/tasks/0", {"id": 1, "title": "x", "status": "ok"})
    plan["notes"] = 7
    assert told(plan) == [
        "$.phases[0].tasks[0]: task_id is missing; is id meant?",
        "$.phases[0].tasks[0]: description is missing; is title meant?",
        "$.phases[0].tasks[0].status: 'ok' is not a status; known are pending, in_progress, completed, failed"
        " (is completed meant?)",
        "$.notes: 7 is not a text",
    ]


@pytest.mark.parametrize("plan", [None, [], "plan", 3, True])
def test_what_is_no_object_is_no_plan(plan: object) -> None:
    assert len(told(plan)) == 1 and told(plan)[0].startswith("$: ")


def test_a_plan_without_phases_has_no_current_phase() -> None:
    assert told({"overall_goal": "x", "phases": []}) == []
    assert told({"overall_goal": "x", "phases": [], "current_phase": ""}) == []
    (one,) = told({"overall_goal": "x", "phases": [], "current_phase": "y"})
    assert one == "$.current_phase: 'y' is no phase; there is none"


def nested(levels: int) -> list:
    made: list = []
    for _ in range(levels - 1):
        made = [made]
    return made


def test_depth_and_size_have_limits() -> None:
    assert told({**SEED, "more": nested(DEEPEST - 1)}) == []
    (deep,) = told({**SEED, "more": nested(DEEPEST)})
    assert deep.endswith(f"lists and objects are nested deeper than {DEEPEST} levels")
    (large,) = told({**SEED, "notes": "x" * LARGEST})
    assert large == "$: the plan is too large: over 1,000,000 characters"
    (many,) = told({**SEED, "more": [0] * (LARGEST // 3 + 1)})
    assert many == large


def test_a_value_that_contains_itself_is_refused_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LARGEST", 10_000)
    around: list = []
    around += [around] * 2
    assert told({**SEED, "more": around})


def test_a_key_that_is_there_twice_is_a_mistake_of_the_file() -> None:
    _, found = read_plan(
        '{"overall_goal": "a", "phases": [{"status": "pending", "status": "failed"}]}'
    )
    assert [str(one) for one in found] == ["$.phases[0].status: the key is there twice"]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", "$: not JSON: Expecting value (line 1, column 1)"),
        ('{"a": 1,}', "$: not JSON: "),
        ("[" * 100_000, f"$: lists and objects are nested deeper than {DEEPEST} levels"),
        ("[" * 5_000 + "]" * 5_000, ""),
        (" " * (LARGEST + 1), "$: the plan is too large: over 1,000,000 characters"),
    ],
)
def test_what_is_no_json_is_told(text: str, mistake: str) -> None:
    plan, found = read_plan(text)
    both = [str(one) for one in found] or told(plan)
    assert both and both[0].startswith(mistake)


def test_a_number_of_a_million_digits_is_refused_quickly() -> None:
    plan, found = read_plan('{"overall_goal": "x", "phases": [], "n": ' + "9" * 900_000 + "}")
    assert found == [] and told(plan) == [
        "$.n: inf is not a number between -9,007,199,254,740,991 and 9,007,199,254,740,991"
    ]


BEYOND = (
    "another phase's already",
    "another task's already",
    "is no phase; there are",
    "lone surrogate",
    "nan is not a number between",
)


def schema_takes(plan: object) -> bool:
    return Draft202012Validator(SCHEMA).is_valid(plan)


@given(good_plans())
def test_a_good_plan_is_good_for_the_schema_too_and_the_same_after_json(plan: dict) -> None:
    assert told(plan) == []
    assert schema_takes(plan)
    assert read_plan(json.dumps(plan)) == (plan, [])


@given(spoilt_plans())
def test_the_shipped_schema_says_the_same_of_a_spoilt_plan(plan: dict) -> None:
    for_a_schema = [one for one in told(plan) if not any(rule in one for rule in BEYOND)]
    assert schema_takes(plan) == (not for_a_schema)
