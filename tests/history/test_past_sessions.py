"""`dctx agents verify` reads past sessions of Claude Code: which agents were spawned, and what
reached each of them.
"""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, plan, task, write

from director_ctx.history.sessions.past import read_sessions

Dctx = Callable[..., Result]
OURS = "/usr/local/bin/dctx hook --client claude"
CONTEXT = "<vision>\nA thing.\n</vision>\n\nBuild it."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "project",
        {"VISION.md": "# Vision\n\nA thing.\n", **plan({"01-one.md": task("One")})},
    )


class Sessions:
    """Transcripts as Claude Code writes them, in its folder for a project."""

    def __init__(self, root: Path, base: Path) -> None:
        self.root = os.path.realpath(root)
        slug = "".join(char if char.isalnum() and char.isascii() else "-" for char in self.root)
        self.folder = base / slug
        self.folder.mkdir(parents=True)
        self.clock = 1_700_000_000

    def session(self, name: str, *lines: dict[str, Any]) -> Path:
        first = {"type": "user", "parentUuid": None, "message": {"content": "Hello."}}
        return self.write(self.folder / f"{name}.jsonl", name, [first, *lines])

    def agent(
        self, session: str, name: str, kind: str, prompt: str, *more: dict[str, Any], call: str = ""
    ) -> None:
        """A sub-agent with a file of its own, as it is since 2.1."""
        path = self.folder / session / "subagents" / f"agent-{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write(path, session, [root_line(prompt), *more])
        path.with_suffix(".meta.json").write_text(
            json.dumps({"agentType": kind, "toolUseId": call or name})
        )

    def write(self, path: Path, session: str, lines: list[dict[str, Any]]) -> Path:
        whole = [{"sessionId": session, "cwd": self.root, **line} for line in lines]
        path.write_text("".join(json.dumps(line) + "\n" for line in whole) + '{"type": "half a li')
        self.clock += 60
        os.utime(path, (self.clock, self.clock))
        return path


def root_line(prompt: str, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": prompt}
    return {"type": "user", "isSidechain": True, "parentUuid": None, "message": message, **more}


def hooked(
    kind: str, call: str, event: str = "PreToolUse", command: str = OURS, **more: Any
) -> dict[str, Any]:
    found = {
        "type": kind,
        "toolUseID": call,
        "hookEvent": event,
        "command": command,
        "stdout": "{}",
        **more,
    }
    return {"type": "attachment", "attachment": found}


@pytest.fixture
def sessions(root: Path) -> Sessions:
    return Sessions(root, Path(os.environ["HOME"]) / ".claude" / "projects")


@pytest.fixture
def past(root: Path, dctx: Dctx) -> Callable[..., dict[str, Any]]:
    assert dctx("agents", "install", "--yes", cwd=root).code == 0

    def judge(*words: str) -> dict[str, Any]:
        done = dctx("agents", "verify", "--replay", "--json", *words, cwd=root)
        proof: dict[str, Any] = json.loads(done.out)["proofs"][-1]
        assert done.code == (1 if proof["outcome"] == "failed" else 0)
        return proof

    return judge


def test_agents_of_past_sessions_are_counted_by_what_reached_them(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    sessions.session(
        "s1", hooked("hook_success", "x", "SessionStart"), hooked("hook_success", "a1")
    )
    sessions.agent("s1", "a1", "director-builder", CONTEXT)
    sessions.agent("s1", "a2", "general-purpose", "Look around.")
    proof = past()
    assert proof["outcome"] == "proven"
    assert proof["verdict"] == (
        "Claude Code, past sessions (1): agents spawned: 2, given their context: 1, "
        "of a type that got none: 1, starts that were told where the project stands: 1."
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (hooked("hook_cancelled", "a1", timedOut=True), "the client stopped waiting for the hook"),
        (
            hooked("hook_non_blocking_error", "a1", stderr="No such file\nmore"),
            "the hook failed: No such file",
        ),
        (
            hooked("hook_success", "a1"),
            "the hook answered, but another hook rewrote the prompt after it",
        ),
        (
            hooked("hook_success", "s", "SessionStart"),
            "the hook gave no answer; `dctx agents status` shows what",
        ),
    ],
)
def test_an_agent_that_should_have_been_given_its_context_fails_the_proof_with_the_reason(
    line: dict[str, Any], why: str, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    sessions.session("s1", line)
    sessions.agent("s1", "a1", "director-builder", "Build it.")
    proof = past()
    assert (
        proof["outcome"] == "failed"
        and "should have been given it and were not: 1" in proof["verdict"]
    )
    assert proof["details"][0].startswith(f"director-builder got nothing: {why}")


def test_a_failure_is_held_against_us_until_a_later_session_has_none(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    sessions.session("s1", hooked("hook_cancelled", "a1"))
    sessions.agent("s1", "a1", "director-builder", "Build it.")
    sessions.session("s2", hooked("hook_success", "a2"))
    sessions.agent("s2", "a2", "director-builder", CONTEXT)
    proof = past()
    assert (
        proof["outcome"] == "proven"
        and "should have been given it and were not: 1" in proof["verdict"]
    )
    assert proof["details"][-1] == "The last session that our hooks ran in had no such failure."


def test_an_agent_that_was_spawned_before_the_settings_changed_is_not_held_against_us(
    root: Path, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    sessions.agent("s1", "a1", "worker", "Build it.")
    settings = (
        write(root, {"dctx.yaml": "hooks:\n  agents:\n    worker: builder\n"})
        / ".director"
        / "dctx.yaml"
    )
    assert past()["outcome"] == "proven"
    os.utime(settings, (sessions.clock - 120, sessions.clock - 120))
    assert past()["details"][0].startswith("worker got nothing: the hook gave no answer")


def test_a_session_that_was_told_nothing_is_a_failure_though_it_spawned_nobody(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    said = "Error occurred while executing hook command: Executable not found in $PATH: dctx"
    line = hooked("hook_non_blocking_error", "x", "SessionStart", "dctx", stderr=said)
    sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    sessions.session("s2", line)
    proof = past()
    assert proof["outcome"] == "failed" and proof["details"] == [
        f"a session got nothing: the hook failed: {said}"
    ]
    sessions.session("s3", hooked("hook_success", "x", "SessionStart"))
    assert past()["details"][-1] == "The last session that our hooks ran in had no such failure."


@pytest.mark.parametrize(
    "command", ["/nonexistent/dctx", "dctx hook", "/venv/bin/dctx hook --client claude"]
)
def test_a_hook_of_ours_that_was_not_found_is_a_failure_of_ours(
    command: str, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    stderr = 'Executable not found in $PATH: "dctx"'
    sessions.session("s1", hooked("hook_non_blocking_error", "a1", command=command, stderr=stderr))
    sessions.agent("s1", "a1", "director-builder", "Build it.")
    proof = past()
    assert proof["outcome"] == "failed" and "Executable not found" in proof["details"][0]


def test_an_agent_that_had_nothing_to_do_is_no_failure(
    root: Path, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    began = {**root_line("Build it."), "timestamp": "2026-05-01T10:00:03.250Z"}
    sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    path = sessions.folder / "s1" / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    sessions.write(path, "s1", [began])
    path.with_suffix(".meta.json").write_text(
        json.dumps({"agentType": "director-builder", "toolUseId": "a1"})
    )
    assert past()["outcome"] == "failed"
    said = "claude PreToolUse: gave no answer: Every task in the gameplan is done. Name one with --task."
    write(root, {".dctx/hooks.log": f"2026-05-01T10:00:02Z {said}\n"})
    assert (
        past()["outcome"] == "proven"
        and "spawned when there was nothing to do: 1" in past()["verdict"]
    )


def test_what_hooks_wrote_down_counts_until_one_has_worked(
    root: Path, dctx: Dctx, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    past()
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 90))
    write(root, {".dctx/hooks.log": f"{when} claude PreToolUse: gave no answer: too slow\n"})
    done = dctx("agents", "verify", "--replay", cwd=root)
    assert done.code == 1
    assert "FAILED   hooks.log: hooks failed 1 time lately, and have not worked since." in done.out
    assert "1 minute ago: claude PreToolUse: gave no answer: too slow" in done.out
    sessions.session("s1", hooked("hook_cancelled", "a1"))
    sessions.agent("s1", "a1", "director-builder", "Build it.")
    sessions.session("s2", hooked("hook_success", "x", "SessionStart"))
    assert "The last session" not in dctx("agents", "verify", "--replay", cwd=root).out
    assert dctx("assemble", "builder", cwd=root).code == 0
    assert dctx("agents", "verify", "--replay", cwd=root).code == 0


def test_hooks_of_others_are_none_of_ours(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    sessions.session("s1", hooked("hook_cancelled", "a1", command="/bin/other --hook"))
    sessions.agent("s1", "a1", "director-builder", "Build it.")
    proof = past()
    assert proof["outcome"] == "nothing" and proof["details"] == []


def test_a_context_that_came_at_the_start_of_an_agent_counts(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    told = {"type": "hook_additional_context", "content": [CONTEXT], "hookEvent": "SubagentStart"}
    sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    sessions.agent(
        "s1", "a1", "director-builder", "Build it.", {"type": "attachment", "attachment": told}
    )
    assert "past sessions (1): agents spawned: 1, given their context: 1" in past()["verdict"]


def test_hooks_that_failed_at_the_start_of_an_agent_are_found_in_its_own_file(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    late = hooked("hook_cancelled", "another", "SubagentStart", f"{OURS} --part 1")
    sessions.session("s1")
    sessions.agent("s1", "a1", "director-builder", "Build it.", late)
    proof = past()
    assert proof["outcome"] == "failed" and "the client stopped waiting" in proof["details"][0]


def test_older_layouts_are_read_agents_in_the_same_file_and_beside_it(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    answer = root_line("a tool's result", parentUuid="u1")
    blocks = root_line("", message={"content": [{"type": "text", "text": CONTEXT}]})
    sessions.session(
        "s1", hooked("hook_success", "x", "SessionStart"), root_line(CONTEXT), answer, blocks
    )
    sessions.session("s2")
    for name, owner, prompt in (
        ("agent-b1", "s1", CONTEXT),
        ("agent-b2", "s1", "Warmup"),
        ("agent-b3", "s2", "Go."),
    ):
        sessions.write(sessions.folder / f"{name}.jsonl", owner, [root_line(prompt)])
    sessions.write(sessions.folder / "agent-acompact-b4.jsonl", "s1", [root_line("Summarize.")])
    proof = past()
    said = (
        "past sessions (2): agents spawned: 4, given their context: 3, spawned without our hook: 1"
    )
    assert proof["outcome"] == "seen" and said in proof["verdict"]


def test_sessions_of_other_projects_are_left_out_and_those_of_a_folder_below_are_not(
    root: Path, sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    base = sessions.folder.parent
    other, below = Sessions(root.with_name("project-2"), base), Sessions(root / "src", base)
    for place in (sessions, other, below):
        place.session("s1", hooked("hook_success", "a1"))
        place.agent("s1", "a1", "director-builder", CONTEXT)
    assert "past sessions (2): agents spawned: 2" in past()["verdict"]


def test_of_the_files_of_another_project_no_more_is_read_than_tells_whose_they_are(
    tmp_path: Path,
) -> None:
    """`/work/app-2` and `/work/app/2` have folders of the same name. What is behind a line is asked
    of its command.
    """
    place = Sessions(Path("/work/app-2"), tmp_path)
    place.session("s1", *[hooked("hook_success", "a1")] * 3)
    place.agent("s1", "a1", "director-builder", CONTEXT, hooked("hook_success", "a1"))
    beside = place.folder / "agent-b1.jsonl"
    place.write(beside, "s1", [root_line(CONTEXT), hooked("hook_success", "b1")])
    seen: list[str] = []

    def ours(command: str) -> bool:
        seen.append(command)
        return True

    assert read_sessions(str(place.folder), "/work/app", ours) == () and seen == []
    (found,) = read_sessions(str(place.folder), "/work/app-2", ours)
    assert len(found.spawned) == 2 and OURS in seen


def test_a_session_belongs_to_the_folder_that_it_began_in(sessions: Sessions) -> None:
    lines = [hooked("hook_success", "x", "SessionStart"), {"type": "user", "cwd": "/elsewhere"}]
    sessions.session("s1", *lines)
    sessions.write(
        sessions.folder / "s2.jsonl", "s2", [{"cwd": None}, {"cwd": "/elsewhere"}, *lines]
    )
    sessions.write(sessions.folder / "s3.jsonl", "s3", [{**line, "cwd": None} for line in lines])
    found = read_sessions(str(sessions.folder), sessions.root, lambda _: True)
    assert [Path(one.path).stem for one in found] == ["s1"]


def test_a_line_that_is_absurdly_long_is_passed_over_with_all_its_pieces(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.history.sessions.past.LONGEST_LINE", 2_000)
    path = sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    piece = json.dumps({"sessionId": "s1", **hooked("hook_success", "y")}).encode()
    path.write_bytes(b"x" * 2_000 + piece + b"\n" + path.read_bytes())
    (found,) = read_sessions(str(sessions.folder), sessions.root, lambda command: command == OURS)
    assert [one.call for one in found.hooked] == ["x"]


def test_what_is_kept_of_a_session_does_not_grow_with_its_lines(sessions: Sessions) -> None:
    def most(count: int) -> int:
        said = {"type": "assistant", "message": {"content": "x" * 1_000}}
        sessions.session("s1", hooked("hook_success", "x", "SessionStart"), *[said] * count)
        tracemalloc.start()
        read_sessions(str(sessions.folder), sessions.root, lambda command: command == OURS)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    most(10)
    assert most(4_000) < most(200) + 500_000


def test_sessions_are_found_behind_a_link_to_the_project(
    root: Path, sessions: Sessions, dctx: Dctx, tmp_path: Path
) -> None:
    sessions.session("s1", hooked("hook_success", "x", "SessionStart"))
    (tmp_path / "link").symlink_to(root)
    done = dctx("agents", "verify", "--replay", "--root", str(tmp_path / "link"))
    assert "past sessions (1): agents spawned: 0" in done.out


def test_sessions_that_are_kept_elsewhere_are_read_there(
    tmp_path: Path, past: Callable[..., dict[str, Any]]
) -> None:
    kept = Sessions(Path("/home/me/on/another/machine"), tmp_path / "kept")
    kept.session("s1", hooked("hook_success", "a1"))
    kept.agent("s1", "a1", "director-builder", CONTEXT)
    assert (
        "past sessions (1): agents spawned: 1"
        in past("--sessions", str(tmp_path / "kept"))["verdict"]
    )


def test_lines_that_are_none_of_a_session_do_no_harm(
    sessions: Sessions, past: Callable[..., dict[str, Any]]
) -> None:
    odd: list[Any] = [{"type": 7, "attachment": [], "message": []}, {"attachment": {"type": [], "command": 3}},
                      hooked("hook_success", "x", "SessionStart")]  # fmt: skip
    path = sessions.session("s1", *odd)
    with path.open("ab") as file:
        file.write(b'\n[1]\n"text"\n\xff\xfe\n' + b"[" * 5_000 + b"\n")
    (sessions.folder / "s2.jsonl").write_bytes(b"")
    (sessions.folder / "s3.jsonl").symlink_to(path)
    assert "past sessions (1): agents spawned: 0" in past()["verdict"]
