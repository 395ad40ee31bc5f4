"""STATE, GAMEPLAN, GOAL and STEP brought in line with the files: what changes, and that nothing
else does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from conftest import Files, plan, step, task, write
from hypothesis import given, settings
from hypothesis import strategies as st
from in_line import sync, would_sync

from director_ctx import Project, load_project
from director_ctx.upkeep.drift import SYNC, mismatches
from director_ctx.upkeep.tasks import finish, reopen

NOW, LATER = "2026-03-04 05:06", "2027-08-09 10:11"
DASH = "\u2014"

# Two goals; step 1 of goal 1 is done (2 tasks), of step 2 the first of two; 1/2/2 is current.
FILES: Files = {
    **plan(
        {"01-alpha.done.md": task("Alpha"), "02-beta.done.md": task("Beta")},
        {"01-gamma.done.md": task("Gamma"), "02-delta.md": task("Delta")},
    ),
    "goals/01-first/01-step/STEP.md": step(1, "Saving links"),
    "goals/01-first/02-step/STEP.md": step(2, "Reading status"),
    "goals/02-second/GOAL.md": "# Goal 2: Second\n",
    "goals/02-second/01-last/STEP.md": step(1, "Last"),
    "goals/02-second/01-last/tasks/01-omega.md": task("Omega"),
}
DONE: Files = {
    name.replace("delta.md", "delta.done.md").replace("omega.md", "omega.done.md"): text
    for name, text in FILES.items()
}
NEW: Files = {name.replace(".done.md", ".md"): text for name, text in FILES.items()}
STEP = "goals/01-first/02-step/STEP.md"
GOAL = "goals/01-first/GOAL.md"


def loaded(root: Path) -> Project:
    return load_project(root=str(root))


def synced(root: Path, files: Files, name: str = "STATE.md") -> bytes:
    """One document after `dctx doctor --fix`, having checked what holds for every sync."""
    write(root, files)
    result = sync(str(root), NOW)
    assert result.failed == ()
    after = tree(root)
    assert not sync(str(root), LATER).rewrites, "a second sync changes nothing"
    assert tree(root) == after
    assert [one for one in mismatches(loaded(root)) if one.advice == SYNC] == []
    return after[name]


def tree(root: Path) -> dict[str, bytes]:
    base = root / ".director"
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file()
    }


def state(name: str, value: str) -> str:
    return f"# State\n\n**{name}:** {value}\n"


# The fields of STATE


@pytest.mark.parametrize(
    ("name", "says", "then"),
    [
        ("Status", "Not started", "In progress"),
        ("Status", "Complete", "In progress"),
        ("Status", "complete -- all of it", "In progress"),
        ("Status", "", "In progress"),
        ("Current goal", "Second", "First"),
        ("Current goal", "Goal 2", "First"),
        ("Current goal", "Pending -- scanning Goal 2", "First"),
        ("Current goal", "None yet", "First"),
        ("Current step", "Saving links (complete)", "Reading status"),
        ("Current step", "Step 1", "Reading status"),
        ("Current step", "Next step in Goal 3", "Reading status"),
        ("Current task", "Gamma (next)", "Delta"),
        ("Current task", f"Gamma {DASH} complete", "Delta"),
        ("Current task", "None -- step complete", "Delta"),
        ("Current task", "None -- Task 1 complete, ready for Task 3", "Delta"),
        ("Current task", "Pending", "Delta"),
        ("Current task", "(starting Step 2)", "Delta"),
        ("Current task", "All 5 tasks complete", "Delta"),
        ("Position", "Goal 1 > Step 2 > Task 1", "Goal 1 > Step 2 > Task 2"),
        ("Position", "Goal 1, Step 1, Task 1 complete", "Goal 1, Step 2, Task 2"),
        ("Position", "Goal 1, Step 1, all 3 tasks complete", "Goal 1, Step 2, Task 2"),
        ("Position", "Goal 1 complete, starting Goal 2", "Goal 1, Step 2, Task 2"),
        ("Position", "Not started", "Goal 1 > Step 2 > Task 2"),
    ],
)
def test_a_state_field_that_is_wrong_in_any_of_its_forms_is_put_right(
    tmp_path: Path, name: str, says: str, then: str
) -> None:
    assert synced(tmp_path, {**FILES, "STATE.md": state(name, says)}).decode() == state(name, then)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Status", "In progress"),
        ("Status", "Building"),
        ("Status", "in progress (waiting for review)"),
        ("Current goal", "First"),
        ("Current goal", "First (in progress)"),
        ("Current goal", "Goal 1"),
        ("Current step", "Step 2: a shorter name"),
        ("Current step", f"Reading status {DASH} in progress"),
        ("Current task", "Delta (next)"),
        ("Current task", "delta (awaiting the user review)"),
        ("Current task", "Task 2: Delta"),
        ("Position", "Goal 1 > Step 2 > Task 2"),
        ("Position", "Goal 1, Step 2, Task 2"),
        ("Position", "Goal 1, Step 2, Task 1 complete"),
    ],
)
def test_a_state_field_that_agrees_in_any_of_its_forms_keeps_its_bytes(
    tmp_path: Path, name: str, value: str
) -> None:
    text = state(name, value)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


@pytest.mark.parametrize(
    ("name", "says", "then"),
    [
        ("Status", "In progress", "Complete"),
        ("Status", "Building", "Complete"),
        ("Current goal", "Second", "All goals complete"),
        ("Current step", "Last", "None"),
        ("Current task", "Omega", "None"),
        ("Position", "Goal 2, Step 1, Task 1", "All goals complete"),
        ("Status", "Complete", "Complete"),
        ("Current goal", "None", "None"),
        ("Current task", "All 5 tasks complete", "All 5 tasks complete"),
        ("Position", "All goals complete", "All goals complete"),
    ],
)
def test_in_a_finished_project_the_fields_say_so(
    tmp_path: Path, name: str, says: str, then: str
) -> None:
    assert synced(tmp_path, {**DONE, "STATE.md": state(name, says)}).decode() == state(name, then)


def test_a_project_that_has_not_begun_says_so_and_names_its_first_task(tmp_path: Path) -> None:
    text = "**Status:** Complete\n**Current task:** None yet\n**Position:** Not started\n"
    then = (
        "**Status:** Not started\n**Current task:** Alpha\n**Position:** Goal 1 > Step 1 > Task 1\n"
    )
    assert synced(tmp_path, {**NEW, "STATE.md": text}).decode() == then


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("**Status:** Complete", "**Status:** In progress"),
        ("**Status**: Complete", "**Status**: In progress"),
        ("**Status: Complete**", "**Status: In progress**"),
        ("**Status:** **Complete**", "**Status:** **In progress**"),
        ("**Status:**Complete", "**Status:** In progress"),
        ("**Status:**  Complete  ", "**Status:**  In progress  "),
        ("**Status:**\tComplete", "**Status:**\tIn progress"),
        ("**Status:**", "**Status:** In progress"),
        ("- **Status:** Complete", "- **Status:** In progress"),
        ("* Status: Complete", "* Status: In progress"),
        ("Status: Complete", "Status: In progress"),
        ("**status:** complete", "**status:** In progress"),
        ("**Status:** Complete <!-- by hand -->", "**Status:** In progress <!-- by hand -->"),
        ("**Status:** Complete<!-- by hand -->", "**Status:** In progress <!-- by hand -->"),
        ("**Status:** Complete: really", "**Status:** In progress"),
    ],
)
def test_the_marks_around_a_value_stay(tmp_path: Path, line: str, then: str) -> None:
    before = f"# State\n\n{line}\nA line of mine.\n"
    after = synced(tmp_path, {**FILES, "STATE.md": before}).decode()
    assert after == before.replace(f"\n{line}\n", f"\n{then}\n")


BODY = (
    "# State \u00e9\n\n**Status:** Complete\n**Last updated:** yesterday\n\n## Notes\nMine: \u4f60\u597d\n\n"
    "## Progress\n\n### Goal 1: First\n- Step 1: Saving links (0/2 tasks done)\n"
    "- Step 2: Reading status (1/2 tasks done)"
)
THEN = BODY.replace("Complete", "In progress").replace("yesterday", NOW).replace("0/2", "2/2")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ],
)
def test_line_ends_marks_and_encodings_stay(
    tmp_path: Path, mark: bytes, encoding: str, final: bool, end: str
) -> None:
    def made(text: str) -> bytes:
        return mark + (text + "\n" * final).replace("\n", end).encode(encoding)

    assert synced(tmp_path, {**FILES, "STATE.md": made(BODY)}) == made(THEN)


def test_bytes_that_are_no_utf_8_stay_beside_what_changes(tmp_path: Path) -> None:
    before = b"# State\n\ncaf\xe9 \xff\xfe\x80\n**Status:** Complete\n\xc3\x28 and \xed\xa0\x80\n"
    assert synced(tmp_path, {**FILES, "STATE.md": before}) == before.replace(
        b"Complete", b"In progress"
    )


def test_control_characters_and_odd_blanks_stay_beside_what_changes(tmp_path: Path) -> None:
    before = (
        "# State\n\na\x0bb\x0cc\x1b[31m\u2028d\u0085e\u00a0\n**Status:** Complete\n\x1c\x1d\x1e\n"
    )
    assert synced(tmp_path, {**FILES, "STATE.md": before}).decode() == before.replace(
        "Complete", "In progress"
    )


def test_each_line_keeps_its_own_end_where_they_are_mixed(tmp_path: Path) -> None:
    before = "# State\r\n\n**Status:** Complete\r\nmine\n**Current goal:** Second\n\r\nlast\r"
    then = before.replace("Complete", "In progress").replace("Second", "First")
    assert synced(tmp_path, {**FILES, "STATE.md": before}).decode() == then


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "# State\n",
        "# State\n\n## Current Position\n\n**All of Goal 7 is complete and the site is live.**\n",
        "# State\n\n## Progress\n",
        "Status\nCurrent goal\n",
        "# State\n\n## Decisions Log\n- Locked: the status page comes later\n",
    ],
)
def test_a_state_without_fields_and_counts_keeps_its_bytes(tmp_path: Path, text: str) -> None:
    files = NEW if "Progress" in text else FILES
    assert synced(tmp_path, {**files, "STATE.md": text}).decode() == text


def test_without_a_state_none_is_made(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    assert sync(str(tmp_path), NOW).rewrites == ()
    assert not (tmp_path / ".director" / "STATE.md").exists()


def test_of_a_field_that_is_there_twice_the_first_is_the_one(tmp_path: Path) -> None:
    before = "**Status:** Complete\n\n## Old\n**Status:** Complete\n"
    after = synced(tmp_path, {**FILES, "STATE.md": before}).decode()
    assert after == "**Status:** In progress\n\n## Old\n**Status:** Complete\n"


EXAMPLES = [
    "```\n{}\n```",
    "~~~markdown\n{}\n~~~",
    "<!--\n{}\n-->",
    "<!-- {} -->",
    "- an example:\n  ```\n  {}\n  ```",
]


def shown(form: str, text: str) -> str:
    """An example in that form; in a list every line of it is indented."""
    return form.format(text.replace("\n", "\n  ") if form.startswith("-") else text)


@pytest.mark.parametrize("form", EXAMPLES)
def test_examples_and_comments_in_a_state_are_left_alone(tmp_path: Path, form: str) -> None:
    example = shown(
        form, "**Status:** Complete\n### Goal 1: First\n- Step 1: Saving links (0/2 tasks done)"
    )
    before = f"# State\n\n{example}\n\n**Status:** Complete\n\n## Progress\n\n{example}\n\n### Goal 1: First\n"
    lines = "- Step 1: Saving links (1/2 tasks)\n- Step 2: Reading status (1/2 tasks)\n"
    after = synced(tmp_path, {**FILES, "STATE.md": before + lines}).decode()
    expected = before.replace(
        "\n\n**Status:** Complete\n\n## P", "\n\n**Status:** In progress\n\n## P"
    )
    assert after == expected + lines.replace("Saving links (1/2", "Saving links (2/2")


def test_times_change_only_where_something_else_does(tmp_path: Path) -> None:
    times = "**Last updated:** a\n**Last session:** b\n"
    assert (
        synced(tmp_path, {**FILES, "STATE.md": f"**Status:** In progress\n{times}"})
        .decode()
        .endswith(times)
    )
    after = synced(tmp_path, {**FILES, "STATE.md": f"**Status:** Complete\n{times}"}).decode()
    assert after == f"**Status:** In progress\n**Last updated:** {NOW}\n**Last session:** b\n"


def test_finishing_a_task_is_a_session(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "STATE.md": "**Last updated:** a\n**Last session:** b\n"})
    finish(str(tmp_path), "1/2/2", NOW)
    assert (
        tree(tmp_path)["STATE.md"].decode()
        == f"**Last updated:** {NOW}\n**Last session:** {NOW[:10]}\n"
    )


def test_a_dry_run_tells_the_same_and_writes_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, {**FILES, "STATE.md": state("Status", "Complete")})
    before = tree(root)
    told = would_sync(str(root), NOW)
    assert tree(root) == before
    assert sync(str(root), NOW).rewrites == told.rewrites
    assert tree(root) != before


# Names that look like something else


ODD = {
    "goals/01-first/GOAL.md": "# Goal 1: Get things done\n",
    "goals/01-first/01-step/STEP.md": step(1, "Done and complete 2/3"),
    "goals/01-first/01-step/tasks/01-a.done.md": task("Not started"),
    "goals/01-first/01-step/tasks/02-b.md": task("Chapter 1/2 is complete"),
}


def test_names_with_words_of_state_and_counts_are_left_whole(tmp_path: Path) -> None:
    text = (
        "**Status:** In progress\n**Current goal:** Get things done\n**Current step:** Done and complete 2/3\n"
        "**Current task:** Chapter 1/2 is complete\n**Position:** Goal 1 > Step 1 > Task 2\n\n## Progress\n\n"
        f"### Goal 1: Get things done {DASH} IN PROGRESS\n- Step 1: Done and complete 2/3 (1/2 tasks done)\n"
    )
    assert synced(tmp_path, {**ODD, "STATE.md": text}).decode() == text


def test_a_wrong_count_behind_such_a_name_is_put_right_and_the_name_stays(tmp_path: Path) -> None:
    text = "## Progress\n\n### Goal 1: Get things done {}\n- Step 1: Done and complete 2/3 [{}] -- {}/2 tasks\n"
    after = synced(tmp_path, {**ODD, "STATE.md": text.format("- COMPLETE", "complete", 2)}).decode()
    assert after == text.format("- IN PROGRESS", "in progress", 1)


def test_a_name_in_letters_that_grow_when_folded_is_found(tmp_path: Path) -> None:
    files = {**FILES, "goals/01-first/01-step/STEP.md": step(1, "Stra\u00dfe \u0130 complete 1/9")}
    text = (
        "## Progress\n\n### Goal 1: First\n- Step 1: Stra\u00dfe \u0130 complete 1/9 ({}/2 tasks done)\n"
        + ("- Step 2: Reading status (1/2 tasks)\n")
    )
    assert synced(tmp_path, {**files, "STATE.md": text.format(0)}).decode() == text.format(2)


def test_a_position_with_a_name_that_holds_a_word_of_state_agrees(tmp_path: Path) -> None:
    text = state("Position", "Goal 1 (Get things done) > Step 1 > Task 2")
    assert synced(tmp_path, {**ODD, "STATE.md": text}).decode() == text


def test_a_numbered_goal_with_a_name_that_holds_a_word_of_state_keeps_its_bytes(
    tmp_path: Path,
) -> None:
    text = state("Current goal", "Goal 1 (Get things done)")
    assert synced(tmp_path, {**ODD, "STATE.md": text}).decode() == text


@pytest.mark.parametrize(
    ("path", "name"), [("STATE.md", "Current task"), ("GAMEPLAN.md", "Next Up")]
)
@pytest.mark.parametrize(
    ("one", "two"),
    [("Letters (1-3)", "Letters (4-6)"), ("Import -- CSV", "Import -- JSON")],
    ids=["()", "--"],
)
def test_two_tasks_that_differ_only_behind_a_mark_are_two(
    tmp_path: Path, one: str, two: str, path: str, name: str
) -> None:
    files = {**plan({"01-a.done.md": task(one), "02-b.md": task(two)}), path: state(name, one)}
    assert synced(tmp_path, files, path).decode() == state(name, two)


@pytest.mark.parametrize(
    ("name", "says", "then"),
    [
        ("Current goal", "First (complete)", "First"),
        ("Current step", f"Reading status {DASH} complete", "Reading status"),
        ("Current task", f"Delta {DASH} complete", "Delta"),
        ("Current task", "Delta (done)", "Delta"),
    ],
)
def test_what_is_pending_is_not_called_complete(
    tmp_path: Path, name: str, says: str, then: str
) -> None:
    write(tmp_path, {**FILES, "STATE.md": state(name, says)})
    assert [one.says for one in mismatches(loaded(tmp_path))] == [f"{name}: {says}"]
    assert synced(tmp_path, {}).decode() == state(name, then)


@pytest.mark.parametrize(
    ("title", "steps", "then"),
    [
        ("None of the above", 1, "None"),
        ("Nonetheless", 1, "None"),
        ("Pending orders", 2, "Not planned yet"),
        ("None of the above", 2, "Not planned yet"),
    ],
)
def test_a_finished_task_is_not_current_even_if_its_name_begins_like_none(
    tmp_path: Path, title: str, steps: int, then: str
) -> None:
    files = plan({"01-a.done.md": task(title)}, *[{}] * (steps - 1))
    assert synced(tmp_path, {**files, "STATE.md": state("Current task", title)}).decode() == state(
        "Current task", then
    )


@pytest.mark.parametrize("old", ["Support **bold**", "Match files by *"])
def test_marks_that_belong_to_the_old_value_go_with_it(tmp_path: Path, old: str) -> None:
    assert synced(tmp_path, {**FILES, "STATE.md": state("Current task", old)}).decode() == state(
        "Current task", "Delta"
    )


def test_a_name_in_stars_is_written_once_and_for_all(tmp_path: Path) -> None:
    files = {**plan({"01-a.md": task("*starred*")}), "STATE.md": state("Current task", "x")}
    assert synced(tmp_path, files).decode() == state("Current task", "*starred*")


def test_a_comment_before_the_value_does_not_hide_it(tmp_path: Path) -> None:
    text = state("Status", "<!-- Not started / In progress / Complete --> {}")
    after = synced(tmp_path, {**FILES, "STATE.md": text.format("Complete")}).decode()
    assert (
        "In progress" in after.partition("-->")[2] and "Complete" not in after.partition("-->")[2]
    )


def test_a_goal_s_status_is_not_the_project_s(tmp_path: Path) -> None:
    files = {name.replace("delta.md", "delta.done.md"): text for name, text in FILES.items()}
    text = (
        "# State\n\n## Progress\n\n### Goal 1: First\n**Status:** Complete\n"
        "- Step 1: Saving links (2/2 tasks)\n- Step 2: Reading status (2/2 tasks)\n"
    )
    assert synced(tmp_path, {**files, "STATE.md": text}).decode() == text


def test_an_empty_plan_is_not_said_to_be_done_and_can_be_brought_in_line(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "STATE.md": "**Status:** Complete\n**Current goal:** Goal 1\n**Position:** Goal 1, Step 1\n"
        },
    )
    assert not [
        one for one in mismatches(loaded(tmp_path)) if "everything is done" in one.files_say
    ]
    assert synced(tmp_path, {})


# The Progress section


def progress(*lines: str) -> str:
    return "\n".join(
        ["# State", "", "## Progress", "", *lines, "", "## Recent Activity", "", "- mine", ""]
    )


SECOND = "- Step 2: Reading status (1/2 tasks done)"


@pytest.mark.parametrize(
    ("says", "then"),
    [
        (
            "- Step 1: Saving links [not started] -- 0/2 tasks",
            "- Step 1: Saving links [complete] -- 2/2 tasks",
        ),
        (
            "- Step 1: Saving links [complete] -- 1/3 tasks",
            "- Step 1: Saving links [complete] -- 2/2 tasks",
        ),
        ("- Step 1: Saving links (1/3 tasks done)", "- Step 1: Saving links (2/2 tasks done)"),
        (
            f"- Step 1: Saving links {DASH} in progress (1/4 tasks done)",
            f"- Step 1: Saving links {DASH} complete (2/2 tasks done)",
        ),
        (f"- Step 1: Saving links {DASH} not started", f"- Step 1: Saving links {DASH} complete"),
        (f"- Step 1: Saving links {DASH} In progress", f"- Step 1: Saving links {DASH} Complete"),
        (f"- Step 1: Saving links {DASH} IN PROGRESS", f"- Step 1: Saving links {DASH} COMPLETE"),
        ("- Step 1: Saving links", "- Step 1: Saving links [complete] -- 2/2 tasks"),
        ("- **Step 1:** Saving links (0/2 tasks)", "- **Step 1:** Saving links (2/2 tasks)"),
        ("- **Step 1: Saving links** (0/2 tasks)", "- **Step 1: Saving links** (2/2 tasks)"),
        ("* Step 1: Saving links -- 0 of 2 tasks", "* Step 1: Saving links -- 2 of 2 tasks"),
        ("- [ ] Step 1: Saving links (2/2 tasks)", "- [x] Step 1: Saving links (2/2 tasks)"),
        ("- Step 1: Saving (0/2 tasks done)", "- Step 1: Saving (2/2 tasks done)"),
        (
            "- Step 1: A complete archive (0/2 tasks done)",
            "- Step 1: A complete archive (2/2 tasks done)",
        ),
        ("- step 01: saving links (0 / 2 tasks)", "- step 01: saving links (2 / 2 tasks)"),
    ],
)
def test_a_step_of_the_progress_is_put_right_in_its_own_form(
    tmp_path: Path, says: str, then: str
) -> None:
    text = progress("### Goal 1: First", says, SECOND)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == progress(
        "### Goal 1: First", then, SECOND
    )


@pytest.mark.parametrize(
    "line",
    [
        "- Step 1: Saving links [complete] -- 2/2 tasks",
        "- Step 1: Saving links (2/2 tasks done)",
        f"- Step 1: Saving links {DASH} complete (2/2 tasks done)",
        f"- Step 1: Saving links {DASH} completed",
        f"- Step 1: Saving links {DASH} COMPLETE",
        "- Step 1: Due diligence verdicts (2/2 tasks done)",
        "- [x] Step 1: Saving links (2/2 tasks done)",
        "- Step 1: Saving links (2/2 tasks done)  ",
    ],
)
def test_a_step_of_the_progress_that_agrees_keeps_its_bytes(tmp_path: Path, line: str) -> None:
    nested = ["  - [x] Alpha 1/2", "  - [ ] Beta -- not started", "  A remark: 0/9 tasks."]
    text = progress("### Goal 1: First", line, *nested, SECOND)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


@pytest.mark.parametrize(
    ("says", "then"),
    [
        (f"### Goal 1: First {DASH} COMPLETE", f"### Goal 1: First {DASH} IN PROGRESS"),
        (f"### Goal 1: First {DASH} IN PROGRESS", f"### Goal 1: First {DASH} IN PROGRESS"),
        ("### Goal 1: First -- not started", "### Goal 1: First -- in progress"),
        ("### Goal 1: First", "### Goal 1: First"),
        ("### Goal 1: Due diligence verdicts", "### Goal 1: Due diligence verdicts"),
        ("### Goal 1: A complete rewrite", "### Goal 1: A complete rewrite"),
        (
            f"### Goal 1: A complete rewrite {DASH} COMPLETE",
            f"### Goal 1: A complete rewrite {DASH} IN PROGRESS",
        ),
        ("#### **Goal 1: First** (Complete)", "#### **Goal 1: First** (In progress)"),
    ],
)
def test_a_goal_s_heading_says_how_far_it_is_in_its_own_form(
    tmp_path: Path, says: str, then: str
) -> None:
    rest = ("- Step 1: Saving links (2/2 tasks)", SECOND)
    assert synced(tmp_path, {**FILES, "STATE.md": progress(says, *rest)}).decode() == progress(
        then, *rest
    )


def test_the_bold_lines_of_a_goal_are_put_right_and_its_cost_stays(tmp_path: Path) -> None:
    rest = ("**Cost:** 1/2 of $3", "- Step 1: Saving links (2/2 tasks)", SECOND)
    says = (
        "### Goal 1: First",
        "**Steps:** 0/2 complete",
        "**Tasks:** 0 of 4 done",
        "**Status:** Not started",
        *rest,
    )
    then = (
        "### Goal 1: First",
        "**Steps:** 1/2 complete",
        "**Tasks:** 3 of 4 done",
        "**Status:** In progress",
        *rest,
    )
    assert synced(tmp_path, {**FILES, "STATE.md": progress(*says)}).decode() == progress(*then)


def test_a_template_s_sentence_makes_room_for_what_has_begun(tmp_path: Path) -> None:
    after = synced(tmp_path, {**FILES, "STATE.md": progress("No goals defined yet.")}).decode()
    lines = (
        "- Step 1: Saving links [complete] -- 2/2 tasks",
        "- Step 2: Reading status [in progress] -- 1/2 tasks",
    )
    assert after == progress("### Goal 1: First", *lines)


def test_goals_that_have_not_begun_stay_unlisted_and_those_that_have_are_added_below(
    tmp_path: Path,
) -> None:
    mine = (
        "Some words of mine.",
        "",
        "### Goal 1: First",
        "- Step 1: Saving links (2/2 tasks)",
        SECOND,
    )
    files = {**FILES, "goals/02-second/01-last/tasks/02-more.done.md": task("More")}
    assert synced(tmp_path, {**FILES, "STATE.md": progress(*mine)}).decode() == progress(*mine)
    new = ("", "### Goal 2: Second", "- Step 1: Last [in progress] -- 1/2 tasks")
    assert synced(tmp_path, {**files, "STATE.md": progress(*mine)}).decode() == progress(
        *mine, *new
    )


def test_a_step_that_has_begun_goes_below_the_steps_of_its_goal(tmp_path: Path) -> None:
    says = (
        "### Goal 1: First",
        "",
        "- Step 1: Saving links (2/2 tasks)",
        "",
        "Words.",
        "",
        "### Goal 2: Second",
    )
    then = (*says[:3], "- Step 2: Reading status [in progress] -- 1/2 tasks", *says[3:])
    assert synced(tmp_path, {**FILES, "STATE.md": progress(*says)}).decode() == progress(*then)


def test_a_reopened_task_takes_its_step_and_goal_back(tmp_path: Path) -> None:
    text = progress(
        f"### Goal 1: First {DASH} COMPLETE",
        f"- Step 1: Saving links {DASH} complete (2/2 tasks done)",
    )
    write(tmp_path, {**FILES, "STATE.md": text})
    reopen(str(tmp_path), "1/1/2", NOW)
    after = tree(tmp_path)["STATE.md"].decode()
    assert (
        f"### Goal 1: First {DASH} IN PROGRESS\n- Step 1: Saving links {DASH} in progress (1/2 tasks done)\n"
        in after
    )


def test_a_step_that_has_begun_goes_below_the_nested_tasks_of_the_one_before(
    tmp_path: Path,
) -> None:
    says = (
        "### Goal 1: First",
        "- Step 1: Saving links (2/2 tasks)",
        "  - [x] Alpha",
        "  - [x] Beta",
    )
    after = synced(tmp_path, {**FILES, "STATE.md": progress(*says)}).decode()
    assert after == progress(*says, "- Step 2: Reading status [in progress] -- 1/2 tasks")


def test_a_step_and_a_goal_that_both_began_meanwhile_go_below_their_own(tmp_path: Path) -> None:
    files = {**FILES, "goals/02-second/01-last/tasks/02-more.done.md": task("More")}
    says = ("### Goal 1: First", "- Step 1: Saving links (2/2 tasks)")
    then = (*says, "- Step 2: Reading status [in progress] -- 1/2 tasks")
    new = ("", "### Goal 2: Second", "- Step 1: Last [in progress] -- 1/2 tasks")
    assert synced(tmp_path, {**files, "STATE.md": progress(*says)}).decode() == progress(
        *then, *new
    )


def test_a_block_that_was_never_planned_is_left_alone(tmp_path: Path) -> None:
    text = progress(
        "### Goal 1: First",
        "- Step 1: Saving links (2/2 tasks done)",
        SECOND,
        "",
        "### Cinematic scroll redesign (added post-plan)",
        "- Step 1: Parallax (3/3 tasks done)",
        "- Status: complete",
    )
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


@pytest.mark.parametrize(
    "line",
    [
        "- Step 1: Saving links (2/2 tasks done on 2026/02/20)",
        "- Step 1: Saving links (2/2 tasks done, 2/20)",
        f"- Step 1: Saving links {DASH} complete 02/20",
        "- Step 1: Saving links (2/2 tasks done, 3/4 pages reviewed)",
    ],
)
def test_dates_and_other_fractions_behind_a_count_stay(tmp_path: Path, line: str) -> None:
    text = progress("### Goal 1: First", line, SECOND)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


def test_a_nested_task_named_like_a_step_is_left_alone(tmp_path: Path) -> None:
    lines = (
        "- Step 1: Saving links (2/2 tasks done)",
        "  - [x] Step 2 of the wizard is drawn",
        SECOND,
    )
    text = progress("### Goal 1: First", *lines)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


def test_a_description_behind_a_step_s_name_stays_whole(tmp_path: Path) -> None:
    line = f"- Step 2: Reading status {DASH} a complete list of marks (1/2 tasks done)"
    text = progress("### Goal 1: First", "- Step 1: Saving links (2/2 tasks done)", line)
    assert synced(tmp_path, {**FILES, "STATE.md": text}).decode() == text


@pytest.mark.parametrize("tail", [f" {DASH} not started", " (0/3 tasks)", ""])
def test_of_a_step_without_tasks_nothing_is_known_and_nothing_is_changed(
    tmp_path: Path, tail: str
) -> None:
    lines = ("- Step 1: Saving links (2/2 tasks done)", SECOND, f"- Step 3: Launch{tail}")
    text = progress("### Goal 1: First", *lines)
    files = {**FILES, "goals/01-first/03-launch/STEP.md": step(3, "Launch")}
    assert synced(tmp_path, {**files, "STATE.md": text}).decode() == text


# GAMEPLAN


def focus(*lines: str) -> str:
    goals = "1. **Goal 1: First** -- a\n2. **Goal 2: Second** -- b\n"
    return (
        f"# Gameplan\n\n## Overview\nMine.\n\n## Goals\n\n{goals}\n## Current Focus\n\n"
        + "\n".join((*lines, ""))
    )


@pytest.mark.parametrize(
    ("says", "then"),
    [
        ("**Current Goal:** Goal 2", "**Current Goal:** Goal 1"),
        ("**Current Goal:** Second", "**Current Goal:** First"),
        ("**Current Goal:** Goal 2: Second", "**Current Goal:** Goal 1: First"),
        ("**Current Goal:** Goal 2 (Second)", "**Current Goal:** Goal 1 (First)"),
        ("**Current Goal:** None yet", "**Current Goal:** Goal 1 (First)"),
        ("**Current Goal:**", "**Current Goal:** Goal 1 (First)"),
        ("- **Current Goal:** Goal 2", "- **Current Goal:** Goal 1"),
        (
            "**Current Step:** Step 1 (Fix bugs and suppress noise)",
            "**Current Step:** Step 2 (Reading status)",
        ),
        ("**Current Step:** Step 1", "**Current Step:** Step 2"),
        ("**Next Up:** Gamma", "**Next Up:** Delta"),
        ("**Next Up:** First task in Goal 2", "**Next Up:** Delta"),
        ("**Next Up:** None yet", "**Next Up:** Delta"),
    ],
)
def test_a_focus_that_is_wrong_is_put_right_in_its_own_form(
    tmp_path: Path, says: str, then: str
) -> None:
    assert synced(tmp_path, {**FILES, "GAMEPLAN.md": focus(says)}, "GAMEPLAN.md").decode() == focus(
        then
    )


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("Steps and tasks are still being planned.",),
        (
            "**Current Goal:** Goal 1",
            "**Current Step:** Step 2 (Suppress noise)",
            "**Next Up:** Delta",
        ),
        (
            "**Current Goal:** First",
            "**Current Step:** Step 2 (Reading)",
            "**Next Up:** Task 2: Delta (small)",
        ),
        ("**Next Up:** Finish Delta, then plan Goal 2",),
    ],
)
def test_a_focus_that_agrees_or_says_nothing_keeps_its_bytes(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    text = focus(*lines)
    assert synced(tmp_path, {**FILES, "GAMEPLAN.md": text}, "GAMEPLAN.md").decode() == text


def test_in_a_finished_project_the_focus_says_so_and_a_closing_sentence_stays(
    tmp_path: Path,
) -> None:
    says = ("**Current Goal:** Goal 2", "**Current Step:** Step 1 (Last)", "**Next Up:** Omega")
    then = (
        "**Current Goal:** All goals complete",
        "**Current Step:** None",
        "**Next Up:** Nothing, all goals are complete",
    )
    assert synced(tmp_path, {**DONE, "GAMEPLAN.md": focus(*says)}, "GAMEPLAN.md").decode() == focus(
        *then
    )
    closing = focus("**All goals complete.** The site is live at example.org")
    assert synced(tmp_path, {"GAMEPLAN.md": closing}, "GAMEPLAN.md").decode() == closing


def test_in_a_plan_that_is_open_again_the_fields_return_and_the_rest_of_the_sentence_stays(
    tmp_path: Path,
) -> None:
    before = focus("**All goals complete.** The site is live at example.org")
    fields = (
        "**Current Goal:** Goal 1 (First)",
        "**Current Step:** Step 2 (Reading status)",
        "**Next Up:** Delta",
    )
    after = synced(tmp_path, {**FILES, "GAMEPLAN.md": before}, "GAMEPLAN.md").decode()
    assert after == focus(*fields, "", "The site is live at example.org")


def test_what_is_to_be_planned_next_is_named(tmp_path: Path) -> None:
    files = {
        **plan({"01-a.done.md": task("A")}, {}),
        "GAMEPLAN.md": focus("**Current Step:** Step 1", "**Next Up:** A"),
    }
    assert synced(tmp_path, files, "GAMEPLAN.md").decode() == focus(
        "**Current Step:** Step 2", "**Next Up:** Plan step 2 (Step 2)"
    )


@pytest.mark.parametrize("form", EXAMPLES)
def test_examples_and_comments_in_a_gameplan_are_left_alone(tmp_path: Path, form: str) -> None:
    before = focus(
        shown(form, "**Current Goal:** Goal 2\n**Next Up:** Gamma"), "", "**Current Goal:** Goal 2"
    )
    after = synced(tmp_path, {**FILES, "GAMEPLAN.md": before}, "GAMEPLAN.md").decode()
    assert after == before[: before.rindex("Goal 2")] + "Goal 1\n"


# GOAL


def goal_status(*lines: str) -> str:
    return "\n".join(
        [
            "# Goal 1: First",
            "",
            "## What Success Looks Like",
            "Mine 0 of 2.",
            "",
            "## Status",
            "",
            *lines,
            "",
        ]
    )


@pytest.mark.parametrize(
    ("files", "says", "then"),
    [
        (FILES, ("**Progress:** Not started", "**Steps complete:** 0 of 2"),
         ("**Progress:** In progress", "**Steps complete:** 1 of 2")),
        (DONE, ("**Progress:** Not started", "**Steps complete:** 0 of 2"),
         ("**Progress:** Complete", "**Steps complete:** 2 of 2")),
        (NEW, ("**Progress:** Complete", "**Steps complete:** 2 of 2"),
         ("**Progress:** Not started", "**Steps complete:** 0 of 2")),
        (FILES, ("- Progress: Complete", "- Steps complete: 2/2 steps"),
         ("- Progress: In progress", "- Steps complete: 1/2 steps")),
        (FILES, ("**Progress:** In progress", "**Steps complete:** 0"),
         ("**Progress:** In progress", "**Steps complete:** 1 of 2")),
        (FILES, ("**Progress:** In progress, nearly there", "**Steps complete:** the first"),
         ("**Progress:** In progress, nearly there", "**Steps complete:** the first")),
        (FILES, ("Not started",), ("Not started",)),
        (FILES, ("**Steps complete:** 0 of 2",), ("**Steps complete:** 1 of 2",)),
    ],
)  # fmt: skip
def test_a_goal_s_status_follows_its_tasks(
    tmp_path: Path, files: Files, says: tuple[str, ...], then: tuple[str, ...]
) -> None:
    assert synced(tmp_path, {**files, GOAL: goal_status(*says)}, GOAL).decode() == goal_status(
        *then
    )


@pytest.mark.parametrize("form", EXAMPLES)
def test_examples_and_comments_in_a_goal_are_left_alone(tmp_path: Path, form: str) -> None:
    before = goal_status(shown(form, "**Progress:** Not started"), "", "**Progress:** Not started")
    after = synced(tmp_path, {**FILES, GOAL: before}, GOAL).decode()
    assert after == before[: before.rindex("Not started")] + "In progress\n"


def test_a_line_elsewhere_that_looks_like_a_goal_s_progress_is_left_alone(tmp_path: Path) -> None:
    before = goal_status("**Progress:** Not started").replace(
        "Mine", "- Progress: not started items are grey\nMine"
    )
    after = synced(tmp_path, {**FILES, GOAL: before}, GOAL).decode()
    assert after == before.replace("**Progress:** Not started", "**Progress:** In progress")


# STEP


@pytest.mark.parametrize(
    ("says", "then"),
    [
        ("- [ ] Task 1: Gamma\n- [ ] Task 2: Delta", "- [x] Task 1: Gamma\n- [ ] Task 2: Delta"),
        ("- [~] Task 1: Gamma\n- [~] Task 2: Delta", "- [x] Task 1: Gamma\n- [~] Task 2: Delta"),
        (
            "- [X] Task 1: Gamma -- DONE\n- [x] Task 2: Delta",
            "- [X] Task 1: Gamma -- DONE\n- [ ] Task 2: Delta",
        ),
        (
            "* [x] Task 2: Delta -- DONE\n* [ ] Task 1: Gamma",
            "* [ ] Task 2: Delta\n* [x] Task 1: Gamma",
        ),
        (f"- [x] **Task 2:** Delta {DASH} DONE  ", "- [ ] **Task 2:** Delta"),
        (
            "- [ ] Task 1: Gamma (32 candidates, approved)",
            "- [x] Task 1: Gamma (32 candidates, approved)",
        ),
        (
            "- [ ] Task 1: Gamma [see notes]\n  - [ ] a part",
            "- [x] Task 1: Gamma [see notes]\n  - [ ] a part",
        ),
        ("- [ ] Something else\n- Task 1: Gamma\n- [ ] Task 9: Nine", None),
        ("- [x] Task 1: Gamma\n- [ ] Task 2: Delta", None),
    ],
)
def test_the_boxes_of_a_step_follow_the_file_names(
    tmp_path: Path, says: str, then: str | None
) -> None:
    before = step(2, "Reading status", says)
    after = synced(tmp_path, {**FILES, STEP: before}, STEP).decode()
    assert after == step(2, "Reading status", then or says)


def test_boxes_outside_the_list_of_tasks_are_left_alone(tmp_path: Path) -> None:
    before = f"- [ ] Task 1: Gamma\n{step(2, 'Reading status', '- [ ] Task 1: Gamma')}\n## Notes\n- [ ] Task 1: Gamma\n"
    after = synced(tmp_path, {**FILES, STEP: before}, STEP).decode()
    assert after == before.replace("## Tasks\n\n- [ ]", "## Tasks\n\n- [x]")


@pytest.mark.parametrize("form", [form for form in EXAMPLES if form != "<!-- {} -->"])
def test_examples_and_comments_in_a_step_are_left_alone(tmp_path: Path, form: str) -> None:
    tasks = f"{shown(form, '- [ ] Task 1: Name')}\n\n- [ ] Task 1: Gamma\n- [ ] Task 2: Delta"
    after = synced(tmp_path, {**FILES, STEP: step(2, "Reading status", tasks)}, STEP).decode()
    assert after == step(
        2, "Reading status", tasks.replace("- [ ] Task 1: Gamma", "- [x] Task 1: Gamma")
    )


def test_a_number_that_two_tasks_have_is_not_promised_to_be_repaired(tmp_path: Path) -> None:
    files = {**plan({"01-a.md": task("A"), "01-b.done.md": task("B")})}
    files["goals/01-first/01-step/STEP.md"] = step(1, "S", "- [ ] Task 1: A")
    assert synced(tmp_path, files, "goals/01-first/01-step/STEP.md")


# What holds for every folder


@st.composite
def foreign(draw: st.DrawFn) -> str:
    """A line that nobody but its author understands, with its own end, and a number to know it by."""
    text = draw(
        st.text("abxyz \t#-*+_[]()|/>.,0123456789\u00e9\u4e2d\u2014\u200b\x0c", max_size=20)
    )
    return text + "\u00b6"


ENDS = st.sampled_from(["\n", "\r\n", "\r"])
FIELDS = [
    "**Status:** Complete",
    "**Current goal:** Second",
    "- **Current step:** Step 1",
    "**Current task:** Gamma (next)",
    "**Position:** Goal 2, Step 1",
    "## Progress",
    f"### Goal 1: First {DASH} COMPLETE",
    "- Step 1: Saving links (0/2 tasks done)",
    "## Decisions Log",
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(foreign(), ENDS), max_size=3), min_size=len(FIELDS), max_size=len(FIELDS)
    ),
    st.lists(ENDS, min_size=len(FIELDS), max_size=len(FIELDS)),
)
def test_lines_of_others_keep_their_bytes_wherever_they_stand(
    others: list[list[tuple[str, str]]], ends: list[str]
) -> None:
    pieces = []
    for number, (own, end, mine) in enumerate(zip(FIELDS, ends, others, strict=True)):
        pieces += [f"{text}{number}{after}" for text, after in mine] + [own + end]
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {**FILES, "STATE.md": "".join(pieces)})
        sync(str(root), NOW)
        after = (root / ".director" / "STATE.md").read_bytes().decode()
        assert not sync(str(root), LATER).rewrites
    kept = [line for line in _lines(after) if "\u00b6" in line]
    assert kept == [line for line in _lines("".join(pieces)) if "\u00b6" in line]
    assert "In progress" in after and "**Current goal:** First" in after


def _lines(text: str) -> list[str]:
    """As written, with their ends."""
    return (
        text.replace("\r\n", "\0")
        .replace("\r", "\r\1")
        .replace("\n", "\n\1")
        .replace("\0", "\r\n\1")
        .split("\1")
    )


STEP_FORMS = [
    "- Step {n}: {name} [complete] -- {done}/9 tasks",
    "- Step {n}: {name} ({done}/7 tasks done)",
    f"- Step {{n}}: {{name}} {DASH} complete ({{done}}/4 tasks done)",
    f"- Step {{n}}: {{name}} {DASH} not started",
    f"- Step {{n}}: {{name}} {DASH} in progress",
    "- [x] Step {n}: {name}",
    "- [ ] **Step {n}:** short (0/1 tasks)",
    "  - [x] a nested task",
    "",
]
GOAL_FORMS = [
    "### Goal {n}: {name}",
    f"### Goal {{n}}: {{name}} {DASH} COMPLETE",
    "### Goal {n}: short -- not started",
]
VALUES = [
    "",
    "None yet",
    "Pending",
    "Goal 1",
    "Step 2",
    "Task 1",
    "Goal 2, Step 1",
    "Complete",
    "In progress",
    "Two",
    "Goal 1 > Step 1 > Task 1",
    "Goal 1 complete, starting Goal 2",
    "All goals complete",
    "T1 (next)",
]


@st.composite
def messy(draw: st.DrawFn) -> dict[str, str]:
    """A plan with any of its tasks done, and records that say whatever records have been seen to
    say.
    """
    files: dict[str, str] = {}
    lines = [f"**{name}:** {draw(st.sampled_from(VALUES))}" for name in
             ("Status", "Last updated", "Current goal", "Current step", "Current task", "Position")]  # fmt: skip
    lines += ["", "## Progress", ""]
    headed = draw(st.booleans())
    for goal in range(1, draw(st.integers(1, 2)) + 1):
        base = f"goals/{goal:02}-g"
        status = f"**Progress:** {draw(st.sampled_from(VALUES))}\n**Steps complete:** {draw(st.integers(0, 3))} of 3\n"
        files[f"{base}/GOAL.md"] = f"# Goal {goal}: G{goal}\n\n## Status\n{status}"
        lines += (
            [draw(st.sampled_from(GOAL_FORMS)).format(n=goal, name=f"G{goal}")] if headed else []
        )
        for number in range(1, draw(st.integers(1, 3)) + 1):
            boxes = []
            for place in range(1, draw(st.integers(1, 3)) + 1):
                done = ".done" * draw(st.booleans())
                files[f"{base}/{number:02}-s/tasks/{place:02}-t{done}.md"] = task(f"T{place}")
                boxes.append(f"- [{draw(st.sampled_from(' x~X'))}] Task {place}: T{place}")
            files[f"{base}/{number:02}-s/STEP.md"] = step(number, f"S{number}", "\n".join(boxes))
            form = draw(st.sampled_from(STEP_FORMS))
            lines.append(form.format(n=number, name=f"S{number}", done=draw(st.integers(0, 4))))
    fields = [
        f"**{name}:** {draw(st.sampled_from(VALUES))}"
        for name in ("Current Goal", "Current Step", "Next Up")
    ]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    files["STATE.md"] = end.join(lines) + end * draw(st.booleans())
    return {**files, "GAMEPLAN.md": "# Gameplan\n\n## Current Focus\n\n" + "\n".join(fields)}


@settings(max_examples=100, deadline=None)
@given(messy())
def test_after_a_sync_nothing_is_left_that_a_sync_repairs(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), files)
        names = set(tree(root))
        told = would_sync(str(root), NOW).rewrites
        assert sync(str(root), NOW).rewrites == told
        after = tree(root)
        assert [one for one in mismatches(loaded(root)) if one.advice == SYNC] == []
        assert not sync(str(root), LATER).rewrites
        assert tree(root) == after and set(after) == names


@pytest.mark.parametrize("path", ["STATE.md", "GAMEPLAN.md", GOAL, STEP])
def test_a_record_that_agrees_is_not_written_at_all(tmp_path: Path, path: str) -> None:
    texts = {
        "STATE.md": "**Status:** In progress\n**Last updated:** then\n",
        "GAMEPLAN.md": focus("**Current Goal:** Goal 1"),
        GOAL: goal_status("**Progress:** In progress", "**Steps complete:** 1 of 2"),
        STEP: step(2, "Reading status", "- [x] Task 1: Gamma\n- [ ] Task 2: Delta"),
    }
    root = write(tmp_path, {**FILES, **texts})
    place = root / ".director" / path
    before = place.stat()
    assert sync(str(root), NOW).rewrites == ()
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
