"""`dctx add --from`: an outline is read, shown, and added; a second time nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.base.errors import DctxError
from director_ctx.project.project import Project
from director_ctx.project.tasks.nodes import nodes
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.outline import read_outline

Run = Callable[..., Result]
HEADINGS = "# A\n## B -- All of it\n- [x] C\n- [ ] D\n# E\n"
LIST = "- A\n  - B -- All of it\n    - [x] C\n    - [ ] D\n- E\n"
MIXED = "# A\n1. B -- All of it\n   - [x] C\n   - D\n\n# E\n"
TITLED = "# The plan\n\nHow it goes.\n\n## A\n### B\nAll of it\n- [x] C\n- [ ] D\n## E\n"
LABELLED = "# Plan\n## Goal 1: A\n1. **Step 1: B** -- All of it\n   - [x] Task 1: C\n   - [ ] Task 2: D\n## Goal 2: E\n"
THREE = "# A\n## B \N{EM DASH} All of it\n### [x] C\n### D\n# E\n"


@pytest.mark.parametrize("text", [HEADINGS, LIST, MIXED, TITLED, LABELLED, THREE])
def test_the_same_plan_may_be_written_in_many_ways(text: str) -> None:
    read = [(one.kind, one.name, one.about, one.done) for one in read_outline(text).entries]
    assert read == [
        ("goal", "A", "", False),
        ("step", "B", "All of it", False),
        ("task", "C", "", True),
        ("task", "D", "", False),
        ("goal", "E", "", False),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n- [ ] B\n", "line 2: a task needs a step above it"),
        ("# A\n## B\n- C\n  - D\n", "line 4: it stands below a task, and nothing can"),
        ("# A\n#### B\n## C\n- D\n###### E\n", "line 5: a heading deeper than a task's"),
        ("# A\n## B\n- <!-- C\n", "line 3: The name would be read as a comment"),
        (f"# A\n## {'B' * 300}\n", "line 2: The name is too long"),
        ("# A\n## B\n- C\n- D\n- [x] c\n", "line 5: the same task as in line 3"),
        ("# A\n## B\n# a\n## B\n", "line 3: the same goal as in line 1"),
        ("# A\n> quoted\n", "line 2: what stands below it would be read as markup"),
    ],
)
def test_every_mistake_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(DctxError) as caught:
        read_outline(text)
    assert said in caught.value.each


@pytest.mark.parametrize("text", ["", "Only words.\n", "```\n# A\n```\n"])
def test_an_outline_of_nothing_is_refused(text: str) -> None:
    with pytest.raises(DctxError, match="The outline is empty"):
        read_outline(text)


@given(st.text("#-*[] x\n\tAB:1.", max_size=60))
def test_any_text_is_read_or_refused_and_never_a_bug(text: str) -> None:
    try:
        entries = read_outline(text).entries
    except DctxError:
        return
    assert entries[0].kind == "goal"
    assert all(one.kind != "task" or index > 1 for index, one in enumerate(entries))


def test_it_is_shown_and_written_only_with_a_yes(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {"/plan.md": HEADINGS})
    result = dctx("add", "--from", "plan.md", cwd=root)
    assert result.code == 1 and "say --yes" in result.err
    assert "+     Task: C (done)\n" in result.out
    assert dctx("add", "--from", "plan.md", "--dry-run", cwd=root).code == 0
    assert nodes(Project(str(root))) == ()


def test_it_is_added_with_what_is_done_and_what_is_needed(tmp_path: Path, dctx: Run) -> None:
    outline = HEADINGS.replace("D\n", "D\n  Needs: Task 1\n  It is the second.\n")
    root = write(tmp_path, {"/plan.md": outline})
    result = dctx("add", "--from", "plan.md", "--yes", cwd=root)
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("Added 2 goals, 1 step and 2 tasks: 1 to 2.\nNext: 1/1/2  D\n")
    tasks = root / ".director/goals/01-a/01-b/tasks"
    assert sorted(path.name for path in tasks.iterdir()) == ["01-c.done.md", "02-d.md"]
    text = (tasks / "02-d.md").read_text()
    assert "It is the second." in text and text.endswith("## Needs First\nTask 1\n")
    assert [one.says for one in diagnose(Project(str(root))).problems] == []


def test_a_second_time_nothing_is_added_and_more_goes_where_it_belongs(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, {"/plan.md": HEADINGS})
    dctx("add", "--from", "plan.md", "--yes", cwd=root)
    again = dctx("add", "--from", "plan.md", "--yes", cwd=root)
    assert again.out.endswith("Everything is there already; there is nothing to add.\n")
    (root / "plan.md").write_text(LIST.replace("D\n", "D\n    - [ ] New\n"))
    shown = json.loads(dctx("add", "--from", "plan.md", "--yes", "--json", cwd=root).out)
    assert len(shown["added"]) == 1 and len(shown["there"]) == 5
    assert {node.id: node.description for node in nodes(Project(str(root)))}["1/1/3"] == "New"


def test_add_alone_says_what_can_be_added(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {})
    for words in ((), ("gaol", "X")):
        result = dctx("add", *words, cwd=root)
        assert result.code == 2 and "dctx add task NAME" in result.err


def test_after_an_outline_a_task_goes_to_where_the_next_one_is(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {"/plan.md": "# A\n## B\n- [ ] C\n# D\n## E\n- [ ] F\n"})
    dctx("add", "--from", "plan.md", "--yes", cwd=root)
    assert dctx("add", "task", "A footer", cwd=root).out.startswith("Added 1/1/2  A footer")


@pytest.mark.parametrize("words", [("goal", "a"), ("step", "B", "--goal", "1")])
def test_a_goal_or_step_of_the_same_name_is_not_added_twice(
    tmp_path: Path, dctx: Run, words: tuple[str, ...]
) -> None:
    root = write(tmp_path, {"/plan.md": "# A\n## B\n- [ ] C\n"})
    dctx("add", "--from", "plan.md", "--yes", cwd=root)
    result = dctx("add", *words, cwd=root)
    assert result.code == 1 and "of this name already" in result.err
