"""A git that does not answer: every context goes out in time, and says what it does not know."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import commit, process, write
from hook_answers import heard
from hook_events import BASE, BUILDER, session, spawn, start

HOOK_SECONDS = 2.0
COMMAND_SECONDS = 15.0
SPOKEN = r"printf '\0%040d Told by git\0\n\na.txt\0' 1"
GITS = {
    "sleeps": "exec sleep 60",
    "speaks, then sleeps": f"{SPOKEN}; {SPOKEN}; exec sleep 60",
    "prints slowly for ever": f"while :; do {SPOKEN}; sleep 0.1; done",
    "prints fast for ever": "exec yes",
    "complains for ever": "exec yes >&2",
    "ignores every polite signal": "trap '' TERM INT HUP PIPE; while :; do sleep 0.2; done",
    "shuts its streams and stays": "exec >&- 2>&-; sleep 60",
    "leaves a process that holds its pipes": "sleep 60 & exit 0",
    "leaves one in a session of its own": "setsid sleep 60 & exit 0",
    "is a shell around one that sleeps": "sleep 60; exit 0",
}
EVENTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "spawn": (spawn(), ()),
    "start of an agent": (start(BUILDER), ("--client", "vscode")),
    "start of a session": (session(identity="two"), ()),
}


def put_git(folder: Path, script: str) -> str:
    """The path that finds such a git first."""
    folder.mkdir(parents=True)
    place = folder / "git"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def project(folder: Path) -> Path:
    """One that knew a session before its last commit."""
    root = write(folder, {**BASE, "dctx.yaml": "hooks: {agents: {builder: builder}}\n"})
    commit(root, "First", {"a.txt": "1"})
    assert heard(root, session(identity="one"))
    commit(root, "Second", {"a.txt": "2"})
    return root


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A project, made once for all that are tried beside a git."""
    return project(tmp_path / "model")


def answered(
    model: Path, folder: Path, script: str, event: dict[str, Any], words: tuple[str, ...] = ()
) -> tuple[str, float]:
    """What a hook says beside such a git, and after how many seconds."""
    root = shutil.copytree(model, folder / "boat")
    path = put_git(folder / "bin", script)
    begun = time.monotonic()
    result = process("hook", *words, cwd=root, stdin=json.dumps(event).encode(), env={"PATH": path})
    seconds = time.monotonic() - begun
    assert (result.code, result.err) == (0, ""), result
    return result.out, seconds


def test_every_context_goes_out_in_time_whatever_git_does(
    model: Path, tmp_path: Path, figure: Callable[[str, str], None]
) -> None:
    tried = [(name, event) for name in GITS for event in EVENTS]

    def one(name: str, event: str, turn: str = "") -> tuple[str, float]:
        return answered(model, tmp_path / f"{name} {event} {turn}", GITS[name], *EVENTS[event])

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(tried, pool.map(one, *zip(*tried, strict=True)), strict=True))
    for which, (said, seconds) in results.items():
        if "Two" not in said or seconds >= HOOK_SECONDS:
            results[which] = one(*which, "again")  # alone: the machine may have been busy

    unanswered = [which for which, (said, _) in results.items() if "Two" not in said]
    slowest = max(seconds for _, seconds in results.values())
    went_out = f"{len(tried) - len(unanswered)} of {len(tried)} went out"
    figure("Contexts beside a git that hangs", f"{went_out}, slowest {slowest:.2f} s")
    assert unanswered == []
    assert slowest < HOOK_SECONDS
    late = {
        name for name, event in tried if event == "spawn" and NOT_KNOWN in results[name, event][0]
    }
    assert set(LATE) <= late
    partly, _ = results["speaks, then sleeps", "spawn"]
    assert "Recent progress, as far as git told it in time:\\n- Told by git" in partly


NOT_KNOWN = "Recent progress:\\nNot known: git did not answer in time."
LATE = (
    "sleeps",
    "prints fast for ever",
    "ignores every polite signal",
    "is a shell around one that sleeps",
)


def test_nothing_of_it_goes_on_afterwards(model: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pids"
    begin = f"sleep 60 & echo $! >>{mark}"
    answered(model, tmp_path, f"{begin}; {begin}; echo $$ >>{mark}; wait", spawn())
    time.sleep(0.1)
    running = [pid for pid in mark.read_text().split() if is_at_work(pid)]
    assert running == []


def is_at_work(pid: str) -> bool:
    """Whether it runs; one that has ended and is not buried yet does not."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


COMMANDS = (
    "assemble builder",
    "status",
    "doctor --stale",
    "status --nodes --since HEAD",
)


@pytest.mark.parametrize(
    "script", ["exec sleep 60", "sleep 60 & exit 0"], ids=["sleeps", "leaves its pipes open"]
)
def test_commands_at_a_terminal_end_too(script: str, model: Path, tmp_path: Path) -> None:
    root = model
    write(root, {"codebase/STACK.md": "See `a.txt`.\n"})
    path = put_git(tmp_path / "bin", script)

    def seconds(words: str) -> float:
        begun = time.monotonic()
        result = process(*words.split(), cwd=root, env={"PATH": path})
        assert "Traceback" not in result.err, result
        return time.monotonic() - begun

    with ThreadPoolExecutor(len(COMMANDS)) as pool:
        slowest = max(pool.map(seconds, COMMANDS))
    assert slowest < COMMAND_SECONDS
