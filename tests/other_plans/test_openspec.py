"""OpenSpec's `tasks.md` as it is really written: amounts beside ids, code, comments, how a task is verified."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from other_plans import put, take, tasks_of

from director_ctx import assemble
from director_ctx.other_plans.formats.openspec import read_context
from director_ctx.other_plans.model import DOUBT, DROPPED, OtherStep
from director_ctx.other_plans.take_over import Taking
from director_ctx.project.project import Project
from director_ctx.project.reading.markdown import section

CHANGE = "openspec/changes/n"
FOLDER = ".director/goals/01-n"


def openspec(root: Path, tasks: str) -> Taking:
    """A plan of one change, taken over."""
    put(root, "openspec/config.yaml", "schema: spec-driven\n")
    put(root, f"{CHANGE}/proposal.md", "## Why\n\nx.\n")
    put(root, f"{CHANGE}/tasks.md", tasks)
    return take(root, "openspec")


def names_of(taking: Taking) -> list[str]:
    return [task.name for task in tasks_of(taking)]


def test_only_a_number_of_a_task_goes(tmp_path: Path) -> None:
    taking = openspec(
        tmp_path,
        "## 1. L\n"
        "- [ ] 1.2 Parent\n"
        "  - [ ] 1.2.1 not more than 1,000 rows at a time\n"
        "  - [ ] keeps 10 files\n"
        "  - [ ] 2.5 seconds at most\n"
        "  - [ ] 1.5 seconds for the first\n"
        "- [ ] Support Python 3.12 and 3.13\n"
        "- [ ] 404 page is shown\n"
        "- [ ] 3.12 is the oldest Python\n"
        "- [ ] 7. Support 10 files\n",
    )
    parent, *others = tasks_of(taking)
    assert parent.name == "Parent"
    assert [criterion.text for criterion in parent.criteria] == [
        "not more than 1,000 rows at a time",
        "keeps 10 files",
        "2.5 seconds at most",
        "1.5 seconds for the first",
    ]
    assert [task.name for task in others] == [
        "Support Python 3.12 and 3.13",
        "404 page is shown",
        "3.12 is the oldest Python",
        "Support 10 files",
    ]
    done_when = section((tmp_path / FOLDER / "01-l/tasks/01-parent.md").read_text(), "done when")
    assert "- [ ] keeps 10 files\n" in done_when


def test_a_changed_amount_is_a_change(tmp_path: Path) -> None:
    openspec(tmp_path, "## 1. L\n\n- [ ] Support 10 files\n- [ ] Support 20 files\n")
    taking = openspec(tmp_path, "## 1. L\n\n- [ ] Support 10 files\n- [ ] Support 30 files\n")
    assert [update.text for unit in taking.units for update in unit.updates] == [
        "Support 30 files",
        "Support 30 files",
    ]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("1. Loans", "Loans"),
        ("1 Loans", "Loans"),
        ("1) Loans", "Loans"),
        ("404 page", "404 page"),
        ("10 files at once", "10 files at once"),
        ("Support 10 files", "Support 10 files"),
    ],
)
def test_only_a_number_of_a_group_goes(heading: str, name: str, tmp_path: Path) -> None:
    taking = openspec(tmp_path, f"## {heading}\n\n- [ ] A task\n")
    steps = [unit.other for unit in taking.units]
    assert [step.name for step in steps if isinstance(step, OtherStep)] == [name]


def test_a_heading_of_a_decision_keeps_its_letters(tmp_path: Path) -> None:
    heads = ("Database choice", "Decision 2: Store UTC", "D3. Dates", "404 page", "1. One table")
    design = "## Decisions\n\n" + "".join(f"### {head}\n\nBecause.\n\n" for head in heads)
    put(tmp_path, f"{CHANGE}/design.md", design)
    openspec(tmp_path, "## 1. L\n\n- [ ] A task\n")
    decisions = section((tmp_path / FOLDER / "01-l/STEP.md").read_text(), "decisions")
    assert re.findall(r"\*\*(.+)\.\*\*", decisions) == [
        "Database choice",
        "Store UTC",
        "Dates",
        "404 page",
        "One table",
    ]


def test_code_in_a_task_stays_in_it(tmp_path: Path) -> None:
    taking = openspec(
        tmp_path,
        "## 1. L\n"
        "- [ ] 1.1 Print a list:\n"
        "  ```md\n"
        "  - [ ] milk\n"
        "  - [x] bread\n"
        "  ```\n"
        "  Then stop.\n"
        "- [ ] 1.2 Next\n",
    )
    first, second = tasks_of(taking)
    code = "```md\n- [ ] milk\n- [x] bread\n```\nThen stop."
    assert first.text == f"Print a list:\n\n{code}"
    assert first.criteria == [] and second.name == "Next"
    told = [(remark.line, remark.kind) for remark in taking.remarks]
    assert told == [(4, DOUBT), (5, DOUBT)]


def test_a_box_in_a_comment_is_no_task(tmp_path: Path) -> None:
    taking = openspec(
        tmp_path,
        "## 1. L\n"
        "- [ ] 1.1 First\n"
        "<!--\n"
        "- [ ] 1.2 Not yet\n"
        "-->\n"
        "- [ ] 1.3 Third <!-- all\n"
        "  - [ ] 1.3.1 of it\n"
        "  --> today\n"
        "- [ ] 1.4 Fourth <!-- and never closed\n"
        "- [ ] 1.5 Fifth\n",
    )
    assert names_of(taking)[:2] == ["First", "Third"]
    assert names_of(taking)[-1] == "Fifth" and len(names_of(taking)) == 4
    told = [(remark.line, remark.kind) for remark in taking.remarks]
    assert told == [(4, DOUBT), (7, DOUBT)]


@pytest.mark.parametrize(
    ("text", "name", "how"),
    [
        (
            "Read the CSV, skip bad rows, and verify `tests/t.py` passes",
            "Read the CSV, skip bad rows",
            "verify `tests/t.py` passes",
        ),
        ("Add X (verify: tests pass)", "Add X", "verify: tests pass"),
        ("Add X (verify: f(1) works) soon", "Add X soon", "verify: f(1) works"),
        ("Add a table; verify the page shows it", "Add a table", "verify the page shows it"),
        ("Add a table \u2014 **Verify**: read it", "Add a table", "Verify: read it"),
        ("Add a table. Then verify the page", "Add a table", "verify the page"),
        ("Add X and verify that it works", "Add X", "verify that it works"),
        ('Add a "Verify e-mail" button to the page', None, ""),
        ("Add a `verify` command and document it", None, ""),
        ("Users verify their address by link; they get a mail", None, ""),
        ("Let users sign up and verify their address", None, ""),
        ("Sign and verify tokens", None, ""),
        ("Parse, verify and store tokens", None, ""),
        ("Add a test to verify the page", None, ""),
        ("Ask people to re-verify", None, ""),
        ("Verify the page on a phone", None, ""),
    ],
)
def test_only_what_says_how_it_is_verified_is_a_criterion(
    text: str, name: str | None, how: str, tmp_path: Path
) -> None:
    [task] = tasks_of(openspec(tmp_path, f"## 1. L\n\n- [ ] 1.1 {text}\n"))
    assert task.name == (name or text.replace("`", ""))
    assert task.text == text
    assert [criterion.text for criterion in task.criteria] == ([how] if how else [])


def test_what_a_change_affects_is_told_with_each_step(tmp_path: Path) -> None:
    openspec(tmp_path, "## 1. L\n\n- [ ] A task\n")
    put(tmp_path, f"{CHANGE}/proposal.md", "## Why\n\nx.\n\n## Impact\n\n`app/pages.py`\n")
    take(tmp_path, "openspec")
    text = (tmp_path / FOLDER / "01-l/STEP.md").read_text()
    assert section(text, "what this delivers").endswith("`app/pages.py`")


@pytest.mark.parametrize(
    "goals",
    [
        "**Goals:**\n- Fast\n\n**Non-Goals:**\n- OAuth\n- SAML\n",
        "- Goals: Fast\n- Non-Goals: OAuth\n  - SAML\n- Goals of later: Small\n",
        "**Non-goals**: OAuth\n- SAML\n\n**Goals**:\n- Fast\n",
        "### Non-Goals\n\n- OAuth\n- SAML\n",
    ],
)
def test_non_goals_are_deferred_wherever_they_stand(goals: str, tmp_path: Path) -> None:
    put(tmp_path, f"{CHANGE}/design.md", f"## Goals / Non-Goals\n\n{goals}")
    openspec(tmp_path, "## 1. L\n\n- [ ] A task\n")
    text = (tmp_path / FOLDER / "01-l/STEP.md").read_text()
    assert section(text, "decisions") == "### Deferred\n\n- OAuth\n- SAML"


@pytest.mark.parametrize(
    ("context", "does", "stack", "others"),
    [
        (
            "Tide Board shows tides\non a page.\nTech stack: Python, Flask.\nConventions: UTC.",
            "Tide Board shows tides\non a page.",
            "Python, Flask.",
            "Conventions: UTC.",
        ),
        (
            "# Tech Stack\n- Python\n\n- Flask\n# Rules\n- UTC\n",
            "",
            "- Python\n\n- Flask",
            "# Rules\n- UTC",
        ),
        ("Shows tides.\n\nTimes are UTC.", "Shows tides.", "", "Times are UTC."),
        ("**Stack:** Python\n\n- Times are UTC", "", "Python", "- Times are UTC"),
        ("", "", "", ""),
    ],
)
def test_each_line_of_the_context_is_in_one_place(
    context: str, does: str, stack: str, others: str
) -> None:
    assert read_context(context) == (does, stack, others)


def test_what_agents_are_told_of_the_context_they_are_told_once(tmp_path: Path) -> None:
    says = "context: |\n  Shows tides.\n  Tech stack: Flask\n  Conventions: times are UTC.\n"
    put(tmp_path, "openspec/config.yaml", says)
    put(tmp_path, f"{CHANGE}/tasks.md", "## 1. L\n\n- [ ] A task\n")
    take(tmp_path, "openspec")
    context = assemble(Project(str(tmp_path)), "builder")
    told = "\n".join(section.text for section in context.sections)
    for line in ("Shows tides.", "Flask", "times are UTC."):
        assert told.count(line) == 1


def test_points_of_a_decision_and_of_a_criterion_are_told_apart(tmp_path: Path) -> None:
    design = "## Decisions\n\n### Storage\n\nWe use:\n\n- SQLite\n- one file\n\nBecause.\n"
    put(tmp_path, f"{CHANGE}/design.md", design)
    taking = openspec(
        tmp_path,
        "## 1. L\n\n- [ ] 1.1 A\n  - [ ] 1.1.1 B\n    - c\n    - d\n",
    )
    [task] = tasks_of(taking)
    assert [criterion.text for criterion in task.criteria] == ["B; c; d"]
    text = (tmp_path / FOLDER / "01-l/STEP.md").read_text()
    assert "- **Storage.** We use: SQLite; one file\n" in text


def test_a_heading_inside_a_group_keeps_its_words(tmp_path: Path) -> None:
    taking = openspec(tmp_path, "## 2. Models\n\n### 2a. Sub heading\n\n- [ ] 2.1 A task\n")
    steps = [unit.other for unit in taking.units]
    assert [step.name for step in steps if isinstance(step, OtherStep)] == ["Models: Sub heading"]
    assert names_of(taking) == ["A task"]


def test_an_empty_box_is_no_task(tmp_path: Path) -> None:
    taking = openspec(tmp_path, "## 1. L\n\n- [ ] \n- [ ] 1.1 A task\n")
    assert names_of(taking) == ["A task"]
    assert [(remark.kind, remark.line) for remark in taking.remarks] == [(DROPPED, 3)]
