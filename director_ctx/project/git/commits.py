"""What a repository's history says: the files at HEAD, what each commit did to which path, and
which came after a note.

Git only reads, is bounded in time and in commits, and runs nothing that the repository's own
configuration names.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.project.git.log import answer, chunks, clean_line, fields, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import IO


MOST_COMMITS = 2000
_LATEST = 4_000_000_000
_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "-z",
    "--raw",
    "-M100%",
    "--no-rename-empty",
)
_LOG = ("log", "--no-color", "--no-show-signature", "--no-notes", "--encoding=UTF-8", *_DIFF,
        f"-n{MOST_COMMITS}", "--format=%x00%H %h %ct %P%n%s")  # fmt: skip
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
    said = _answer(root, "rev-parse", "--show-prefix", "--is-shallow-repository", "HEAD^{commit}")
    prefix, shallow, head = said.removesuffix(b"\n").rsplit(b"\n", 2)
    return Here(head.decode("ascii"), os.fsdecode(prefix), shallow == b"true")


def files_at(root: str, commit: str) -> dict[str, str]:
    """Every path of a commit and the id of its content."""
    records = _answer(root, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    pairs = (record.partition(b"\t") for record in records if record)
    return {os.fsdecode(path): about.split()[2].decode("ascii") for about, _, path in pairs}


def commits_from(root: str, commit: str, wanted: Callable[[str], bool]) -> Iterator[HistoryCommit]:
    """The commits behind one, newest first, with what they did to the wanted paths. Merges do
    nothing by themselves.
    """
    for head, *changes in records(_chunks(root, *_LOG, commit, "--")):
        about, _, subject = head.partition(b"\n")
        name, short, time, *parents = about.decode("ascii").split(" ")
        when = min(int(time), _LATEST) if time.isdigit() else 0
        line = clean_line(subject.decode("utf-8", "replace"))
        # `_steps` takes the paths behind a word from the same iterator. Hot, so it is one loop.
        words = iter(changes)
        steps = tuple(step for word in words for step in _steps(word, words) if wanted(step.path))
        yield HistoryCommit(name, short, when, tuple(filter(None, parents)), line, steps)


def net_steps(
    root: str, bases: Iterable[str], commit: str, wanted: Container[str]
) -> dict[str, dict[str, PathStep]]:
    """What differs between each of some older commits and one, by base and path, whatever happened
    in between.
    """
    from tempfile import TemporaryFile

    found: dict[str, dict[str, PathStep]] = {base: {} for base in bases}
    if not found:
        return {}
    with TemporaryFile() as asked:
        asked.write("".join(f"{base} {commit}\n" for base in found).encode("ascii"))
        asked.seek(0)
        words, steps = fields(_chunks(root, *_NET, asked=asked)), dict[str, PathStep]()
        for word in words:
            if not word.startswith(b":"):
                steps = found[word.decode("ascii")]
                continue
            steps.update({step.path: step for step in _steps(word, words) if step.path in wanted})
    return found


def _steps(about: bytes, words: Iterator[bytes]) -> Iterator[PathStep]:
    """`:mode mode blob blob M`, then the path; `R100` with the old and the new one is both. Modes
    alone are nothing.
    """
    *_, before, after, kind = about.split(b" ")
    letter, path = kind[:1].decode("ascii", "replace"), os.fsdecode(next(words, b""))
    if letter == "R":
        new = os.fsdecode(next(words, b""))
        yield PathStep("D", path, new)
        yield PathStep("A", new)
    elif letter != "M" or before != after:
        yield PathStep(letter, path)


def _answer(root: str, *arguments: str) -> bytes:
    try:
        return answer("-C", root, *arguments)
    except ValueError as error:
        raise Unknown(_why(str(error))) from error


def _chunks(root: str, *arguments: str, asked: IO[bytes] | None = None) -> Iterator[bytes]:
    """What git prints, as it comes. Raises `Unknown` if it fails or takes too long."""
    try:
        yield from chunks("-C", root, *arguments, given=asked)
    except ValueError as error:
        raise Unknown(_why(str(error))) from error


def _why(text: str) -> str:
    """A revision that is missing here can only be HEAD."""
    return "the repository has no commits yet" if text == "there is no such revision" else text


class Written(Record):
    """A note to look for."""

    place: str
    """Its path in the repository."""
    time: int | None = None
    """When it was written, if what is on disk is in no commit."""


class Walk:
    """The commits from HEAD back to where everything is older than every note."""

    def __init__(
        self, commits: Iterable[HistoryCommit], head: str, notes: Sequence[Written]
    ) -> None:
        self.head = head
        self.commits: list[HistoryCommit] = []
        self.wrote: dict[Written, list[HistoryCommit]] = {note: [] for note in notes}
        self._under = {note.place: note for note in notes if note.time is None}
        self._timed = [note for note in notes if note.time is not None]
        self.whole = self._reached(commits)
        """Whether the walk came that far."""

    def _reached(self, commits: Iterable[HistoryCommit]) -> bool:
        """Each commit hands to its parents which notes were written after them; all of them
        everywhere: enough.

        In one second git may show a commit before those built on it. Whether one wrote a note last
        is then seen later.
        """
        bit = {note: 1 << place for place, note in enumerate(self.wrote)}
        missing, everything = set(self.wrote), (1 << len(bit)) - 1
        older: dict[str, int] = {}
        ahead, seen, doubtful, enough = {self.head}, set[str](), 0, False
        for commit in commits:
            self.commits.append(commit)
            seen.add(commit.id)
            ahead.discard(commit.id)
            written = {*self._written_by(commit), *self._written_after(commit)}
            missing -= written
            before = older.pop(commit.id, 0)
            known = before | sum(bit[note] for note in written)
            if any(self.wrote[note][1:] and not before & bit[note] for note in written):
                doubtful = commit.time
            for parent in commit.parents:
                older[parent] = older.get(parent, 0) | known
                ahead |= {parent} - seen
            enough = not missing and all(older[parent] == everything for parent in ahead)
            if enough and commit.time != doubtful:
                break
        return enough or not ahead

    def _written_after(self, commit: HistoryCommit) -> Iterator[Written]:
        for note in self._timed:
            if note.time is not None and commit.time <= note.time:
                yield note

    def _written_by(self, commit: HistoryCommit) -> Iterator[Written]:
        """The notes whose content a commit made. One that only moved was written under its old
        name.
        """
        moved = {step.moved_to: step.path for step in commit.steps if step.moved_to in self._under}
        for step in commit.steps:
            if step.letter != "D" and step.path in self._under and step.path not in moved:
                note = self._under[step.path]
                self.wrote[note].append(commit)
                yield note
        self._under.update({old: self._under[new] for new, old in moved.items()})

    def since(self, note: Written) -> list[HistoryCommit]:
        """What whoever wrote the note cannot have known."""
        if note.time is not None:
            return [commit for commit in self.commits if commit.time > note.time]
        known = self._behind(commit.id for commit in self.wrote[note])
        return [commit for commit in self.commits if commit.id not in known]

    def bases(self, note: Written) -> list[str]:
        """The commits whose files the note was written about, as far as that can be said.

        The last that wrote it; on branches there may be two. A note in no commit was written where
        the straight way back from HEAD was at that time.
        """
        if wrote := self.wrote[note]:
            older = self._behind(parent for commit in wrote for parent in commit.parents)
            return [commit.id for commit in wrote if commit.id not in older]
        since = {commit.id: commit for commit in self.since(note)}
        base = self.head
        while base in since:
            base = next(iter(since[base].parents), "")
        return [base] if base else []

    def _behind(self, commits: Iterable[str]) -> set[str]:
        """These commits and all that they are built on."""
        parents = {commit.id: commit.parents for commit in self.commits}
        found, ahead = set[str](), list(commits)
        while ahead:
            one = ahead.pop()
            if one not in found:
                found.add(one)
                ahead.extend(parents.get(one, ()))
        return found
