"""STATE, GAMEPLAN, GOAL and STEP brought in line with the files: what changes, and that nothing
else does.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Files, plan, step, task, write
from in_line import sync

from director_ctx import Project, load_project
from director_ctx.upkeep.drift import SYNC, mismatches

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


def mended(root: Path, files: Files, text: str, name: str = "STATE.md") -> str:
    """That document after a sync; it said `text` before."""
    return synced(root, {**files, name: text}, name).decode()


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
        # What is pending is not called complete.
        ("Current goal", "First (complete)", "First"),
        ("Current step", f"Reading status {DASH} complete", "Reading status"),
        ("Current task", f"Delta {DASH} complete", "Delta"),
        ("Current task", "Delta (done)", "Delta"),
        # Marks that belong to the old value go with it.
        ("Current task", "Support **bold**", "Delta"),
        ("Current task", "Match files by *", "Delta"),
    ],
)
def test_a_state_field_that_is_wrong_in_any_of_its_forms_is_put_right(
    tmp_path: Path, name: str, says: str, then: str
) -> None:
    assert mended(tmp_path, FILES, state(name, says)) == state(name, then)


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
    assert mended(tmp_path, DONE, state(name, says)) == state(name, then)


def test_a_project_that_has_not_begun_says_so_and_names_its_first_task(tmp_path: Path) -> None:
    text = "**Status:** Complete\n**Current task:** None yet\n**Position:** Not started\n"
    then = (
        "**Status:** Not started\n**Current task:** Alpha\n**Position:** Goal 1 > Step 1 > Task 1\n"
    )
    assert mended(tmp_path, NEW, text) == then


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
        ("**Status:** <!-- by hand -->", "**Status:** In progress <!-- by hand -->"),
        ("Status: Complete\n\n# Old\nStatus: Done", "Status: In progress\n\n# Old\nStatus: Done"),
    ],
)
def test_the_marks_around_a_value_stay(tmp_path: Path, line: str, then: str) -> None:
    before = f"# State\n\n{line}\nA line of mine.\n"
    after = mended(tmp_path, FILES, before)
    assert after == before.replace(f"\n{line}\n", f"\n{then}\n")


BODY = (
    "# State \u00e9\n\n**Status:** Complete\n**Last updated:** yesterday\n\n## Notes\nMine: \u4f60\u597d\n\n"
    "## Progress\n\n### Goal 1: First\n- Step 1: Saving links (0/2 tasks done)\n"
    "- Step 2: Reading status (1/2 tasks done)"
)
THEN = BODY.replace("Complete", "In progress").replace("yesterday", NOW).replace("0/2", "2/2")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_line_ends_marks_and_encodings_stay(tmp_path: Path, encoding: str, end: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    before, then = ((mark + text.replace("\n", end)).encode(encoding) for text in (BODY, THEN))
    assert synced(tmp_path, {**FILES, "STATE.md": before}) == then


def test_odd_bytes_and_blanks_stay_beside_what_changes(tmp_path: Path) -> None:
    odd = "a\x0bb\x0cc\x1b[31m\u2028d\u0085e\u00a0\n\x1c\x1d\x1e\n".encode()
    before = b"caf\xe9 \xff\xfe\x80\n**Status:** Complete\n\xc3\x28 and \xed\xa0\x80\n"
    assert (
        synced(tmp_path, {**FILES, "STATE.md": odd + before + odd})
        == odd + before.replace(b"Complete", b"In progress") + odd
    )


def test_each_line_keeps_its_own_end_where_they_are_mixed(tmp_path: Path) -> None:
    before = "# State\r\n\n**Status:** Complete\r\nmine\n**Current goal:** Second\n\r\nlast\r"
    then = before.replace("Complete", "In progress").replace("Second", "First")
    assert mended(tmp_path, FILES, before) == then


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
    after = mended(tmp_path, FILES, before + lines)
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


# Names that look like something else


ODD = {
    "goals/01-first/GOAL.md": "# Goal 1: Get things done\n",
    "goals/01-first/01-step/STEP.md": step(1, "Done and complete 2/3"),
    "goals/01-first/01-step/tasks/01-a.done.md": task("Not started"),
    "goals/01-first/01-step/tasks/02-b.md": task("Chapter 1/2 is complete"),
}


def test_a_wrong_count_behind_such_a_name_is_put_right_and_the_name_stays(tmp_path: Path) -> None:
    text = "## Progress\n\n### Goal 1: Get things done {}\n- Step 1: Done and complete 2/3 [{}] -- {}/2 tasks\n"
    after = mended(tmp_path, ODD, text.format("- COMPLETE", "complete", 2))
    assert after == text.format("- IN PROGRESS", "in progress", 1)


@pytest.mark.parametrize(
    ("one", "two"),
    [("Letters (1-3)", "Letters (4-6)"), ("Import -- CSV", "Import -- JSON")],
    ids=["()", "--"],
)
def test_two_tasks_that_differ_only_behind_a_mark_are_two(
    tmp_path: Path, one: str, two: str
) -> None:
    files = plan({"01-a.done.md": task(one), "02-b.md": task(two)})
    assert mended(tmp_path, files, state("Current task", one)) == state("Current task", two)
    assert mended(tmp_path, {}, state("Next Up", one), "GAMEPLAN.md") == state("Next Up", two)


@pytest.mark.parametrize(
    ("title", "steps", "then"),
    [
        ("None of the above", 1, "None"),
        ("None", 2, "Not planned yet"),
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


def test_a_current_task_with_the_title_of_a_finished_one_agrees(tmp_path: Path) -> None:
    files = plan({"01-a.done.md": task("Write tests")}, {"01-b.md": task("Write tests")})
    text = state("Current task", "Write tests")
    assert mended(tmp_path, files, text) == text


def test_a_name_in_stars_is_written_once_and_for_all(tmp_path: Path) -> None:
    files = {**plan({"01-a.md": task("*starred*")}), "STATE.md": state("Current task", "x")}
    assert synced(tmp_path, files).decode() == state("Current task", "*starred*")


def test_a_comment_before_the_value_does_not_hide_it(tmp_path: Path) -> None:
    text = state("Status", "<!-- Not started / In progress / Complete --> {}")
    after = mended(tmp_path, FILES, text.format("Complete"))
    assert (
        "In progress" in after.partition("-->")[2] and "Complete" not in after.partition("-->")[2]
    )


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
        (f"### Goal 1: First {DASH} COMPLETE", f"### Goal 1: First {DASH} IN PROGRESS"),
        ("### Goal 1: First -- not started", "### Goal 1: First -- in progress"),
        (
            f"### Goal 1: A complete rewrite {DASH} COMPLETE",
            f"### Goal 1: A complete rewrite {DASH} IN PROGRESS",
        ),
        ("#### **Goal 1: First** (Complete)", "#### **Goal 1: First** (In progress)"),
    ],
)
def test_a_step_of_the_progress_is_put_right_in_its_own_form(
    tmp_path: Path, says: str, then: str
) -> None:
    first = "- Step 1: Saving links (2/2 tasks)"
    around = ("### Goal 1: First", SECOND) if "#" not in says else ("", f"{first}\n{SECOND}")
    before, after = (progress(around[0], line, around[1]) for line in (says, then))
    assert mended(tmp_path, FILES, before) == after


KEPT = [
    *("", "\n", "# State\n", "Status\nCurrent goal\n"),
    "# State\n\n## Current Position\n\n**All of Goal 7 is complete and the site is live.**\n",
    "# State\n\n## Decisions Log\n- Locked: the status page comes later\n",
    *(
        state(name, value)
        for name, values in {
            "Status": ("In progress", "Building", "in progress (waiting for review)"),
            "Current goal": ("First", "First (in progress)", "Goal 1"),
            "Current step": ("Step 2: a shorter name", f"Reading status {DASH} in progress"),
            "Current task": ("Delta (next)", "delta (awaiting the user review)", "Task 2: Delta"),
            "Position": (
                *("Goal 1 > Step 2 > Task 2", "Goal 1, Step 2, Task 2", "Goal 1, Step 2"),
                "Goal 1, Step 2, Task 1 complete",
            ),
        }.items()
        for value in values
    ),
    *(
        progress("### Goal 1: First", line, "  - [x] Alpha 1/2", "  A remark: 0/9 tasks.", SECOND)
        for line in (
            "- Step 1: Saving links [complete] -- 2/2 tasks",
            "- Step 1: Saving links (2/2 tasks done)",
            f"- Step 1: Saving links {DASH} complete (2/2 tasks done)",
            f"- Step 1: Saving links {DASH} completed",
            f"- Step 1: Saving links {DASH} COMPLETE",
            "- Step 1: Due diligence verdicts (2/2 tasks done)",
            "- [x] Step 1: Saving links (2/2 tasks done)",
            "- Step 1: Saving links (2/2 tasks done)  ",
            # Dates and other fractions behind a count.
            "- Step 1: Saving links (2/2 tasks done on 2026/02/20)",
            "- Step 1: Saving links (2/2 tasks done, 2/20)",
            f"- Step 1: Saving links {DASH} complete 02/20",
            "- Step 1: Saving links (2/2 tasks done, 3/4 pages reviewed)",
            "- Step 1: Saving links (2/2 tasks)\n  - [x] Step 2 of the wizard is drawn",
            # Of a step without tasks nothing is known.
            f"- Step 1: Saving links (2/2 tasks)\n- Step 3: Launch {DASH} not started",
            "- Step 1: Saving links (2/2 tasks)\n- Step 3: Launch (0/3 tasks)",
            "- Step 1: Saving links (2/2 tasks)\n- Step 3: Launch",
        )
    ),
    *(
        progress(heading, "- Step 1: Saving links (2/2 tasks)", SECOND)
        for heading in (
            f"### Goal 1: First {DASH} IN PROGRESS",
            "### Goal 1: Due diligence verdicts",
            "### Goal 1: A complete rewrite",
            "### Goal 1: First\n**Status:** In progress",
        )
    ),
    progress(
        "### Goal 1: First",
        "- Step 1: Saving links (2/2 tasks)",
        f"- Step 2: Reading status {DASH} a complete list of marks (1/2 tasks done)",
        "",
        # That was never planned.
        "### Cinematic scroll redesign (added post-plan)",
        "- Step 1: Parallax (3/3 tasks done)",
        "- Status: complete",
    ),
]


@pytest.mark.parametrize("text", KEPT)
def test_a_state_that_agrees_in_any_form_or_says_nothing_keeps_its_bytes(
    tmp_path: Path, text: str
) -> None:
    files = {**FILES, "goals/01-first/03-launch/STEP.md": step(3, "Launch")}
    assert mended(tmp_path, files, text) == text


@pytest.mark.parametrize(
    "text",
    [
        "**Status:** In progress\n**Current goal:** Get things done\n**Current step:** Done and complete 2/3\n"
        "**Current task:** Chapter 1/2 is complete\n**Position:** Goal 1 > Step 1 > Task 2\n\n## Progress\n\n"
        f"### Goal 1: Get things done {DASH} IN PROGRESS\n- Step 1: Done and complete 2/3 (1/2 tasks done)\n",
        state("Position", "Goal 1 (Get things done) > Step 1 > Task 2"),
        state("Current goal", "Goal 1 (Get things done)"),
    ],
)
def test_names_with_words_of_state_and_counts_are_left_whole(tmp_path: Path, text: str) -> None:
    assert mended(tmp_path, ODD, text) == text


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
    assert mended(tmp_path, FILES, progress(*says)) == progress(*then)


def test_a_template_s_sentence_makes_room_for_what_has_begun(tmp_path: Path) -> None:
    after = mended(tmp_path, FILES, progress("No goals defined yet."))
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
    assert mended(tmp_path, FILES, progress(*mine)) == progress(*mine)
    new = ("", "### Goal 2: Second", "- Step 1: Last [in progress] -- 1/2 tasks")
    assert synced(tmp_path, {**files, "STATE.md": progress(*mine)}).decode() == progress(
        *mine, *new
    )


def test_a_step_that_has_begun_goes_below_the_steps_of_its_goal(tmp_path: Path) -> None:
    says = (
        "### Goal 1: First",
        "",
        "- Step 1: Saving links (2/2 tasks)\n  - [x] Alpha",
        "",
        "Words.",
        "",
        "### Goal 2: Second",
    )
    then = (*says[:3], "- Step 2: Reading status [in progress] -- 1/2 tasks", *says[3:])
    assert mended(tmp_path, FILES, progress(*says)) == progress(*then)


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
    assert mended(tmp_path, FILES, focus(says), "GAMEPLAN.md") == focus(then)


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
        ("**Current Goal:** First", "**Next Up:** Task 2: Delta (small)"),
        ("**Next Up:** Finish Delta, then plan Goal 2",),
    ],
)
def test_a_focus_that_agrees_or_says_nothing_keeps_its_bytes(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    assert mended(tmp_path, FILES, focus(*lines), "GAMEPLAN.md") == focus(*lines)


def test_in_a_finished_project_the_focus_says_so_and_a_closing_sentence_stays(
    tmp_path: Path,
) -> None:
    says = ("**Current Goal:** Goal 2", "**Current Step:** Step 1 (Last)", "**Next Up:** Omega")
    then = (
        "**Current Goal:** All goals complete",
        "**Current Step:** None",
        "**Next Up:** Nothing, all goals are complete",
    )
    assert mended(tmp_path, DONE, focus(*says), "GAMEPLAN.md") == focus(*then)
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
    after = mended(tmp_path, FILES, before, "GAMEPLAN.md")
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
    after = mended(tmp_path, FILES, before, "GAMEPLAN.md")
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
    assert mended(tmp_path, files, goal_status(*says), GOAL) == goal_status(*then)


@pytest.mark.parametrize("form", EXAMPLES)
def test_examples_and_comments_in_a_goal_are_left_alone(tmp_path: Path, form: str) -> None:
    before = goal_status(shown(form, "**Progress:** Not started"), "", "**Progress:** Not started")
    before = before.replace("Mine", "- Progress: not started items are grey\nMine")
    after = mended(tmp_path, FILES, before, GOAL)
    assert after == before[: before.rindex("Not started")] + "In progress\n"


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
    after = mended(tmp_path, FILES, before, STEP)
    assert after == step(2, "Reading status", then or says)


@pytest.mark.parametrize("form", [form for form in EXAMPLES if form != "<!-- {} -->"])
def test_examples_and_comments_in_a_step_are_left_alone(tmp_path: Path, form: str) -> None:
    tasks = f"{shown(form, '- [ ] Task 1: Name')}\n\n- [ ] Task 1: Gamma\n- [ ] Task 2: Delta"
    tasks += "\n\n## Notes\n- [ ] Task 1: No"
    after = mended(tmp_path, FILES, step(2, "Reading status", tasks), STEP)
    assert after == step(
        2, "Reading status", tasks.replace("- [ ] Task 1: Gamma", "- [x] Task 1: Gamma")
    )


def test_a_number_that_two_tasks_have_is_not_promised_to_be_repaired(tmp_path: Path) -> None:
    files = {**plan({"01-a.md": task("A"), "01-b.done.md": task("B")})}
    files["goals/01-first/01-step/STEP.md"] = step(1, "S", "- [ ] Task 1: A")
    assert synced(tmp_path, files, "goals/01-first/01-step/STEP.md")


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
