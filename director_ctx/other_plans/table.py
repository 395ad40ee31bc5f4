"""The tools whose plans are read: where each keeps its own, its reader, and what of it can be ticked."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.formats import backlog, openspec, spec_kit, task_master, todo
from director_ctx.other_plans.tick import (
    tick_large_box,
    tick_status,
    tick_with_inner,
    tick_word,
)
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.other_plans.model import OtherPlan
    from director_ctx.other_plans.source import PlanSource
    from director_ctx.other_plans.tick import TickTask

    Read = Callable[[PlanSource], OtherPlan]


class PlanFormat(Record):
    name: str
    markers: tuple[str, ...]
    """A plan of this tool is where one of these is, below the project's root."""
    read: Read
    tick: TickTask | None = None
    """What is changed there when a task is done; nothing where one box or one word would not do."""
    loose: bool = False
    """Whether its marker says little: such a file may be anything, and is looked at only when nothing else is there."""
    by_file: bool = False
    """Whether each of its files is a plan of its own, known by its path in the project."""
    numbers_anew: bool = False
    """Whether the tool numbers its tasks again whenever it likes, or not at all, so that a name says more."""

    @property
    def title(self) -> str:
        return TITLES[self.name]


FORMATS: tuple[PlanFormat, ...] = (
    PlanFormat("openspec", openspec.MARKERS, openspec.read, tick_with_inner, numbers_anew=True),
    PlanFormat("spec-kit", spec_kit.MARKERS, spec_kit.read, tick_large_box),
    PlanFormat("task-master", task_master.MARKERS, task_master.read, tick_word),
    PlanFormat("backlog", backlog.MARKERS, backlog.read, tick_status),
    PlanFormat("todo", todo.MARKERS, todo.read, loose=True, by_file=True, numbers_anew=True),
)
BY_NAME = {row.name: row for row in FORMATS}
AUTO = "auto"
NAMES = (AUTO, *BY_NAME)
