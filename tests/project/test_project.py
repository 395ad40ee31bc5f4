"""The folder as goals, steps and tasks: order, oddities, links, laziness, titles; and where the
folder is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, needs_permissions, plan, task, write

from director_ctx import DctxError, Project, load_project
from director_ctx.project.reading.locate import locate
from director_ctx.project.reading.model import Task, numbered
from director_ctx.project.tasks.next import choose

Make = Callable[[Files], Project]
LEAVES = "is a link out of .director/, in a circle or to nowhere; it was ignored"


def notes(project: Project) -> list[tuple[str, str]]:
    return [(note.path, note.text) for note in project.notes]


def all_tasks(project: Project) -> list[Task]:
    return [
        one
        for goal in project.goals()
        for each in project.steps(goal)
        for one in project.tasks(each)
    ]


# Names and order


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("03-home-page", (3, "home-page")),
        ("3_home", (3, "home")),
        ("1.home", (1, "home")),
        ("12", (12, "")),
        ("999999999-x", (999999999, "x")),
        ("", None),
        ("3rd-party", None),
        ("v2-home", None),
        ("-1-x", None),
        ("٣-x", None),
        ("1234567890", None),
    ],
)
def test_a_number_at_the_front_of_a_name_is_its_place(
    name: str, expected: tuple[int, str] | None
) -> None:
    assert numbered(name) == expected


def test_a_task_that_exists_pending_and_done_counts_once_and_as_done_with_a_note(
    project: Make,
) -> None:
    loaded = project(plan({"01-a.md": task("Old"), "01-a.done.md": task("New"), "02-b.md": task()}))
    first, second = all_tasks(loaded)
    assert (first.done, first.twice, first.path.endswith("/01-a.done.md")) == (True, True, True)
    assert (second.done, second.twice) == (False, False)
    assert loaded.title(first) == "New"
    assert notes(loaded) == [
        (
            ".director/goals/01-first/01-step/tasks/01-a.md",
            "exists beside its .done.md; it counts as done",
        )
    ]


def test_units_without_a_number_are_ignored_with_a_note(project: Make) -> None:
    loaded = project(
        plan({"01-a.md": task(), "notes.md": "x"})
        | {
            "goals/later/GOAL.md": "x",
            "goals/01-first/ideas/x.md": "x",
            "goals/3rd-goal/01-s/tasks/01-t.md": task(),
        }
    )
    assert [one.name for one in all_tasks(loaded)] == ["01-a"]
    text = "has no number in its name; it was ignored"
    assert sorted(notes(loaded)) == [
        (".director/goals/01-first/01-step/tasks/notes.md", text),
        (".director/goals/01-first/ideas", text),
        (".director/goals/3rd-goal", text),
        (".director/goals/later", text),
    ]


def test_files_that_are_no_documents_and_hidden_folders_are_no_oddity(project: Make) -> None:
    loaded = project(
        plan({"01-a.md": task(), "picture.png": b"\x89", "02-b.txt": "x"})
        | {
            "goals/.DS_Store": b"x",
            "goals/.git/x": "x",
            "goals/README.md": "x",
            "goals/01-first/01-step/style.md": "x",
        }
    )
    assert [one.name for one in all_tasks(loaded)] == ["01-a"]
    assert notes(loaded) == []


def test_a_number_that_two_units_share_is_noted_and_both_stay(project: Make) -> None:
    loaded = project(
        plan({"01-b.md": task(), "01-a.md": task(), "1-c.md": task()})
        | {
            "goals/1-again/01-s/tasks/01-t.md": task(),
            "goals/01-first/1-again/tasks/01-t.md": task(),
        }
    )
    assert [one.name for one in all_tasks(loaded)] == ["01-a", "01-b", "1-c", "01-t", "01-t"]
    text = "has number 1 more than once"
    assert sorted(notes(loaded)) == [
        (".director/goals", text),
        (".director/goals/01-first", text),
        (".director/goals/01-first/01-step/tasks", text),
    ]


def test_other_documents_of_a_step_are_listed_without_its_own(project: Make) -> None:
    loaded = project(
        plan({"01-a.md": task()})
        | {
            f"goals/01-first/01-step/{name}": "x"
            for name in ("RESEARCH.md", "style-guide.md", "bible.md", "x.png")
        }
    )
    folder = ".director/goals/01-first/01-step"
    assert loaded.step_files(loaded.steps(loaded.goals()[0])[0]) == [
        f"{folder}/bible.md",
        f"{folder}/style-guide.md",
    ]


# What is missing or not what it should be


@pytest.mark.parametrize("place", ["goals", "goals/01-a/01-s/tasks"])
def test_a_file_where_a_folder_should_be_is_noted(project: Make, place: str) -> None:
    loaded = project({place: "not a folder"})
    assert all_tasks(loaded) == []
    assert notes(loaded) == [(f".director/{place}", "is a file where a folder should be")]


@needs_permissions
def test_a_folder_without_permission_is_noted(project: Make, tmp_path: Path) -> None:
    loaded = project(plan({"01-a.md": task()}))
    folder = tmp_path / ".director/goals/01-first/01-step/tasks"
    folder.chmod(0)
    try:
        assert all_tasks(loaded) == []
        assert notes(loaded)[0][1].startswith("cannot be listed: Permission denied")
    finally:
        folder.chmod(0o755)


def test_a_pipe_among_the_tasks_is_ignored_with_a_note(project: Make, tmp_path: Path) -> None:
    loaded = project(plan({"01-a.md": task()}))
    os.mkfifo(tmp_path / ".director/goals/01-first/01-step/tasks/02-b.md")
    assert [one.name for one in all_tasks(loaded)] == ["01-a"]
    assert notes(loaded) == [
        (".director/goals/01-first/01-step/tasks/02-b.md", "is not a regular file; it was ignored")
    ]


def test_names_that_are_no_utf_8_neither_fail_nor_reach_the_notes_raw(
    project: Make, tmp_path: Path
) -> None:
    loaded = project(plan({"01-a.md": task()}))
    folder = os.fsencode(tmp_path / ".director/goals/01-first/01-step/tasks")
    for name in (b"02-caf\xe9.md", b"caf\xe9.md"):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"no heading")
    assert [loaded.title(one) for one in all_tasks(loaded)] == ["Do it", "caf\ufffd"]
    assert [path.rpartition("/")[2] for path, _ in notes(loaded)] == ["caf\ufffd.md"]


# Links


@pytest.mark.parametrize(
    "place",
    [
        *("VISION.md", "goals/01-first/GOAL.md", "goals/01-first/01-step/STEP.md"),
        *("goals/01-first/01-step/tasks/02-b.md", "goals/02-b", "goals/01-first/02-b", "goals"),
        "goals/01-first/01-step/tasks",
    ],
)
def test_what_is_a_link_out_of_the_project_is_not_read(tmp_path: Path, place: str) -> None:
    there = write(tmp_path / "outside", {"/02-b.md": task("Secret"), "/tasks/01-t.md": task()})
    write(there, {"/01-s/tasks/01-t.md": task(), "/01-x/01-y/tasks/01-z.md": task()})
    loaded = load_project(root=str(write(tmp_path / "project", {})))
    link = tmp_path / "project/.director" / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(there / "02-b.md" if place.endswith(".md") else there)
    assert (loaded.text(f".director/{place}"), all_tasks(loaded)) == ("", [])
    assert notes(loaded)[0] == (f".director/{place}", LEAVES)


@pytest.mark.parametrize("target", ["02-b", "nowhere", ".", "../.."])
@pytest.mark.parametrize("place", ["goals", "goals/01-first", "goals/01-first/01-step/tasks"])
def test_links_in_a_circle_and_links_to_nothing_are_ignored_with_a_note(
    project: Make, tmp_path: Path, place: str, target: str
) -> None:
    loaded = project(plan({"01-a.md": task()}))
    (tmp_path / ".director" / place / "02-b").symlink_to(target)
    assert [one.name for one in all_tasks(loaded)] == ["01-a"]
    assert notes(loaded) == [(f".director/{place}/02-b", LEAVES)]


def test_links_that_stay_in_the_director_folder_are_followed(project: Make, tmp_path: Path) -> None:
    loaded = project(
        plan({"01-a.md": task()})
        | {"docs/vision.md": "# Vision\n", "more/01-s/tasks/01-t.md": task()}
    )
    (tmp_path / ".director/VISION.md").symlink_to("docs/vision.md")
    (tmp_path / ".director/goals/02-more").symlink_to("../more")
    assert loaded.text(".director/VISION.md") == "# Vision\n"
    assert [one.name for one in all_tasks(loaded)] == ["01-a", "01-t"]
    assert notes(loaded) == []


def test_a_link_out_of_the_director_folder_is_ignored_even_within_the_project(
    project: Make, tmp_path: Path
) -> None:
    """What lies beside `.director/`, such as a file of secrets, is not the tool's to read."""
    loaded = project({"/.env": "SECRET=1", "/code/01-s/tasks/01-t.md": task()})
    (tmp_path / ".director/VISION.md").symlink_to("../.env")
    (tmp_path / ".director/goals").mkdir()
    (tmp_path / ".director/goals/01-code").symlink_to("../../code")
    assert (loaded.text(".director/VISION.md"), loaded.goals()) == ("", ())
    assert sorted(notes(loaded)) == [
        (".director/VISION.md", LEAVES),
        (".director/goals/01-code", LEAVES),
    ]


def test_a_project_that_is_reached_through_a_link_is_whole(tmp_path: Path) -> None:
    write(tmp_path / "real", plan({"01-a.md": task()}) | {"VISION.md": "# Vision\n"})
    (tmp_path / "link").symlink_to("real")
    loaded = load_project(root=str(tmp_path / "link"))
    assert [one.name for one in all_tasks(loaded)] == ["01-a"]
    assert (loaded.text(".director/VISION.md"), notes(loaded)) == ("# Vision\n", [])


# Laziness


def two_goals_with_an_oddity_each() -> Files:
    odd = {f"goals/{goal}/odd/x.md": "x" for goal in ("01-first", "02-second")}
    return plan({"01-a.md": task()}) | {"goals/02-second/01-s/tasks/01-t.md": b"\xff"} | odd


def test_choosing_the_next_task_reads_nothing_behind_it(project: Make) -> None:
    loaded = project(two_goals_with_an_oddity_each())
    chosen = choose(loaded)
    assert chosen and chosen.place.ref == "1/1/1"
    assert [path for path, _ in notes(loaded)] == [".director/goals/01-first/odd"]


def test_what_was_read_once_is_not_read_again(project: Make, tmp_path: Path) -> None:
    loaded = project(plan({"01-a.md": task()}) | {"VISION.md": "before"})
    before = (loaded.text(".director/VISION.md"), all_tasks(loaded))
    write(tmp_path, {"VISION.md": "after", "goals/01-first/01-step/tasks/02-b.md": task()})
    assert (loaded.text(".director/VISION.md"), all_tasks(loaded)) == before
    fresh = load_project(root=str(tmp_path))
    assert (fresh.text(".director/VISION.md"), len(all_tasks(fresh))) == ("after", 2)


# Titles


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Task: Home page", "Home page"),
        ("# Task 3: Home page", "Home page"),
        ("# task 3: home page", "home page"),
        ("# Step 2: Core: the middle", "Core: the middle"),
        ("# Goal 1: First", "First"),
        ("# Home page", "Home page"),
        ("# Note: this one", "Note: this one"),
        ("# Task force one: go", "Task force one: go"),
        ("# Task: Ünïcode “quoted”", "Ünïcode “quoted”"),
        ("## Only a second level", "home page"),
        ("", "home page"),
        ("```\n# Task: In code\n```", "home page"),
        ("#", "home page"),
    ],
)
def test_a_title_is_the_first_heading_without_its_label_or_else_the_slug(
    project: Make, heading: str, title: str
) -> None:
    loaded = project(plan({"03-home_page.md": f"{heading}\n"}))
    assert loaded.title(all_tasks(loaded)[0]) == title


def test_goals_and_steps_take_their_titles_from_their_own_documents(project: Make) -> None:
    loaded = project(plan({}) | {"goals/02-no-file/01-plain/tasks/01.md": "", "goals/03/x": ""})
    first, second, third = loaded.goals()
    units = [first, second, third, *loaded.steps(first), *loaded.steps(second), *all_tasks(loaded)]
    assert [loaded.title(unit) for unit in units] == [
        "First",
        "no file",
        "03",
        "Step 1",
        "plain",
        "01",
    ]


def test_a_title_can_always_be_printed_on_one_line(project: Make) -> None:
    loaded = project(plan({"01-a.md": "# Task: a\u2028b\u202ec\n"}))
    assert loaded.title(all_tasks(loaded)[0]) == "a\ufffdb\ufffdc"


# Where the folder is


def test_the_folder_is_found_upwards_and_the_nearest_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"/a/b/c/x": "x"})
    write(tmp_path / "a", {})
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    assert locate() == str(tmp_path / "a")
    assert locate(str(tmp_path / "a" / "b" / "c" / "x")) == str(tmp_path / "a")
    assert locate(str(tmp_path)) == locate("../../..") == str(tmp_path)
    assert load_project().root == load_project(tmp_path / "a" / "b").root == str(tmp_path / "a")


def test_a_folder_that_is_in_no_project_says_so() -> None:
    with pytest.raises(DctxError, match=r"no \.director/ folder here or above") as error:
        locate(os.sep)
    assert "dctx init" in error.value.hint


def test_a_root_that_is_named_counts_before_the_environment_and_that_before_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "environment", "named"):
        write(tmp_path / name, {})
    monkeypatch.chdir(tmp_path / "here")
    assert locate() == str(tmp_path / "here")
    monkeypatch.setenv("DCTX_ROOT", str(tmp_path / "environment"))
    assert locate() == str(tmp_path / "environment")
    assert (
        locate(root=str(tmp_path / "named")) == locate(root="../named") == str(tmp_path / "named")
    )
    monkeypatch.setenv("DCTX_ROOT", "")
    assert locate() == str(tmp_path / "here")


@pytest.mark.parametrize("name", ["p", "p/", "p/.director", "p/.director/", "./q/../p", "~/p"])
def test_a_root_may_be_named_by_its_director_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write(tmp_path / "p", {"/../q/x": ""})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate(root=name) == str(tmp_path / "p")


def test_a_named_root_is_not_searched_upwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"/below/x": "x"})
    with pytest.raises(DctxError, match=r"There is no \.director/ folder in .*below"):
        locate(root=str(tmp_path / "below"))
    monkeypatch.setenv("DCTX_ROOT", str(tmp_path / "nowhere"))
    with pytest.raises(DctxError, match=r"There is no \.director/ folder in .*nowhere"):
        locate()
    assert locate(str(tmp_path)) == str(
        tmp_path
    )  # a path that was given says more than the environment


@pytest.mark.parametrize("named", [False, True])
def test_a_file_named_director_is_an_error_and_not_passed_over(tmp_path: Path, named: bool) -> None:
    write(tmp_path, {"/p/.director": "a file"})
    with pytest.raises(DctxError, match="is not a folder"):
        locate(str(tmp_path / "p"), str(tmp_path / "p") if named else None)


def test_a_director_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "real", {})
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".director").symlink_to(tmp_path / "real" / ".director")
    with pytest.raises(DctxError, match="is a link that leaves the project") as error:
        locate(str(tmp_path / "p"))
    assert "--root" in error.value.hint
    assert locate(root=str(tmp_path / "real")) == str(tmp_path / "real")


def test_a_director_link_within_the_project_is_followed(tmp_path: Path) -> None:
    write(tmp_path, {"/docs/plan/VISION.md": "# Vision\n"})
    (tmp_path / ".director").rmdir()
    (tmp_path / ".director").symlink_to("docs/plan")
    assert load_project(tmp_path).text(".director/VISION.md") == "# Vision\n"


def test_a_current_folder_that_is_gone_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "p", {})
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(DctxError, match="current folder no longer exists"):
        locate()
    with pytest.raises(DctxError, match="current folder no longer exists"):
        locate(root=".")
    assert locate(root=str(tmp_path / "p")) == str(tmp_path / "p")


def test_the_program_says_that_there_is_no_folder_and_ends_with_1(
    dctx: Callable[..., Result],
) -> None:
    result = dctx("next", cwd=Path(os.sep))
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "dctx: There is no .director/ folder here or above.\n"
        "  hint: `dctx setup` makes one (`dctx init` that alone); --root names another project.\n"
    )
