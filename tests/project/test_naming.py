"""How a task, a step or a goal can be named, and what happens when a name is wrong or means
several.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, step, task, write

from director_ctx import DctxError, Project, load_project
from director_ctx.project.tasks.names import find_goal, find_step, find_task

Make = Callable[[Files], Project]

# Current place: 2/1/3. Numbers have gaps: step 2/1 has tasks 1, 3 and 4; goal 2 has steps 1 and 3.
SHOP: Files = {
    "goals/01-open-shop/GOAL.md": "# Goal 1: Open the shop\n",
    "goals/01-open-shop/01-shelves/STEP.md": step(1, "Shelves that hold"),
    "goals/01-open-shop/01-shelves/tasks/01-plan.done.md": task("Draw a plan"),
    "goals/01-open-shop/01-shelves/tasks/02-build.done.md": task("Build the shelves"),
    "goals/01-open-shop/02-front/STEP.md": step(2, "The front"),
    "goals/01-open-shop/02-front/tasks/03-window.done.md": task("Clean the window"),
    "goals/02-sell/GOAL.md": "# Goal 2: Sell things\n",
    "goals/02-sell/01-till/STEP.md": step(1, "A till"),
    "goals/02-sell/01-till/tasks/01-buy-till.done.md": task("Buy a till"),
    "goals/02-sell/01-till/tasks/03-homepage.md": task("Home on the web"),
    "goals/02-sell/01-till/tasks/04-home-delivery.md": task("Bring it home"),
    "goals/02-sell/03-adverts/STEP.md": step(3, "Adverts"),
    "goals/02-sell/03-adverts/tasks/01-poster.md": task("A poster for the window"),
    "goals/02-sell/03-adverts/tasks/03-radio.md": task("Buy a minute on the radio"),
    "goals/03-rest/GOAL.md": "# Goal 3: Rest\n",
}


def ref(project: Project, name: str, goal: str | None = None, step_: str | None = None) -> str:
    return find_task(project, name, goal, step_).ref


def failure(
    project: Project, name: str, goal: str | None = None, step_: str | None = None
) -> DctxError:
    with pytest.raises(DctxError) as error:
        find_task(project, name, goal, step_)
    return error.value


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return load_project(root=str(write(tmp_path_factory.mktemp("shop"), SHOP)))


HOMEPAGE = ".director/goals/02-sell/01-till/tasks/03-homepage.md"
SEVERAL: dict[str, tuple[str, ...]] = {
    "1/1/1": ("plan", "01-plan.done.md", "01-plan.md"),
    "1/1/2": ("1/1/2", "1.1.2", "01/01/02", "/1/1/2/", "shelves"),
    "1/2/3": (
        *("Goal 1 > Step 2 > Task 3", "Goal 1, Step 2, Task 3", "**Goal 1 > Step 2 > Task 3**"),
        *("goal 1 step 2 task 3", "Task 3 of Step 2 in Goal 1", "Goal 1, Task 3"),
    ),
    # A finished task can be named in every way.
    "2/1/1": (
        *("1", "2/1/1", "buy-till", "Buy a till", "goals/02-sell/01-till/tasks/01-buy-till.md"),
        "goals/02-sell/01-till/tasks/01-buy-till.done.md",
    ),
    "2/1/3": (
        *("3", "03", " 3 ", "Task 3", "task 3"),
        # By words.
        *("homepage", "03-homepage", "HomePage", "Home on the web", "on the WEB"),
        # By path.
        *(HOMEPAGE, HOMEPAGE.removeprefix(".director/"), f"./{HOMEPAGE}"),
        *(HOMEPAGE.replace(".md", ".done.md"), HOMEPAGE.replace("/", "\\")),
        *("02-sell/01-till/tasks/03-homepage.md", "01-till/03-homepage.md"),
        *("tasks/03-homepage.md", "03-homepage.md"),
    ),
    "2/1/4": ("home-delivery", "home delivery", "delivery"),
    "2/3/1": ("Step 3 > Task 1", "Step 3, Task 1"),
    "2/3/3": ("3/3", "3.3", "Task 3 (in Step 3)", "radio", "minute"),
}


@pytest.mark.parametrize(
    ("name", "expected"), [(name, one) for one, names in SEVERAL.items() for name in names]
)
def test_a_task_is_found_by_numbers_words_or_path(shop: Project, name: str, expected: str) -> None:
    assert ref(shop, name) == expected


def test_a_number_is_the_prefix_of_the_file_and_not_a_count(shop: Project) -> None:
    error = failure(shop, "2")
    assert error.message == "There is no task '2' in step 2/1."
    assert error.hint == "There are: 01-buy-till, 03-homepage, 04-home-delivery"


def test_the_current_step_is_that_of_the_first_pending_task_ready_or_not(project: Make) -> None:
    files = {**SHOP, "goals/02-sell/01-till/tasks/03-homepage.md": task(needs="Goal 9")}
    assert ref(project(files), "1") == "2/1/1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("2/1", "There is no step '2'."),
        ("9/9/9", "There is no goal '9'."),
        ("1/9/9", "There is no step '9'."),
        ("1/1/9", "There is no task '9' in step 1/1."),
        ("Goal 1, Step 1, Task 9", "There is no task '9' in step 1/1."),
        ("3/1/1", "There is no step '1'."),
        ("1/1/1/1", "No task matches '1/1/1/1'."),
        ("1//2", "No task matches '1//2'."),
        ("-1", "No task matches '-1'."),
        ("²", "No task matches '²'."),
        ("Goal 1 Goal 2 Task 1", "No task matches 'Goal 1 Goal 2 Task 1'."),
        ("Step 1", "No task matches 'Step 1'."),
        ("99999999999", "No task matches '99999999999'."),
        ("", "--task is empty."),
        ("  ", "--task is empty."),
        ("cellar", "No task matches 'cellar'."),
        ("03-cellar.md", "There is no task file 03-cellar.md."),
        ("goals/02-sell/03-homepage.md", "There is no task file goals/02-sell/03-homepage.md."),
        ("01-shelves/03-homepage.md", "There is no task file 01-shelves/03-homepage.md."),
        (".md", "There is no task file .md."),
        ("x/.done.md", "There is no task file x/.done.md."),
    ],
)
def test_a_name_that_leads_nowhere_says_where_the_way_ends(
    shop: Project, name: str, message: str
) -> None:
    assert failure(shop, name).message == message


def test_a_whole_slug_counts_before_a_part_and_a_part_before_a_title(project: Make) -> None:
    """`window` is one task's slug and in another's title; `home` is part of two slugs."""
    loaded = project({**SHOP, "goals/02-sell/01-till/tasks/05-home.md": task("Last")})
    assert (ref(loaded, "window"), ref(loaded, "home")) == ("1/2/3", "2/1/5")


def test_a_name_that_several_tasks_share_lists_them(project: Make) -> None:
    loaded = project({**SHOP, "goals/03-rest/01-s/tasks/03-radio.md": task()})
    for name, hint in (
        ("buy a", "Say which: 2/1/1 01-buy-till; 2/3/3 03-radio"),
        ("tasks/03-radio.md", "Say which: 2/3/3 03-radio; 3/1/3 03-radio"),
    ):
        assert failure(loaded, name).hint == hint


def test_of_many_candidates_ten_are_listed(project: Make) -> None:
    files = {
        f"goals/01-a/01-s/tasks/{number:02}-same-{number}.md": task() for number in range(1, 13)
    }
    error = failure(project(files), "same")
    assert error.message == "'same' matches 12 tasks."
    assert error.hint.count(";") == 9


def test_a_task_is_found_by_its_whole_path_even_below_another_folder_of_that_name(
    tmp_path: Path,
) -> None:
    root = write(tmp_path / "goals" / "shop", SHOP)
    assert ref(load_project(root=str(root)), str(root / HOMEPAGE)) == "2/1/3"


# With --goal and --step


@pytest.mark.parametrize(
    ("name", "goal", "step_", "expected"),
    [
        ("3", "1", "2", "1/2/3"),
        ("2", "open-shop", "shelves", "1/1/2"),
        ("2", "Open the shop", "that hold", "1/1/2"),
        ("2", "goal 1", "Step 1", "1/1/2"),
        ("1", None, "adverts", "2/3/1"),
        ("2", None, "1/1", "1/1/2"),
        ("3", "1", None, "1/2/3"),
        ("Step 1, Task 2", "1", None, "1/1/2"),
        ("1/2", "1", "1", "1/1/2"),
        ("1/1/2", "open", None, "1/1/2"),
        ("1/1/2", None, "shelves", "1/1/2"),
        ("buy", "2", "1", "2/1/1"),
        ("window", "2", None, "2/3/1"),
        ("window", "1", None, "1/2/3"),
        ("03-homepage.md", "2", "1", "2/1/3"),
    ],
)
def test_goal_and_step_narrow_what_a_task_s_name_can_mean(
    shop: Project, name: str, goal: str | None, step_: str | None, expected: str
) -> None:
    assert ref(shop, name, goal, step_) == expected


def test_with_a_finished_goal_its_last_step_counts(shop: Project) -> None:
    assert failure(shop, "1", "1").message == "There is no task '1' in step 1/2."


@pytest.mark.parametrize(
    ("name", "goal", "step_", "message"),
    [
        ("1/1/2", "2", None, "--task 1/1/2 is not in goal 2."),
        (
            "Goal 1, Step 1, Task 2",
            "sell",
            None,
            "--task Goal 1, Step 1, Task 2 is not in goal sell.",
        ),
        ("1/1/2", None, "2", "--task 1/1/2 is not in step 2."),
        ("1/3", None, "3", "--task 1/3 is not in step 3."),
        ("homepage", "1", None, "No task matches 'homepage'."),
        ("03-homepage.md", "2", "adverts", "No task matches '03-homepage.md'."),
        ("3", "9", None, "There is no goal '9'."),
        ("3", "2", "2", "There is no step '2'."),
        ("homepage", None, "shelves", "There is no step 'shelves'."),
        ("1/1/1", None, "2/1", "--step 2/1 is not in goal 1."),
    ],
)
def test_a_name_that_contradicts_goal_or_step_is_refused(
    shop: Project, name: str, goal: str | None, step_: str | None, message: str
) -> None:
    assert failure(shop, name, goal, step_).message == message


def test_a_step_with_nothing_but_a_stray_note_is_not_the_current_one(project: Make) -> None:
    files = {"goals/01-a/01-s/tasks/notes.md": "x", "goals/01-a/02-s/tasks/01-t.md": task()}
    loaded = project(files)
    assert (ref(loaded, "1"), ref(loaded, "1", "1")) == ("1/2/1", "1/2/1")


# Duplicate numbers

TWINS: Files = {
    "goals/01-a/01-s/tasks/01-one.md": task("One"),
    "goals/01-a/01-s/tasks/1-uno.md": task("Uno"),
    "goals/01-a/02-s/tasks/01-x.md": task(),
    "goals/01-a/2-t/tasks/01-y.md": task(),
    "goals/02-b/01-s/tasks/01-p.md": task(),
    "goals/2-c/01-s/tasks/01-q.md": task(),
}


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("1", "Task '1' is ambiguous in step 1/1.", "Say which by its name: 01-one, 1-uno"),
        ("1/1/1", "Task '1' is ambiguous in step 1/1.", "Say which by its name: 01-one, 1-uno"),
        ("2/1", "Step '2' is ambiguous.", "Say which by its name: 02-s, 2-t"),
        ("2/1/1", "Goal '2' is ambiguous.", "Say which by its name: 02-b, 2-c"),
        ("Goal 2, Step 1, Task 1", "Goal '2' is ambiguous.", "Say which by its name: 02-b, 2-c"),
    ],
)
def test_a_number_that_two_units_share_is_refused_and_both_are_named(
    project: Make, name: str, message: str, hint: str
) -> None:
    error = failure(project(TWINS), name)
    assert (error.message, error.hint) == (message, hint)


def test_units_that_share_a_number_are_told_apart_by_name(project: Make) -> None:
    loaded = project(TWINS)
    assert find_task(loaded, "1-uno").task == find_task(loaded, "uno").task
    assert find_task(loaded, "1", "1", "2-t").task == find_task(loaded, "01-y").task
    assert find_task(loaded, "1/1", "2-c").task == find_task(loaded, "01-q").task


# Goals and steps


@pytest.mark.parametrize(
    "name",
    ["2", "02", "goal 2", "Goal 2", "sell", "02-sell", "SELL", "Sell things", "thing", " 2 "],
)
def test_a_goal_is_found_by_number_slug_or_part_of_its_title(shop: Project, name: str) -> None:
    assert find_goal(shop, name).number == 2


def test_a_goal_that_is_not_there_or_means_several_lists_the_goals(shop: Project) -> None:
    with pytest.raises(DctxError, match=r"There is no goal 'moon'\.") as error:
        find_goal(shop, "moon")
    assert error.value.hint == "There are: 01-open-shop, 02-sell, 03-rest"
    with pytest.raises(DctxError, match=r"Goal 's' is ambiguous\.") as error:
        find_goal(shop, "s")
    assert error.value.hint == "Say which by its name: 01-open-shop, 02-sell, 03-rest"


def test_without_goals_none_are_listed(project: Make) -> None:
    with pytest.raises(DctxError, match=r"There is no goal '1'\.") as error:
        find_goal(project({}), "1")
    assert error.value.hint == "No goal is planned yet: `dctx add goal NAME` makes one."


@pytest.mark.parametrize(
    ("goal", "step_", "expected"),
    [
        (None, None, "2/1"),
        (None, "3", "2/3"),
        (None, "adverts", "2/3"),
        (None, "1/2", "1/2"),
        ("1", None, "1/2"),
        ("1", "1", "1/1"),
        ("open", "front", "1/2"),
        ("3", None, None),
    ],
)
def test_without_a_name_the_current_step_is_meant(
    shop: Project, goal: str | None, step_: str | None, expected: str | None
) -> None:
    place = find_step(shop, goal, step_)
    assert (place.ref if place else None) == expected


def test_in_an_empty_plan_there_is_no_step_and_no_task(project: Make) -> None:
    loaded = project({})
    assert find_step(loaded, None, None) is None
    assert failure(loaded, "3").message == "There is no task 3: no step is planned yet."
    assert failure(loaded, "home").message == "No task matches 'home'."


# A finished project, and finished tasks


def finished() -> Files:
    return {name.replace(".done.md", ".md").replace(".md", ".done.md") if "/tasks/" in name else name: text
            for name, text in SHOP.items()}  # fmt: skip


def test_in_a_finished_project_the_last_goal_and_its_last_planned_step_are_current(
    project: Make,
) -> None:
    files = {name: text for name, text in finished().items() if "03-rest" not in name}
    loaded = project({**files, "goals/02-sell/04-empty/STEP.md": step()})
    assert (ref(loaded, "3"), ref(loaded, "1/3"), ref(loaded, "1/1/1")) == (
        "2/3/3",
        "2/1/3",
        "1/1/1",
    )


# The program


def test_an_ambiguous_name_ends_the_program_with_1_and_the_candidates(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    result = dctx(
        "assemble",
        "verifier",
        "--task",
        "home",
        cwd=write(tmp_path, {**SHOP, "VISION.md": "# Vision\n\nx\n"}),
    )
    assert (result.code, result.out) == (1, "")
    assert (
        result.err
        == "dctx: 'home' matches 2 tasks.\n  hint: Say which: 2/1/3 03-homepage; 2/1/4 04-home-delivery\n"
    )


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("2/1/1", "task 2/1/1 is already done"),
        ("2/3/3", "task 2/3/3 is not ready: step 1 comes before it and is not complete"),
    ],
)
def test_a_finished_or_unready_task_can_be_worked_on_with_a_note(
    dctx: Callable[..., Result], tmp_path: Path, name: str, note: str
) -> None:
    root = write(tmp_path, {**SHOP, "VISION.md": "# Vision\n\nA shop.\n"})
    result = dctx("assemble", "builder", "--task", name, cwd=root)
    assert result.code == 0 and "<task>" in result.out
    assert note in result.err
