"""Rounds of measurements that take turns, so that whatever disturbs the machine disturbs all of
them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LAUNCH = Path(__file__).with_name("launch.py")
CLOSED_PORT = "http://127.0.0.1:9"


class Sample(NamedTuple):
    milliseconds: float
    memory: int = 0


class Job(NamedTuple):
    """One thing to measure, in every round or in every so many."""

    run: Callable[[], Sample]
    every: int = 1


@dataclass
class Series:
    """The samples of one job."""

    samples: list[Sample] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(sample.milliseconds for sample in self.samples)

    @property
    def least(self) -> float:
        return min(sample.milliseconds for sample in self.samples)

    @property
    def memory(self) -> int:
        return max(sample.memory for sample in self.samples)


def take_turns(jobs: Mapping[str, Job], rounds: int) -> dict[str, Series]:
    """Every job once a round; each round begins with another one. The first run of each is thrown
    away.
    """
    names = list(jobs)
    series = {name: Series() for name in names}
    for name in names:
        jobs[name].run()
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            if number % jobs[name].every == 0:
                series[name].samples.append(jobs[name].run())
    return series


def timed(call: Callable[[], object]) -> Sample:
    begin = time.perf_counter_ns()
    call()
    return Sample((time.perf_counter_ns() - begin) / 1e6)


def launch(
    folder: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: Path = Path(os.devnull),
) -> Sample:
    """A fresh process: wall time from start to end, and the largest memory it or a child of it had."""
    launcher = [sys.executable, "-I", "-S", str(LAUNCH), str(stdin), str(folder), *command]
    done = subprocess.run(launcher, env=environment, check=True, capture_output=True, text=True)
    took, memory, code = map(int, done.stdout.split())
    if code:
        raise SystemExit(f"{' '.join(command)} ended with exit code {code}")
    return Sample(took / 1e6, memory)


def output_size(
    folder: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: Path = Path(os.devnull),
) -> int:
    """How many bytes a command prints; shows that it does what it is measured for."""
    with stdin.open("rb") as given:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=given, check=True, stdout=subprocess.PIPE
        )
    return len(done.stdout)


def clean_environment(empty: Path) -> dict[str, str]:
    """What every child gets: nothing that slows Python down, moves git, or lets anybody wait for a
    network.
    """
    prefixes = ("PYTHON", "GIT_", "DCTX_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {
        "TIKTOKEN_CACHE_DIR": str(empty),
        "HTTPS_PROXY": CLOSED_PORT,
        "https_proxy": CLOSED_PORT,
    }
