"""What a `.director/` folder holds: goals, steps and tasks, as frozen values."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.base.text import Remark

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
        """As it can be typed: `1/2/3`."""
        return "/".join(str(unit.number) for unit in self.units)

    @property
    def names(self) -> str:
        """The same by the names on disk: `01-goal/02-step/03-task`."""
        return "/".join(unit.name for unit in self.units)

    @property
    def units(self) -> tuple[Goal | Step | Task, ...]:
        """The goal, and what else is known."""
        if self.step is None:
            return (self.goal,)
        if self.task is None:
            return self.goal, self.step
        return self.goal, self.step, self.task


NO_NUMBER = "no number"
SAME_NUMBER = "same number"
DONE_AND_NOT = "done and not"
OTHER_CASE = "other case"
DONE_IN_OTHER_CASE = "done in other case"
FILE_FOR_FOLDER = "file for folder"
FOLDER_FOR_FILE = "folder for file"
LEADS_AWAY = "leads away"
IRREGULAR = "irregular"
UNLISTABLE = "unlistable"
UNREADABLE = "unreadable"
NO_JSON = "no json"
NO_OBJECT = "no object"
NO_SUCH_MODEL_PROFILE = "no such model profile"
"""Kinds of what is odd in a folder; those of what is odd in a text are where texts are read."""


class Note(Record):
    """Something odd in the folder that did not stop the work."""

    path: str
    text: Remark
    lost: bool = False
    """Whether something could not be read because of it."""


class Document(Record):
    """One file's text as an agent may see it, and what had to be done to it."""

    path: str
    text: str
    notes: tuple[Remark, ...] = ()
    size: int = 0
    too_large: bool = False
    """Whether the file is longer than anything that is ever read whole."""


def task_name(file: str) -> str:
    """What a task is called by the name of its file, whether it is done or not."""
    return file.removesuffix(".md").removesuffix(".done")


def numbered(name: str) -> tuple[int, str] | None:
    """`03-home-page` is number 3 with slug `home-page`; a name without a number is None."""
    rest = name.lstrip("0123456789")
    digits = name[: len(name) - len(rest)]
    if not digits or len(digits) > 9:
        return None
    if not rest:
        return int(digits), ""
    if rest[0] not in "-_ .":
        return None
    return int(digits), rest[1:]
