"""Spec Kit's documents as agents really write them: decisions, instructions and needs in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_plans import put, take

from director_ctx.other_plans.model import DOUBT, DROPPED, OtherStep, OtherTask
from director_ctx.other_plans.take_over import Taking
from director_ctx.project.reading.markdown import section

SPEC = "specs/001-tides"
GOAL = ".director/goals/01-tides"
TASKS = """\
# Tasks: Tides

## Format: `[ID] [P?] [Story] Description`

- **[P]**: Can run in parallel

## Path Conventions

- **Single project**: `src/` and `tests/` at the root

## Phase 1: Setup

- [ ] T001 Folder

## Phase 2: Foundational

**Purpose**: What all need

**\u26a0\ufe0f CRITICAL**: No user story work can begin before this.

- [ ] T002 Table
  with an index
- [ ] a note in a box

---

## Phase 3: User Story 1 - See tides

### Tests for User Story 1

> **NOTE: Write these tests FIRST, ensure they FAIL**

- [ ] T003 [P] [US1] Test of the page
- [ ] T004 [P] [US1] Test of the clock

**Checkpoint**: The page works on its own

## Phase 4: User Story 2 - Load a file

- [ ] T010 [US2] Command
- [ ] T011 [P] [US2] Header
- [ ] T012 [P] [US2] Footer in the way of T011
- [ ] T013 [P] [US2] Words of T002
- [ ] T015 [US1] ZIP job (after T003; reuses T004)

## Dependencies

Stories are independent.
"""


def spec_kit(root: Path, tasks: str = TASKS, research: str = "") -> Taking:
    put(root, ".specify/init-options.json", "{}")
    put(root, f"{SPEC}/spec.md", "# Feature Specification: Tides\n")
    put(root, f"{SPEC}/tasks.md", tasks)
    if research:
        put(root, f"{SPEC}/research.md", research)
    return take(root, "spec-kit")


@pytest.mark.parametrize(
    ("research", "decision"),
    [
        ("- **Decision**: store UTC\n- **Rationale**: once", "store UTC"),
        ("**Decision**: store UTC\n**Rationale**: once", "store UTC"),
        ("**Decision:** store UTC\nfor all\n\nMore.", "store UTC for all"),
        ("Decision: store UTC", "store UTC"),
        ("1. Decision 2: store UTC", "store UTC"),
        ("### Decision: store UTC\n\nBecause.", "store UTC"),
        ("### Decision\n\nStore UTC.\n\nBecause.", "Store UTC."),
        ("### Decision 1: Time\n\n**Decision**: store UTC", "store UTC"),
    ],
)
def test_a_decision_is_locked_however_it_is_marked(
    research: str, decision: str, tmp_path: Path
) -> None:
    spec_kit(tmp_path, research=f"# Research\n\n## Time\n\n{research}\n")
    text = (tmp_path / GOAL / "03-user-story-1-see-tides/STEP.md").read_text()
    assert section(text, "decisions") == f"### Locked\n\n- {decision}"


def test_what_only_sounds_like_a_decision_is_none(tmp_path: Path) -> None:
    spec_kit(tmp_path, research="Decision makers: the office\n\n## Decision log\n\nSee above.\n")
    assert "Locked" not in (tmp_path / GOAL / "01-setup/STEP.md").read_text()


def test_every_step_is_told_of_the_research(tmp_path: Path) -> None:
    spec_kit(tmp_path, research="# Research\n\nIt is salty.\n")
    assert "salty" in (tmp_path / ".director/reference/001-tides-research.md").read_text()
    assert (tmp_path / GOAL / "01-setup/RESEARCH.md").exists()


def test_what_a_phase_says_beside_its_tasks_stays(tmp_path: Path) -> None:
    taking = spec_kit(tmp_path)
    steps = [unit.other for unit in taking.units]
    says = {step.name: step.text for step in steps if isinstance(step, OtherStep)}
    assert says["Foundational"] == (
        "**Purpose**: What all need\n\n"
        "**\u26a0\ufe0f CRITICAL**: No user story work can begin before this."
    )
    assert says["User Story 1 - See tides"] == (
        "### Tests for User Story 1\n\n"
        "> **NOTE: Write these tests FIRST, ensure they FAIL**\n\n"
        "**Checkpoint**: The page works on its own"
    )
    notes = (tmp_path / ".director/reference/001-tides-tasks-notes.md").read_text()
    assert "## Path Conventions\n\n- **Single project**" in notes
    assert "Stories are independent." in notes and "Can run in parallel" not in notes
    dropped = [remark.line for remark in taking.remarks if remark.kind == DROPPED]
    assert dropped == [TASKS.split("\n").index("- [ ] a note in a box") + 1]


def test_what_a_task_needs_is_read_in_other_words_or_doubted(tmp_path: Path) -> None:
    taking = spec_kit(tmp_path)
    every = [unit.other for unit in taking.units]
    [zipped] = [task for task in every if isinstance(task, OtherTask) and "ZIP" in task.name]
    assert zipped.name == "ZIP job"
    assert {"001-tides/T003", "001-tides/T004"} <= set(zipped.needs)
    doubts = [remark.says for remark in taking.remarks if remark.kind == DOUBT]
    assert doubts == [
        "T012 names T011, and does not say that it needs it; it may start before that"
    ]
