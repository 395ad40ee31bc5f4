"""Recent changes in plain words: what is told of a commit, what is passed over, and what belongs
together.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, commit, git, plan, task, write
from hook_events import position
from hypothesis import given
from hypothesis import strategies as st

from director_ctx import assemble, load_project
from director_ctx.assembling.budgets import every_context
from director_ctx.context.assembly import Assembly
from director_ctx.project.git import log
from director_ctx.project.git.recent import Commit, tell
from director_ctx.project.git.subjects import TOOK_BACK, plain_words, shown

Run = Callable[..., Result]

TASKS = ".director/goals/01-first/01-step/tasks"
PLAN = {
    "VISION.md": "# Vision\nLetters to a grandchild.\n",
    **plan(
        {
            "01-first.md": task("The first letter"),
            "02-tone.md": task("Find the tone"),
            "03-art.md": task("Art"),
        }
    ),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = write(tmp_path / "repo", PLAN)
    commit(root, "blueprint: plan the letters")
    return root


def recent(dctx: Run, root: Path, *arguments: str) -> list[str]:
    """The lines of a syncer's recent changes: such an agent needs no task."""
    result = dctx("assemble", "syncer", "--only", "recent_changes", *arguments, cwd=root)
    assert result.code == 0, result
    lines = result.out.removesuffix("\n</recent_changes>\n").split("\n")
    assert lines[:2] == ["<recent_changes>", "Recent progress:"]
    return [line.removeprefix("- ") for line in lines[2:]]


def finish(root: Path, *names: str) -> None:
    for name in names:
        git(root, "mv", f"{TASKS}/{name}.md", f"{TASKS}/{name}.done.md")


# Finished tasks and documents


def test_tasks_that_were_finished_by_commits_inside_the_folder_are_told(
    repo: Path, dctx: Run
) -> None:
    commit(repo, "Set up the site", {"index.html": "x"})
    subjects = {
        "01-first": "The first letter is written",
        "02-tone": "Updated",
        "03-art": "Art, in three colours",
    }
    for name, subject in subjects.items():
        finish(repo, name)
        commit(repo, subject, {".director/STATE.md": subject})
    assert recent(dctx, repo) == [
        "Art, in three colours (finished)",
        "Finished: Find the tone",
        "The first letter is written (finished)",
        "Set up the site",
    ]


def test_tasks_that_were_finished_at_once_are_one_line(repo: Path, dctx: Run) -> None:
    names = [f"{number:02}-more" for number in range(4, 9)]
    commit(
        repo,
        "blueprint: more",
        {f"{TASKS}/{name}.md": task(f"Letter {name[:2]}") for name in names},
    )
    finish(repo, *names)
    commit(repo, "Approve the letters")
    assert recent(dctx, repo) == [
        "Approve the letters (finished: Letter 04; Letter 05; Letter 06 and 2 more)"
    ]


def test_a_task_that_was_planned_and_finished_in_one_commit_is_told(repo: Path, dctx: Run) -> None:
    commit(repo, "Updated", {f"{TASKS}/04-envelope.done.md": task("Draw the envelope")})
    assert recent(dctx, repo) == ["Finished: Draw the envelope"]


def test_a_task_whose_file_is_gone_is_named_by_its_file(repo: Path, dctx: Run) -> None:
    finish(repo, "02-tone")
    commit(repo, "Updated")
    git(repo, "rm", "-q", f"{TASKS}/02-tone.done.md")
    commit(repo, "pivot: no tone")
    assert recent(dctx, repo) == ["Finished: tone"]


def test_a_task_that_was_opened_again_is_not_told_as_finished(repo: Path, dctx: Run) -> None:
    finish(repo, "01-first")
    commit(repo, "Write it", {"letter.txt": "x"})
    git(repo, "mv", f"{TASKS}/01-first.done.md", f"{TASKS}/01-first.md")
    commit(repo, "session: update timestamps")
    assert recent(dctx, repo) == ["Write it"]
    finish(repo, "01-first")
    commit(repo, "Approve it")
    assert recent(dctx, repo) == ["Approve it (finished: The first letter)", "Write it"]


def test_finished_tasks_that_move_are_not_finished_again(repo: Path, dctx: Run) -> None:
    finish(repo, "01-first", "02-tone")
    commit(repo, "Two letters")
    git(repo, "mv", f"{TASKS}/01-first.done.md", f"{TASKS}/05-first.done.md")
    git(repo, "mv", ".director/goals/01-first", ".director/goals/02-first")
    commit(repo, "pivot: letters come second")
    assert recent(dctx, repo) == ["Two letters (finished: first; tone)"]


def test_what_came_with_a_first_commit_was_not_finished_by_it(
    repo: Path, tmp_path: Path, dctx: Run
) -> None:
    finish(repo, "01-first")
    commit(repo, "Write it")
    commit(repo, "Print it", {"print.txt": "x"})
    git(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), "shallow")
    assert recent(dctx, tmp_path / "shallow") == ["Print it"]


def test_documents_beside_the_plan_are_work_and_records_are_not(repo: Path, dctx: Run) -> None:
    step = ".director/goals/01-first/01-step"
    commit(
        repo,
        "Plan more",
        {f"{step}/RESEARCH.md": "x", ".director/research/STACK.md": "x", f"{TASKS}/9-x.md": "x"},
    )
    commit(
        repo, "Notes", {".director/brainstorms/2026-01-01-x.md": "x", ".director/config.json": "{}"}
    )
    commit(repo, "Collect voices for the letters", {f"{step}/voice.md": "x"})
    commit(
        repo, "session: update timestamps", {f"{step}/story-arc.md": "x", ".director/STATE.md": "y"}
    )
    assert recent(dctx, repo) == ["Added: story-arc.md", "Collect voices for the letters"]


def test_a_plan_is_told_where_there_is_nothing_else(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, PLAN)
    commit(root, "Initialize Director project")
    commit(
        root, "docs: sharpen the vision", {".director/VISION.md": "# Vision\nLetters, by hand.\n"}
    )
    commit(root, "blueprint: plan the letters", {".director/GAMEPLAN.md": "x"})
    assert recent(dctx, root) == ["Sharpen the vision"]


# What belongs together


def test_a_commit_and_the_one_that_took_it_back_say_nothing_together(repo: Path, dctx: Run) -> None:
    commit(repo, "feat(site): add a guest book (#12)", {"guests.txt": "x"})
    commit(repo, "Print it", {"print.txt": "x"})
    git(repo, "revert", "--no-edit", "HEAD~1")
    assert recent(dctx, repo) == ["Print it"]
    assert recent(dctx, repo, "--raw")[:3] == [
        'Revert "feat(site): add a guest book (#12)"',
        "Print it",
        "feat(site): add a guest book (#12)",
    ]
    git(repo, "revert", "--no-edit", "HEAD")
    assert recent(dctx, repo) == ["Print it", "Add a guest book"]


def test_a_task_that_git_took_back_is_not_finished(repo: Path, dctx: Run) -> None:
    finish(repo, "01-first")
    commit(repo, "Write it", {"letter.txt": "x"})
    git(repo, "revert", "--no-edit", "HEAD")
    commit(repo, "Print something", {"print.txt": "x"})
    assert recent(dctx, repo) == ["Print something"]


def test_what_is_taken_back_of_older_days_is_told(repo: Path, dctx: Run) -> None:
    commit(repo, "feat: a guest book", {"guests.txt": "x"})
    for number in range(12):
        commit(repo, f"Letter {number} is printed", {f"{number}.txt": "x"})
    git(repo, "revert", "--no-edit", "HEAD~12")
    assert recent(dctx, repo) == [
        "Took back: A guest book",
        *(f"Letter {n} is printed" for n in range(11, 2, -1)),
    ]


def test_what_follows_a_commit_up_is_told_with_it(repo: Path, dctx: Run) -> None:
    finish(repo, "01-first")
    commit(repo, "Write the beginning", {"letter.txt": "x"})
    (repo / "letter.txt").write_text("y")
    git(repo, "commit", "-q", "-a", "--fixup", "HEAD")
    commit(repo, "Write the beginning", {"letter.txt": "z"})
    assert recent(dctx, repo) == ["Write the beginning (finished: The first letter)"]


def test_ten_lines_are_told_whatever_was_merged_and_passed_over() -> None:
    subjects = [f"Part {number // 2} is there" if number % 3 else "wip" for number in range(60)]
    told = tell(map(Commit, subjects), 10, str)
    assert told == tuple(f"Part {number} is there" for number in range(10))


# The words


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        ("feat: dark mode", "Dark mode"),
        (
            "fix(dc-due-diligence): handle a verdict without a date",
            "Handle a verdict without a date",
        ),
        ("fix: crash on an empty list", "Fixed: crash on an empty list"),
        ("fix!: don't read links twice", "Don't read links twice"),
        ("refactor(scope:with-colon)!: split the parser", "Split the parser"),
        ("perf: iOS starts sooner", "iOS starts sooner"),
        ("chore(deps): bump httpx from 0.27.0 to 0.28.1", "Bump httpx from 0.27.0 to 0.28.1"),
        ("blueprint: plan two goals", "Plan two goals"),
        ("[quick] Rename the button", "Rename the button"),
        ("✨ feat: export as CSV", "Export as CSV"),
        (":bug: Fix the total in the footer", "Fix the total in the footer"),
        ("Add a form to save links (#123)", "Add a form to save links"),
        ("Add a form (closes #1, fixes owner/repo#2) [skip ci]", "Add a form"),
        ("fixup! squash! feat: add a form", "Add a form"),
        ('Revert "feat(cart): add a form (#3)" (#4)', "Took back: Add a form"),
        ("revert: feat(cart): add a form", "Took back: Add a form"),
        ('Reapply "feat(cart): add a form"', "Brought back: Add a form"),
        ('Revert "Revert "feat(cart): add a form (#3)" (#4)" (#5)', "Brought back: Add a form"),
    ],
)
def test_a_subject_is_told_in_plain_words(subject: str, told: str) -> None:
    assert shown(plain_words(subject)) == told


@pytest.mark.parametrize(
    "subject",
    [
        "Login and signup pages are working",
        "Docs: readings that were overtaken, the door for LangChain",
        "The context of six parts has always six: part 5 says (none) where no browser runs",
        "Merge duplicated settings into one",
        "Revert the dialog to its old width",
        "Read files as text (UTF-8)",
        "Support [text](url) in titles",
        "Add comments",
        "Fix sessions",
        "Résumé en français",
        "修正",
        "x: y",
        "https://example.org is linked",
        "Fix #12: the total in the footer",
        "- a list item",
    ],
)
def test_a_subject_in_plain_words_stays_as_it_is(subject: str) -> None:
    assert plain_words(subject) == subject


@pytest.mark.parametrize(
    "subject",
    [
        *("Updated", "update", "WIP", "wip: more", "fix", "Fix typo", "Minor fixes", "..."),
        *("", "Changes.", "docs(phase-5): complete phase execution"),
        *("docs(05-01): complete plan", "Checkpoint: 775ca827279f"),
        *("Address PR review feedback", "chore: format", "Initial commit", "1.4.2"),
        *("Fix #12", "go fmt", "final changes", "fix lint", "misc cleanup"),
        *("Merge branch 'main' into topic", "Merge pull request #7 from a/b"),
        *("Merge origin/main into topic", "session: update timestamps"),
        *("SESSION: UPDATE TIMESTAMPS", "Log undo: took it back", "idea: a dark theme"),
        *("ideas: three of them", "brainstorm: save session"),
        *("refresh: update project context", "Initialize Director project", 'Revert "wip"'),
        *("fixup! Updated", "🤖"),
    ],
)
def test_a_subject_that_says_nothing_is_passed_over(subject: str) -> None:
    assert plain_words(subject) == ""


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60))
def test_whatever_git_takes_back_is_known_by_the_same_words(subject: str) -> None:
    words = plain_words(subject)
    assert plain_words(f'Revert "{subject}"') == (f"{TOOK_BACK}{words}" if words else "")
    assert plain_words(f"fixup! {subject}") == words


def test_words_of_a_hostile_length_are_read_in_no_time() -> None:
    assert plain_words('Revert "' * 100_000).endswith("…")
    assert plain_words("fixup! " * 100_000 + "x") in ("", "f")
    assert plain_words("x (" * 100_000 + "(#1)" * 100_000).endswith("…")


# Wherever commits are told


def test_changes_since_a_revision_are_told_in_the_same_words(repo: Path, dctx: Run) -> None:
    git(repo, "tag", "start")
    finish(repo, "02-tone")
    commit(repo, "feat(letters): soften the tone (#3)", {"letter.txt": "x"})
    commit(repo, "Updated", {"letter.txt": "y"})
    out = dctx("assemble", "debugger", "--changes", "start", cwd=repo).out
    assert "- Soften the tone (finished: Find the tone)\n\n" in out and "Updated" not in out
    assert " letter.txt " in out
    out = dctx("assemble", "debugger", "--changes", "start", "--raw", cwd=repo).out
    assert "- Updated\n- feat(letters): soften the tone (#3)\n" in out


def test_changes_that_say_nothing_and_left_nothing_are_not_said_to_be_none(
    repo: Path, dctx: Run
) -> None:
    git(repo, "tag", "start")
    commit(repo, "wip")
    out = dctx("assemble", "debugger", "--changes", "start", cwd=repo).out
    assert (
        "The commits since then say nothing of what they did, and left every file as it was." in out
    )


def test_a_session_that_begins_is_told_in_the_same_words(repo: Path) -> None:
    position(repo, identity="one")
    finish(repo, "02-tone")
    commit(repo, "feat(letters): the tone is found", {"letter.txt": "x"})
    commit(repo, "session: update timestamps", {".director/STATE.md": "z"})
    told = position(repo, identity="two")
    assert "2 commits:\n- The tone is found (finished: Find the tone)\n" in told
    assert "timestamps" not in told


def test_git_is_asked_once_for_the_contexts_of_all_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "repo", PLAN)
    commit(root, "Add the shelf of links", {"app.py": "one"})
    asked = []
    start = log.start_git

    def counting(*words: Any) -> Any:
        asked.append(words)
        return start(*words)

    monkeypatch.setattr(log, "start_git", counting)
    contexts = every_context(load_project(root=str(root)))
    told = [name for name, context in contexts.items() if "shelf of links" in _text(context)]
    assert len(told) > 3
    assert len(asked) == 1
    assert "shelf of links" in assemble(load_project(root=str(root)), "builder").text
    assert len(asked) == 2


def _text(context: Assembly | str) -> str:
    if isinstance(context, str):
        return context
    return context.text
