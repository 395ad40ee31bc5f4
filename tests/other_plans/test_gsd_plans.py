"""Plans of GSD: nothing that one says to whoever carries it out is lost."""

from __future__ import annotations

from pathlib import Path

from other_plans import copy, take

from director_ctx.project.reading.markdown import section

PLAN = """---
phase: 02-lending
plan: 01
wave: 1
depends_on: []
files_modified: [shelf.py]
requirements: [LEND-01]
user_setup:
  - service: mail
    why: Letters go out
    env_vars: [{name: MAIL_KEY, source: The office}]
must_haves:
  truths: ["A packet is lent", {Names: are kept}]
  artifacts: [{path: shelf.py, provides: the table}]
  key_links: [{from: page.py, to: shelf.py, via: lend()}]
---

<objective>
Table of loans.
</objective>

<execution_context>
@~/.claude/get-shit-done/workflows/execute-plan.md
</execution_context>

<context>
@.planning/PROJECT.md
@shelf/names.py
<interfaces>
def lend(name): ...
</interfaces>
</context>

<tasks>
<task type="auto" tdd="true">
  <name>Task 1: Write it</name>
  <read_first>shelf/names.py</read_first>
  <files>shelf.py</files>
  <behavior>
- Two names: the second waits
  </behavior>
  <action>Write it, with <b>care</b>.</action>
  <verify><automated>pytest -x</automated></verify>
  <acceptance_criteria>
- grep lend shelf.py
  </acceptance_criteria>
  <done>It is green</done>
</task>
</tasks>

<threat_model>
Nobody lends for others.
</threat_model>

<verification>
- [ ] pytest passes
</verification>

<success_criteria>
- All tasks completed
</success_criteria>

<output>
Write 02-01-SUMMARY.md
</output>
"""
WHAT = """Table of loans.

Files: `shelf.py`

Requirements: LEND-01

**Set up by the user**

- service: mail; why: Letters go out; env_vars: name: MAIL_KEY; source: The office

**What has to be there**

- path: shelf.py; provides: the table

**What has to be connected**

- from: page.py; to: shelf.py; via: lend()

**Task 1: Write it**

Read first: shelf/names.py

Files: shelf.py

Behaviour:

- Two names: the second waits

Write it, with <b>care</b>.

Verify: pytest -x

Accepted when:

- grep lend shelf.py

Done: It is green

Read first: `shelf/names.py`

**Interfaces**

def lend(name): ...

**Threat model**

Nobody lends for others.

**Verification**

- [ ] pytest passes

**Success criteria**

- All tasks completed"""


def taken(root: Path, plan: str) -> str:
    copy("gsd", root)
    [path] = root.glob(".planning/phases/02*/02-01-PLAN.md")
    path.write_text(plan)
    take(root, "gsd")
    [task] = root.glob(".director/goals/*/02-*/tasks/01-*.md")
    return task.read_text()


def test_everything_that_a_plan_says_is_told(tmp_path: Path) -> None:
    text = taken(tmp_path, PLAN)
    assert section(text, "what to do") == WHAT
    assert section(text, "done when") == "- [ ] A packet is lent\n- [ ] Names: are kept"


def test_without_truths_a_plan_is_done_when_its_success_criteria_are_met(tmp_path: Path) -> None:
    start, _, rest = PLAN.partition("  truths:")
    text = taken(tmp_path, start + rest.partition("\n")[2])
    assert section(text, "done when") == "- [ ] All tasks completed"
    assert "All tasks completed" not in section(text, "what to do")


def test_a_plan_without_tags_is_told_whole(tmp_path: Path) -> None:
    text = taken(
        tmp_path, "Table of loans.\n\nWith names.\n\n- and dates\n\nA < B, <c> never ends.\n"
    )
    wanted = "Table of loans.\n\nWith names.\n\n- and dates\n\nA < B, <c> never ends."
    assert section(text, "what to do") == wanted
