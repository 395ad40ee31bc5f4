"""The library call in a warm interpreter, beside a bare loop over the same files and the same `git
log`.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.bare import bare
from benchmarks.measure import Job, timed
from director_ctx import assemble, load_project
from director_ctx.base.resources import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from director_ctx import Assembly

AGENT, TASK = "builder", "3"
CALL, SAME, ENOUGH = "load_project + assemble", "bare loop", "bare loop, short log"


class Floor(NamedTuple):
    """What one assembly cannot do without."""

    files: list[str]
    git: list[str]
    enough: list[str]
    """The same `git log`, ended after the last commit that the context tells of."""
    environment: Mapping[str, str]


def call(root: Path) -> Assembly:
    return assemble(load_project(root=str(root)), AGENT, task=TASK)


def jobs(root: Path, floor: Floor) -> dict[str, Job]:
    return {
        CALL: Job(lambda: timed(lambda: call(root).text)),
        SAME: Job(lambda: timed(lambda: bare(floor.files, floor.git, floor.environment))),
        ENOUGH: Job(lambda: timed(lambda: bare(floor.files, floor.enough, floor.environment))),
    }


def find_floor(root: Path) -> Floor:
    """The files that the text comes from, the template of its instructions, and the git command of
    one call.
    """
    assembly, git, environment = _watch(root)
    sources = dict.fromkeys(source for section in assembly.sections for source in section.sources)
    files = [
        *(str(root / source) for source in sources),
        shipped("templates", "instructions", f"{AGENT}.md"),
    ]
    return Floor(files, git, [*git, f"-n{_commits_needed(root, assembly)}"], environment)


def _watch(root: Path) -> tuple[Assembly, list[str], dict[str, str]]:
    """One call, and the process that it starts."""
    started: list[tuple[Any, ...]] = []
    spawn = os.posix_spawnp

    def watched(*arguments: Any, **more: Any) -> int:
        started.append(arguments)
        return spawn(*arguments, **more)

    os.posix_spawnp = watched
    try:
        assembly = call(root)
    finally:
        os.posix_spawnp = spawn
    [(_, git, environment)] = started
    return assembly, list(git), dict(environment)


def _commits_needed(root: Path, assembly: Assembly) -> int:
    """The place in the history of the oldest commit that the context tells of."""
    command = ["git", "log", "--no-merges", "--format=%s"]
    subjects = subprocess.run(
        command, cwd=root, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    recent = next(section.text for section in assembly.sections if section.tag == "recent_changes")
    told = [line.removeprefix("- ") for line in recent.splitlines() if line.startswith("- ")]
    return next(place for place, subject in enumerate(subjects, 1) if told[-1].startswith(subject))
