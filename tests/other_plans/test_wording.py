"""Foreign text as titles and as items of our lists."""

from __future__ import annotations

import pytest

from director_ctx.other_plans.wording import item, title


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Audit log entry, e.g. x", "Audit log entry, e.g. x"),
        ("Audit log entry, e.g. Logins. Then more", "Audit log entry, e.g. Logins"),
        ("Rows, columns, etc. are counted. More", "Rows, columns, etc. are counted"),
        ("Read the first file. Then the second", "Read the first file"),
        ("Part 2a. Sub heading of it", "Part 2a. Sub heading of it"),
        ("Write the page <!-- owner: me -->", "Write the page"),
        ("Write <!-- a --> the page <!-- and b", "Write the page"),
        ("<!-- Task Group Name -->", "Task Group Name"),
    ],
)
def test_a_title_is_the_first_sentence_without_comments(text: str, wanted: str) -> None:
    assert title(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Do both:\n- a\n- b", "Do both: a; b"),
        (
            "It is done\n  - in **one**\n  - in `two`\n  and so on",
            "It is done; in **one**; in `two` and so on",
        ),
        ("**Name.**\n- a\n- b", "**Name.** a; b"),
        ("- a\n- [x] b\n\n1. c", "a; b; c"),
        ("prose that\ngoes on", "prose that goes on"),
        ("", ""),
    ],
)
def test_points_are_not_glued_together(text: str, wanted: str) -> None:
    assert item(text) == wanted
