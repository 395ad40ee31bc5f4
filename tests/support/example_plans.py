"""Plans, good ones and others."""

from __future__ import annotations

import copy
import json

from hypothesis import strategies as st

from director_ctx.memory.plans.rules import STATUSES

SEED = json.loads("""
{
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
          "notes": "Found stable selectors: #identifierId, #identifierNext"
        },
        {
          "task_id": 2,
          "description": "Build navigation node",
          "status": "completed",
          "node_ids": [
            "node_123"
          ]
        },
        {
          "task_id": 3,
          "description": "Build and validate email entry",
          "status": "in_progress",
          "node_ids": [
            "node_124",
            "node_125"
          ]
        }
      ]
    },
    {
      "phase_name": "Email Extraction",
      "status": "pending",
      "tasks": [
        {
          "task_id": 4,
          "description": "Extract email list from inbox",
          "status": "pending"
        }
      ]
    }
  ],
  "next_actions": [
    "Test email entry validation node",
    "Build password entry if email validation succeeds"
  ],
  "blockers": [],
  "notes": "Gmail redirects to accounts.google.com as expected"
}
""")


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
