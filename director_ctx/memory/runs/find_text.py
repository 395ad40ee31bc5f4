"""Where something was told in contexts that were handed out before, as far as their texts are kept."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.system.waiting import still_wanted
from director_ctx.memory.runs.storage import read_runs, read_text
from director_ctx.project.find_text import around, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LAST = 50
"""Runs that are looked into; texts of older ones are mostly forgotten."""


class ToldLine(Record):
    """A line of a section that an agent was given."""

    run: str
    time: str
    agent: str
    section: str
    text: str


def find_in_contexts(root: str, text: str) -> Iterator[ToldLine]:
    """Newest context first; a text that several contexts had is told of once."""
    fits = pattern(text)
    seen: set[str] = set()
    for run in reversed(read_runs(root, LAST)):
        for section in run.sections:
            if section.sha256 in seen:
                continue
            seen.add(section.sha256)
            still_wanted()
            for line in (read_text(root, section.sha256) or "").splitlines():
                if fits(line):
                    yield ToldLine(run.id, run.time, run.agent, section.tag, around(line, text))


def told(root: str, run_id: str, tag: str) -> str | None:
    """A section as it was told in one of the last contexts; None where it is not kept."""
    for run in read_runs(root, LAST):
        for section in run.sections:
            if (run.id, section.tag) == (run_id, tag):
                return read_text(root, section.sha256)
    return None
