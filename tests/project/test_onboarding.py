"""Templates told from documents that somebody wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Files, Result, plan, task, write

from director_ctx import Project
from director_ctx.project.templates import (
    is_template_gameplan,
    is_template_vision,
    leftovers,
    substance,
)
from director_ctx.upkeep.status import unfilled_documents

TEMPLATES = ROOT / "templates" / "director"
EXAMPLE = ROOT / "examples" / "reading-list" / ".director"

# Both as the Director plugin makes them.
INIT_VISION = """# Vision

> This file will be populated when you run /director:onboard

## What are we building?
_What are you calling this project?_

## Who is it for?
_Who will use it?_

## What problem does it solve?

## Constraints
-
-
-
"""
CANONICAL_VISION = """# Vision

## Project Name
[Project Name]

## What It Does
_One paragraph in plain language._

## Key Features

### Must-Have
- [Feature 1]
- [Feature 2] -- [why it matters]

### Nice-to-Have
-

## Decisions Made

| Decision | Why |
|----------|-----|
| [Decision] | [Reason] |
|  |  |

## Open Questions
- [UNCLEAR]
"""
GAMEPLAN_TEMPLATE = """# Gameplan

## Overview
[2-3 sentences]

## Goals

1. **Goal 1: [Goal Name]** -- [What it delivers]
2. **Goal 2: [Goal Name]** -- [What it delivers]

## Current Focus

**Current Goal:** Goal 1
**Current Step:** Step 1 ([Step Name])
**Next Up:** [Task Name]
"""
EARLY_GAMEPLAN = """# Gameplan

## Goals

1. **Goal 1: A list** -- for one

## Current Focus
Steps and tasks are still being planned.
"""


def said(text: str) -> list[str]:
    return list(substance(text))


# Shipped files


@pytest.mark.parametrize("name", ["VISION.greenfield.md", "VISION.brownfield.md"])
@pytest.mark.parametrize(
    "hint", ["What It Does", "Who It's For", "Tech Stack", "Success Looks Like", "Open Questions"]
)
def test_one_answer_in_a_shipped_vision_is_enough(name: str, hint: str) -> None:
    text = (TEMPLATES / name).read_text("utf-8")
    assert is_template_vision(text)
    before, after = text.split(f"## {hint}\n")
    answered = f"{before}## {hint}\nIt tells the time.\n{after.partition(chr(10))[2]}"
    assert said(answered) == ["It tells the time."]
    assert not is_template_vision(answered)


def test_the_example_is_no_template_and_has_no_leftovers() -> None:
    vision, gameplan = (
        (EXAMPLE / name).read_text("utf-8") for name in ("VISION.md", "GAMEPLAN.md")
    )
    assert not is_template_vision(vision) and not is_template_gameplan(gameplan)
    assert leftovers(vision) == leftovers(gameplan) == []
    assert len(said(vision)) > 10


@pytest.mark.parametrize("text", [INIT_VISION, CANONICAL_VISION])
def test_the_plugin_s_own_visions_are_templates(text: str) -> None:
    assert said(text) == leftovers(text) == []
    assert is_template_vision(text)


# What says nothing, one at a time


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "# Heading",
        "### Heading with words",
        "> This file will be populated when you run /director:onboard",
        "> **THIS FILE WILL BE POPULATED** later",
        "<!-- a comment with words -->",
        "<!--\na comment\nwith words\n-->",
        "_What are you calling this project?_",
        "*What are you calling this project?*",
        "- _An italic hint_",
        "-",
        "*",
        "+",
        "- ",
        ">",
        "[UNCLEAR]",
        "- [UNCLEAR]",
        "[Project Name]",
        "- [Feature]",
        "* [Feature]",
        "1. [Feature]",
        "**[Feature]** -- [why]",
        "- [Feature] — [why]",
        "| Decision | Why |\n|---|---|",
        "| Decision | Why |\n| :--- | ---: |\n|  |  |",
        "| Decision | Why |\n|---|---|\n| [Decision] | [Why] |",
        "---",
        "- [ ] ",
    ],
)
def test_a_line_that_every_template_has_says_nothing(line: str) -> None:
    text = f"# Vision\n\n{line}\n"
    assert said(text) == []
    assert is_template_vision(text)


@pytest.mark.parametrize(
    "line",
    [
        "A clock.",
        "- A clock",
        "1. A clock",
        "> A quotation that matters",
        "_Fast_ and small",
        "**Bold**",
        "**Bold** and _italic_",
        "A clock <!-- not a watch -->",
        "[UNCLEAR] Which time zone?",
        "- [UNCLEAR] Which time zone?",
        "[A link](https://example.org)",
        "- [x] Done already",
        "- [ ] Still to do",
        "[Feature] that tells the time",
        "**Language:** Python",
        "| Python | it is there |",
        "| Decision | Why |\n|---|---|\n| Python | it is there |",
        "```\ncode\n```",
        "This file will be populated",
        "_Fast_ search for _everyone_",
        "*Small* but *mighty*",
        "```\n# install\n```",
    ],
)
def test_a_line_that_somebody_wrote_is_substance(line: str) -> None:
    text = f"# Vision\n\n{line}\n"
    assert "\n".join(said(text)) in text and said(text)
    assert not is_template_vision(text)


@pytest.mark.parametrize("text", ["", "\n\n", "   \n"])
def test_an_empty_document_is_missing_and_no_template(text: str) -> None:
    assert not is_template_vision(text)
    assert not is_template_gameplan(text)


# Gameplans


@pytest.mark.parametrize(
    "text",
    [
        (TEMPLATES / "GAMEPLAN.md").read_text("utf-8"),
        # Although its focus has values.
        GAMEPLAN_TEMPLATE,
        "# Gameplan\n",
        "# Gameplan\n\n## Goals\n_No goals defined yet_\n",
        "# Gameplan\n\n> This file will be populated when you run /director:blueprint\n",
        "# Gameplan\n\nSome words.\n\nThis file will be populated when you plan.\n",
        "# Gameplan\n\nSome words.\n\n## Goals\n\n1. **Goal 1: [Name]** -- words that were written\n",
        "# Gameplan\n\n## Overview\nSome words.\n",
        "# Gameplan\n\n## Current Focus\n\n**Current Goal:** Goal 1\n",
        "# Gameplan\n\nSome words.\n\n## Goals\n\n2. **Goal 2: [Name]** -- words that were written\n",
    ],
)
def test_a_gameplan_without_a_single_real_goal_is_a_template(text: str) -> None:
    assert is_template_gameplan(text)


@pytest.mark.parametrize(
    "text",
    [
        EARLY_GAMEPLAN,
        "# Gameplan\n\n### Goal 1: A list\n",
        "# Gameplan\n\n> This file will be populated when you plan.\n\n## Goals\n\n- Goal 1: A list\n",
        "# Gameplan\n\n## Goals\n\n1. **Goal 1: [Name]** -- x\n2. **Goal 2: Real** -- y\n",
    ],
)
def test_a_gameplan_with_a_real_goal_is_no_template(text: str) -> None:
    assert not is_template_gameplan(text)


# Leftovers


@pytest.mark.parametrize(
    "phrase",
    [
        "> This file will be populated when you run /director:onboard",
        "_No goals defined yet_",
        "_What are you calling this project?_",
    ],
)
def test_a_template_s_phrase_in_a_filled_in_document_is_a_leftover(phrase: str) -> None:
    text = f"# Vision\n\n{phrase}\n\n## What It Does\nIt tells the time.\n"
    assert not is_template_vision(text)
    (found,) = leftovers(text)
    assert found in phrase.casefold()


def test_what_is_not_filled_in_is_told(project: Callable[[Files], Project]) -> None:
    loaded = project(
        {"VISION.md": INIT_VISION, "GAMEPLAN.md": EARLY_GAMEPLAN + "\n_No goals defined yet_\n"}
    )
    assert [f"{one.path} {one.says}" for one in unfilled_documents(loaded)] == [
        ".director/VISION.md is still a template",
        ".director/GAMEPLAN.md still has a template's placeholder in it",
    ]


def test_missing_and_filled_in_documents_are_not_told(project: Callable[[Files], Project]) -> None:
    assert list(unfilled_documents(project({"GAMEPLAN.md": EARLY_GAMEPLAN}))) == []


@pytest.mark.parametrize("agent", ["builder", "planner"])
def test_an_agent_that_must_have_the_vision_is_refused_a_template(
    dctx: Callable[..., Result], tmp_path: Path, agent: str
) -> None:
    root = write(
        tmp_path,
        plan({"01-a.md": task()}) | {"VISION.md": INIT_VISION, "GAMEPLAN.md": EARLY_GAMEPLAN},
    )
    shown = dctx("status", cwd=root).out
    assert "Not filled in: .director/VISION.md is still a template" in shown.splitlines()
    result = dctx("assemble", agent, cwd=root)
    assert (result.code, result.out) == (1, "")
    assert "VISION.md" in result.err
