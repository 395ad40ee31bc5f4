"""Mutated conversations through every command that reads one: a sentence or a result, never a
crash, never a hang.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import write
from exit_codes import ALLOWED
from mutated import mutated, whole

from director_ctx.base.system.time_limit import deadline
from director_ctx.doors.cli.main import main
from director_ctx.history.strategies.config import STRATEGIES

Capture = pytest.CaptureFixture[bytes]
HISTORIES = 300
"""Enough to try every change on every format; more of them only take longer."""
A_STORE = 50
"""How many are brought into one store: each import reads all that is in it."""
MOST_SECONDS = 10.0
"""Of the processor, for one command; none takes a tenth of it."""
COMMANDS = (
    ("doctor", "history"),
    ("history", "import", "history"),
    ("history", "show", "history"),
    ("restore", "history"),
)


class Run:
    """One command in this process: its code, and the bytes that it printed."""

    def __init__(self, capture: Capture, words: tuple[str, ...]) -> None:
        self.words = words
        capture.readouterr()
        with deadline(MOST_SECONDS):
            self.code = main(words)
        self.out, self.err = capture.readouterr()

    def crashed(self) -> bool:
        """What takes too long is an error inside of the program, and ends as one."""
        return self.code not in ALLOWED or b"Traceback" in self.err or b"bug in dctx" in self.err

    def __repr__(self) -> str:
        return f"{' '.join(self.words)}: exit {self.code}, {self.err.decode(errors='replace')}"


def test_no_mutated_history_crashes_a_command_or_is_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Capture,
    figure: Callable[[str, str], None],
) -> None:
    histories = whole()
    bad, lost, cut = [], [], 0

    for number in range(HISTORIES):
        if number % A_STORE == 0:
            monkeypatch.chdir(write(tmp_path / str(number), {}))
        data = mutated(number, histories)
        Path("history").write_bytes(data)
        strategy = STRATEGIES[number % len(STRATEGIES)]
        compressed = Run(
            capfdbinary, ("compress", "history", "--ratio", "0.2", "--strategy", strategy)
        )
        runs = [compressed, *(Run(capfdbinary, words) for words in COMMANDS)]

        if b"; receipt " in compressed.err:
            cut += 1
            Path("short").write_bytes(compressed.out)
            restored = Run(capfdbinary, ("restore", "short"))
            runs.append(restored)
            if restored.out != data and b"what is written is UTF-8" not in compressed.err:
                lost.append((number, restored))
        bad += [(number, run) for run in runs if run.crashed()]

    figure(
        "Mutated histories",
        f"{len(bad)} of {HISTORIES} crash or hang, {len(lost)} of {cut} cut ones are lost",
    )
    assert bad == []
    assert lost == [] and cut > HISTORIES // 5
