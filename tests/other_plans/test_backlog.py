"""Backlog.md: nothing that a task says is lost, and what is put away is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_plans import take, taken

from director_ctx.project.project import Project
from director_ctx.project.reading.markdown import section
from director_ctx.upkeep.doctor import diagnose

HEAD = "---\nid: TASK-1\ntitle: Sign in\nstatus: To Do\n---\n"


def backlog(root: Path, body: str, head: str = HEAD) -> Path:
    folder = root / "backlog/tasks"
    folder.mkdir(parents=True)
    (root / "backlog/config.yml").write_text('statuses: ["To Do", "In Progress", "Done"]\n')
    (folder / "task-1 - Sign-in.md").write_text(head + body)
    return root


def document(root: Path, step: str = "01-tasks", task: str = "01-sign-in") -> str:
    path = f".director/goals/01-backlog/{step}/tasks/{task}.md"
    return (root / path).read_text()


@pytest.mark.parametrize("marks", [True, False])
def test_a_heading_in_a_description_cuts_nothing_off(marks: bool, tmp_path: Path) -> None:
    begin = "<!-- SECTION:DESCRIPTION:BEGIN -->\n" if marks else ""
    end = "<!-- SECTION:DESCRIPTION:END -->\n" if marks else ""
    body = (
        f"## Description\n{begin}Users sign in.\n## Technical notes\nUse argon2.\n{end}"
        "## Risks\nHigh.\n## Acceptance Criteria\n- [ ] #1 It works\n"
    )
    root = backlog(tmp_path, body)
    take(root, "backlog")
    text = document(root)
    assert section(text, "what to do") == (
        "Users sign in.\n**Technical notes**\nUse argon2.\n\n**Risks**\n\nHigh."
        if marks
        else "Users sign in.\n\n**Technical notes**\n\nUse argon2.\n\n**Risks**\n\nHigh."
    )
    assert section(text, "done when") == "- [ ] It works"


def test_a_heading_of_a_section_inside_a_description_is_text(tmp_path: Path) -> None:
    body = (
        "## Description\n<!-- SECTION:DESCRIPTION:BEGIN -->\nSee\n## Acceptance Criteria\n"
        "of the other task.\n<!-- SECTION:DESCRIPTION:END -->\n"
        "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It works\n<!-- AC:END -->\n"
    )
    root = backlog(tmp_path, body)
    take(root, "backlog")
    text = document(root)
    assert "of the other task." in section(text, "what to do")
    assert section(text, "done when") == "- [ ] It works"


def test_the_name_above_an_older_file_is_not_told_twice(tmp_path: Path) -> None:
    root = backlog(tmp_path, "# task-1 - Sign in\n\nBefore.\n\n## Description\n\nUsers sign in.\n")
    take(root, "backlog")
    assert section(document(root), "what to do") == "Before.\n\nUsers sign in."


def test_a_task_that_was_put_away_is_done(tmp_path: Path) -> None:
    root = backlog(tmp_path, "")
    source = root / "backlog/tasks/task-1 - Sign-in.md"
    other = HEAD.replace("TASK-1", "TASK-2").replace("Sign in", "Sign out")
    (root / "backlog/tasks/task-2 - Sign-out.md").write_text(
        other.replace("status", "dependencies: [TASK-1]\nstatus")
    )
    take(root, "backlog")
    completed = root / "backlog/completed"
    completed.mkdir()
    source.write_text(HEAD.replace("To Do", "Done"))
    source.rename(completed / source.name)
    taking = take(root, "backlog")
    assert taking.gone == []
    done = root / ".director/goals/01-backlog/01-tasks/tasks/01-sign-in.done.md"
    assert done.exists()
    assert section(document(root, task="02-sign-out"), "needs first") == "The previous task."


def test_what_was_put_away_before_is_told_of_and_needs_nobody_to_wait(tmp_path: Path) -> None:
    root = backlog(tmp_path, "", HEAD.replace("status", "dependencies: [TASK-7]\nstatus"))
    completed = root / "backlog/completed"
    completed.mkdir()
    (completed / "task-7 - Table.md").write_text("---\nid: TASK-7\nstatus: Done\n---\n")
    taking = take(root, "backlog")
    left_out = [(unit.name, unit.tasks, unit.path) for unit in taking.finished]
    assert left_out == [("Completed", 1, "backlog/completed")]
    assert taking.remarks == []
    assert section(document(root), "needs first") == "Nothing -- this can start right away."


def test_what_a_task_points_at_is_in_its_text(tmp_path: Path) -> None:
    fields = "references: [app/tides.py]\ndocumentation: [doc-2, https://example.org]\n"
    head = HEAD.replace("status", f"{fields}modified_files:\n  - app/page.py\nstatus")
    root = backlog(tmp_path, "## Acceptance Criteria\n- [ ] #1 It works\n  on a phone\n", head)
    (root / "backlog/docs").mkdir()
    (root / "backlog/docs/doc-2 - Auth-design.md").write_text("---\nid: doc-2\n---\nTokens.\n")
    take(root, "backlog")
    text = document(root)
    assert section(text, "what to do") == (
        "Sign in\n\nSee: `app/tides.py`\n\n"
        "Documents: `reference/doc-2-Auth-design.md`, `https://example.org`\n\n"
        "Files: `app/page.py`"
    )
    assert (root / ".director/reference/doc-2-Auth-design.md").read_text() == "Tokens.\n"
    assert section(text, "done when") == "- [ ] It works on a phone"


@pytest.mark.parametrize("status", ["accepted", "proposed"])
def test_a_decision_is_told_with_what_follows_from_it(status: str, tmp_path: Path) -> None:
    root = backlog(tmp_path, "")
    folder = root / "backlog/decisions"
    folder.mkdir()
    (folder / "decision-1 - Store-UTC.md").write_text(
        f"---\nid: decision-1\ntitle: Store UTC\nstatus: {status}\n---\n## Context\n\nSummer time."
        "\n\n## Decision\n\nAll in UTC.\n\n## Consequences\n\nPages convert.\n"
    )
    take(root, "backlog")
    vision = (root / ".director/VISION.md").read_text()
    assert ("| Store UTC: All in UTC. | Summer time. |" in vision) == (status == "accepted")
    text = (root / ".director/reference/decision-1-Store-UTC.md").read_text()
    assert f"**Status:** {status}" in text and "Pages convert." in text


def test_a_task_with_a_new_name_and_milestone_has_its_name_where_it_stands(tmp_path: Path) -> None:
    root = taken("backlog", tmp_path)
    path = root / "backlog/tasks/back-4 - Count packets.md"
    text = path.read_text().replace("title: Count packets", "title: Count every packet")
    text = text.replace("status:", "milestone: m-0\nstatus:")
    path.write_text(text)
    take(root, "backlog")
    assert diagnose(Project(str(root))).problems == ()
    [step] = [one for one in root.glob(".director/goals/*/*/STEP.md") if "Count" in one.read_text()]
    assert "Count every packet" in step.read_text()


@pytest.mark.parametrize(("status", "says"), [("Blocked", "is blocked"), ("Parked", "'Parked'")])
def test_a_status_that_says_little_is_told_of_while_the_task_is_open(
    status: str, says: str, tmp_path: Path
) -> None:
    root = backlog(tmp_path, "", HEAD.replace("To Do", status))
    config = root / "backlog/config.yml"
    config.write_text('statuses: ["To Do", "Blocked", "Done"]\n')
    [remark] = take(root, "backlog").remarks
    assert says in remark.says
    assert ("has this as blocked" in document(root)) == (status == "Blocked")
    (root / "backlog/completed").mkdir()
    path = root / "backlog/tasks/task-1 - Sign-in.md"
    path.rename(root / "backlog/completed/task-1 - Sign-in.md")
    taking = take(root, "backlog")
    assert taking.remarks == [] and [unit.finish for unit in taking.units].count(True) == 1
