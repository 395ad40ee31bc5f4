"""Runs a hook as a client would: its words as a process, the event on stdin, the answer from stdout."""

from __future__ import annotations

import os
import subprocess

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 20.0
"""Far more than a hook may take; a hook ends by itself before."""


class Replied(Record):
    """What a hook left: its exit code, its answer, what it said besides."""

    code: int
    out: str
    err: str


def run_hook(words: Sequence[str], event: str, folder: str, home: str) -> Replied:
    """One hook in a project, in a home of its own."""
    elsewhere = ("XDG_STATE_HOME", "LOCALAPPDATA")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("DCTX_") and name not in elsewhere
    }
    environment |= {"HOME": home, "USERPROFILE": home, "CLAUDE_PROJECT_DIR": folder}
    try:
        done = subprocess.run(
            words, input=event.encode(), cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Replied(-1, "", str(error))
    return Replied(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
