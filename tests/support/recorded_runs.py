"""Runs as they are written down."""

from __future__ import annotations

import hashlib

from director_ctx.memory.runs.run import Run, RunSection


def a_run(number: int = 0, **changes: object) -> Run:
    sha = hashlib.sha256(str(number).encode()).hexdigest()
    run = Run(
        f"r{number:06x}", "2026-01-02T03:04:05Z", "builder", "1/1/1", 200_000, 60_000, 1000 + number, "within budget",
        "chars/4", (RunSection("vision", 1000 + number, sha),), (), sha, sha,
    )  # fmt: skip
    return run.replace(**changes)


def text_of(number: int, size: int = 1000) -> dict[str, bytes]:
    data = f"{number:06}".encode() * (size // 6)
    return {hashlib.sha256(data).hexdigest(): data}
