"""What a hook costs the client that waits for it: a spawn in a project, and any event where there
is none.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.install import DCTX
from benchmarks.measure import Job, launch, output_size, take_turns
from benchmarks.report import Aim, Row, rows_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.measure import Series

PASS, EMPTY = "python -c pass", "empty console script"
SPAWN, NOWHERE = "dctx hook: a spawn", "dctx hook: no .director/"
CONFIG = """\
budget: 25%
model: claude-opus-5
profiles:
  builder:
    protect: [codebase, recent_changes]
    reference: [terminology.md]
hooks:
  agents:
    general-purpose: builder
    Explore: none
"""


class Case(NamedTuple):
    """One command, with its folder and what it reads."""

    name: str
    folder: Path
    words: tuple[str, ...]
    stdin: Path

    def job(self, environment: Mapping[str, str]) -> Job:
        return Job(functools.partial(launch, self.folder, self.words, environment, self.stdin))

    def size(self, environment: Mapping[str, str]) -> int:
        return output_size(self.folder, self.words, environment, self.stdin)


def measure(
    place: Path, example: Path, environment: Mapping[str, str], rounds: int
) -> dict[str, Series]:
    """Takes turns; the project has a `dctx.yaml`, and it has been read before."""
    (example / ".director" / "dctx.yaml").write_text(CONFIG, encoding="utf-8")
    nowhere = place / "nowhere"
    nowhere.mkdir(exist_ok=True)
    event = place / "event.json"
    event.write_text(json.dumps(spawn(example)), encoding="utf-8")
    script, python = DCTX / "bin", str(DCTX / "bin" / "python")
    hook = (str(script / "dctx"), "hook", "--client", "claude")
    cases = [
        Case(PASS, example, (python, "-c", "pass"), event),
        Case(EMPTY, nowhere, (str(script / "empty-script"),), event),
        Case(SPAWN, example, hook, event),
        Case(NOWHERE, nowhere, hook, event),
    ]
    series = take_turns({case.name: case.job(environment) for case in cases}, rounds)
    start = series[PASS]
    rows = [Row(case.name, series[case.name], start, case.size(environment)) for case in cases]
    print(rows_table("Hooks", rows), end="\n\n", flush=True)
    return series


def spawn(example: Path) -> dict[str, object]:
    """A sub-agent is being spawned, as Claude Code says it."""
    return {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": str(example / "session.jsonl"),
        "cwd": str(example),
        "hook_event_name": "PreToolUse",
        "tool_name": "Agent",
        "tool_input": {
            "description": "Build the task",
            "prompt": "Build the next task.",
            "subagent_type": "director:director-builder",
        },
        "tool_use_id": "toolu_0001",
    }


def aims(series: Mapping[str, Series]) -> Iterator[Aim]:
    for what, above, below, limit in (
        ("hook: a spawn / python -c pass", SPAWN, PASS, 2.5),
        ("hook: no .director/ / empty console script", NOWHERE, EMPTY, 1.5),
    ):
        one, floor = series[above], series[below]
        yield Aim(what, one.median / floor.median, one.least / floor.least, limit)
