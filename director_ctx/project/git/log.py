"""The one `git log` of an assembly: started early, read late, stopped as soon as enough is known.

Nothing here writes, asks the network, opens a pager or runs anything that a repository's own
configuration names.
"""

from __future__ import annotations

import os
from _thread import get_ident

from director_ctx.project.git import NO_REPOSITORY
from director_ctx.project.git.child import NO_ANSWER, NO_GIT, SECONDS, start_git
from director_ctx.project.git.recent import Commit
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from director_ctx.project.git.child import Child, WholeChild

    Tell = Callable[[Iterable[Commit]], tuple[str, ...]]

MOST_COMMITS = 200
_FOLDER = FOLDER.encode("ascii")
LOG = (
    "log",
    "--no-merges",
    "--no-color",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-notes",
    "--encoding=UTF-8",
    "-z",
    "--name-status",
    "--format=%x00%P %s",
)
"""A commit's parent and subject, then a letter and a path for each of its files. Merges, which have
more parents, are not asked for. Renames are not looked for: that reads the files, which may be
many, or not be here at all.
"""


class History:
    """A `git log` on its way. `commits()` yields the newest first; `why` says what went wrong, if
    anything.
    """

    def __init__(self, root: str, revision: str = "") -> None:
        self.why = ""
        self._process: Child | WholeChild | None = None
        if revision:
            # Git itself found it, in a repository that may be a bare one: no `.git` is looked for.
            self._process = _start_log(root, revision)
        elif not in_repository(root):
            self.why = NO_REPOSITORY
            return
        else:
            self._process = _early.pop((get_ident(), root), None) or _start_log(root)
        if self._process is None:
            self.why = NO_GIT

    def commits(self) -> Iterator[Commit]:
        process = self._process
        if process is None:
            return
        complete: Commit | None = None
        for commit in parse_log(process.chunks()):
            if complete:
                yield complete
            complete = commit
        # Of a log that breaks off, the last commit may be half a one.
        if complete and not process.silent:
            yield complete
        self.close()

    @property
    def late(self) -> bool:
        """Whether its time was over before git was done."""
        return self.why == NO_ANSWER

    def close(self) -> None:
        """Ends git if it still runs."""
        process = self._process
        self._process = None
        if process is None:
            return
        why = process.finish()
        self.why = self.why or why


class RecentChanges:
    """What a log tells; asked for again, it is told without git."""

    def __init__(self, begin: Callable[[], History], tell: Tell) -> None:
        self.lines: tuple[str, ...] = ()
        self.subjects: list[str] = []
        """Of the commits that had to be read for these lines, as they are."""
        self.why = ""
        """What went wrong, if anything: then there may be more than these."""
        self.late = False
        self._begin = begin
        self._tell = tell
        self._history: History | None = None
        self._is_read = False

    def start(self) -> None:
        """Git works while others read documents."""
        if not self._is_read and self._history is None:
            self._history = self._begin()

    def read(self) -> None:
        self.start()
        history = self._history
        if history is None:
            return
        self.lines = self._tell(self._noted(history.commits()))
        self.why = history.why
        self.late = history.late
        self._is_read = True

    def _noted(self, commits: Iterator[Commit]) -> Iterator[Commit]:
        for commit in commits:
            if commit.is_work:
                self.subjects.append(commit.subject)
            yield commit

    def close(self) -> None:
        """Ends git if it still runs."""
        if self._history:
            self._history.close()
        self._history = None


_early: dict[tuple[int, str], Child | WholeChild | None] = {}
"""The logs that were started and that nobody reads yet, by thread and the root of their project."""


def start_early(root: str) -> None:
    """Starts the log that the next `History` of this project will read: git works while Python
    loads the rest.
    """
    own = (get_ident(), root)
    if own not in _early and in_repository(root):
        _early[own] = _start_log(root)


def forget_early(root: str) -> None:
    """Ends a log that nobody came to read."""
    early = _early.pop((get_ident(), root), None)
    if early:
        early.finish()


def _start_log(root: str, revision: str = "") -> Child | WholeChild | None:
    """None where there is no git."""
    words = [*LOG, f"-n{MOST_COMMITS}"]
    if revision:
        words += [revision, "--"]
    try:
        return start_git(root, words, SECONDS)
    except OSError:
        return None


def in_repository(root: str) -> bool:
    """Whether git would find a repository here; spares a process where it would not."""
    return bool(working_tree(root))


def working_tree(root: str) -> str:
    """The top of the working tree that a folder is in; an empty string where it is in none."""
    here = os.path.realpath(root)
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent
    return here


def parse_log(chunks: Iterator[bytes]) -> Iterator[Commit]:
    """Commits out of the log, as soon as each is complete."""
    return map(_commit, records(chunks))


def records(chunks: Iterator[bytes]) -> Iterator[list[bytes]]:
    """The fields of one commit after the other. An empty field stands before each."""
    record: list[bytes] = []
    for field in fields(chunks):
        if field:
            record.append(field)
        elif record:
            yield record
            record = []
    if record:
        yield record


def fields(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What stands between the NULs of git's `-z`, as it comes."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _commit(record: list[bytes]) -> Commit:
    """The parent and subject, then letters and paths in turn; the first letter has a newline before
    it.
    """
    parent, _, subject = record[0].partition(b" ")
    letters = record[1::2]
    paths = record[2::2]

    elsewhere = False
    changes: list[tuple[str, str]] = []
    # A log that breaks off may end with a letter.
    for letter, path in zip(letters, paths, strict=False):
        folders = path.split(b"/")[:-1]
        if _FOLDER in folders:
            kind = letter.strip().decode("ascii", "replace")
            changes.append((kind, os.fsdecode(path)))
        else:
            elsewhere = True

    # An empty commit kept no plan either, so it counts as work.
    elsewhere = elsewhere or not changes
    line = clean_line(subject.decode("utf-8", "replace"))
    return Commit(line, elsewhere, tuple(changes), first=not parent)


def clean_line(text: str) -> str:
    """One printable line."""
    if text.isprintable():
        return text
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())
