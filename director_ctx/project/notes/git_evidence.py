"""Which notes cite files that changed or vanished since the note was written, and the commits that
made it so.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
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

CUT = f"only the newest {MOST_COMMITS:,} commits were looked at"
SHALLOW = "this clone is shallow: its history does not reach back to when the notes were written"
UNFOUND = "the commits that wrote some of the notes are not in this history"
REMEDIES = {
    CUT: "Look through the notes that were written before these, and write them again.",
    SHALLOW: "Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` where CI checks out.",
    UNFOUND: "Write those notes again, in a commit of their own that is no merge.",
    "the repository has no commits yet": "Commit the notes and the files that they cite.",
    "git is not installed": "Install git.",
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
        wanted = _Wanted(here.prefix, notes, [where.place for where in written.values()])
        commits = commits_from(root, here.head, wanted)
        walk = Walk(commits, here.head, list(written.values()))

        known: dict[Cited, Written] = {}
        reasons: list[str] = []
        for note, where in written.items():
            why = _unknown(walk, here, where)
            if why:
                reasons.append(why)
            else:
                known[note] = where
        stale = tuple(_stale(root, walk, _Tree(here.prefix, files), known))
    except Unknown as error:
        return Evidence("", hashes, (), error.message)

    if not reasons and not walk.whole:
        reasons.append(CUT)
    return Evidence(here.head, hashes, stale, reasons[0] if reasons else "")


def _written(root: str, here: Here, files: Mapping[str, str], note: Cited) -> Written:
    """Where a note is in the repository; and when it was saved, if that is not what the last commit
    has.
    """
    inside = os.path.relpath(os.path.realpath(note.location), os.path.realpath(root))
    place = here.prefix + inside.replace(os.sep, "/")
    same = place in files and files[place] in _blob_ids(note.data, files[place])
    return Written(place, None if same else int(os.stat(note.location).st_mtime))


def _blob_ids(data: bytes, like: str) -> Iterator[str]:
    """What git calls such content, with the line endings as they are and as git may have stored
    them.
    """
    from hashlib import new

    for content in (data, data.replace(b"\r\n", b"\n")):
        head = b"blob %d\0" % len(content)
        yield new(
            "sha1" if len(like) == 40 else "sha256", head + content, usedforsecurity=False
        ).hexdigest()


def _unknown(walk: Walk, here: Here, note: Written) -> str:
    """Why nothing can be said about a note."""
    wrote = walk.wrote[note]
    if here.shallow and any(not commit.parents for commit in (*wrote, *walk.since(note))):
        return SHALLOW
    return UNFOUND if note.time is None and not wrote and walk.whole else ""


def _stale(
    root: str, walk: Walk, tree: _Tree, notes: Mapping[Cited, Written]
) -> Iterator[StaleNote]:
    """The notes that cite what commits have touched since, if it is not again what it was."""
    touched: dict[Cited, dict[str, CodeChange]] = {}
    for note, written in notes.items():
        past = _Past(tree, walk.since(written))
        touched[note] = past.changes(note.paths)
    bases = {note: walk.bases(notes[note]) for note, changes in touched.items() if changes}
    every_base = dict.fromkeys(base for own in bases.values() for base in own)
    paths = {path for changes in touched.values() for path in changes}
    net = net_steps(root, every_base, walk.head, paths)
    for note, own in bases.items():
        changed = tuple(_lasting(tree, touched[note], [net[base] for base in own]))
        if changed:
            yield StaleNote(note.path, note.sha256, _since(walk, notes[note]), changed)


def _lasting(
    tree: _Tree, touched: Mapping[str, CodeChange], net: Sequence[Mapping[str, PathStep]]
) -> Iterator[CodeChange]:
    """What differs from everything that whoever wrote the note can have seen. A folder that
    vanished does.
    """
    for path, change in touched.items():
        steps: list[PathStep] = []
        for differing in net:
            if path in differing and differing[path].letter != "A":
                steps.append(differing[path])
        if not path.endswith("/") and len(steps) < len(net):
            continue

        if change.moved_to:
            yield change
        else:
            moved_to = next((step.moved_to for step in steps if step.moved_to), "")
            yield change.replace(moved_to=tree.shown(moved_to))


def _since(walk: Walk, note: Written) -> str:
    """When a note was written, if that is known."""
    if note.time is not None:
        return _in_words(note.time)
    return _in_words(walk.wrote[note][0].time) if walk.wrote[note] else ""


def _in_words(time: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Wanted:
    """Whether a path matters to any note, so that little is kept of large commits."""

    def __init__(self, prefix: str, notes: Sequence[Cited], places: Iterable[str]) -> None:
        cited = {path.rstrip("/") for note in notes for path in note.paths}
        self.exact = {*places, *cited, *(prefix + path for path in cited)}
        self.bare = {path for path in cited if "/" not in path}

    def __call__(self, path: str) -> bool:
        if path in self.exact or path.rpartition("/")[2] in self.bare:
            return True
        # A note may have had another name.
        return not _counts(path) or any(folder in self.exact for folder in _folders(path))


class _Tree:
    """What is there now."""

    def __init__(self, prefix: str, files: Iterable[str]) -> None:
        self.prefix, self.files = prefix, frozenset(files)
        self.folders = {folder for path in self.files for folder in _folders(path)}
        self.named: dict[str, list[str]] = {}
        for path in filter(_counts, self.files):
            self.named.setdefault(path.rpartition("/")[2], []).append(path)

    def shown(self, path: str) -> str:
        """As the project calls it."""
        return path.removeprefix(self.prefix)


class _Past:
    """What happened to paths in the commits since a note was written."""

    def __init__(self, tree: _Tree, since: Sequence[HistoryCommit]) -> None:
        self.tree = tree
        self.steps: dict[str, list[tuple[PathStep, HistoryCommit]]] = {}
        for commit in since:
            for step in commit.steps:
                self.steps.setdefault(step.path, []).append((step, commit))
        self.emptied: dict[str, list[HistoryCommit]] = {}
        for commit in since:
            gone = [
                step.path
                for step in commit.steps
                if step.letter == "D" and self._is_gone(step.path)
            ]
            for folder in {folder for path in gone for folder in _folders(path)}:
                self.emptied.setdefault(folder, []).append(commit)

    def _is_gone(self, path: str) -> bool:
        return path not in self.tree.files and self._was_there(path)

    def _was_there(self, path: str) -> bool:
        """When the note was written: what a commit has added since then was not."""
        steps = self.steps.get(path)
        return steps[-1][0].letter != "A" if steps else path in self.tree.files

    def changes(self, cited: Sequence[str]) -> dict[str, CodeChange]:
        """What commits did to cited paths, by path in the repository; a folder ends with a slash."""
        places = dict.fromkeys(map(self._place, cited))
        return {place: change for place in places if (change := self._change(place))}

    def _place(self, cited: str) -> str:
        """Where a cited path was: below the project, else below the repository, else the only one
        of its name.
        """
        bare = cited.rstrip("/")
        for path in dict.fromkeys((self.tree.prefix + bare, bare)):
            if self._was_there(path):
                return path
            if path in self.tree.folders:
                return ""
            if path in self.emptied:
                return f"{path}/"
        return "" if "/" in cited else self._only(cited)

    def _only(self, name: str) -> str:
        """The one file of that name anywhere, if there is one, and was."""
        past = (
            path
            for path in self.steps
            if path.endswith(f"/{name}") and _counts(path) and self._was_there(path)
        )
        same = {*self.tree.named.get(name, ()), *past}
        return path if len(same) == 1 and self._was_there(path := same.pop()) else ""

    def _change(self, place: str) -> CodeChange | None:
        if place.endswith("/"):
            return CodeChange(
                f"{self.tree.shown(place[:-1])}/", VANISHED, _named(self.emptied[place[:-1]])
            )
        steps, shown = self.steps.get(place), self.tree.shown(place)
        if not steps:
            return None
        if place in self.tree.files:
            return CodeChange(shown, CHANGED, _named(commit for _, commit in steps))
        deleted = [(step, commit) for step, commit in steps if step.letter == "D"]
        moved_to = deleted[0][0].moved_to if deleted else ""
        there = self.tree.shown(moved_to) if moved_to in self.tree.files else ""
        return CodeChange(shown, VANISHED, _named(commit for _, commit in deleted), there)


def _named(commits: Iterable[HistoryCommit]) -> tuple[tuple[str, str], ...]:
    once = {commit.id: (commit.short, commit.subject) for commit in commits}
    return tuple(once.values())[:MOST_COMMITS_NAMED]


def _counts(path: str) -> bool:
    """What is in `.director/` is about the project, not of it."""
    return FOLDER not in path.split("/")


def _folders(path: str) -> Iterator[str]:
    """Every folder that a path is in."""
    while path := path.rpartition("/")[0]:
        yield path
