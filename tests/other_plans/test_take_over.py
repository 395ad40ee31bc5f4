"""Plans of other tools are taken over whole: as many goals, steps and tasks as they have, each with its context."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from other_plans import NOW, SAMPLES, TOOLS, Run, copy, files, source_files, take, taken

from director_ctx import assemble
from director_ctx.clients.setup.here import look
from director_ctx.clients.setup.plan import SetupRequest, carry_out, plan_setup
from director_ctx.doors.cli.start.menu import PLAN_TOOLS
from director_ctx.other_plans.find import FORMATS, NAMES, find_plan
from director_ctx.other_plans.take_over import plan_taking
from director_ctx.project.project import Project
from director_ctx.project.reading.markdown import headings, section
from director_ctx.project.taken import TITLES
from director_ctx.project.tasks.next import next_task, places
from director_ctx.upkeep.doctor import diagnose

COUNTS = {
    "openspec": (1, 2, 6, 1),
    "spec-kit": (1, 6, 11, 2),
    "task-master": (2, 7, 9, 1),
    "backlog": (2, 3, 5, 0),
    "todo": (1, 2, 4, 1),
}
"""Goals, steps, tasks and how many of these are done, counted by hand."""


def test_what_a_person_may_ask_for_is_what_there_are_readers_for() -> None:
    assert PLAN_TOOLS == NAMES
    assert [row.name for row in FORMATS] == list(TITLES)
    assert set(TOOLS) == set(TITLES) == set(COUNTS)


@pytest.mark.parametrize("tool", TOOLS)
def test_everything_in_a_plan_has_its_place_and_its_context(tool: str, tmp_path: Path) -> None:
    root = copy(tool, tmp_path)
    before = source_files(root)
    found = take(root, tool).counts()
    assert source_files(root) == before
    project = Project(str(root))
    goals = project.goals()
    steps = [step for goal in goals for step in project.steps(goal)]
    tasks = {place.ref: place.task for place in places(project) if place.task}
    done = [task for task in tasks.values() if task.done]
    assert (len(goals), len(steps), len(tasks), len(done)) == COUNTS[tool]
    assert (found["goals"], found["steps"], found["tasks"], found["done"]) == COUNTS[tool]
    diagnosis = diagnose(project)
    assert (diagnosis.problems, diagnosis.worth_checking) == ((), ())

    known = {"What To Do", "Why It Matters", "Size", "Done When", "Needs First", "Source"}
    for ref, task in tasks.items():
        text = project.text(task.path)
        # A description has no section of its own.
        found_heads = [head.title for head in headings(text)]
        assert set(found_heads[1:]) <= known and len(set(found_heads)) == len(found_heads)
        context = assemble(Project(str(root)), "builder", task=ref)
        assert text.strip() in {section.tag: section.text for section in context.sections}["task"]

    # What was copied would make a task wait for all before it, or for another task of that number.
    upcoming = next_task(project)
    assert upcoming.task
    for candidate in (upcoming.task, *upcoming.also_ready, *upcoming.waiting):
        assert candidate.readiness.kind in ("declared", "explicit")
        assert "does not exist" not in candidate.readiness.why


def test_dependencies_become_the_numbers_of_the_folder(tmp_path: Path) -> None:
    root = taken("spec-kit", tmp_path)
    project = Project(str(root))
    needs = {
        place.ref: section(project.text(place.task.path), "needs first")
        for place in places(project)
        if place.task
    }
    free = "Nothing -- this can start right away."
    assert needs == {
        "1/1/1": free,
        "1/1/2": "The previous task.",
        "1/2/1": "Step 1.",
        "1/2/2": "The previous task.",
        "1/3/1": "Step 2.",
        "1/3/2": "Step 2.",
        "1/3/3": "The earlier tasks; Task 1 (in Step 2); Task 2 (in Step 2).",
        "1/4/1": "Step 2.",
        "1/5/1": "Step 2; Step 3; Step 4.",
        "1/5/2": "Step 2; Step 3; Step 4; Task 1 (in Step 3); Task 2 (in Step 3); Task 3 (in Step 3).",
        "1/6/1": "Step 5.",
    }


def test_decisions_are_locked_and_deferred_where_the_source_says_so(tmp_path: Path) -> None:
    root = taken("openspec", tmp_path)
    text = (root / ".director/goals/01-add-lending/01-loans/STEP.md").read_text()
    assert section(text, "decisions") == (
        "### Locked\n\n"
        "- **Names, no accounts.** A name is enough; everybody knows everybody.\n"
        "- **One row for each loan.** A packet may be lent again and again.\n\n"
        "### Deferred\n\n- Reminders by mail\n- How long may a packet be kept?"
    )


def test_criteria_are_those_of_the_source_and_none_is_made_up(tmp_path: Path) -> None:
    root = taken("openspec", tmp_path)
    tasks = root / ".director/goals/01-add-lending/01-loans/tasks"
    said = (tasks / "02-lend-a-packet.md").read_text()
    assert section(said, "done when") == "- [x] with a name\n- [ ] without one"
    unknown = (tasks / "03-give-a-packet-back.md").read_text()
    assert section(unknown, "done when") == (
        "- [ ] _OpenSpec does not say how one sees that this is done._"
    )


def test_research_notes_and_reference_go_to_their_folders(tmp_path: Path) -> None:
    wanted = {
        "openspec": (
            "codebase/CONVENTIONS.md",
            "reference/spec-shelf.md",
            "reference/add-lending-scenarios.md",
        ),
        "spec-kit": (
            "codebase/CONVENTIONS.md",
            "codebase/STRUCTURE.md",
            "goals/01-lending-packets/01-setup/RESEARCH.md",
        ),
        "task-master": ("reference/prd.txt",),
    }
    for tool, paths in wanted.items():
        root = copy(tool, tmp_path / tool)
        take(root, tool)
        for path in paths:
            assert (root / ".director" / path).is_file(), path


def test_what_is_no_work_yet_waits_among_the_ideas(tmp_path: Path) -> None:
    root = taken("task-master", tmp_path)
    ideas = (root / ".director/IDEAS.md").read_text()
    assert "Photos (a deferred task" in ideas and "With sound (a deferred subtask" in ideas


def test_what_is_finished_comes_along_when_asked_for(tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    taking = take(root, "openspec")
    assert [(one.name, one.tasks) for one in taking.finished] == [("Fix names", 2)]
    with_done = take(root, "openspec", with_done=True)
    assert [unit.key for unit in with_done.new("goal")] == ["shelf", "fix-names"]
    assert diagnose(Project(str(root))).problems == ()


def test_a_plan_of_ones_own_goes_on_behind_what_is_there(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    dctx("init", cwd=root)
    dctx("add", "goal", "Of our own", cwd=root)
    dctx("add", "step", "First", cwd=root)
    dctx("add", "task", "Begin", cwd=root)
    take(root, "openspec")
    names = [goal.name for goal in Project(str(root)).goals()]
    assert names == ["01-of-our-own", "02-add-lending"]
    assert diagnose(Project(str(root))).problems == ()


def test_it_is_shown_before_anything_is_written(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    before = files(root)
    result = dctx("init", "--from", "auto", "--dry-run", cwd=root)
    assert result.code == 0
    assert "OpenSpec: 1 goal, 2 steps, 6 tasks, 1 done" in result.out
    assert "openspec/changes/add-photos/proposal.md:1" in result.out
    assert (
        "openspec/changes/fix-names/tasks.md every box is ticked, and it is not archived"
        in result.out
    )
    assert files(root) == before
    unasked = dctx("init", "--from", "openspec", cwd=root)
    assert unasked.code == 1 and "nobody can be asked" in unasked.err
    assert files(root) == before


def test_it_is_told_as_json(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    planned = json.loads(dctx("init", "--from", "openspec", "--json", cwd=root).out)
    assert planned["written"] is False and not (root / ".director").exists()
    done = json.loads(dctx("init", "--from", "openspec", "--json", "--yes", cwd=root).out)
    assert done["written"] is True
    assert done["counts"]["tasks"] == 6
    boxes = [unit for unit in done["units"] if unit["id"] == "add-lending/1.2"]
    assert boxes[0]["from"] == {"path": "openspec/changes/add-lending/tasks.md", "line": 6}
    assert boxes[0]["ref"] == "1/1/2"


def test_strict_writes_nothing_where_something_is_in_doubt(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    result = dctx("init", "--from", "openspec", "--strict", "--yes", cwd=root)
    assert result.code == 4 and not (root / ".director").exists()
    (tmp_path / "b").mkdir()
    (tmp_path / "b/TODO.md").write_text("- [ ] bake\n")
    assert dctx("init", "--from", "todo", "--strict", "--yes", cwd=tmp_path / "b").code == 0


def test_several_tools_in_one_project_are_taken_one_after_the_other(
    dctx: Run, tmp_path: Path
) -> None:
    root = copy("backlog", copy("openspec", tmp_path))
    result = dctx("init", "--from", "auto", "--yes", cwd=root)
    assert result.code == 1
    assert "OpenSpec (openspec), Backlog.md (backlog)" in result.err
    assert dctx("init", "--from", "backlog", "--yes", cwd=root).code == 0
    assert dctx("init", "--from", "openspec", "--yes", cwd=root).code == 0
    assert [goal.name for goal in Project(str(root)).goals()] == [
        "01-lending",
        "02-backlog",
        "03-add-lending",
    ]
    assert diagnose(Project(str(root))).problems == ()
    for tool in ("backlog", "openspec"):
        assert "Nothing new" in dctx("init", "--from", tool, "--yes", cwd=root).out


def test_the_folder_or_file_of_a_plan_may_be_named(dctx: Run, tmp_path: Path) -> None:
    root = tmp_path / "here"
    root.mkdir()
    for place in (SAMPLES / "openspec", SAMPLES / "openspec/openspec"):
        result = dctx("init", "--from", "openspec", str(place), "--dry-run", cwd=root)
        assert "6 tasks" in result.out
    missing = dctx("init", "--from", "openspec", "nowhere", cwd=root)
    assert missing.code == 1 and missing.err.startswith("dctx: There is no nowhere.")
    nothing = dctx("init", "--from", "auto", cwd=root)
    assert nothing.code == 1 and "No plan of another tool was found" in nothing.err
    assert dctx("init", "--json", cwd=root).code == 2


def test_setup_notices_a_plan_and_takes_nothing_over_unasked(dctx: Run, tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    result = dctx("setup", "--yes", "--no-verify", "--client", "claude", cwd=root)
    assert "a plan of OpenSpec" in result.out
    assert "dctx init --from openspec --dry-run" in result.err
    assert not Project(str(root)).goals()
    # Whoever plans with another tool is not sent to plan all of it once more.
    *_, last = result.out.strip().split("\n")
    assert last.startswith("Next: `") and "init --from openspec`" in last
    assert "assemble" not in result.out
    dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert (
        "OpenSpec" not in dctx("setup", "--yes", "--no-verify", "--client", "claude", cwd=root).out
    )


def test_setup_takes_a_plan_over_for_whoever_says_yes(tmp_path: Path) -> None:
    root = copy("openspec", tmp_path)
    here = look(str(root))
    assert here.plans == ("openspec",)
    steps = plan_setup(here, SetupRequest(("claude",), take_over=here.plans))
    assert steps[-1].says == "take over the plan of OpenSpec (1 goal, 2 steps, 6 tasks)"
    assert [step.problem for step in carry_out(here, steps)] == [""] * len(steps)
    assert [goal.name for goal in Project(str(root)).goals()] == ["01-add-lending"]
    assert look(str(root)).plans == ()


def _script(tool: str) -> str:
    """Takes a plan over, and is gone in the middle."""
    from killed import COUNT_DOWN

    return COUNT_DOWN + (
        "for name in ('link', 'replace', 'rename', 'mkdir', 'unlink', 'makedirs'):\n"
        "    counted(name)\n"
        "from director_ctx.other_plans.find import find_plan\n"
        "from director_ctx.other_plans.take_over import plan_taking\n"
        "from director_ctx.other_plans.write import write_taking\n"
        f"found = find_plan({tool!r}, sys.argv[2], None)\n"
        f"write_taking(sys.argv[2], plan_taking(sys.argv[2], found), {NOW!r})\n"
    )


def _goals(root: Path) -> dict[str, bytes]:
    """Without what was being written when the program ended; `dctx doctor --fix` removes that."""
    found = files(root).items()
    return {
        path: data
        for path, data in found
        if path.startswith(".director/goals") and ".tmp" not in path
    }


@pytest.mark.parametrize("tool", ["openspec", "task-master"])
def test_ended_at_any_moment_a_second_run_does_the_rest(tool: str, tmp_path: Path) -> None:
    whole = copy(tool, tmp_path / "whole")
    take(whole, tool)
    wanted = _goals(whole)
    script = _script(tool)
    for count in range(5, 110, 25):
        root = copy(tool, tmp_path / str(count))
        subprocess.run(
            [sys.executable, "-c", script, str(count), str(root)],
            check=False,
            timeout=60,
            capture_output=True,
        )
        take(root, tool)
        made = _goals(root)
        assert made == wanted, count
        project = Project(str(root))
        assert [one for one in diagnose(project).problems if one.kind != "left over"] == []
        assert plan_taking(str(root), find_plan(tool, str(root), None)).changes_something is False


def test_a_first_run_that_is_interrupted_says_so_and_the_second_writes_the_vision(
    dctx: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = copy("openspec", tmp_path / "whole" / "project")
    take(whole, "openspec")
    root = copy("openspec", tmp_path / "ended" / "project")
    with monkeypatch.context() as patched:
        patched.setattr("director_ctx.other_plans.write.create_folder", _interrupted)
        result = dctx("init", "--from", "openspec", "--yes", cwd=root)
    assert result.code == 130
    assert "stopped half-way" in result.err and "same command again" in result.err
    assert dctx("init", "--from", "openspec", "--yes", cwd=root).code == 0
    vision = ".director/VISION.md"
    assert (root / vision).read_text() == (whole / vision).read_text()


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_second_run_that_was_ended_owes_what_it_did_not_write(tmp_path: Path) -> None:
    def changed(root: Path) -> Path:
        copy("openspec", root)
        take(root, "openspec")
        path = root / "openspec/changes/add-lending/tasks.md"
        text = path.read_text().replace("1.2 Lend", "1.2 Kindly lend").replace("[~] 1.3", "[x] 1.3")
        path.write_text(text.replace("* [ ] 2.1 Show", "* [ ] 2.1 Say\n* [ ] 2.2 Show"))
        (root / "openspec/changes/more").mkdir()
        (root / "openspec/changes/more/proposal.md").write_text("## Why\n\nMore.\n")
        return root

    whole = changed(tmp_path / "whole")
    take(whole, "openspec")
    wanted = _goals(whole)
    for count in range(1, 32, 3):
        root = changed(tmp_path / str(count))
        command = [sys.executable, "-c", _script("openspec"), str(count), str(root)]
        subprocess.run(command, check=False, timeout=60, capture_output=True)
        take(root, "openspec")
        assert _goals(root) == wanted, count
        assert (root / ".director/IDEAS.md").read_text().count("More (an OpenSpec") == 1


IDS = [
    ("spec-kit", "T004", "1/2/2"),
    ("backlog", "BACK-2.1", "1/2/1"),
]


@pytest.mark.parametrize(("tool", "id", "ref"), IDS)
def test_a_task_is_found_by_the_id_that_its_tool_gave_it(
    dctx: Run, tool: str, id: str, ref: str, tmp_path: Path
) -> None:
    root = taken(tool, tmp_path)
    shown = dctx("task", "show", id.lower(), cwd=root)
    assert (shown.code, shown.out.split()[0]) == (0, ref)
    assert f"## Source\n\n{TITLES[tool]}: {id}\n" in shown.out
    assert dctx("assemble", "builder", "--task", id, cwd=root).code == 0
    nobody = dctx("task", "show", f"{id}9", cwd=root)
    assert nobody.code == 1 and "No task matches" in nobody.err


def test_a_question_of_spec_kit_keeps_the_sentence_it_is_about(tmp_path: Path) -> None:
    root = copy("spec-kit", tmp_path)
    spec = root / "specs/001-lending/spec.md"
    asked = "- **FR-009**: Packets MUST be [NEEDS CLARIFICATION: how large?] at most"
    spec.write_text(f"{spec.read_text()}\n{asked}\n")
    take(root, "spec-kit")
    [goal] = root.glob(".director/goals/01-*/GOAL.md")
    asked = "- [UNCLEAR] how large? (**FR-009**: Packets MUST be \u2026 at most)"
    assert asked in goal.read_text()
