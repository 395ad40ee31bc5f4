"""`dctx statusline`, whatever it is sent and whatever the plan says: one line, or none, and soon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import plan, process, task, write

COMMAND = (sys.executable, "-m", "director_ctx", "statusline")
ESCAPES = (
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\x9b31m",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\r\x1b[K",
    "\x08\x08\x08",
    "\u202egnp.exe",
    "\u2028\u2029\x85\x0b",
    "\x00",
)
EVENTS = (
    b"[" * 1_000_000,
    b'{"context_window": ' * 50_000,
    b"\xff\xfe" * 100_000,
    b'{"context_window": {"context_window_size": ' + b"9" * 5_000 + b"}}",
    b'{"context_window": {"context_window_size": 1e400, "current_usage": {"input_tokens": 1e308}}}',
    b'{"context_window": {"context_window_size": -1, "current_usage": {"input_tokens": -5}}}',
    b'{"transcript_path": "/tmp/\\ud800", "workspace": {"project_dir": "/\\ud800"}}',
    b'{"transcript_path": "/dev/zero"}',
    b'{"transcript_path": "/etc/passwd"}',
    b'{"transcript_path": ["/etc/passwd"], "workspace": ["x"]}',
    b'{"workspace": {"current_dir": "/tmp/\\u0000"}}',
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", plan({"01-one.md": task("One")}))


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_no_event_makes_more_than_a_line(root: Path, event: bytes) -> None:
    result = process("statusline", cwd=root, stdin=event)
    assert (result.code, result.err) == (0, "")
    assert result.out in ("", "next 1/1/1 One\n")


def test_a_transcript_that_is_a_pipe_is_not_waited_for(root: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "session.jsonl"
    os.mkfifo(pipe)
    event = json.dumps({"transcript_path": str(pipe)}).encode()
    assert process("statusline", cwd=root, stdin=event).out == "next 1/1/1 One\n"


def test_a_client_that_never_ends_what_it_sends_gets_its_line(root: Path) -> None:
    with subprocess.Popen(
        COMMAND, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdin.write(b'{"workspace": {"current_dir"')
        running.stdin.flush()
        # Its end of the pipe stays open.
        assert running.wait(timeout=20) == 0
        assert running.stdout.read() == b"next 1/1/1 One\n"
        assert running.stderr.read() == b""


def test_no_standard_input_at_all_is_no_mistake(root: Path) -> None:
    words = " ".join(f"'{word}'" for word in COMMAND)
    result = subprocess.run(
        ["sh", "-c", f"{words} <&-"], cwd=root, capture_output=True, timeout=20, check=False
    )
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("escape", ESCAPES, ids=ascii)
@pytest.mark.parametrize("words", [(), ("--color",)], ids=("plain", "color"))
def test_what_a_plan_is_called_does_nothing_to_a_terminal(
    tmp_path: Path, escape: str, words: tuple[str, ...]
) -> None:
    hostile = f"Mend{escape}it"
    files = {"01-one.md": f"# Task: {hostile}\n", "02-two.md": f"# Task: {hostile}\n"}
    root = write(tmp_path / "links", plan(files))
    event = {"model": {"display_name": hostile}, "session_id": hostile, "cwd": hostile}
    result = process("statusline", *words, cwd=root, stdin=json.dumps(event).encode())
    assert (result.code, result.err) == (0, "")
    line = result.out.removesuffix("\n")
    for own in ("\x1b[1m", "\x1b[2m", "\x1b[0m"):
        line = line.replace(own, "")
    assert line.isprintable()
    assert "Mend" in line


def test_a_name_that_is_no_text_is_no_mistake(root: Path) -> None:
    tasks = os.fsencode(root) + b"/.director/goals/01-first/01-step/tasks"
    if not os.path.isdir(tasks):
        tasks = os.fsencode(next(root.rglob("tasks")))
    for name in os.listdir(tasks):
        os.unlink(os.path.join(tasks, name))
    with open(os.path.join(tasks, b"01-\xff\xed\xa0\x80.md"), "wb") as file:
        file.write(b"# \xff\xed\xa0\x80\n")
    result = process("statusline", cwd=root, stdin=b"{}")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("next 1/1/1 ")
