"""The status line as a real Claude Code shows it: at a terminal, offline, with a scripted model."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import time
from pathlib import Path
from select import select

import pytest
from real_clients import ENVIRONMENT, PROGRAMS, Place

from director_ctx.clients.verify.offline_clients import KEY, WAYS, Bench
from director_ctx.clients.verify.run import bare_environment, prepare_home
from director_ctx.clients.verify.scripted_model import AnswerRule, ScriptedModel

pytestmark = pytest.mark.proof
VERSIONS = [name for name in PROGRAMS if name.startswith("claude")]
SIZE = struct.pack("HHHH", 40, 160, 0, 0)
LONGEST_WAIT = 60.0


class Screen:
    """A client at a terminal, and somebody who reads and types."""

    def __init__(self, program: str, folder: str, environment: dict[str, str]) -> None:
        self.process, self.terminal = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.execvpe(program, [program], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, SIZE)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + LONGEST_WAIT
        while text not in self.shown:
            assert time.monotonic() < end, self.shown[-3_000:]
            if select([self.terminal], [], [], 0.2)[0]:
                piece = os.read(self.terminal, 65_536).decode("utf-8", "replace")
                # A place on the screen stands between words as a blank does.
                self.shown += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", " ", piece)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def end(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


@pytest.mark.parametrize("version", VERSIONS)
def test_claude_code_shows_the_task_and_after_an_answer_how_full_its_window_is(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    installed = place.dctx("agents", "install", "--what", "statusline", "--yes")
    assert installed.code == 0, installed
    with ScriptedModel([AnswerRule(say="All done.", tokens=84_000)]) as model:
        bench = Bench("claude", (place.program,), str(place.home), str(place.root), model.url)
        prepare_home(bench)
        known = (
            f'{{"hasCompletedOnboarding": true, "customApiKeyResponses": {{"approved": ["{KEY}"]}},'
            f' "projects": {{"{place.root}": {{"hasTrustDialogAccepted": true}}}}}}'
        )
        (place.home / ".claude.json").write_text(known)
        environment = {
            **bare_environment(bench),
            **WAYS["claude"].environment(bench),
            **ENVIRONMENT,
            "TERM": "xterm-256color",
        }
        screen = Screen(place.program, str(place.root), environment)
        try:
            screen.wait_for("next 2/1/3 A page for each friend")
            screen.type("hello")
            screen.wait_for("hello")
            screen.type("\r")
            screen.wait_for("84k of ")
            screen.wait_for("84k at the start")
        finally:
            screen.end()
