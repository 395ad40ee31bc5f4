"""Which task a text for an agent is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, plan, task, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx import Project, load_project
from director_ctx.project.tasks.mentioned import LONGEST, mentioned_task
from director_ctx.project.tasks.next import places

Make = Callable[[Files], Project]
FILES = {
    **plan(
        {"01-one.done.md": task("One"), "02-two.md": task("Two")}, {"01-three.md": task("Three")}
    ),
    "goals/02-second/GOAL.md": "# Goal 2: Second\n",
    "goals/02-second/01-step/STEP.md": "# Step 1: Other\n",
    "goals/02-second/01-step/tasks/02-two.md": task("Two again"),
    "goals/02-second/01-step/tasks/10-ten.md": task("Ten"),
}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return load_project(root=str(write(tmp_path_factory.mktemp("planned"), FILES)))


def found(project: Project, text: str) -> str:
    place = mentioned_task(project, text).place
    return place.ref if place else ""


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        (".director/goals/02-second/01-step/tasks/02-two.md", "2/1/2"),
        ("Read .director/goals/02-second/01-step/tasks/02-two.md, then build it.", "2/1/2"),
        ("goals/02-second/01-step/tasks/10-ten.md", "2/1/10"),
        ("/home/ada/my boat/.director/goals/01-first/02-step/tasks/01-three.md", "1/2/1"),
        ("D:\\my boat\\.director\\goals\\01-first\\02-step\\tasks\\01-three.md", "1/2/1"),
        ("file:///x/.director/goals/01-first/02-step/tasks/01-three.md", "1/2/1"),
        ("**.director/goals/01-first/01-step/tasks/01-one.md**", "1/1/1"),
        ("<.director/goals/01-first/01-step/tasks/02-two.done.md>", "1/1/2"),
        ("TASK=.director/goals/01-first/01-step/tasks/02-two.md", "1/1/2"),
        ("@.director/goals/01-first/01-step/tasks/02-two.md!", "1/1/2"),
        ("2/1/10", "2/1/10"),
        ("#2/1/10:", "2/1/10"),
        ("02/01/10", "2/1/10"),
        ("Goal 2 > Step 1 > Task 10", "2/1/10"),
        ("goal 2>step 1>task 10", "2/1/10"),
        ("GOAL 2 / STEP 1 / TASK 10.", "2/1/10"),
        ("Task 10 of Step 1 in Goal 2", "2/1/10"),
        ("(task 10, step 1, goal 2)", "2/1/10"),
        ("goal: 2\nstep: 1\ntask: 10\n", "2/1/10"),
        ("Goal 2 -> Step 1 -> Task 10", "2/1/10"),
    ],
)
def test_a_path_and_a_full_reference_name_a_task(text: str, ref: str, planned: Project) -> None:
    assert found(planned, text) == ref


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Do the next task.",
        "task 2",
        "1/2",
        "step 1 > task 2",
        "goal 1 task 2",
        "goal 2 > task 10 > step 1",
        "1.1.2",
        "1-1-2",
        "2026/01/02",
        "1/1/2026",
        "v1/1/2",
        "1/1/2/3",
        "1/1/",
        "/1/1/2",
        "9/9/9",
        "https://example.org/1/1/2",
        "example/goals/01-first/GOAL.md",
        ".director/goals/01-first/01-step/tasks/",
        ".director/goals/01-first/01-step/tasks/02-two.txt",
        ".director/goals/01-first/01-step/tasks/02-two.md.bak",
        ".director/goals/01-first/01-step/02-two.md",
        ".director/goals/01-first/01-step/notes/02-two.md",
        ".director/goals/01-first/tasks/02-two.md",
        ".director/goals/02-second/02-step/tasks/02-two.md",
        "tasks/02-two.md",
        "goal one > step one > task two",
        "goal -1 > step 1 > task 2",
        "¹/¹/²",
        "١/١/٢",
    ],
)
def test_what_only_looks_like_it_names_none(text: str, planned: Project) -> None:
    assert found(planned, text) == ""


@pytest.mark.parametrize("mark", [":12", "#L12", ":12:3"])
def test_a_path_may_have_a_line_number(mark: str, planned: Project) -> None:
    assert found(planned, f"See .director/goals/02-second/01-step/tasks/02-two.md{mark}") == "2/1/2"


def test_the_first_that_the_plan_has_wins(planned: Project) -> None:
    assert found(planned, "9/9/9, then 2/1/2, then 1/1/2") == "2/1/2"
    one, two = (
        f".director/goals/01-first/{name}.md"
        for name in ("01-step/tasks/09-no", "02-step/tasks/01-three")
    )
    assert found(planned, f"{one} {two} 1/1/2") == "1/2/1"


def test_a_path_comes_before_a_reference_and_one_to_nowhere_hides_it(planned: Project) -> None:
    """A task that somebody names by its file, and that is not there, is no reason to build another
    one.
    """
    assert found(planned, "1/1/2: .director/goals/02-second/01-step/tasks/02-two.md") == "2/1/2"
    assert found(planned, "1/1/2: .director/goals/02-second/01-step/tasks/99-no.md") == ""


@given(
    number=st.integers(0, 4),
    around=st.text(max_size=40),
    after=st.text(max_size=40),
    data=st.data(),
)
def test_a_task_is_found_wherever_its_file_is_named(
    number: int, around: str, after: str, data: st.DataObject, planned: Project
) -> None:
    place = list(places(planned))[number]
    assert place.task
    before, behind = data.draw(
        st.sampled_from([("`", "`"), (" ", " "), ("[x](", ")"), ('"', '"'), ("\n", ".\n")])
    )
    if "goals" in around or "/" in around:
        return
    assert found(planned, f"{around}{before}{place.task.path}{behind}{after}") == place.ref


@given(
    words=st.lists(
        st.sampled_from(
            [*"0123456789/\\ >.-`<(", "goal ", "step ", "task ", ".director/goals/", ".md"]
        )
    )
)
def test_no_text_is_too_odd(words: list[str], planned: Project) -> None:
    text = "".join(words)
    found = mentioned_task(planned, text)
    assert found.place is None or (found.place in list(places(planned)) and not found.unknown)


def test_a_long_text_is_read_from_its_beginning(planned: Project) -> None:
    assert found(planned, "2/1/2 " + "x " * LONGEST) == "2/1/2"
    assert found(planned, "x " * LONGEST + "2/1/2") == ""


def test_a_plan_without_tasks_has_none(project: Make, tmp_path: Path) -> None:
    empty = project({"VISION.md": "# Vision\n"})
    assert found(empty, "1/1/1 and .director/goals/01-first/01-step/tasks/02-two.md") == ""


def test_of_two_tasks_with_one_number_the_first_is_meant(project: Make) -> None:
    twice = project(plan({"01-one.md": task("One"), "01-uno.md": task("Uno")}))
    place = mentioned_task(twice, "1/1/1").place
    assert place and place.task
    assert place.task.path.endswith("01-one.md")


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        (
            "Do .director/goals/01-first/01-step/tasks/07-seven.md, please",
            ".director/goals/01-first/01-step/tasks/07-seven.md",
        ),
        ("Do goal 4, step 1, task 2.", "goal 4 > step 1 > task 2"),
        ("As of 9/9/2026, or 1/1/2026, do it.", ""),
        ("Do the next one.", ""),
        ("Do 1/1/2 and not goal 4, step 1, task 2.", ""),
    ],
)
def test_a_name_that_can_only_mean_a_task_and_means_none_is_told(
    text: str, unknown: str, planned: Project
) -> None:
    assert mentioned_task(planned, text).unknown == unknown
