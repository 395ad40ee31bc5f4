"""Runs a command that somebody allowed: alone, bounded in time and in what it may print, and
knowing no secrets.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO

TIMEOUT = 10.0
"""Seconds."""
MOST_BYTES = 400_000
"""More than any client shows; whoever prints more is stopped."""
TOO_LATE = f"it was stopped after {TIMEOUT:.0f} seconds"
TOO_MUCH = "it was stopped: it printed without end"
_GRACE = 0.5
INSIDE = "DCTX_IN_SKILL"
"""Tells a dctx that a skill runs that it is inside one."""
_PASSED = ("PATH", "HOME", "LANG", "SYSTEMROOT")


class CommandOutcome(Record):
    """What a command printed, how it ended, and why it was stopped, if it was."""

    output: str
    code: int
    why: str = ""
    complaint: str = ""
    """What it printed on standard error, where that is kept apart."""


def environment(places: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the user's but where programs and the home are."""
    env: dict[str, str] = {}
    for name in _PASSED:
        if name in os.environ:
            env[name] = os.environ[name]
    env["TERM"] = "dumb"
    # A module's compiled file would change the folder of the skill, and its consent with it.
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env[INSIDE] = "1"
    return {**env, **places}


def run_script(
    script: str,
    folder: str,
    places: Mapping[str, str],
) -> CommandOutcome:
    return run_words(("sh", "-c", script), folder, environment(places))


def run_words(
    words: Sequence[str],
    folder: str,
    env: Mapping[str, str],
    apart: bool = False,
) -> CommandOutcome:
    """One command with nothing on its standard input, in a process group that ends with it."""
    errors = subprocess.STDOUT
    if apart:
        errors = subprocess.PIPE
    try:
        child = subprocess.Popen(
            list(words),
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = str(error)
        if isinstance(error, OSError) and error.strerror:
            why = error.strerror
        return CommandOutcome("", 127, f"{words[0]} cannot be run: {why}")

    output, complaint, why = _listen(child)
    code = child.returncode
    if why:
        # As the command `timeout` has it.
        code = 124
    return CommandOutcome(
        output=output.decode("utf-8", "replace"),
        code=code,
        why=why,
        complaint=complaint.decode("utf-8", "replace"),
    )


def _listen(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes, str]:
    """What it prints until it ends. A grandchild that holds the pipe open is not waited for."""
    output = bytearray()
    complaint = bytearray()
    heard = (output, complaint)
    listeners: list[threading.Thread] = []
    for stream, into in ((child.stdout, output), (child.stderr, complaint)):
        if stream:
            listeners.append(threading.Thread(target=_hear, args=(stream, into), daemon=True))

    for listener in listeners:
        listener.start()
    try:
        why = _wait(child, heard)
        for listener in listeners:
            listener.join(_GRACE)
    finally:
        _end(child)
    for listener in listeners:
        listener.join(_GRACE)

    if _too_much(heard):
        why = TOO_MUCH
    return bytes(output), bytes(complaint), why


def _hear(stream: IO[bytes], into: bytearray) -> None:
    with stream:
        while len(into) <= MOST_BYTES:
            chunk = os.read(stream.fileno(), 65_536)
            if not chunk:
                return
            into += chunk


def _too_much(heard: Sequence[bytearray]) -> bool:
    return sum(map(len, heard)) > MOST_BYTES


def _wait(child: subprocess.Popen[bytes], heard: Sequence[bytearray]) -> str:
    """Until it ends, or why not so long."""
    until = time.monotonic() + TIMEOUT
    while True:
        try:
            child.wait(0.1)
        except subprocess.TimeoutExpired:
            if _too_much(heard) or time.monotonic() > until:
                return TOO_LATE
        else:
            return ""


def _end(child: subprocess.Popen[bytes]) -> None:
    """Everything in its process group, whatever it still does."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        child.kill()
    child.wait()
