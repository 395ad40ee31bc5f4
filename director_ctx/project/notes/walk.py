"""The way back through a history, as far as it takes to know which commits came after which note."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from director_ctx.project.git.commits import HistoryCommit


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
        wrote = self.wrote[note]
        known = self._behind(commit.id for commit in wrote)
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
