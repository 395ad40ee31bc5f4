"""A folder with every kind of document, and what stands in a context."""

from __future__ import annotations

import re

from conftest import step, task

from director_ctx import Assembly

GOAL = "goals/01-first"


STEP = f"{GOAL}/01-start"


FULL = {
    "VISION.md": "# Vision\n\n## Project Name\nThing\n",
    "GAMEPLAN.md": "# Gameplan\n\n## Goals\n1. **Goal 1: First** -- yes\n",
    "STATE.md": "# State\n\n**Status:** In progress\n",
    f"{GOAL}/GOAL.md": "# Goal 1: First\n",
    f"{STEP}/STEP.md": step(
        1,
        "Start",
        "- [x] Task 1: One\n- [ ] Task 2: Two",
        "### Locked\n- Use SQLite\n\n### Deferred\n- Dark mode",
    ),
    f"{STEP}/RESEARCH.md": "# Step research\n\nUse the thing.\n",
    f"{STEP}/story-bible.md": "# Bible\n\nSECRET STORY\n",
    f"{STEP}/tasks/01-one.done.md": task("One", what="FIRST TASK BODY"),
    f"{STEP}/tasks/02-two.md": task("Two", what="Make the page."),
    f"{STEP}/tasks/03-three.md": task("Three", what="THIRD TASK BODY"),
    f"{GOAL}/02-later/STEP.md": step(
        2, "Later", "- [ ] Task 1: X", "### Locked\n- OTHER STEP DECISION"
    ),
    f"{GOAL}/02-later/tasks/01-x.md": task("X", what="OTHER STEP TASK"),
    "research/STACK.md": "# Stack Research\n\nUse Python.\n",
    "research/FEATURES.md": "# Feature Research\n\nMany.\n",
    "research/SUMMARY.md": "# Research Summary\n\nShort.\n",
    "codebase/CONVENTIONS.md": "# Coding Conventions\n\nTabs.\n",
    "codebase/STRUCTURE.md": "# Structure\n\nFlat.\n",
    "codebase/TESTING.md": "# Testing\n\npytest.\n",
    "codebase/ARCHITECTURE.md": "# Architecture\n\nLayers.\n",
    "codebase/SUMMARY.md": "# Codebase Summary\n\nSmall.\n",
    "reference/terminology.md": "# Terminology\n\nWords.\n",
    "reference/verification-patterns.md": "# Verification\n\nChecks.\n",
    "brainstorms/2026-01-01-idea.md": "# Brainstorm\n\nBRAINSTORM TEXT\n",
    "IDEAS.md": "# Ideas\n\n- **[2026-01-01 10:00]** -- IDEA TEXT\n",
    "config.json": '{"max_retry_cycles": 5}',
    "/src/app.py": "CODE_OUTSIDE = 1\n",
}


def tags_of(assembly: Assembly) -> list[str]:
    return [section.tag for section in assembly.sections]


def body(assembly: Assembly, tag: str) -> str:
    found = re.search(rf"^<{tag}>\n(.*?)\n</{tag}>$", assembly.text, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else ""
