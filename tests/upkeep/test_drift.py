"""How far the project is, what its lists and fields say, and which notes are old."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import Files, Result, plan, step, task, write

from director_ctx import Project, load_project
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.progress import GoalProgress
from director_ctx.upkeep.status import open_questions, project_name, staleness, status

Make = Callable[[Files], Project]

# Two goals; 1/1 is done, 1/2/1 too; 1/2/2 is current.
FILES: Files = {
    **plan(
        {"01-alpha.done.md": task("Alpha"), "02-beta.done.md": task("Beta")},
        {"01-gamma.done.md": task("Gamma"), "02-delta.md": task("Delta")},
    ),
    "goals/02-second/GOAL.md": "# Goal 2: Second\n",
    "goals/02-second/01-last/STEP.md": step(1, "Last"),
    "goals/02-second/01-last/tasks/01-omega.md": task("Omega"),
}
DONE: Files = {name.replace("delta.md", "delta.done.md").replace("omega.md", "omega.done.md"): text
               for name, text in FILES.items()}  # fmt: skip


def state(name: str, value: str) -> Files:
    return {"STATE.md": f"# State\n\n**{name}:** {value}\n"}


# STEP


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ ] Task 3: Name", (" ", 3, "Name")),
        ("- [x] Task 3: Name", ("x", 3, "Name")),
        ("- [~] Task 3: Name", ("~", 3, "Name")),
        ("* [x] Task 3: Name", ("x", 3, "Name")),
        ("  - [x] Task 3: Name", ("x", 3, "Name")),
        ("- [x] **Task 3: Name**", ("x", 3, "Name")),
        ("- [x] Task 3: Name (32 candidates, approved)", ("x", 3, "Name (32 candidates, approved)")),
        ("- [ ] Task 3 — Name", (" ", 3, "— Name")),
        ("- [ ] task 03: Name", (" ", 3, "Name")),
        ("- [ ] Something else", None),
        ("- Task 3: Name", ("", 3, "Name")),
        ("- [ ] Task 3. Name", (" ", 3, "Name")),
        ("-\t[x] Task 3: Name", ("x", 3, "Name")),
        ("- [ ] [Task 3: Name](tasks/03-name.md)", (" ", 3, "Name")),
        ("Task 3: Name", None),
        ("- [ ] Task three: Name", None),
    ],
)  # fmt: skip
def test_task_lines_of_a_step_are_read_whatever_their_dashes_and_suffixes(
    line: str, expected: tuple[str, int, str] | None
) -> None:
    lines = step_lines(
        f"# Step 1: S\n\n## Tasks\n\n{line}\n\n## Needs First\n- [ ] Task 9: not in the list\n"
    )
    assert [(one.mark, one.number, one.title) for one in lines] == ([expected] if expected else [])
    assert [one.line for one in lines] == ([5] if expected else [])


# Fields


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("**Status:** In progress", "In progress"),
        ("**Status**: In progress", "In progress"),
        ("- **Status:** In progress", "In progress"),
        ("status: In progress  ", "In progress"),
        ("**Status:** **In progress**", "In progress"),
        ("**Status:**", ""),
        ("**Project status:** In progress", None),
        ("The Status: In progress", None),
    ],
)
def test_a_field_is_read_with_its_line(line: str, value: str | None) -> None:
    assert field(f"# State\n\n{line}\n**Status:** second\n", "Status") == (
        ("second", 4) if value is None else (value, 3)
    )


# Status


def test_progress_is_counted_from_file_names(project: Make) -> None:
    loaded = project(
        {
            **FILES,
            "goals/02-second/02-empty/STEP.md": step(),
            "goals/03-third/GOAL.md": "# Goal 3: Third\n",
        }
    )

    def counted(goal: GoalProgress) -> list[tuple[str, str, int, int]]:
        return [(one.title, one.state, one.done, one.total) for one in goal.steps]

    goals = status(loaded).goals
    assert [(goal.title, goal.state, goal.done, goal.total, counted(goal)) for goal in goals] == [
        ("First", "in progress", 3, 4, [("Step 1", "complete", 2, 2), ("Step 2", "in progress", 1, 2)]),
        ("Second", "not started", 0, 1, [("Last", "not started", 0, 1), ("A step", "unplanned", 0, 0)]),
        ("Third", "unplanned", 0, 0, []),
    ]  # fmt: skip


def test_a_task_marked_for_review_is_shown_only_while_it_is_pending(project: Make) -> None:
    text = step(2, "Step 2", "- [~] Task 1: Gamma\n- [~] Task 2: Delta\n- [~] Task 9: No file")
    goals = status(project({**FILES, "goals/01-first/02-step/STEP.md": text})).goals
    assert [[one.review for one in goal.steps] for goal in goals] == [[(), (2,)], [()]]


@pytest.mark.parametrize(
    ("vision", "name"),
    [
        ("# Vision\n\n## Project Name\n**Reading List**\nA list of links.\n", "**Reading List**"),
        ("# Vision\n\n## Project Name\n\n\nReading List\nand more\n", "Reading List"),
        ("# Vision\n\n## Project Name:\nRead\u202eing\n", "Read\ufffding"),
        ("# Vision\n\n## Project Name\n_What are you calling this project?_\n", "folder"),
        ("# Vision\n\n## Project Name\n[Project Name]\n", "folder"),
        ("# Vision\n\n## Project Name\n\n## What It Does\nText\n", "folder"),
        ("# Vision\n\nReading List\n", "folder"),
        ("", "folder"),
    ],
)
def test_the_project_s_name_is_the_first_line_of_its_section_or_else_the_folder_s(
    tmp_path: Path, vision: str, name: str
) -> None:
    assert (
        project_name(load_project(root=str(write(tmp_path / "folder", {"VISION.md": vision}))))
        == name
    )


def test_open_questions_are_listed_from_what_is_not_done_yet(project: Make) -> None:
    mark = "\n- [UNCLEAR] Who pays?\n"
    files = {
        **FILES,
        "VISION.md": "# Vision\n\n- [UNCLEAR] Which colour?\n- [UNCLEAR]\n- Which [UNCLEAR] size?\nClear.\n",
        "GAMEPLAN.md": "# Gameplan\n| [UNCLEAR]: Why? |\n",
        "STATE.md": mark,
        "goals/00-zero/GOAL.md": mark,
        "goals/00-zero/01-s/tasks/01-t.done.md": mark,
        "goals/01-first/GOAL.md": f"# Goal 1: First\n{mark}",
        "goals/01-first/02-step/tasks/01-gamma.done.md": mark,
        "goals/01-first/02-step/tasks/02-delta.md": f"# Task: Delta\n{mark}",
    }
    assert [(one.path, one.line, one.text) for one in open_questions(project(files))] == [
        (".director/VISION.md", 3, "Which colour?"),
        (".director/VISION.md", 5, "Which  size?"),
        (".director/GAMEPLAN.md", 2, "Why?"),
        (".director/goals/01-first/GOAL.md", 3, "Who pays?"),
        (".director/goals/01-first/02-step/tasks/02-delta.md", 3, "Who pays?"),
    ]


# Staleness


def config(completed: object = 0, when: object = "2026-01-01") -> Files:
    made = {"completed_goals_at_generation": completed, "generated_at": when}
    return {"config.json": json.dumps({"context_generation": made})}


NOTES: Files = {
    "research/SUMMARY.md": "# S\n\n**Analysis Date:** 2026-02-01\n",
    "codebase/STACK.md": "# Stack\n",
}


@pytest.mark.parametrize(
    ("completed_now", "then", "since", "stale"),
    [
        (1, 0, 1, False),
        (2, 0, 2, True),
        (4, 3, 1, False),
        (1, 3, 0, False),
    ],
)
def test_notes_are_stale_when_two_goals_were_completed_since(
    project: Make, completed_now: int, then: int, since: int, stale: bool
) -> None:
    verdicts = staleness(project({**NOTES, **config(then)}), completed_now)
    assert [(one.folder, one.goals_since, one.stale) for one in verdicts] == [
        ("research", since, stale),
        ("codebase", since, stale),
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"config.json": '{"context_generation": null}'},
        config(None, None),
        config("3", 7),
        config(True),
    ],
)
def test_a_count_that_is_missing_or_no_number_is_zero(
    project: Make, settings: Mapping[str, str]
) -> None:
    assert [one.goals_since for one in staleness(project({**NOTES, **settings}), 2)] == [2, 2]


def test_only_notes_that_exist_are_judged(project: Make) -> None:
    assert staleness(project(config()), 9) == []
    loaded = project({**config(), "research/picture.png": "x", "codebase/STACK.md": "x"})
    assert [one.folder for one in staleness(loaded, 9)] == ["codebase"]


def test_the_age_is_told_from_the_settings_and_from_the_oldest_note(project: Make) -> None:
    more = {"research/STACK.md": "**Analysis Date:** 2025-12-24\n", "research/NONE.md": "x"}
    research, codebase = staleness(project({**NOTES, **more, **config()}), 0)
    assert (research.generated_at, research.analysis_date) == ("2026-01-01", "2025-12-24")
    assert (codebase.generated_at, codebase.analysis_date) == ("2026-01-01", "")


def test_the_completed_goals_are_counted_from_the_files(project: Make) -> None:
    done = {
        **DONE,
        **NOTES,
        "goals/03-empty/GOAL.md": "# Goal 3\n",
        "goals/04-x/01-s/STEP.md": step(),
    }
    assert [one.goals_since for one in status(project(done)).stale] == [2, 2]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("[" * 100_000, "is not valid JSON; its settings were ignored"),
        ('{"a": ' + "9" * 5000 + "}", "is not valid JSON; its settings were ignored"),
        ('"text"', "is not a JSON object; its settings were ignored"),
    ],
    ids=["deep", "huge number", "text"],
)
def test_settings_that_are_broken_are_noted_and_ignored(
    project: Make, text: str, note: str
) -> None:
    shown = status(project({**DONE, **NOTES, "config.json": text}))
    assert [(one.path, one.text) for one in shown.notes] == [(".director/config.json", note)]
    assert [one.goals_since for one in shown.stale] == [2, 2]


# The program


def test_status_shows_what_waits_for_somebody_and_what_does_not_agree(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    files = {
        **DONE,
        **NOTES,
        **config(),
        **state("Current goal", "Goal 2"),
        "VISION.md": "# Vision\n\n## Project Name\nShop\n\n[UNCLEAR] Which colour?\n",
        "goals/03-more/01-s/STEP.md": step(1, "S", "- [~] Task 1: T"),
        "goals/03-more/01-s/tasks/01-t.md": task("T"),
        "goals/odd/x": "x",
    }
    result = dctx("status", cwd=write(tmp_path, files))
    lines = result.out.splitlines()
    assert (result.code, lines[0]) == (0, "Shop")
    for line in (
        "1 task is begun or waits for your review: `dctx status --goal 3`",
        "1 open question: `dctx doctor`",
        "2 notes are out of date: `dctx doctor --stale`",
        "1 record disagrees with the files: `dctx doctor`",
        "1 thing is odd in the folder: `dctx doctor`",
    ):
        assert line in lines
    told = dctx("doctor", cwd=tmp_path).out
    for line in (
        "  .director/VISION.md:6: Which colour?",
        "Out of date: .director/research/ (2 goals were completed since it was made)",
        "  .director/STATE.md:3: Current goal: Goal 2. The files say: more",
        ".director/goals/odd: has no number in its name; it was ignored",
    ):
        assert line.strip() in told


def test_status_as_json_has_everything(dctx: Callable[..., Result], tmp_path: Path) -> None:
    files = {
        **plan({"01-a.md": task("A")}),
        **state("Position", "Goal 2"),
        "codebase/STACK.md": "x",
        "VISION.md": "[UNCLEAR] x",
    }
    (tmp_path / "shop").mkdir()
    result = dctx("status", "--json", cwd=write(tmp_path / "shop", files))
    shown = json.loads(result.out)
    goal = {"number": 1, "title": "First", "path": ".director/goals/01-first"}
    first = {"number": 1, "title": "Step 1", "path": ".director/goals/01-first/01-step"}
    one = {
        "ref": "1/1/1", "path": ".director/goals/01-first/01-step/tasks/01-a.md", "title": "A",
        "readiness": "assumed", "goal": goal, "step": first,
    }  # fmt: skip
    counts = {"state": "not started", "done": 0, "total": 1}
    assert shown.pop("next")["task"] == one
    assert shown == {
        "name": "shop",
        "current": one,
        "goals": [{**goal, **counts, "steps": [{**first, **counts, "review": []}]}],
        "unplanned": [],
        "questions": [{"path": ".director/VISION.md", "line": 1, "text": "x"}],
        "staleness": [
            {
                "folder": "codebase",
                "goals_since": 0,
                "generated_at": "",
                "analysis_date": "",
                "stale": False,
            }
        ],
        "mismatches": [
            {
                "path": ".director/STATE.md",
                "line": 3,
                "says": "Position: Goal 2",
                "files_say": "Goal 1 > Step 1 > Task 1",
                "advice": "`dctx doctor --fix` writes what the files say",
                "unlisted": False,
            }
        ],
        "notes": [],
        "templates": [],
        "plan": {"failed": [], "blockers": [], "notes": ""},
        "stale_notes": [],
        "stale_notes_unknown": "",
        "sources": [],
    }
