"""Kiro's `tasks.md` as it is really written: boxes without numbers, inside sub-tasks and behind them."""

from __future__ import annotations

from pathlib import Path

from other_plans import put, take

from director_ctx.other_plans.model import DROPPED, OtherTask
from director_ctx.other_plans.take_over import Taking

SPEC = ".kiro/specs/n"
REQUIREMENTS = """\
# Requirements

## Glossary

- **Tide**: when the water is high

### Requirement 1

#### Acceptance Criteria

1. WHEN asked THEN it answers
2. WHEN nobody asks THEN it is silent
"""


def kiro(root: Path, tasks: str) -> Taking:
    put(root, f"{SPEC}/requirements.md", REQUIREMENTS)
    put(root, f"{SPEC}/tasks.md", tasks)
    return take(root, "kiro")


def tasks_of(taking: Taking) -> list[OtherTask]:
    every = [unit.placed.other for unit in taking.units]
    return [task for task in every if isinstance(task, OtherTask)]


def test_boxes_inside_a_sub_task_are_its_criteria_and_take_nothing_along(tmp_path: Path) -> None:
    taking = kiro(
        tmp_path,
        "- [ ] 2. Major\n"
        "  - [ ] 2.1 Sub\n"
        "    - [x] deep\n"
        "      - [ ] deeper\n"
        "        by far\n"
        "    - [ ] 10 files\n"
        "    - _Requirements: 1.1_\n"
        "  - [ ] 2.2 Another\n"
        "    - a detail\n",
    )
    sub, another = tasks_of(taking)
    assert [(criterion.text, criterion.met) for criterion in sub.criteria] == [
        ("WHEN asked THEN it answers", False),
        ("deep", True),
        ("deeper by far", False),
        ("10 files", False),
    ]
    assert sub.text == "Sub\n\n- _Requirements: 1.1_"
    assert another.text == "Another\n\n- a detail"
    assert taking.remarks == ()


def test_what_has_no_number_is_listed_each_with_its_line(tmp_path: Path) -> None:
    taking = kiro(tmp_path, "- [ ] 1. One\n\n## Success Criteria\n\n- [ ] Fast\n- [ ] Good\n")
    told = [(remark.kind, remark.line, remark.says) for remark in taking.remarks]
    assert told == [
        (DROPPED, 5, "'Fast' has no number, and is no task of Kiro"),
        (DROPPED, 6, "'Good' has no number, and is no task of Kiro"),
    ]


def test_each_optional_task_is_an_idea_with_what_it_says(tmp_path: Path) -> None:
    taking = kiro(tmp_path, "- [ ] 1. One\n- [ ]* Test it\n  - well\n- [ ]* Print it\n")
    assert [idea.text for idea in taking.ideas] == [
        "n: Test it (an optional task of Kiro): well",
        "n: Print it (an optional task of Kiro)",
    ]
    assert len({idea.key for idea in taking.ideas}) == 2


def test_the_requirements_come_along_whole(tmp_path: Path) -> None:
    kiro(tmp_path, "- [ ] 1. One\n")
    text = (tmp_path / ".director/reference/n-requirements.md").read_text()
    assert "**Tide**" in text and "it is silent" in text
