"""What a repository's history says: the files at HEAD, what each commit did to which path, and
which came after a note.

Git only reads, is bounded in time and in commits, and runs nothing that the repository's own
configuration names.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.project.git.ask import answer, streamed_answer
from director_ctx.project.git.child import NO_COMMITS, NO_REVISION
from director_ctx.project.git.log import clean_line, fields, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import IO


MOST_COMMITS = 2000
_LATEST = 4_000_000_000
"""Seconds. A commit's time may be any number, and a later one is no date for Python everywhere."""
_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "-z",
    "--raw",
    "-M100%",
    "--no-rename-empty",
)
_LOG = (
    "log",
    "--no-color",
    "--no-show-signature",
    "--no-notes",
    "--encoding=UTF-8",
    *_DIFF,
    f"-n{MOST_COMMITS}",
    "--format=%x00%H %h %ct %P%n%s",
)
_NET = ("diff-tree", "--stdin", "-r", "-R", "--no-abbrev", *_DIFF)


class Unknown(DctxError):
    """Git cannot say, and why."""


class Here(Record):
    """Where in which repository a folder is."""

    head: str
    prefix: str
    """The folder's path in the repository, with a slash at the end; empty at its root."""
    shallow: bool


class PathStep(Record):
    """What happened to the bytes of one path, as git's letter; and where they went if only the name
    changed.
    """

    letter: str
    path: str
    moved_to: str = ""


class HistoryCommit(Record):
    id: str
    short: str
    time: int
    parents: tuple[str, ...]
    subject: str
    steps: tuple[PathStep, ...]


def locate_here(root: str) -> Here:
    printed = _answer(
        root, "rev-parse", "--show-prefix", "--is-shallow-repository", "HEAD^{commit}"
    )
    # From the end, because the name of a folder may have a newline in it.
    prefix, shallow, head = printed.removesuffix(b"\n").rsplit(b"\n", 2)
    return Here(
        head=head.decode("ascii"),
        prefix=os.fsdecode(prefix),
        shallow=shallow == b"true",
    )


def files_at(root: str, commit: str) -> dict[str, str]:
    """Every path of a commit and the id of its content."""
    files: dict[str, str] = {}
    printed = _answer(root, "ls-tree", "-r", "-z", "--full-tree", commit)
    for line in printed.split(b"\0"):
        if not line:
            continue
        about, _, path = line.partition(b"\t")
        _mode, _kind, content_id = about.split()
        files[os.fsdecode(path)] = content_id.decode("ascii")
    return files


def commits_from(
    root: str,
    commit: str,
    matters: Callable[[str], bool],
) -> Iterator[HistoryCommit]:
    """The commits behind one, newest first, with what they did to the paths that matter. Merges do
    nothing by themselves.
    """
    log = _streamed_answer(root, *_LOG, commit, "--")
    for head, *changes in records(log):
        steps: list[PathStep] = []
        words = iter(changes)
        for word in words:
            # Takes the paths behind the word from the same iterator.
            for step in _steps(word, words):
                if matters(step.path):
                    steps.append(step)
        yield _commit(head, tuple(steps))


def _commit(head: bytes, steps: tuple[PathStep, ...]) -> HistoryCommit:
    about, _, subject = head.partition(b"\n")
    id, short, seconds, *parents = about.decode("ascii").split(" ")
    time = 0
    if seconds.isdigit():
        time = min(int(seconds), _LATEST)
    return HistoryCommit(
        id=id,
        short=short,
        time=time,
        # A first commit has one parent without a name.
        parents=tuple(filter(None, parents)),
        subject=clean_line(subject.decode("utf-8", "replace")),
        steps=steps,
    )


def net_steps(
    root: str,
    bases: Iterable[str],
    commit: str,
    paths: Container[str],
) -> dict[str, dict[str, PathStep]]:
    """What differs between each of some older commits and one, by base and path, whatever happened
    in between.
    """
    # Needed only where a cited file was touched, which most projects never get to.
    from tempfile import TemporaryFile

    steps_of: dict[str, dict[str, PathStep]] = {}
    for base in bases:
        steps_of[base] = {}
    if not steps_of:
        return {}
    # In a file: a pipe could fill up while git waits for somebody to read its answers.
    with TemporaryFile() as given:
        for base in steps_of:
            given.write(f"{base} {commit}\n".encode("ascii"))
        given.seek(0)

        words = fields(_streamed_answer(root, *_NET, given=given))
        steps: dict[str, PathStep] = {}
        for word in words:
            if not word.startswith(b":"):
                # The name of the base that the following words are about.
                steps = steps_of[word.decode("ascii")]
                continue
            for step in _steps(word, words):
                if step.path in paths:
                    steps[step.path] = step
    return steps_of


def _steps(about: bytes, words: Iterator[bytes]) -> Iterator[PathStep]:
    """`:mode mode blob blob M`, then the path; `R100` with the old and the new one is both. Modes
    alone are nothing.
    """
    *_, before, after, kind = about.split(b" ")
    letter = kind[:1].decode("ascii", "replace")
    path = os.fsdecode(next(words, b""))
    if letter == "R":
        new_path = os.fsdecode(next(words, b""))
        yield PathStep("D", path, new_path)
        yield PathStep("A", new_path)
    elif letter != "M" or before != after:
        yield PathStep(letter, path)


def _answer(root: str, *words: str) -> bytes:
    """Raises `Unknown` if git fails or takes too long."""
    try:
        return answer(root, *words)
    except ValueError as error:
        raise _unknown(error) from error


def _streamed_answer(
    root: str,
    *words: str,
    given: IO[bytes] | None = None,
) -> Iterator[bytes]:
    try:
        yield from streamed_answer(root, *words, given=given)
    except ValueError as error:
        raise _unknown(error) from error


def _unknown(error: ValueError) -> Unknown:
    """A revision that is missing here can only be HEAD."""
    why = str(error)
    if why == NO_REVISION:
        why = NO_COMMITS
    return Unknown(why)


class Written(Record):
    """A note to look for."""

    place: str
    """Its path in the repository."""
    time: int | None = None
    """When it was written, if what is on disk is in no commit."""


class Walk:
    """The commits from HEAD back to where everything is older than every note."""

    def __init__(
        self,
        commits: Iterable[HistoryCommit],
        head: str,
        notes: Iterable[Written],
    ) -> None:
        self.head = head
        self.commits: list[HistoryCommit] = []
        self.wrote: dict[Written, list[HistoryCommit]] = {}
        self._note_at: dict[str, Written] = {}
        """The notes that a commit wrote, by the path that they have there: it changes on the way."""
        self._timed: list[Written] = []
        for note in notes:
            self.wrote[note] = []
            if note.time is None:
                self._note_at[note.place] = note
            else:
                self._timed.append(note)
        self.whole = self._walk(commits)
        """Whether the walk came that far."""

    def _walk(self, commits: Iterable[HistoryCommit]) -> bool:
        """Whether everything further back is older than every note."""
        frontier = _Frontier(self.head, self.wrote)
        missing = set(self.wrote)
        doubtful = 0
        enough = False
        for commit in commits:
            self.commits.append(commit)
            written = set(self._written_by(commit))
            written.update(self._written_after(commit))
            missing -= written
            for note in frontier.pass_on(commit, written):
                # In one second git may show a commit before those built on it. Whether this one
                # wrote the note last is seen only when that second is over.
                if len(self.wrote[note]) > 1:
                    doubtful = commit.time
            enough = not missing and frontier.knows_all_notes
            if enough and commit.time != doubtful:
                break
        return enough or not frontier.ahead

    def _written_after(self, commit: HistoryCommit) -> Iterator[Written]:
        for note in self._timed:
            if note.time is not None and commit.time <= note.time:
                yield note

    def _written_by(self, commit: HistoryCommit) -> Iterator[Written]:
        """The notes whose content a commit made. One that only moved was written under its old
        name.
        """
        old_paths: dict[str, str] = {}
        for step in commit.steps:
            if step.moved_to in self._note_at:
                old_paths[step.moved_to] = step.path

        for step in commit.steps:
            was_made = step.letter != "D" and step.path not in old_paths
            if was_made and step.path in self._note_at:
                note = self._note_at[step.path]
                self.wrote[note].append(commit)
                yield note

        # All at once: two notes may have changed places.
        moved_notes: dict[str, Written] = {}
        for new_path, old_path in old_paths.items():
            moved_notes[old_path] = self._note_at[new_path]
        self._note_at.update(moved_notes)

    def since(self, note: Written) -> list[HistoryCommit]:
        """What whoever wrote the note cannot have known."""
        if note.time is not None:
            return [commit for commit in self.commits if commit.time > note.time]
        wrote = [commit.id for commit in self.wrote[note]]
        known = self._behind(wrote)
        return [commit for commit in self.commits if commit.id not in known]

    def bases(self, note: Written) -> list[str]:
        """The commits whose files the note was written about, as far as that can be said.

        The last that wrote it; on branches there may be two. A note in no commit was written where
        the straight way back from HEAD was at that time.
        """
        wrote = self.wrote[note]
        if wrote:
            parents: list[str] = []
            for commit in wrote:
                parents.extend(commit.parents)
            older = self._behind(parents)
            return [commit.id for commit in wrote if commit.id not in older]

        since = {commit.id: commit for commit in self.since(note)}
        base = self.head
        while base in since:
            base = next(iter(since[base].parents), "")
        if not base:
            return []
        return [base]

    def _behind(self, commits: Iterable[str]) -> set[str]:
        """These commits and all that they are built on."""
        parents = {commit.id: commit.parents for commit in self.commits}
        behind: set[str] = set()
        ahead = list(commits)
        while ahead:
            commit = ahead.pop()
            if commit not in behind:
                behind.add(commit)
                ahead.extend(parents.get(commit, ()))
        return behind


class _Frontier:
    """The commits that a walk has yet to come to. Each is told by those built on it which notes
    were written after it.
    """

    def __init__(self, head: str, notes: Iterable[Written]) -> None:
        # A set of notes is a number with a bit for each: it is handed on thousands of times.
        self._bit: dict[Written, int] = {}
        for place, note in enumerate(notes):
            self._bit[note] = 1 << place
        self._all_notes = sum(self._bit.values())
        self._written_after: dict[str, int] = {}
        self._passed: set[str] = set()
        self.ahead = {head}

    def pass_on(self, commit: HistoryCommit, written: Iterable[Written]) -> list[Written]:
        """Tells the parents of a commit what it wrote and was told; the notes that it was not told
        of.
        """
        told = self._written_after.pop(commit.id, 0)
        news: list[Written] = []
        known = told
        for note in written:
            known |= self._bit[note]
            if not told & self._bit[note]:
                news.append(note)

        self._passed.add(commit.id)
        self.ahead.discard(commit.id)
        for parent in commit.parents:
            told_before = self._written_after.get(parent, 0)
            self._written_after[parent] = told_before | known
            if parent not in self._passed:
                self.ahead.add(parent)
        return news

    @property
    def knows_all_notes(self) -> bool:
        return all(self._written_after[commit] == self._all_notes for commit in self.ahead)
