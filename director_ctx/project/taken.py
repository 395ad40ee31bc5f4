"""What was taken over from another tool's plan, as `origins.py` reads it: which tools, which units, and their marks."""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TITLES = {
    "openspec": "OpenSpec",
    "spec-kit": "Spec Kit",
    "task-master": "Task Master",
    "backlog": "Backlog.md",
    "todo": "TODO.md",
}
"""The tools whose plans can be taken over, as they call themselves."""
ORIGINS = f"{FOLDER}/origins.json"
"""Where that is written down."""
DIGITS = 12
"""Of a hash: what one text is told from its next version by. Nobody gains by two that agree."""


class TakenUnit(Record):
    """One goal, step, task, idea or document, as it was written."""

    at: str
    """Its folder, or its file without an ending, below `.director/`."""
    marks: Mapping[str, str] = {}
    """A mark of each section as it was written."""


class TakenPlan(Record):
    """All of one tool."""

    path: str | None = ""
    """The folder that was read, below the root; None where that is elsewhere."""
    file: str = ""
    """The one file in it that was read."""
    units: Mapping[str, TakenUnit] = {}
    seen: Mapping[str, str] = {}
    """Everything that was looked at, each with the mark of what was found."""
    unfinished: bool = False
    """Whether writing it was begun and not ended."""


class ChangedPlan(Record):
    """A source that is not any more what it was when it was taken over."""

    format: str
    paths: tuple[str, ...]

    @property
    def title(self) -> str:
        return TITLES[self.format]


def mark_of(text: str) -> str:
    return text_digest(text)[:DIGITS]


def mark_of_names(names: Mapping[str, str]) -> str:
    """Of what is in a folder."""
    return mark_of("\n".join(f"{name}/{kind}" for name, kind in sorted(names.items())))
