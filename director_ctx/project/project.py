"""One project on disk: listings and documents, each read once and only when asked for.

Everything that comes out is a frozen value; nothing here decides what an agent gets.
"""

from __future__ import annotations

import os

from director_ctx.base.system.waiting import still_wanted
from director_ctx.base.text import Remark, plain
from director_ctx.project.reading.locate import inside, locate
from director_ctx.project.reading.markdown import first_heading
from director_ctx.project.reading.model import (
    DONE_AND_NOT,
    DONE_IN_OTHER_CASE,
    FILE_FOR_FOLDER,
    FOLDER,
    FOLDER_FOR_FILE,
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
    task_name,
)
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any, TypeVar

    from director_ctx.project.claims import Claim
    from director_ctx.project.kept_documents import KeptDocuments

    Unit = TypeVar("Unit", Goal, Step)
    Value = TypeVar("Value")

FILE, DIRECTORY = "file", "folder"
_COUNTS_AS_PENDING = Remark(
    DONE_IN_OTHER_CASE, "counts as pending: only .done.md in small letters means done"
)
_LEADS_AWAY = Remark(
    LEADS_AWAY, "is a link out of .director/, in a circle or to nowhere; it was ignored"
)
_NOT_A_FILE = Remark(FOLDER_FOR_FILE, "is a folder where a file should be")
_NO_NUMBER = Remark(NO_NUMBER, "has no number in its name; it was ignored")


class Project:
    """A `.director/` folder, read lazily. Paths are relative to the root, with forward slashes."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.agreed_in = root
        """Whose consents count: a copy, made to prove something, has those of the project that it
        is a copy of.
        """
        self.session = ""
        """Who asks: a client's session, for which a task that it has begun comes first."""
        self.kept: KeptDocuments | None = None
        """Where whoever loads it again and again keeps what was read."""
        self.notes: list[Note] = []
        self._listings: dict[str, dict[str, str]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._documents: dict[str, Document | None] = {}
        self._tasks: dict[str, tuple[Task, ...]] = {}
        self._pending: dict[str, tuple[Task, ...]] = {}
        self._units: dict[str, tuple[Goal | Step, ...]] = {}
        self._titles: dict[str, str] = {}
        self._derived: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Project({self.root!r})"

    def location(self, path: str) -> str:
        """Where a path of this project is on disk."""
        return os.path.join(self.root, *path.split("/"))

    def listing(self, path: str) -> dict[str, str]:
        """Names in a folder and what they are; links that leave the project are not there."""
        if path not in self._listings:
            still_wanted()
            entries = self._list(path)
            self._listings[path] = dict(sorted(entries))
        return self._listings[path]

    def _list(self, path: str) -> Iterator[tuple[str, str]]:
        location = self.location(path)
        if os.path.islink(location) and not self._stays(location):
            self.note(path, _LEADS_AWAY, lost=True)
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
            self.note(path, _LEADS_AWAY, lost=True)
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
        if not os.path.exists(target):
            return False
        leads_back = inside(around, target)
        return inside(target, base) and not leads_back

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
            if here:
                here = f"{here}/{name}"
            else:
                here = name
        if not here:
            return DIRECTORY
        return self.listing(here).get(last, "")

    def document(self, path: str) -> Document | None:
        """The document at a path, or None when there is none or it cannot be read (then noted)."""
        if path not in self._documents:
            document: Document | None = None
            kind = self.kind(path)
            if kind == FILE:
                document = self._read(path)
            elif kind == DIRECTORY:
                self.note(path, _NOT_A_FILE, lost=True)
            # What is not there is not looked for again either.
            self._documents[path] = document
        return self._documents[path]

    def _read(self, path: str) -> Document | None:
        still_wanted()
        try:
            document = self._kept_or_read(path)
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

    def _kept_or_read(self, path: str) -> Document:
        location = self.location(path)
        if self.kept is None:
            return read_document(location, path)
        return self.kept.read(location, path)

    def text(self, path: str) -> str:
        """The document's text, or an empty string."""
        document = self.document(path)
        if document is None:
            return ""
        return document.text

    def once(self, name: str, derive: Callable[[], Value]) -> Value:
        """What somebody above derives from the documents, such as settings: derived once, too."""
        if name not in self._derived:
            self._derived[name] = derive()
        value: Value = self._derived[name]
        return value

    def claims(self) -> dict[str, Claim]:
        """Who has which task now, by the names of the task."""
        return self._claims()[0]

    def claims_before(self) -> dict[str, Claim]:
        """Who had a task last that nobody has now."""
        return self._claims()[1]

    def _claims(self) -> tuple[dict[str, Claim], dict[str, Claim]]:
        from director_ctx.project.claims import held

        return self.once("claims", lambda: held(self.root))

    def forget(self, name: str) -> None:
        """What was derived under this name is derived anew."""
        self._derived.pop(name, None)

    def goals(self) -> tuple[Goal, ...]:
        return self._numbered(f"{FOLDER}/goals", Goal)

    def steps(self, goal: Goal) -> tuple[Step, ...]:
        return self._numbered(goal.path, Step)

    def _numbered(self, path: str, make: Callable[[int, str, str, str], Unit]) -> tuple[Unit, ...]:
        if path in self._units:
            # A folder has units of one kind, whatever the table may hold.
            return self._units[path]  # type: ignore[return-value]
        units: list[Unit] = []
        for name in self._folders(path):
            parsed = numbered(name)
            if parsed:
                number, slug = parsed
                unit = make(number, slug, name, f"{path}/{name}")
                units.append(unit)
        units.sort(key=_by_number)
        self._note_twins(path, units)
        self._units[path] = tuple(units)
        return tuple(units)

    def _folders(self, path: str) -> Iterator[str]:
        for name, kind in self.listing(path).items():
            if kind != DIRECTORY or name == "tasks":
                continue
            is_hidden = name.startswith(".")
            if not is_hidden and not numbered(name):
                self.note(f"{path}/{name}", _NO_NUMBER)
            yield name

    def tasks(self, step: Step) -> tuple[Task, ...]:
        folder = f"{step.path}/tasks"
        if folder not in self._tasks:
            tasks = self._list_tasks(folder)
            self._tasks[folder] = tuple(tasks)
        return self._tasks[folder]

    def pending(self, step: Step) -> tuple[Task, ...]:
        """The step's tasks that are not done."""
        if step.path not in self._pending:
            pending = [task for task in self.tasks(step) if not task.done]
            self._pending[step.path] = tuple(pending)
        return self._pending[step.path]

    def has_pending(self, step: Step) -> bool:
        """Whether a task is not done, by names alone; most steps of an old project are passed over
        this way.
        """
        names = self.bare_names(f"{step.path}/tasks")
        for name in names:
            if not name.endswith(".md") or name.endswith(".done.md"):
                continue
            stem = name.removesuffix(".md")
            if numbered(stem) and f"{stem}.done.md" not in names:
                return True
        return False

    def bare_names(self, path: str) -> Collection[str]:
        """The names in a folder, whatever they are of: a large plan has a thousand folders."""
        if path in self._listings:
            return self._listings[path]
        if path not in self._names:
            try:
                self._names[path] = frozenset(os.listdir(self.location(path)))
            except OSError:
                self._names[path] = frozenset()
        return self._names[path]

    def _list_tasks(self, folder: str) -> list[Task]:
        # A task may have two files: one that says done, and one that does not.
        files_of: dict[str, list[str]] = {}
        for name, kind in self.listing(folder).items():
            if kind != FILE:
                continue
            if name[-3:] in (".MD", ".Md", ".mD"):
                self.note(
                    f"{folder}/{name}",
                    Remark(OTHER_CASE, "is not read: only .md in small letters is a task"),
                )
            if name.endswith(".md"):
                files = files_of.setdefault(task_name(name), [])
                files.append(name)

        tasks: list[Task] = []
        for name, files in files_of.items():
            task = self._task(folder, name, files)
            if task:
                tasks.append(task)
        tasks.sort(key=_by_number)
        self._note_twins(folder, tasks)
        return tasks

    def _task(self, folder: str, name: str, files: list[str]) -> Task | None:
        file = files[0]
        parsed = numbered(name)
        if not parsed:
            self.note(f"{folder}/{file}", _NO_NUMBER)
            return None
        if name.casefold().endswith(".done"):
            self.note(f"{folder}/{file}", _COUNTS_AS_PENDING)

        twice = len(files) > 1
        if twice:
            remark = Remark(DONE_AND_NOT, "exists beside its .done.md; it counts as done")
            self.note(f"{folder}/{name}.md", remark)
        done_file = f"{name}.done.md"
        done = done_file in files
        if done:
            file = done_file
        number, slug = parsed
        return Task(number, slug, name, f"{folder}/{file}", done, twice)

    def _note_twins(self, path: str, units: list[Unit] | list[Task]) -> None:
        numbers = [unit.number for unit in units]
        for number in sorted(set(numbers)):
            if numbers.count(number) > 1:
                self.note(path, Remark(SAME_NUMBER, f"has number {number} more than once"))

    def step_files(self, step: Step) -> list[str]:
        """Other documents in the step's folder: what its tasks made, for agents to read when
        needed.
        """
        paths: list[str] = []
        for name, kind in self.listing(step.path).items():
            is_document = kind == FILE and name.endswith(".md")
            if is_document and name not in ("STEP.md", "RESEARCH.md"):
                paths.append(f"{step.path}/{name}")
        return paths

    def title(self, unit: Goal | Step | Task) -> str:
        """The name in the unit's H1 without its label; the slug in words when there is none."""
        if unit.path not in self._titles:
            self._titles[unit.path] = self._title(unit)
        return self._titles[unit.path]

    def _title(self, unit: Goal | Step | Task) -> str:
        path = unit.path
        if isinstance(unit, Goal):
            path = f"{path}/GOAL.md"
        elif isinstance(unit, Step):
            path = f"{path}/STEP.md"
        heading = first_heading(self.text(path))
        title = plain(_unlabelled(heading))
        if title:
            return title
        words = unit.slug.replace("-", " ")
        words = words.replace("_", " ")
        return plain(words) or unit.name

    def task_title(self, path: str) -> str:
        """The same for the file of a task by its path in a repository; the file may be gone since."""
        # The project may stand in a folder of the repository.
        inner = path[path.rfind(f"{FOLDER}/") :]
        file_name = inner.rpartition("/")[2]
        name = task_name(file_name)
        number, slug = numbered(name) or (0, name)
        task = Task(number, slug, name, inner, done=True)
        return self.title(task)


def _by_number(unit: Goal | Step | Task) -> tuple[int, str]:
    """The order of a plan; two of the same number by their names."""
    return unit.number, unit.name


def _unlabelled(heading: str) -> str:
    """`Step 2: Core features` is `Core features`."""
    label, _, name = heading.partition(":")
    name = name.strip()
    words = label.split()
    if not name or not 1 <= len(words) <= 2:
        return heading.strip()
    if words[0].lower() not in ("goal", "step", "task"):
        return heading.strip()
    return name


def load_project(path: str | os.PathLike[str] | None = None, *, root: str | None = None) -> Project:
    """The project that `path` (or the current directory) is in; `root` names it outright."""
    start = None
    if path is not None:
        start = os.fspath(path)
    return Project(locate(start, root))


def note_names(project: Project, folder: str) -> list[str]:
    """The names of the notes in a folder, without their ending."""
    names = []
    for name, kind in project.listing(folder).items():
        if kind == FILE and name.endswith(".md"):
            names.append(name.removesuffix(".md"))
    return names
