"""What "Needs First" says: declared, explicit or assumed."""

from __future__ import annotations

import pytest

from director_ctx.project.tasks.needs import ASSUMED, DECLARED, EXPLICIT, parse_needs


@pytest.mark.parametrize(
    "text",
    [
        "Nothing",
        "nothing.",
        "**Nothing** -- this step can start right away.",
        "Nothing — this can be done alongside other launch tasks.",
        "Nothing -- this can be built alongside the client summary work in Step 2.",
        "None",
        "n/a",
        "N/A.",
        "No prerequisites",
        "No dependencies.",
        "- Nothing",
        "Needs: nothing",
        "Needs nothing first.",
        "Not applicable",
        "This can start right away.",
        "Can start now; the rest comes later.",
    ],
)
def test_the_leading_word_declares_a_task_free(text: str) -> None:
    assert parse_needs(text).kind == DECLARED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "<!-- Nothing -->",
        "Letters 4-6 artwork approved.",
        "Site deployed and live.",
        "Everything integrated and images optimized.",
        "Nobody else is working on the page.",
        "This cannot start right away.",
        "Notes from the meeting",
        "No-one has to approve the goal.",
        "The site needs to be visually complete (art, motion).",
    ],
)
def test_prose_is_assumed(text: str) -> None:
    assert parse_needs(text).kind == ASSUMED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Needs the bugs cleaned up from Step 1.", ["Step 1"]),
        ("Steps 1 and 2", ["Step 1", "Step 2"]),
        ("Steps 1-3", ["Step 1", "Step 2", "Step 3"]),
        ("Steps 1 through 3", ["Step 1", "Step 2", "Step 3"]),
        ("Goal 1 complete", ["Goal 1"]),
        ("Goal 1 Step 2", ["Goal 1, Step 2"]),
        ("Goal 1 > Step 2 > Task 4", ["Goal 1, Step 2, Task 4"]),
        ("Task 3 (in Step 2)", ["Step 2, Task 3"]),
        ("Task 3 of Step 2 in Goal 1", ["Goal 1, Step 2, Task 3"]),
        ("Needs step one and task two", ["Step 1", "Task 2"]),
        ("Step 1's components", ["Step 1"]),
        ("Once Step 1 is done this can start right away", ["Step 1"]),
        ("Nothing can start until Task 1 is finished", ["Task 1"]),
        ("The previous task", ["the previous task"]),
        ("All previous tasks.", ["the earlier tasks"]),
        ("Needs the preceding step", ["the previous step"]),
        (
            "All components from Step 2, all written content from Goal 1, and all curated artwork from Goal 2.",
            ["Step 2", "Goal 1", "Goal 2"],
        ),
    ],
)
def test_units_that_are_named_are_found(text: str, expected: list[str]) -> None:
    needs = parse_needs(text)
    assert needs.kind == EXPLICIT
    assert [str(reference) for reference in needs.references] == expected
