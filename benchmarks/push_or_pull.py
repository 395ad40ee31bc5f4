"""Push, pull or both, on small and large contexts, in three clients, over three recorded runs.

usage: python -m benchmarks.push_or_pull

Prints the tables of docs/push-or-pull.md. Everything is counted, nothing timed, so one run is enough.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.generate import generate
from director_ctx import load_project
from director_ctx.assembling.comparing.comparison import EVERY, HYBRID, PULL, PUSH, REPLACED
from director_ctx.assembling.comparing.recorded_runs import RUNS, recorded_run
from director_ctx.assembling.comparing.tool_lists import TOOL_LISTS
from director_ctx.clients.demo.example import make_example
from director_ctx.doors.mcp.compare import ComparisonTerms, compare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.assembling.comparing.report import ComparisonReport

CLIENTS = ("claude", "codex", "copilot")
EVERY_NOTE: Mapping[str, Any] = {"codebase": "all", "research": "all", "with_": "research"}


def report(root: Path, client: str, run: str, push: Mapping[str, Any]) -> ComparisonReport:
    """A builder's next task, counted exactly."""
    terms = ComparisonTerms(
        client=TOOL_LISTS[client],
        run=run,
        shape=recorded_run(run),
        counter="o200k_base",
        shape_of_push=push,
    )
    return compare(load_project(root=str(root)), "builder", terms)


def cost_against_push(found: ComparisonReport, way: str) -> str:
    dollars = found.comparison.of(way).dollars or 0.0
    pushed = found.comparison.of(PUSH).dollars or 1.0
    return f"{(dollars / pushed - 1) * 100:+.1f}%"


def context_against(found: ComparisonReport, way: str) -> str:
    pulled = found.comparison.of(PULL).added
    return f"{(pulled / found.comparison.of(way).added - 1) * 100:+.0f}%"


def main() -> int:
    head = ("context", "turns", "client", "pull", "hybrid", "replaced")
    print(*head, "| tokens of context: every message, replaced", sep="\t")
    with TemporaryDirectory() as folder:
        large = Path(folder) / "large"
        generate(large)
        # As the documents show it, with a git history of its own.
        example = Path(folder) / "example"
        make_example(str(example))
        projects: list[tuple[Path, Mapping[str, Any]]] = [
            (example, {}),
            (large, {}),
            (large, EVERY_NOTE),
        ]
        for root, push in projects:
            for run in RUNS:
                for client in CLIENTS:
                    print(*row(report(root, client, run, push)), sep="\t")
    return 0


def row(found: ComparisonReport) -> list[str]:
    costs = [cost_against_push(found, way) for way in (PULL, HYBRID, REPLACED)]
    contexts = [context_against(found, way) for way in (EVERY, REPLACED)]
    size = f"{found.comparison.sizes.pushed:,}"
    return [size, str(found.turns), found.client.client, *costs, *contexts]


if __name__ == "__main__":
    sys.exit(main())
