"""What a `.director/` folder holds: goals, steps and tasks, as frozen values."""

from __future__ import annotations

from director_ctx.base.record import Record

FOLDER = ".director"


class Task(Record):
    """One task. Its identity is its file name without `.md` and `.done.md`."""

    number: int
    slug: str
    name: str
    path: str
    done: bool = False
    twice: bool = False
    """Both the plain and the `.done.md` file exist; it counts as done."""


class Step(Record):
    number: int
    slug: str
    name: str
    path: str


class Goal(Record):
    number: int
    slug: str
    name: str
    path: str


class Place(Record):
    """Where in the plan something is; a task may be missing, and so may a step."""

    goal: Goal
    step: Step | None = None
    task: Task | None = None

    @property
    def ref(self) -> str:
        units = (self.goal, self.step, self.task)
        return "/".join(str(unit.number) for unit in units if unit is not None)


class Note(Record):
    """Something odd in the folder that did not stop the work."""

    path: str
    text: str
    lost: bool = False
    """Whether something could not be read because of it."""


class Document(Record):
    """One file's text as an agent may see it, and what had to be done to it."""

    path: str
    text: str
    notes: tuple[str, ...] = ()
    size: int = 0
    too_large: bool = False
    """Whether the file is longer than anything that is ever read whole."""


def numbered(name: str) -> tuple[int, str] | None:
    """`03-home-page` is number 3 with slug `home-page`; a name without a number is None."""
    digits = name[: len(name) - len(name.lstrip("0123456789"))]
    slug = name[len(digits) :]
    if not digits or len(digits) > 9 or slug[:1] not in ("-", "_", " ", "."):
        return (int(digits), "") if digits and not slug and len(digits) <= 9 else None
    return int(digits), slug[1:]
