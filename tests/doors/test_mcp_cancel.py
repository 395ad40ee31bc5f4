"""A call that nobody waits for any more ends soon, wherever it is, and a change is made whole."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from client_sessions import Claude
from conftest import plan, task, write
from mcp_server import MODERN, Server

from director_ctx import assemble, current_plan, load_project, status, variables
from director_ctx.base.system.waiting import still_wanted, while_wanted
from director_ctx.doors.mcp.messages import ClientRequest
from director_ctx.doors.mcp.methods import call_tool
from director_ctx.doors.mcp.server import ClientCall, Peer
from director_ctx.history.sessions.search import search
from director_ctx.project.find_text import find_in_folder
from director_ctx.tools.service import Cancelled, ToolService
from director_ctx.tools.tool_sets import SETS

SESSIONS, TURNS = 8, 1200
A_TENTH = 0.1
"""Seconds of work. A clock on the wall would judge the machine."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Much to look through: long conversations, and a folder of many tasks."""
    tasks = {f"{number:02}-task.md": task(f"Task {number}") for number in range(1, 60)}
    files = {"VISION.md": "# Vision\n\nA list of links.\n", **plan(*[tasks] * 5)}
    files["codebase/LONG.md"] = "A needle of the codebase, in a line of its own.\n" * 40_000
    root = write(tmp_path / "project", files)
    for number in range(SESSIONS):
        talk = Claude(root, f"{number:08}-0000-4000-8000-000000000001")
        for turn in range(TURNS):
            talk.user(f"Where is the needle {turn}?")
            talk.called(f"call-{turn}", "Bash", f"line of output {turn}\n" * 40, command="ls")
        talk.write()
    return root


def longest_step(work: Callable[[], object]) -> float:
    """Seconds of work between two questions whether somebody still waits."""
    last = time.thread_time()
    longest = 0.0

    def check() -> None:
        nonlocal last, longest
        now = time.thread_time()
        longest = max(longest, now - last)
        last = now

    gc.disable()
    try:
        while_wanted(check, work)
        check()
    finally:
        gc.enable()
    return longest


def test_no_step_of_what_takes_long_is_long_itself(root: Path) -> None:
    project = load_project(root=str(root))
    works: dict[str, Callable[[], object]] = {
        "conversations": lambda: list(search("needle 7", str(root))),
        "folder": lambda: list(find_in_folder(load_project(root=str(root)), "nothing")),
        "status": lambda: status(load_project(root=str(root))),
        "plan": lambda: current_plan(project),
        "context": lambda: assemble(load_project(root=str(root)), "builder"),
    }
    for name, work in works.items():
        work()
        assert longest_step(work) < A_TENTH, name


def test_only_the_thread_that_asked_for_it_ends(root: Path) -> None:
    def give_up() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        while_wanted(give_up, lambda: status(load_project(root=str(root))))
    still_wanted()
    assert status(load_project(root=str(root))).goals


def seconds_of_work(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def until_idle(pid: int, threads: int = 1) -> None:
    end = time.monotonic() + 60
    while threads_of(pid) > threads:
        assert time.monotonic() < end, "it is still at work"
        time.sleep(0.01)


SEARCH = {"name": "search", "arguments": {"text": "needle 7", "where": "conversations"}}
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it in a file")


@linux_only
def test_a_cancelled_search_ends_in_the_middle_of_a_conversation(root: Path) -> None:
    meta = {**MODERN, "progressToken": 1}
    with Server(root) as server:
        pid = server.process.pid
        server.ask("tools/call", SEARCH)
        before = seconds_of_work(pid)
        server.ask("tools/call", SEARCH)
        whole = seconds_of_work(pid) - before

        before = seconds_of_work(pid)
        number = server.send("tools/call", SEARCH, meta)
        assert server.read()["method"] == "notifications/progress"
        server.notify("notifications/cancelled", {"requestId": number})
        until_idle(pid)
        assert seconds_of_work(pid) - before < whole / 2
        after = server.send("ping", meta={})
        assert server.read()["id"] == after


@linux_only
def test_a_client_that_is_gone_leaves_no_work_behind(root: Path) -> None:
    with Server(root) as server:
        server.ask("tools/call", SEARCH)
        server.send("tools/call", SEARCH, {**MODERN, "progressToken": 1})
        assert server.read()["method"] == "notifications/progress"
        assert server.process.stdin
        assert server.process.stdout
        server.process.stdin.close()
        server.process.stdout.close()
        assert server.process.wait(20) == 0


class Impatient(ClientCall):
    """Its client gives up as soon as the work has begun."""

    def __init__(self, root: Path, arguments: dict[str, object]) -> None:
        parameters = {"name": "plan", "arguments": arguments}
        request = ClientRequest(1, "tools/call", parameters, {})
        service = ToolService(None, str(root), SETS["few"], ("variables", "tasks"))
        peer = Peer(lambda _: None, lambda: False)
        peer.revision = "2025-11-25"
        super().__init__(service, peer, request)
        self.checks = 0

    def check(self) -> None:
        self.checks += 1
        if self.checks > 1:
            raise Cancelled


def test_a_change_that_has_begun_is_made_whole(root: Path) -> None:
    put = {"action": "set_variable", "name": "port", "value": 1, "reason": "Seen"}
    call_tool(Impatient(root, put))
    assert [entry.name for entry in variables(load_project(root=str(root)))] == ["port"]

    claim = {"action": "claim", "name": "1/1/1", "agent": "builder-1"}
    said = call_tool(Impatient(root, claim))["content"][0]["text"]
    done = json.loads(said.rpartition("When it is done: plan ")[2])
    call_tool(Impatient(root, done))
    assert (root / ".director/goals/01-first/01-step/tasks/01-task.done.md").exists()

    with pytest.raises(Cancelled):
        call_tool(Impatient(root, {"action": "show"}))
