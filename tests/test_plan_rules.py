"""What a good plan is: mistakes with their paths, and the shipped schema says the same."""

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from director_ctx.base.resources import read_shipped
from director_ctx.memory.plans.rules import STATUSES, mistakes
from director_ctx.memory.plans.values import DEEPEST, LARGEST, read_plan

SCHEMA = json.loads(read_shipped("templates", "plan.schema.json"))
SEED = {
    "workflow_id": "uuid",
    "plan_version": 1,
    "created_at": "2024-01-01T00:00:00Z",
    "updated_at": "2024-01-01T00:00:00Z",
    "overall_goal": "Build Gmail to Airtable email extraction workflow",
    "current_phase": "Gmail Login Setup",
    "phases": [
        {
            "phase_name": "Gmail Login Setup",
            "status": "in_progress",
            "tasks": [
                {
                    "task_id": 1,
                    "description": "Scout Gmail login flow",
                    "status": "completed",
                    "notes": "Found stable selectors: #identifierId, #identifierNext",
                },
                {
                    "task_id": 2,
                    "description": "Build navigation node",
                    "status": "completed",
                    "node_ids": ["node_123"],
                },
                {
                    "task_id": 3,
                    "description": "Build and validate email entry",
                    "status": "in_progress",
                    "node_ids": ["node_124", "node_125"],
                },
            ],
        },
        {
            "phase_name": "Email Extraction",
            "status": "pending",
            "tasks": [
                {"task_id": 4, "description": "Extract email list from inbox", "status": "pending"}
            ],
        },
    ],
    "next_actions": [
        "Test email entry validation node",
        "Build password entry if email validation succeeds",
    ],
    "blockers": [],
    "notes": "Gmail redirects to accounts.google.com as expected",
}


def with_change(path: str, value: object) -> dict:
    """The seed's plan with something else at a path such as `phases/0/status`; `...` takes it away."""
    made = copy.deepcopy(SEED)
    *above, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place = made
    for part in above:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return made


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


def test_a_value_that_contains_itself_is_refused_and_ends() -> None:
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


WORDS = st.one_of(st.sampled_from(["A", "B", "1", "", " ", "done", *STATUSES]), st.text(max_size=3))
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.floats(), WORDS, st.lists(WORDS, max_size=2),
    st.integers(2**53 - 2, 2**53 + 2), st.dictionaries(WORDS, WORDS, max_size=2),
)  # fmt: skip


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("xyz"), inner, max_size=2)
    ),
    max_leaves=4,
)
CLEAN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
TASKS = st.fixed_dictionaries(
    {
        "task_id": st.none(),
        "description": CLEAN.map(lambda text: f"Do {text}"),
        "status": st.sampled_from(STATUSES),
    },
    optional={"notes": CLEAN, "node_ids": st.lists(CLEAN, max_size=2), "extra": CLEAN},
)
PHASES = st.fixed_dictionaries(
    {
        "phase_name": st.none(),
        "status": st.sampled_from(STATUSES),
        "tasks": st.lists(TASKS, max_size=3),
    },
    optional={"extra": CLEAN},
)
TEXTS = st.lists(CLEAN, max_size=2)
FIELDS = st.fixed_dictionaries(
    {"overall_goal": CLEAN.map(lambda text: f"To {text}"), "phases": st.lists(PHASES, max_size=3)},
    optional={
        "next_actions": TEXTS,
        "blockers": TEXTS,
        "notes": CLEAN,
        "plan_version": st.integers(0, 3),
        "extra": CLEAN,
    },
)


@st.composite
def good_plans(draw: st.DrawFn) -> dict:
    plan = draw(FIELDS)
    names = draw(st.permutations(["A", "B", "C"]))
    ids = iter(draw(st.permutations([1, 2, 3, "4", "five", "1/2/3", 7.0, -8, 9])))
    for phase, name in zip(plan["phases"], names, strict=False):
        phase["phase_name"] = name
        for task in phase["tasks"]:
            task["task_id"] = next(ids)
    if plan["phases"]:
        plan["current_phase"] = draw(st.sampled_from(plan["phases"]))["phase_name"]
    return plan


def places(value: object) -> list[tuple[dict | list, str | int]]:
    """Every place in a plan, as what it is in and its key there."""
    keys = (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    )
    return [(value, key) for key in keys] + [one for key in keys for one in places(value[key])]


@st.composite
def spoilt_plans(draw: st.DrawFn) -> dict:
    """A good plan with one place that has some other value, or none."""
    plan = copy.deepcopy(draw(good_plans()))
    inside, key = draw(st.sampled_from(places(plan)))
    if isinstance(inside, dict) and draw(st.booleans()):
        del inside[key]
    else:
        inside[key] = draw(st.one_of(ODD, VALUES))
    return plan


BEYOND = (
    "another phase's already",
    "another task's already",
    "is no phase; there are",
    "lone surrogate",
    "nan is not",
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
