"""Which notes cite files that changed or vanished since the note was written, and the commits that
made it so.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.project.git.child import NO_COMMITS, NO_GIT
from director_ctx.project.git.commits import (
    MOST_COMMITS,
    Unknown,
    Walk,
    Written,
    commits_from,
    files_at,
    locate_here,
    net_steps,
)
from director_ctx.project.notes.evidence import (
    CHANGED,
    MOST_COMMITS_NAMED,
    VANISHED,
    CodeChange,
    Evidence,
    StaleNote,
)
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.project.git.commits import Here, HistoryCommit, PathStep

    StepOfCommit = tuple[PathStep, HistoryCommit]

CUT = f"only the newest {MOST_COMMITS:,} commits were looked at"
SHALLOW = "this clone is shallow: its history does not reach back to when the notes were written"
UNFOUND = "the commits that wrote some of the notes are not in this history"
REMEDIES = {
    CUT: "Look through the notes that were written before these, and write them again.",
    SHALLOW: "Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` where CI checks out.",
    UNFOUND: "Write those notes again, in a commit of their own that is no merge.",
    NO_COMMITS: "Commit the notes and the files that they cite.",
    NO_GIT: "Install git.",
}
REMEDY = "Run this in a clone with its whole history, where git can read it."


class Cited(Record):
    """A note as it is on disk, and the paths that it cites."""

    path: str
    location: str
    data: bytes
    sha256: str
    paths: tuple[str, ...]


def gather(root: str, notes: Sequence[Cited]) -> Evidence:
    """The verdict on every note. Without an answer from git there is no evidence, and `why` says
    it.
    """
    hashes = {note.path: note.sha256 for note in notes}
    try:
        here = locate_here(root)
        files = files_at(root, here.head)
        written = {note: _written(root, here, files, note) for note in notes}
        matters = _Matters(here.prefix, notes, written.values())
        commits = commits_from(root, here.head, matters)
        walk = Walk(commits, here.head, written.values())

        known: dict[Cited, Written] = {}
        why = ""
        for note, where in written.items():
            why_not = _unknown(walk, here, where)
            why = why or why_not
            if not why_not:
                known[note] = where
        tree = _Tree(here.prefix, files)
        stale = tuple(_stale(root, walk, tree, known))
    except Unknown as error:
        return Evidence("", hashes, (), error.message)

    if not why and not walk.whole:
        why = CUT
    return Evidence(here.head, hashes, stale, why)


def _written(
    root: str,
    here: Here,
    files: Mapping[str, str],
    note: Cited,
) -> Written:
    """Where a note is in the repository; and when it was saved, if that is not what the last commit
    has.
    """
    location = os.path.realpath(note.location)
    inside = os.path.relpath(location, os.path.realpath(root))
    place = here.prefix + inside.replace(os.sep, "/")
    committed = files.get(place)
    if committed is not None and committed in _blob_ids(note.data, committed):
        return Written(place)
    saved = os.stat(note.location).st_mtime
    return Written(place, int(saved))


def _blob_ids(data: bytes, like: str) -> Iterator[str]:
    """What git calls such content, with the line endings as they are and as git may have stored
    them.
    """
    # Here and not above: `status` without anything new does without OpenSSL.
    from hashlib import new

    algorithm = "sha1" if len(like) == 40 else "sha256"
    for content in (data, data.replace(b"\r\n", b"\n")):
        blob = b"blob %d\0%b" % (len(content), content)
        # A name, and no protection: so it is there on systems that forbid SHA-1, too.
        yield new(algorithm, blob, usedforsecurity=False).hexdigest()


def _unknown(walk: Walk, here: Here, note: Written) -> str:
    """Why nothing can be said about a note."""
    wrote = walk.wrote[note]
    if here.shallow:
        for commit in (*wrote, *walk.since(note)):
            # Here the clone was cut off.
            if not commit.parents:
                return SHALLOW
    is_committed = note.time is None
    if is_committed and not wrote and walk.whole:
        return UNFOUND
    return ""


def _stale(
    root: str,
    walk: Walk,
    tree: _Tree,
    notes: Mapping[Cited, Written],
) -> Iterator[StaleNote]:
    """The notes that cite what commits have touched since, if it is not again what it was."""
    touched: dict[Cited, dict[str, CodeChange]] = {}
    bases: dict[Cited, list[str]] = {}
    every_base: dict[str, None] = {}
    paths: set[str] = set()
    for note, written in notes.items():
        past = _Past(tree, walk.since(written))
        changes = past.changes(note.paths)
        if not changes:
            continue
        touched[note] = changes
        paths.update(changes)
        bases[note] = walk.bases(written)
        for base in bases[note]:
            every_base[base] = None

    # One question for all notes: each process costs milliseconds.
    net = net_steps(root, every_base, walk.head, paths)
    for note, changes in touched.items():
        since_bases = [net[base] for base in bases[note]]
        changed = tuple(_lasting(tree, changes, since_bases))
        if not changed:
            continue
        since = _since(walk, notes[note])
        yield StaleNote(
            path=note.path,
            sha256=note.sha256,
            since=since,
            changed=changed,
        )


def _lasting(
    tree: _Tree,
    touched: Mapping[str, CodeChange],
    net: Sequence[Mapping[str, PathStep]],
) -> Iterator[CodeChange]:
    """What differs from everything that whoever wrote the note can have seen. A folder that
    vanished does.
    """
    for path, change in touched.items():
        differing = 0
        moved_to = ""
        for steps in net:
            step = steps.get(path)
            if step is None or step.letter == "A":
                continue
            differing += 1
            moved_to = moved_to or step.moved_to
        is_folder = path.endswith("/")
        if differing < len(net) and not is_folder:
            continue

        if change.moved_to:
            yield change
        else:
            yield change.replace(moved_to=tree.shown(moved_to))


def _since(walk: Walk, note: Written) -> str:
    """When a note was written, if that is known."""
    if note.time is not None:
        return _in_words(note.time)
    wrote = walk.wrote[note]
    if not wrote:
        return ""
    return _in_words(wrote[0].time)


def _in_words(time: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Matters:
    """Whether a path matters to any note, so that little is kept of large commits."""

    def __init__(
        self,
        prefix: str,
        notes: Sequence[Cited],
        written: Iterable[Written],
    ) -> None:
        self.exact = {note.place for note in written}
        self.bare: set[str] = set()
        for note in notes:
            for cited in note.paths:
                path = cited.rstrip("/")
                # Below the project or below the repository: both may be meant.
                self.exact.update((path, prefix + path))
                if "/" not in path:
                    self.bare.add(path)

    def __call__(self, path: str) -> bool:
        _, _, name = path.rpartition("/")
        if path in self.exact or name in self.bare:
            return True
        # A note may have had another name.
        if not _counts(path):
            return True
        return any(folder in self.exact for folder in _folders(path))


class _Tree:
    """What is there now."""

    def __init__(self, prefix: str, files: Iterable[str]) -> None:
        self.prefix = prefix
        self.files = frozenset(files)
        self.folders: set[str] = set()
        self.named: dict[str, list[str]] = {}
        for path in self.files:
            self.folders.update(_folders(path))
            if _counts(path):
                name = path.rpartition("/")[2]
                self.named.setdefault(name, []).append(path)

    def shown(self, path: str) -> str:
        """As the project calls it."""
        return path.removeprefix(self.prefix)


class _Past:
    """What happened to paths in the commits since a note was written."""

    def __init__(self, tree: _Tree, since: Sequence[HistoryCommit]) -> None:
        self.tree = tree
        self.steps: dict[str, list[StepOfCommit]] = {}
        for commit in since:
            for step in commit.steps:
                steps = self.steps.setdefault(step.path, [])
                steps.append((step, commit))

        # Only now it is known of each path whether it was there when the note was written.
        self.emptied: dict[str, list[HistoryCommit]] = {}
        for commit in since:
            folders: set[str] = set()
            for step in commit.steps:
                if step.letter == "D" and self._is_gone(step.path):
                    folders.update(_folders(step.path))
            for folder in folders:
                self.emptied.setdefault(folder, []).append(commit)

    def _is_gone(self, path: str) -> bool:
        return path not in self.tree.files and self._was_there(path)

    def _was_there(self, path: str) -> bool:
        """When the note was written: what a commit has added since then was not."""
        steps = self.steps.get(path)
        if not steps:
            return path in self.tree.files
        oldest, _ = steps[-1]
        return oldest.letter != "A"

    def changes(self, cited: Sequence[str]) -> dict[str, CodeChange]:
        """What commits did to cited paths, by path in the repository; a folder ends with a slash."""
        changes: dict[str, CodeChange] = {}
        for place in dict.fromkeys(map(self._place, cited)):
            change = self._change(place)
            if change:
                changes[place] = change
        return changes

    def _place(self, cited: str) -> str:
        """Where a cited path was: below the project, else below the repository, else the only one
        of its name.
        """
        bare = cited.rstrip("/")
        in_project = self.tree.prefix + bare
        for path in (in_project, bare):
            if self._was_there(path):
                return path
            # A folder counts only when it vanished.
            if path in self.tree.folders:
                return ""
            if path in self.emptied:
                return f"{path}/"
        if "/" in cited:
            return ""
        return self._only_file(cited)

    def _only_file(self, name: str) -> str:
        """The one file of that name anywhere, if there is one, and was."""
        files = set(self.tree.named.get(name, ()))
        for path in self.steps:
            is_named = path.endswith(f"/{name}") and _counts(path)
            if is_named and self._was_there(path):
                files.add(path)
        if len(files) != 1:
            return ""
        only = files.pop()
        if not self._was_there(only):
            return ""
        return only

    def _change(self, place: str) -> CodeChange | None:
        if place.endswith("/"):
            folder = place.removesuffix("/")
            emptied_by = self.emptied[folder]
            return CodeChange(f"{self.tree.shown(folder)}/", VANISHED, _named(emptied_by))
        shown = self.tree.shown(place)
        steps = self.steps.get(place)
        if not steps:
            return None
        if place in self.tree.files:
            commits = [commit for _, commit in steps]
            return CodeChange(shown, CHANGED, _named(commits))

        moved_to = ""
        deleted_by: list[HistoryCommit] = []
        for step, commit in steps:
            if step.letter != "D":
                continue
            # The newest one says where it went. What moved on from there, or is gone as well, is
            # nowhere to be shown.
            if not deleted_by and step.moved_to in self.tree.files:
                moved_to = self.tree.shown(step.moved_to)
            deleted_by.append(commit)
        return CodeChange(shown, VANISHED, _named(deleted_by), moved_to)


def _named(commits: Iterable[HistoryCommit]) -> tuple[tuple[str, str], ...]:
    # A commit that did several things to a path is named once.
    names: dict[str, tuple[str, str]] = {}
    for commit in commits:
        names[commit.id] = (commit.short, commit.subject)
    return tuple(names.values())[:MOST_COMMITS_NAMED]


def _counts(path: str) -> bool:
    """What is in `.director/` is about the project, not of it."""
    return FOLDER not in path.split("/")


def _folders(path: str) -> Iterator[str]:
    """Every folder that a path is in."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
