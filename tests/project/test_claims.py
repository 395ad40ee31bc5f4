"""Who has which task: started, given back, done, shared by worktrees, and never given out twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, git, plan, task, write
from support.claims import started

from director_ctx import load_project, next_task
from director_ctx.doors.ui.serving.looking import look_at
from director_ctx.project import claims
from director_ctx.project.claims import TaskTaken, Worker, end, start, start_first
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import ready_places

Run = Callable[..., Result]
FREE = "Nothing. This can start right away."


def planned(root: Path, count: int = 3) -> Path:
    tasks = {f"{number:02}-t.md": task(f"Task {number}", FREE) for number in range(1, count + 1)}
    return write(root, plan(tasks))


def shown(dctx: Run, root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dctx("next", "--json", cwd=root).out)
    return found


def test_a_task_that_is_started_is_in_progress_and_the_next_one_is_another(
    dctx: Run, tmp_path: Path
) -> None:
    planned(tmp_path)
    said = dctx("task", "start", "1", "--agent", "ada", "--json", cwd=tmp_path)
    claim = json.loads(said.out)
    assert (claim["ref"], claim["agent"], said.code) == ("1/1/1", "ada", 0)
    after = shown(dctx, tmp_path)
    assert [row["ref"] for row in after["in_progress"]] == ["1/1/1"]
    assert after["in_progress"][0]["claim"] == claim["claim"]
    assert after["task"]["ref"] == "1/1/2"
    text = dctx("next", cwd=tmp_path).out
    assert text.startswith("In progress:\n  1/1/1  Task 1 (in progress since ")
    assert ", ada" in dctx("status", cwd=tmp_path).out


def test_another_one_cannot_start_it_and_who_has_it_keeps_it_by_its_claim(
    dctx: Run, tmp_path: Path
) -> None:
    planned(tmp_path)
    claim = json.loads(dctx("task", "start", "2", "--json", cwd=tmp_path).out)
    refused = dctx("task", "start", "2", cwd=tmp_path)
    assert (refused.code, "Task 1/1/2 is in progress since" in refused.err) == (1, True)
    again = dctx("task", "start", "2", "--claim", claim["claim"], "--json", cwd=tmp_path)
    assert json.loads(again.out)["claim"] == claim["claim"]


def test_a_task_is_given_back_or_done(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path)
    dctx("task", "start", "1", "--agent", "ada", cwd=tmp_path)
    said = dctx("task", "stop", "1", cwd=tmp_path)
    assert said.out.startswith("Free again: 1/1/1; it was in progress since ")
    assert dctx("task", "stop", "1", cwd=tmp_path).out == "Nobody had task 1/1/1.\n"
    dctx("task", "start", "1", cwd=tmp_path)
    dctx("task", "done", "1", cwd=tmp_path)
    assert shown(dctx, tmp_path)["in_progress"] == []
    refused = dctx("task", "start", "1/1/1", cwd=tmp_path)
    assert (refused.code, "is done" in refused.err) == (1, True)
    dctx("task", "done", "1/1/1", "--undo", cwd=tmp_path)
    assert dctx("task", "start", "1/1/1", cwd=tmp_path).code == 0


def test_the_plan_says_the_same_and_can_start_one(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path)
    started(tmp_path, "1/1/2", "ada")
    tasks = json.loads(dctx("plan", "show", "--json", cwd=tmp_path).out)["phases"][0]["tasks"]
    assert [one["status"] for one in tasks] == ["pending", "in_progress", "pending"]
    dctx("plan", "set", "1/1/3", "in_progress", cwd=tmp_path)
    assert [row["ref"] for row in shown(dctx, tmp_path)["in_progress"]] == ["1/1/2", "1/1/3"]
    assert dctx("plan", "set", "1/1/2", "in_progress", cwd=tmp_path).code == 1
    dctx("plan", "set", "1/1/3", "pending", cwd=tmp_path)
    assert [row["ref"] for row in shown(dctx, tmp_path)["in_progress"]] == ["1/1/2"]


def test_a_plan_that_calls_a_task_in_progress_starts_it(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path)
    data = json.loads(dctx("plan", "show", "--json", cwd=tmp_path).out)
    data["phases"][0]["tasks"][0]["status"] = "in_progress"
    (tmp_path / "plan.json").write_text(json.dumps(data))
    assert dctx("plan", "update", "plan.json", "--reason", "begun", cwd=tmp_path).code == 0
    assert [row["ref"] for row in shown(dctx, tmp_path)["in_progress"]] == ["1/1/1"]


def test_where_all_that_is_ready_is_taken_it_says_who_has_what(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path, 1)
    started(tmp_path, "1", "ada", client="claude", session="0123456789")
    said = dctx("next", cwd=tmp_path)
    assert (said.code, "session 01234567 (ada)" in said.out) == (6, True)
    refused = dctx("assemble", "builder", "--without", "vision", cwd=tmp_path)
    assert (refused.code, "in progress since" in refused.err) == (6, True)


def test_who_has_begun_a_task_is_given_that_one(tmp_path: Path) -> None:
    planned(tmp_path)
    started(tmp_path, "1/1/2", client="claude", session="mine")
    project = load_project(root=str(tmp_path))
    first = next_task(project).task
    assert first and first.place.ref == "1/1/1"
    project.session = "mine"
    from director_ctx import assemble

    assembly = assemble(project, "builder", without="vision")
    assert assembly.task and assembly.task["ref"] == "1/1/2"


def test_a_task_that_step_md_marks_as_begun_says_so(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path)
    step_file = tmp_path / ".director/goals/01-first/01-step/STEP.md"
    step_file.write_text(
        "# Step 1: Step 1\n\n## Tasks\n- [~] Task 1: Task 1\n- [~] Task 2: Task 2\n"
    )
    said = dctx("next", cwd=tmp_path).out
    assert "STEP.md marks it as begun." in said
    assert "1/1/2  Task 2 (it needs nothing first; STEP.md marks it as begun)" in said


def test_an_open_page_is_told_that_somebody_has_begun_a_task(tmp_path: Path) -> None:
    planned(tmp_path)
    before = look_at(str(tmp_path))
    started(tmp_path, "1")
    assert look_at(str(tmp_path)) != before


def test_a_command_understands_a_description_and_the_next_task(dctx: Run, tmp_path: Path) -> None:
    tasks = {"01-a.md": task("Write the README", FREE), "02-b.md": task("Add a footer", FREE)}
    write(tmp_path, plan(tasks))
    described = dctx("task", "show", "the task about the footer", cwd=tmp_path)
    assert described.out.startswith("1/1/2  Add a footer\n")
    for ref in ("1/1/1", "1/1/2"):
        assert dctx("task", "start", "next task", cwd=tmp_path).out.startswith(f"Started: {ref} ")
    # What is changed has to be named.
    assert dctx("task", "done", "next task", cwd=tmp_path).code == 1


# Leases


def test_a_lease_that_runs_out_frees_the_task(tmp_path: Path) -> None:
    planned(tmp_path)
    started(tmp_path, "1", "ada", seconds=-1)
    project = load_project(root=str(tmp_path))
    assert project.claims() == {}
    chosen = next_task(project).task
    assert chosen and chosen.claim and "whose lease ended" in chosen.claim.says
    assert started(tmp_path, "1", "bob").agent == "bob"


def test_what_a_person_starts_at_a_terminal_is_theirs_for_half_a_day(
    dctx: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(tmp_path)
    monkeypatch.setattr(os, "isatty", lambda _: True)
    claim = json.loads(dctx("task", "start", "1", "--json", cwd=tmp_path).out)
    times = {when: datetime.fromisoformat(claim[when]) for when in ("since", "until")}
    assert times["until"] - times["since"] >= timedelta(hours=11)


def test_a_transcript_that_grows_keeps_a_task(tmp_path: Path) -> None:
    """Claude Code names an agent's transcript in its own files once the agent works."""
    root = planned(tmp_path / "project")
    session = tmp_path / "abc.jsonl"
    session.write_text("")
    agents = tmp_path / "abc" / "subagents"
    agents.mkdir(parents=True)

    def take() -> Worker:
        worker = Worker(session="abc", spawn="toolu_7", transcript=str(session))
        project = load_project(root=str(root))
        start(project, find_task(project, "1"), worker, -1)
        return worker

    take()
    assert load_project(root=str(root)).claims() == {}
    (agents / "agent-a1.meta.json").write_text('{"toolUseId":"toolu_7"}')
    transcript = agents / "agent-a1.jsonl"
    transcript.write_text("{}\n")
    assert len(load_project(root=str(root)).claims()) == 1
    # The session is alive, and its agent is not.
    long_ago = time.time() - claims.LEASE - 60
    os.utime(transcript, (long_ago, long_ago))
    assert load_project(root=str(root)).claims() == {}


def test_an_agent_that_ended_and_is_told_to_go_on_has_its_task_again(tmp_path: Path) -> None:
    root = planned(tmp_path / "project")
    transcript = tmp_path / "rollout-1-child.jsonl"
    transcript.write_text("")
    session = tmp_path / "rollout-1-main.jsonl"
    session.write_text("")
    started(root, "1", child="child", transcript=str(session))
    end(load_project(root=str(root)), lambda claim: claim.child == "child")
    assert load_project(root=str(root)).claims() == {}
    later = time.time() + claims.WOKEN + 5
    os.utime(transcript, (later, later))
    assert len(load_project(root=str(root)).claims()) == 1


# Many at once


AGENT = """
import sys, time
from director_ctx import load_project
from director_ctx.project.claims import Worker, start_first
from director_ctx.project.tasks.next import ready_places
project = load_project(root=sys.argv[1])
claim = start_first(project, ready_places(project), Worker(agent="builder", session="s"))
print(claim.ref if claim else "none", flush=True)
time.sleep(600)
"""


def test_six_agents_at_once_on_four_tasks_and_none_is_given_out_twice(
    tmp_path: Path,
) -> None:
    planned(tmp_path, 4)
    agents = [
        subprocess.Popen(
            [sys.executable, "-c", AGENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    try:
        refs = [one.stdout.readline().strip() for one in agents if one.stdout]
    finally:
        for one in agents:
            one.send_signal(signal.SIGKILL)
            one.wait()
            assert one.stdout
            one.stdout.close()
    assert sorted(refs) == ["1/1/1", "1/1/2", "1/1/3", "1/1/4", "none", "none"]
    # Killed agents block nothing for longer than their lease.
    path = tmp_path / ".director/.dctx/claims.json"
    rows = json.loads(path.read_text())
    for row in rows:
        row["until"] -= claims.LEASE + 1
    path.write_text(json.dumps(rows))
    project = load_project(root=str(tmp_path))
    assert (project.claims(), len(next_task(project).also_ready)) == ({}, 3)


def test_of_many_that_start_one_task_one_gets_it(tmp_path: Path) -> None:
    planned(tmp_path)

    def attempt(number: int) -> str:
        try:
            return started(tmp_path, "2", "builder", session=f"s{number}").session
        except TaskTaken:
            return ""

    with ThreadPoolExecutor(12) as pool:
        winners = [session for session in pool.map(attempt, range(12)) if session]
    assert len(winners) == 1


def test_one_worker_is_given_one_task_however_often_it_asks(tmp_path: Path) -> None:
    planned(tmp_path)

    def ask(child: str) -> str:
        project = load_project(root=str(tmp_path))
        claim = start_first(project, ready_places(project), Worker(session="s", child=child))
        return claim.ref if claim else ""

    assert [ask("a"), ask("a"), ask("b"), ask("a")] == ["1/1/1", "1/1/1", "1/1/2", "1/1/1"]


# Worktrees


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = planned(tmp_path / "main")
    git(root, "init", "-q", "-b", "main")
    return root


def worktree(root: Path, name: str) -> Path:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "worktree", "add", "-q", "-b", name, str(root.parent / name))
    return root.parent / name


def test_worktrees_share_who_has_what(dctx: Run, repository: Path) -> None:
    other = worktree(repository, "other")
    assert (other / ".director").is_dir()
    dctx("task", "start", "1", cwd=other)
    assert shown(dctx, repository)["task"]["ref"] == "1/1/2"
    dctx("task", "start", "2", cwd=repository)
    assert shown(dctx, other)["task"]["ref"] == "1/1/3"


def test_a_worktree_without_the_folder_works_on_that_of_the_main_one(
    dctx: Run, repository: Path
) -> None:
    (repository / ".gitignore").write_text(".director/\n")
    other = worktree(repository, "other")
    assert not (other / ".director").exists()
    below = other / "src"
    below.mkdir()
    dctx("task", "start", "1", cwd=below)
    assert shown(dctx, repository)["task"]["ref"] == "1/1/2"


def test_what_is_done_on_a_branch_is_not_given_out_elsewhere(dctx: Run, repository: Path) -> None:
    other = worktree(repository, "other")
    dctx("task", "start", "1", cwd=other)
    dctx("task", "done", "1", cwd=other)
    found = shown(dctx, repository)
    assert found["task"]["ref"] == "1/1/2"
    assert found["in_progress"][0]["says"] == "done on other, which is not merged here"
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", "done")
    git(repository, "merge", "-q", "other")
    assert shown(dctx, repository)["in_progress"] == []


def test_worktrees_of_a_bare_repository_share_it_too(dctx: Run, repository: Path) -> None:
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "x")
    bare = repository.parent / "bare.git"
    git(repository.parent, "clone", "-q", "--bare", str(repository), str(bare))
    trees = [repository.parent / name for name in ("one", "two")]
    for tree in trees:
        git(bare, "worktree", "add", "-q", "-b", tree.name, str(tree))
    dctx("task", "start", "1", cwd=trees[0])
    assert shown(dctx, trees[1])["task"]["ref"] == "1/1/2"


# What may be in the file


@pytest.mark.parametrize(
    "text",
    ["", "{", "{}", "[1, null, {}]", '[{"id": 1}]', '[{"id":"a","task":"\u001b[2J"}]'],
)
def test_a_file_of_claims_that_makes_no_sense_claims_nothing(
    text: str, dctx: Run, tmp_path: Path
) -> None:
    planned(tmp_path)
    started(tmp_path, "1")
    (tmp_path / ".director/.dctx/claims.json").write_text(text)
    assert shown(dctx, tmp_path)["task"]["ref"] == "1/1/1"
    assert dctx("task", "start", "1", cwd=tmp_path).code == 0


def test_claims_that_came_with_the_repository_count_for_nothing(dctx: Run, tmp_path: Path) -> None:
    planned(tmp_path)
    git(tmp_path, "init", "-q")
    started(tmp_path, "1")
    git(tmp_path, "add", "-f", ".director/.dctx/claims.json")
    assert shown(dctx, tmp_path)["task"]["ref"] == "1/1/1"
