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
    "VISION.md",
    "GAMEPLAN.md",
    "STATE.md",
    "IDEAS.md",
    "GOAL.md",
    "STEP.md",
    "RESEARCH.md",
    "config.json",
    "dctx.yaml",
    "undo.log",
    ".gitignore",
)
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
        if self.elsewhere:
            return True
        return not all(_is_record(path) for _, path in self.changes)


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
    story = Story()
    planning: dict[str, Progress] = {}
    for commit in commits:
        if not story.take(commit):
            words = words_of_planning(commit.subject)
            if words:
                planning.setdefault(words.casefold(), Progress(words))
        # The log is read no further than it takes.
        if len(story.lines) >= most:
            break

    told = story.lines or planning
    newest = list(told.values())[:most]
    return tuple(_line(progress, title) for progress in newest)


def raw(commits: Iterable[Commit], most: int) -> tuple[str, ...]:
    """The subjects as they are."""
    subjects: list[str] = []
    for commit in commits:
        subjects.append(clipped(commit.subject))
        if len(subjects) >= most:
            break
    return tuple(subjects)


class Story:
    """The lines so far, by their words in small letters. What is newer decides about what is older."""

    def __init__(self) -> None:
        self.lines: dict[str, Progress] = {}
        self._taken_back: set[str] = set()
        """The words of commits that newer ones took back."""
        self._settled: set[str] = set()
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

        if taken_back:
            words = ""
        files: list[str] = []
        if not (words or finished or taken_back):
            files = _new_documents(commit)
        if words or finished or files:
            # Without words a line is known by what came of it.
            progress = self._progress(words or "".join(finished + files), words)
            progress.tasks += finished
            progress.files += files
        return True

    def _progress(self, key: str, words: str) -> Progress:
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
        finished: list[str] = []
        for name, path in _marked_tasks(commit):
            if name not in self._settled and path:
                finished.append(path)
            self._settled.add(name)
        return finished


def _marked_tasks(commit: Commit) -> Iterator[tuple[str, str]]:
    """Tasks that a commit marked: without their ending, and with the file that says done; none
    where it was opened.

    A task is done by its name. One that only moved was done before, and so was one that came with a
    first commit.
    """
    if not commit.changes:
        return
    added: set[str] = set()
    deleted: set[str] = set()
    done_before: set[str] = set()
    for letter, path in commit.changes:
        if letter == ADDED:
            added.add(path)
        elif letter == DELETED:
            deleted.add(path)
            if path.endswith(DONE):
                done_before.add(_slug(path))

    for path in sorted(added | deleted):
        name = path.removesuffix(DONE)
        if name == path or f"/{TASKS}/" not in path:
            continue
        pending = f"{name}{PENDING}"
        if path in deleted and pending in added:
            yield name, ""
        elif path in added:
            only_came_along = commit.first or _slug(path) in done_before
            if pending in deleted or not only_came_along:
                yield name, path


def _slug(path: str) -> str:
    """The name of a task without its number, which may change as it moves."""
    return path.rpartition("/")[2].lstrip("0123456789")


def _is_record(path: str) -> bool:
    """Whether a file inside `.director/` belongs to the plan, to its notes or to its settings."""
    _, _, inner = f"/{path}".rpartition(f"/{FOLDER}/")
    *folders, name = inner.split("/")
    if name in RECORDS or TASKS in folders:
        return True
    return bool(folders) and folders[0] in RECORD_FOLDERS


def _new_documents(commit: Commit) -> list[str]:
    names: list[str] = []
    for letter, path in commit.changes:
        if letter == ADDED and not _is_record(path):
            names.append(plain(path.rpartition("/")[2]))
    return names


def _line(progress: Progress, title: Title) -> str:
    titles = [clipped(title(path)) for path in progress.tasks]
    if not progress.words:
        if titles:
            return f"Finished: {_enumerated(titles)}"
        return f"Added: {_enumerated(progress.files)}"

    words = shown(progress.words)
    if not titles:
        return words
    # A commit is often named for the one task that it finishes.
    if len(titles) == 1 and titles[0].casefold() in words.casefold():
        return f"{words} (finished)"
    return f"{words} (finished: {_enumerated(titles)})"


def _enumerated(names: list[str]) -> str:
    text = "; ".join(names[:MOST_NAMES])
    rest = len(names) - MOST_NAMES
    if rest > 0:
        text = f"{text} and {rest} more"
    return text
