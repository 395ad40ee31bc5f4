"""What every plan is read as, whatever tool made it. Texts are as they stand in the source."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EARLIER = "*earlier"
"""As a need: every task before it in its step."""

DROPPED, UNRESOLVED, DOUBT = "left out", "not understood", "in doubt"


@dataclass
class SourceRemark:
    """What a reader could not take as it stands, and where that is."""

    kind: str
    says: str
    path: str
    line: int = 0


@dataclass
class Criterion:
    """How to see that a task is done."""

    text: str
    met: bool = False


@dataclass
class OtherDecision:
    """A decision, and whether it is Locked, Flexible or Deferred."""

    kind: str
    text: str


@dataclass
class OtherDocument:
    """A text that goes into the folder as it is: `reference/data-model.md`, or a name in a step's folder."""

    path: str
    text: str
    origin: str


@dataclass
class OtherIdea:
    """What is no work yet."""

    key: str
    text: str
    path: str
    line: int = 0


@dataclass
class OtherTask:
    """A task. Its key is its id in the source, and unique in the plan."""

    key: str
    name: str
    path: str
    line: int
    text: str = ""
    why: str = ""
    size: str = ""
    criteria: Sequence[Criterion] = ()
    needs: Sequence[str] = ()
    """Keys of tasks, steps and goals, or `EARLIER`; none means that it can start at once."""
    done: bool = False
    begun: bool = False
    """Whether somebody is at it, as the source says."""
    id: str = ""
    """What texts of the source call it by; nothing where it has no id of its own."""
    divided: bool = False
    """Whether it was a task when it was taken over, and is a step by now: it waits for its parts."""


@dataclass
class OtherStep:
    key: str
    name: str
    path: str
    line: int
    text: str = ""
    tasks: list[OtherTask] = field(default_factory=list)
    needs: Sequence[str] = ()
    """What all of it needs; its tasks say so themselves."""
    decisions: Sequence[OtherDecision] = ()
    documents: Sequence[OtherDocument] = ()

    @property
    def is_finished(self) -> bool:
        return all(task.done for task in self.tasks)


@dataclass
class OtherGoal:
    key: str
    name: str
    path: str
    line: int
    text: str = ""
    steps: list[OtherStep] = field(default_factory=list)
    heap: bool = False
    """Whether it is only where tasks are kept: then a finished step is as good as a finished goal."""
    archived: bool = False
    """Whether the tool has put it away: it is followed where it was taken over before."""

    @property
    def is_finished(self) -> bool:
        return all(step.is_finished for step in self.steps)


@dataclass
class OtherVision:
    """What the source says of the whole project; empty where it says nothing."""

    name: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    """The sections of VISION.md with their texts."""
    decisions: Sequence[tuple[str, str]] = ()
    """What was decided, and why."""


@dataclass
class OtherPlan:
    goals: list[OtherGoal]
    vision: OtherVision = field(default_factory=OtherVision)
    ideas: list[OtherIdea] = field(default_factory=list)
    documents: list[OtherDocument] = field(default_factory=list)


def units_of(goals: Iterable[OtherGoal]) -> Iterator[OtherGoal | OtherStep | OtherTask]:
    """All of them in order, each before what is in it."""
    for goal in goals:
        yield goal
        for step in goal.steps:
            yield step
            yield from step.tasks


def tasks_of(goals: Iterable[OtherGoal]) -> list[OtherTask]:
    return [task for goal in goals for step in goal.steps for task in step.tasks]


def shown_id(key: str) -> str:
    """An id as the tool has it: a key may say in front what it is the id of."""
    kind, colon, id = key.partition(":")
    if colon and id and kind in ("step", "task", "milestone", "tag", "file"):
        return id
    return key
