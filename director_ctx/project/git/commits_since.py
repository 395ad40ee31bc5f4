"""Which commits came after a note was written: those that are not behind any commit that wrote it."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.project.git.commits import Commit


class Written(Record):
    """A note to look for."""

    place: str
    """Its path in the repository."""
    time: int | None = None
    """When it was written, if what is on disk is in no commit."""


class Walk:
    """The commits from HEAD back to where everything is older than every note."""

    def __init__(self, commits: Iterable[Commit], head: str, notes: Sequence[Written]) -> None:
        self.head = head
        self.commits: list[Commit] = []
        self.wrote: dict[Written, list[Commit]] = {note: [] for note in notes}
        self._under = {note.place: note for note in notes if note.time is None}
        self._timed = [note for note in notes if note.time is not None]
        self.whole = self._reached(commits)
        """Whether the walk came that far."""

    def _reached(self, commits: Iterable[Commit]) -> bool:
        """Each commit hands to its parents which notes were written after them; all of them everywhere: enough.

        In one second git may show a commit before those built on it. Whether one wrote a note last is then seen later.
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

    def _written_after(self, commit: Commit) -> Iterator[Written]:
        for note in self._timed:
            if note.time is not None and commit.time <= note.time:
                yield note

    def _written_by(self, commit: Commit) -> Iterator[Written]:
        """The notes whose content a commit made. One that only moved was written under its old name."""
        moved = {step.moved_to: step.path for step in commit.steps if step.moved_to in self._under}
        for step in commit.steps:
            if step.letter != "D" and step.path in self._under and step.path not in moved:
                note = self._under[step.path]
                self.wrote[note].append(commit)
                yield note
        self._under.update({old: self._under[new] for new, old in moved.items()})

    def since(self, note: Written) -> list[Commit]:
        """What whoever wrote the note cannot have known."""
        if note.time is not None:
            return [commit for commit in self.commits if commit.time > note.time]
        known = self._behind(commit.id for commit in self.wrote[note])
        return [commit for commit in self.commits if commit.id not in known]

    def bases(self, note: Written) -> list[str]:
        """The commits whose files the note was written about, as far as that can be said.

        The last that wrote it; on branches there may be two. A note in no commit was written where the straight way
        back from HEAD was at that time.
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
