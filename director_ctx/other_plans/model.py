"""What every plan is read as, whatever tool made it. Texts are as they stand in the source."""

from __future__ import annotations

from director_ctx.base.record import Record

EARLIER = "*earlier"
"""As a need: every task before it in its step."""

DROPPED, UNRESOLVED, DOUBT = "left out", "not understood", "in doubt"


class SourceRemark(Record):
    """What a reader could not take as it stands, and where that is."""

    kind: str
    says: str
    path: str
    line: int = 0


class Criterion(Record):
    """How to see that a task is done."""

    text: str
    met: bool = False


class OtherDecision(Record):
    """A decision, and whether it is Locked, Flexible or Deferred."""

    kind: str
    text: str


class OtherDocument(Record):
    """A text that goes into the folder as it is: `reference/data-model.md`, or a name in a step's folder."""

    path: str
    text: str
    origin: str


class OtherIdea(Record):
    """What is no work yet."""

    key: str
    text: str
    path: str
    line: int = 0


class OtherTask(Record):
    """A task. Its key is its id in the source, and unique in the plan."""

    key: str
    name: str
    path: str
    line: int
    text: str = ""
    why: str = ""
    size: str = ""
    criteria: tuple[Criterion, ...] = ()
    needs: tuple[str, ...] = ()
    """Keys of tasks, steps and goals, or `EARLIER`; none means that it can start at once."""
    done: bool = False
    divided: bool = False
    """Whether it was a task when it was taken over, and is a step by now: it waits for what it was divided into."""
    begun: bool = False
    """Whether somebody is at it, as the source says."""
    id: str = ""
    """What texts of the source call it by; nothing where it has no id of its own."""


class OtherStep(Record):
    key: str
    name: str
    path: str
    line: int
    text: str = ""
    tasks: tuple[OtherTask, ...] = ()
    needs: tuple[str, ...] = ()
    """What all of it needs; its tasks say so themselves."""
    decisions: tuple[OtherDecision, ...] = ()
    documents: tuple[OtherDocument, ...] = ()


class OtherGoal(Record):
    key: str
    name: str
    path: str
    line: int
    text: str = ""
    steps: tuple[OtherStep, ...] = ()
    heap: bool = False
    """Whether it is only where tasks are kept: then a finished step is as good as a finished goal."""
    archived: bool = False
    """Whether the tool has put it away: it is followed where it was taken over before."""


class OtherVision(Record):
    """What the source says of the whole project; empty where it says nothing."""

    name: str = ""
    sections: tuple[tuple[str, str], ...] = ()
    """The sections of VISION.md with their texts."""
    decisions: tuple[tuple[str, str], ...] = ()
    """What was decided, and why."""


class OtherPlan(Record):
    format: str
    vision: OtherVision = OtherVision()
    goals: tuple[OtherGoal, ...] = ()
    ideas: tuple[OtherIdea, ...] = ()
    documents: tuple[OtherDocument, ...] = ()
    remarks: tuple[SourceRemark, ...] = ()


def shown_id(key: str) -> str:
    """An id as the tool has it: a key may say in front what it is the id of."""
    kind, colon, id = key.partition(":")
    if colon and id and kind in ("step", "task", "milestone", "tag", "file"):
        return id
    return key


def is_finished(step: OtherStep) -> bool:
    return all(task.done for task in step.tasks)


def is_goal_finished(goal: OtherGoal) -> bool:
    return all(is_finished(step) for step in goal.steps)
