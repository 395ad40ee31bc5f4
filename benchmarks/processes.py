"""Whole processes: dctx, its floors and its peers, on the same folders."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import bare
from benchmarks.install import DCTX
from benchmarks.library import AGENT, TASK
from benchmarks.measure import Job, launch, output_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.library import Floor
    from benchmarks.peers import Peer

PYTHON = DCTX / "bin" / "python"
ARGUMENTS = ("assemble", AGENT, "--task", TASK)
PASS, BARE, ASSEMBLE = "python -c pass", "bare script", "dctx assemble"


class Command(NamedTuple):
    """A command line, and where it runs."""

    name: str
    project: str
    root: Path
    words: tuple[str, ...]
    every: int = 1

    @property
    def key(self) -> str:
        return f"{self.project}: {self.name}" if self.project else self.name

    def job(self, environment: Mapping[str, str]) -> Job:
        return Job(functools.partial(launch, self.root, self.words, environment), self.every)

    def size(self, environment: Mapping[str, str]) -> int:
        return output_size(self.root, self.words, environment)


def start_of_python(root: Path) -> Command:
    return Command(PASS, "", root, (str(PYTHON), "-c", "pass"))


def commands(project: str, root: Path, floor: Floor, peers: Sequence[Peer]) -> list[Command]:
    """Everything that is measured in one project."""
    script = (str(PYTHON), bare.__file__, *floor.files, "--", *floor.git)
    dctx = (str(DCTX / "bin" / "dctx"), *ARGUMENTS)
    return [
        Command(BARE, project, root, script),
        Command(ASSEMBLE, project, root, dctx),
        *(Command(peer.name, project, root, peer.command, peer.every) for peer in peers),
    ]
