"""What was done lately, in plain words: from the commits of a log to the lines that an agent is
told.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.git.subjects import (
    TOOK_BACK,
    clipped,
    plain_words,
    shown,
    words_of_planning,
)
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Title = Callable[[str], str]
    """The title of the task in a file, as somebody who reads files knows it."""

RECORDS = (
    "VISION.md", "GAMEPLAN.md", "STATE.md", "IDEAS.md", "GOAL.md", "STEP.md", "RESEARCH.md",
    "config.json", "dctx.yaml", "undo.log", ".gitignore",
)  # fmt: skip
RECORD_FOLDERS = (
    "brainstorms",
    "research",
    "codebase",
    "reference",
    "instructions",
    "templates",
    "skills",
    ".dctx",
)
"""What a `.director/` folder holds of plans, notes and settings. Any other file in it is work that
somebody did.
"""
TASKS = "tasks"
DONE, PENDING = ".done.md", ".md"
ADDED, DELETED = "A", "D"
MOST_NAMES = 3


class Commit(Record):
    subject: str
    elsewhere: bool = True
    """Whether it changed anything outside of `.director/` folders."""
    changes: tuple[tuple[str, str], ...] = ()
    """What it did inside of them: git's letter, and the path."""
    first: bool = False
    """Whether nothing before it is known: then whatever there was seems to have come with it."""

    @property
    def is_work(self) -> bool:
        """Whether it did more than keep the plan, its notes and its settings."""
        return self.elsewhere or any(not _is_record(path) for _, path in self.changes)


class Progress:
    """One line to be: what a commit says, and what is known to have come of it."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.tasks: list[str] = []
        self.files: list[str] = []


def tell(commits: Iterable[Commit], most: int, title: Title) -> tuple[str, ...]:
    """What the newest commits did, newest first.

    A commit that only keeps the plan is not told, but where there is nothing else.
    """
    story, planning = Story(), dict[str, Progress]()
    for commit in commits:
        if not story.take(commit) and (words := words_of_planning(commit.subject)):
            planning.setdefault(words.casefold(), Progress(words))
        if len(story.lines) >= most:
            break

    lines = story.lines or planning
    return tuple(_told(line, title) for line in [*lines.values()][:most])


def raw(commits: Iterable[Commit], most: int) -> tuple[str, ...]:
    """The subjects as they are."""
    subjects = list[str]()
    for commit in commits:
        subjects.append(clipped(commit.subject))
        if len(subjects) >= most:
            break
    return tuple(subjects)


class Story:
    """The lines so far, by their words in small letters. What is newer decides about what is older."""

    def __init__(self) -> None:
        self.lines: dict[str, Progress] = {}
        self._taken_back = set[str]()
        """The words of commits that newer ones took back."""
        self._settled = set[str]()
        """The tasks of which a newer commit has told whether they are done."""

    def take(self, commit: Commit) -> bool:
        """Whether the commit is one to be told; if it says something new, it has a line from now
        on.
        """
        finished = self._newly_finished(commit)
        words = plain_words(commit.subject)
        taken_back = self._was_taken_back(words)
        if not (commit.is_work or finished or taken_back):
            return False

        words = "" if taken_back else words
        files = [] if words or finished or taken_back else _new_documents(commit)
        if words or finished or files:
            line = self._line(words or "".join(finished + files), words)
            line.tasks += finished
            line.files += files
        return True

    def _line(self, key: str, words: str) -> Progress:
        if words.startswith(TOOK_BACK):
            self._taken_back.add(words.removeprefix(TOOK_BACK).casefold())
        return self.lines.setdefault(key.casefold(), Progress(words))

    def _was_taken_back(self, words: str) -> bool:
        """Whether a newer commit took this one back: then neither is told."""
        key = words.casefold()
        if key not in self._taken_back:
            return False
        self._taken_back.remove(key)
        self.lines.pop(f"{TOOK_BACK}{words}".casefold(), None)
        return True

    def _newly_finished(self, commit: Commit) -> list[str]:
        """The files of tasks that a commit finished, and that nothing newer finished or opened
        again.
        """
        finished = []
        for name, path in _marked(commit):
            if name not in self._settled and path:
                finished.append(path)
            self._settled.add(name)
        return finished


def _marked(commit: Commit) -> Iterator[tuple[str, str]]:
    """Tasks that a commit marked: without their ending, and with the file that says done; none
    where it was opened.

    A task is done by its name. One that only moved was done before, and so was one that came with a
    first commit.
    """
    if not commit.changes:
        return
    added = {path for letter, path in commit.changes if letter == ADDED}
    deleted = {path for letter, path in commit.changes if letter == DELETED}
    done_before = {_slug(path) for path in deleted if path.endswith(DONE)}

    for path in sorted(added | deleted):
        name = path.removesuffix(DONE)
        if name == path or f"/{TASKS}/" not in path:
            continue
        pending = f"{name}{PENDING}"
        if path in deleted and pending in added:
            yield name, ""
        elif path in added and (
            pending in deleted or not (commit.first or _slug(path) in done_before)
        ):
            yield name, path


def _slug(path: str) -> str:
    """The name of a task without its number, which may change as it moves."""
    return path.rpartition("/")[2].lstrip("0123456789")


def _is_record(path: str) -> bool:
    """Whether a file inside `.director/` belongs to the plan, to its notes or to its settings."""
    _, _, inner = f"/{path}".rpartition(f"/{FOLDER}/")
    *folders, name = inner.split("/")
    return name in RECORDS or TASKS in folders or (bool(folders) and folders[0] in RECORD_FOLDERS)


def _new_documents(commit: Commit) -> list[str]:
    paths = [path for letter, path in commit.changes if letter == ADDED and not _is_record(path)]
    return [plain(path.rpartition("/")[2]) for path in paths]


def _told(line: Progress, title: Title) -> str:
    titles = [clipped(title(path)) for path in line.tasks]
    if not line.words:
        return f"Finished: {_listed(titles)}" if titles else f"Added: {_listed(line.files)}"

    words = shown(line.words)
    if not titles:
        return words
    if len(titles) == 1 and titles[0].casefold() in words.casefold():
        return f"{words} (finished)"
    return f"{words} (finished: {_listed(titles)})"


def _listed(names: list[str]) -> str:
    rest = len(names) - MOST_NAMES
    return "; ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")
