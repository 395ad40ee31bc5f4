"""One project on disk: listings and documents, each read once and only when asked for.

Everything that comes out is a frozen value; nothing here decides what an agent gets.
"""

from __future__ import annotations

import os

from director_ctx.base.text import Remark, plain
from director_ctx.project.reading.locate import inside, locate
from director_ctx.project.reading.markdown import first_heading
from director_ctx.project.reading.model import (
    DONE_AND_NOT,
    DONE_IN_OTHER_CASE,
    FILE_FOR_FOLDER,
    FOLDER,
    IRREGULAR,
    LEADS_AWAY,
    NO_NUMBER,
    OTHER_CASE,
    SAME_NUMBER,
    UNLISTABLE,
    UNREADABLE,
    Document,
    Goal,
    Note,
    Step,
    Task,
    numbered,
)
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from director_ctx.project.past import Past

    Unit = TypeVar("Unit", Goal, Step)
    Value = TypeVar("Value")

FILE, DIRECTORY = "file", "folder"


class Project:
    """A `.director/` folder, read lazily. Paths are relative to the root, with forward slashes."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.past: Past | None = None
        """For a project that was made again from a revision."""
        self.agreed_in = root
        """Whose consents count: a copy, made to prove something, has those of the project that it
        is a copy of.
        """
        self.notes: list[Note] = []
        self._listings: dict[str, dict[str, str]] = {}
        self._documents: dict[str, Document | None] = {}
        self._tasks: dict[str, tuple[Task, ...]] = {}
        self._pending: dict[str, tuple[Task, ...]] = {}
        self._units: dict[str, tuple[Goal | Step, ...]] = {}
        self._derived: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Project({self.root!r})"

    def location(self, path: str) -> str:
        """Where a path of this project is on disk."""
        return os.path.join(self.root, *path.split("/"))

    def listing(self, path: str) -> dict[str, str]:
        """Names in a folder and what they are; links that leave the project are not there."""
        if path not in self._listings:
            self._listings[path] = dict(sorted(self._list(path)))
        return self._listings[path]

    def _list(self, path: str) -> Iterator[tuple[str, str]]:
        location = self.location(path)
        if os.path.islink(location) and not self._stays(location):
            self.note(
                path,
                Remark(
                    LEADS_AWAY,
                    "is a link out of .director/, in a circle or to nowhere; it was ignored",
                ),
                lost=True,
            )
            return
        try:
            with os.scandir(location) as entries:
                for entry in entries:
                    kind = self._kind(entry, path)
                    if kind:
                        yield entry.name, kind
        except FileNotFoundError:
            return
        except NotADirectoryError:
            self.note(
                path, Remark(FILE_FOR_FOLDER, "is a file where a folder should be"), lost=True
            )
        except OSError as error:
            self.note(path, Remark(UNLISTABLE, f"cannot be listed: {error.strerror}"), lost=True)

    def _kind(self, entry: os.DirEntry[str], folder: str) -> str:
        path = f"{folder}/{entry.name}"
        if entry.is_symlink() and not self._stays(entry.path):
            self.note(
                path,
                Remark(
                    LEADS_AWAY,
                    "is a link out of .director/, in a circle or to nowhere; it was ignored",
                ),
                lost=True,
            )
            return ""
        if entry.is_dir():
            return DIRECTORY
        if not entry.is_file():
            self.note(path, Remark(IRREGULAR, "is not a regular file; it was ignored"), lost=True)
            return ""
        return FILE

    def _stays(self, location: str) -> bool:
        """Whether a link leads to something below `.director/`, and not back to a folder that it is
        in.
        """
        target = os.path.realpath(location)
        around = os.path.realpath(os.path.dirname(location))
        base = os.path.realpath(self.location(FOLDER))
        return os.path.exists(target) and inside(target, base) and not inside(around, target)

    def note(self, path: str, text: Remark, lost: bool = False) -> None:
        note = Note(plain(path), text, lost)
        if note not in self.notes:
            self.notes.append(note)

    def kind(self, path: str) -> str:
        """`file`, `folder` or nothing, seen through the listings so that links are checked."""
        *folders, last = path.split("/")
        here = ""
        for depth, name in enumerate(folders):
            if depth and self.listing(here).get(name) != DIRECTORY:
                return ""
            here = f"{here}/{name}" if here else name
        if not here:
            return DIRECTORY
        return self.listing(here).get(last, "")

    def document(self, path: str) -> Document | None:
        """The document at a path, or None when there is none or it cannot be read (then noted)."""
        if path not in self._documents:
            self._documents[path] = self._read(path) if self.kind(path) == FILE else None
        return self._documents[path]

    def _read(self, path: str) -> Document | None:
        try:
            document = read_document(self.location(path), path)
        except FileNotFoundError:
            return None
        except Unreadable as error:
            kind = UNREADABLE
            if error.irregular:
                kind = IRREGULAR
            self.note(path, Remark(kind, f"cannot be read: {error}"), lost=True)
            return None
        for text in document.notes:
            self.note(path, text)
        return document

    def documents_read(self) -> dict[str, Document]:
        """Every document that somebody asked for so far, and that is there."""
        return {path: document for path, document in sorted(self._documents.items()) if document}

    def text(self, path: str) -> str:
        """The document's text, or an empty string."""
        document = self.document(path)
        return document.text if document else ""

    def once(self, name: str, derive: Callable[[], Value]) -> Value:
        """What somebody above derives from the documents, such as settings: derived once, too."""
        if name not in self._derived:
            self._derived[name] = derive()
        value: Value = self._derived[name]
        return value

    def goals(self) -> tuple[Goal, ...]:
        return self._numbered(f"{FOLDER}/goals", Goal)

    def steps(self, goal: Goal) -> tuple[Step, ...]:
        return self._numbered(goal.path, Step)

    def _numbered(self, path: str, make: Callable[[int, str, str, str], Unit]) -> tuple[Unit, ...]:
        if path not in self._units:
            units: list[Unit] = []
            for name in self._folders(path):
                parsed = numbered(name)
                if parsed:
                    number, slug = parsed
                    units.append(make(number, slug, name, f"{path}/{name}"))
            units.sort(key=lambda unit: (unit.number, unit.name))
            self._note_twins(path, [unit.number for unit in units])
            self._units[path] = tuple(units)
        return self._units[path]  # type: ignore[return-value]

    def _folders(self, path: str) -> Iterator[str]:
        for name, kind in self.listing(path).items():
            if kind != DIRECTORY or name == "tasks":
                continue
            if not numbered(name) and not name.startswith("."):
                self.note(
                    f"{path}/{name}", Remark(NO_NUMBER, "has no number in its name; it was ignored")
                )
            yield name

    def tasks(self, step: Step) -> tuple[Task, ...]:
        folder = f"{step.path}/tasks"
        if folder not in self._tasks:
            self._tasks[folder] = tuple(self._list_tasks(folder))
        return self._tasks[folder]

    def pending(self, step: Step) -> tuple[Task, ...]:
        """The step's tasks that are not done."""
        if step.path not in self._pending:
            self._pending[step.path] = tuple(task for task in self.tasks(step) if not task.done)
        return self._pending[step.path]

    def has_pending(self, step: Step) -> bool:
        """Whether a task is not done, by names alone; most steps of an old project are passed over
        this way.
        """
        names = self.listing(f"{step.path}/tasks")
        return any(
            name.endswith(".md")
            and not name.endswith(".done.md")
            and f"{name[:-3]}.done.md" not in names
            and numbered(name[:-3])
            for name in names
        )

    def _list_tasks(self, folder: str) -> list[Task]:
        stems: dict[str, list[str]] = {}
        for name, kind in self.listing(folder).items():
            if kind != FILE:
                continue
            if name[-3:] in (".MD", ".Md", ".mD"):
                self.note(
                    f"{folder}/{name}",
                    Remark(OTHER_CASE, "is not read: only .md in small letters is a task"),
                )
            if name.endswith(".md"):
                stem = name.removesuffix(".md").removesuffix(".done")
                stems.setdefault(stem, []).append(name)

        tasks: list[Task] = []
        for stem, files in stems.items():
            task = self._task(folder, stem, files)
            if task:
                tasks.append(task)
        tasks.sort(key=lambda task: (task.number, task.name))
        self._note_twins(folder, [task.number for task in tasks])
        return tasks

    def _task(self, folder: str, stem: str, files: list[str]) -> Task | None:
        parsed = numbered(stem)
        if not parsed:
            self.note(
                f"{folder}/{files[0]}",
                Remark(NO_NUMBER, "has no number in its name; it was ignored"),
            )
            return None
        if stem.casefold().endswith(".done"):
            self.note(
                f"{folder}/{files[0]}",
                Remark(
                    DONE_IN_OTHER_CASE,
                    "counts as pending: only .done.md in small letters means done",
                ),
            )

        twice = len(files) > 1
        if twice:
            self.note(
                f"{folder}/{stem}.md",
                Remark(DONE_AND_NOT, "exists beside its .done.md; it counts as done"),
            )
        done = f"{stem}.done.md" in files
        file = f"{stem}.done.md" if done else files[0]
        number, slug = parsed
        return Task(number, slug, stem, f"{folder}/{file}", done, twice)

    def _note_twins(self, path: str, numbers: list[int]) -> None:
        for number in sorted(set(numbers)):
            if numbers.count(number) > 1:
                self.note(path, Remark(SAME_NUMBER, f"has number {number} more than once"))

    def step_files(self, step: Step) -> list[str]:
        """Other documents in the step's folder: what its tasks made, for agents to read when
        needed.
        """
        own = ("STEP.md", "RESEARCH.md")
        return [
            f"{step.path}/{name}"
            for name, kind in self.listing(step.path).items()
            if kind == FILE and name.endswith(".md") and name not in own
        ]

    def title(self, unit: Goal | Step | Task) -> str:
        """The name in the unit's H1 without its label; the slug in words when there is none."""
        file = {Goal: "/GOAL.md", Step: "/STEP.md"}.get(type(unit), "")
        heading = first_heading(self.text(unit.path + file))
        title = plain(_unlabelled(heading))
        if title:
            return title
        words = unit.slug.replace("-", " ").replace("_", " ")
        return plain(words) or unit.name

    def task_title(self, path: str) -> str:
        """The same for the file of a task by its path in a repository; the file may be gone since."""
        inner = path[path.rfind(f"{FOLDER}/") :]
        name = inner.rpartition("/")[2].removesuffix(".md").removesuffix(".done")
        number, slug = numbered(name) or (0, name)
        return self.title(Task(number, slug, name, inner, done=True))


def _unlabelled(heading: str) -> str:
    """`Step 2: Core features` is `Core features`."""
    label, _, name = heading.partition(":")
    words = label.split()
    is_label = words and words[0].lower() in ("goal", "step", "task") and len(words) <= 2
    if is_label and name.strip():
        return name.strip()
    return heading.strip()


def load_project(path: str | os.PathLike[str] | None = None, *, root: str | None = None) -> Project:
    """The project that `path` (or the current directory) is in; `root` names it outright."""
    return Project(locate(os.fspath(path) if path is not None else None, root))


def note_names(project: Project, folder: str) -> list[str]:
    """The names of the notes in a folder, without their ending."""
    names = []
    for name, kind in project.listing(folder).items():
        if kind == FILE and name.endswith(".md"):
            names.append(name.removesuffix(".md"))
    return names
