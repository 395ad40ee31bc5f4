"""Commands at a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from conftest import ROOT


def on_terminal(
    cwd: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    codes: Collection[int] = (0, 5, 6),
) -> bytes:
    """What the program writes when its standard output is a terminal; it ends with one of the codes."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", *arguments],
        cwd=cwd,
        stdout=slave,
        stdin=slave,
        stderr=subprocess.DEVNULL,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "COLUMNS": "200",
            **(env or {}),
        },
    )
    os.close(slave)
    seen = _read_until_closed(master)
    assert child.wait(timeout=30) in codes
    return seen


def answered_on_terminal(
    cwd: Path, answers: str, *arguments: str, out: Path | None = None
) -> tuple[int, str]:
    """The exit code, and what somebody sees who types these answers at a terminal; the result goes
    into a file if one is named.
    """
    return talk_on_terminal(cwd, *arguments, answers=answers, out=out)


def _read_until_closed(master: int) -> bytes:
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:
        pass  # Linux ends a terminal with an error
    os.close(master)
    return seen


def talk_on_terminal(
    cwd: Path,
    *arguments: str,
    answers: str = "",
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
) -> tuple[int, str]:
    """A talk with the program: everything that stands on the screen, what was typed included, and
    the exit code. `answers` are typed ahead; then nothing more comes.
    """
    master, slave = pty.openpty()
    # What is typed ahead waits until it is asked for.
    os.write(master, answers.encode())
    results = slave
    if out:
        results = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    child = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", *arguments],
        cwd=cwd,
        stdin=slave,
        stdout=results,
        stderr=slave,
        start_new_session=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "COLUMNS": "80",
            "NO_COLOR": "1",
            **(env or {}),
        },
    )
    if out:
        os.close(results)
    os.close(slave)
    seen = _read_until_closed(master)
    code = child.wait(timeout=60)
    shown = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", seen.decode())
    return code, shown.replace("\r\n", "\n")
