"""Which notes cite files that changed or vanished since the note was written, and the commits that made it so."""

from __future__ import annotations

import os

from director_ctx.folder.evidence import CHANGED, MOST_COMMITS_NAMED, VANISHED, Change, Evidence, StaleNote
from director_ctx.folder.model import FOLDER
from director_ctx.outside.commits import MOST_COMMITS, Unknown, commits_from, files_at, locate_here
from director_ctx.outside.since import Walk, Written
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.outside.commits import Commit, Here, Step

CUT = f"only the newest {MOST_COMMITS:,} commits were looked at"
SHALLOW = "this clone is shallow: its history ends before the notes were written"
UNFOUND = "the commits that wrote some of the notes are not in this history"


class Cited(Record):
    """A note as it is on disk, and the paths that it cites."""

    path: str
    location: str
    data: bytes
    sha256: str
    paths: tuple[str, ...]


def gather(root: str, notes: Sequence[Cited]) -> Evidence:
    """The verdict on every note. Without an answer from git there is no evidence, and `why` says it."""
    hashes = {note.path: note.sha256 for note in notes}
    try:
        here = locate_here(root)
        files = files_at(root, here.head)
        written = {note: _written(root, here, files, note) for note in notes}
        wanted = _Wanted(here.prefix, notes, [one.place for one in written.values()])
        walk = Walk(commits_from(root, here.head, wanted), here.head, list(written.values()))
    except Unknown as error:
        return Evidence("", hashes, (), error.message)
    unknown = {note: why for note in notes if (why := _unknown(walk, here, written[note]))}
    tree = _Tree(here.prefix, files)
    judged = (_judge(walk, tree, note, written[note]) for note in notes if note not in unknown)
    why = next(iter(unknown.values()), "" if walk.whole else CUT)
    return Evidence(here.head, hashes, tuple(one for one in judged if one.changed), why)


def _written(root: str, here: Here, files: Mapping[str, str], note: Cited) -> Written:
    """Where a note is in the repository; and when it was saved, if that is not what the last commit has."""
    inside = os.path.relpath(os.path.realpath(note.location), os.path.realpath(root))
    place = here.prefix + inside.replace(os.sep, "/")
    same = place in files and files[place] in _blob_ids(note.data, files[place])
    return Written(place, None if same else int(os.stat(note.location).st_mtime))


def _blob_ids(data: bytes, like: str) -> Iterator[str]:
    """What git calls such content, with the line endings as they are and as git may have stored them."""
    from hashlib import new

    for content in (data, data.replace(b"\r\n", b"\n")):
        head = b"blob %d\0" % len(content)
        yield new("sha1" if len(like) == 40 else "sha256", head + content, usedforsecurity=False).hexdigest()


def _unknown(walk: Walk, here: Here, note: Written) -> str:
    """Why nothing can be said about a note."""
    wrote = walk.wrote[note]
    if here.shallow and any(not commit.parents for commit in wrote):
        return SHALLOW
    return UNFOUND if note.time is None and not wrote and walk.whole else ""


def _judge(walk: Walk, tree: _Tree, note: Cited, written: Written) -> StaleNote:
    past = _Past(tree, walk.since(written))
    changes = {change.path: change for path in note.paths if (change := past.change(path))}
    wrote = walk.wrote[written]
    time = written.time if written.time is not None else wrote[0].time if wrote else None
    return StaleNote(note.path, note.sha256, "" if time is None else _in_words(time), tuple(changes.values()))


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


class _Past:
    """What happened to paths in the commits since a note was written."""

    def __init__(self, tree: _Tree, since: Sequence[Commit]) -> None:
        self.tree = tree
        self.steps: dict[str, list[tuple[Step, Commit]]] = {}
        for commit in since:
            for step in commit.steps:
                self.steps.setdefault(step.path, []).append((step, commit))
        self.emptied: dict[str, list[Commit]] = {}
        for commit in since:
            gone = [step.path for step in commit.steps if step.letter == "D" and self._is_gone(step.path)]
            for folder in {folder for path in gone for folder in _folders(path)}:
                self.emptied.setdefault(folder, []).append(commit)

    def _is_gone(self, path: str) -> bool:
        return path not in self.tree.files and self._was_there(path)

    def _was_there(self, path: str) -> bool:
        """When the note was written: what a commit has added since then was not."""
        steps = self.steps.get(path)
        return steps[-1][0].letter != "A" if steps else path in self.tree.files

    def change(self, cited: str) -> Change | None:
        """What became of a cited path: below the project, else below the repository, else the only one of its name."""
        bare = cited.rstrip("/")
        for path in dict.fromkeys((self.tree.prefix + bare, bare)):
            if self._was_there(path):
                return self._file(path)
            if path in self.tree.folders:
                return None
            if path in self.emptied:
                return Change(f"{self._shown(path)}/", VANISHED, _named(self.emptied[path]))
        return None if "/" in cited else self._only(cited)

    def _only(self, name: str) -> Change | None:
        """The one file of that name anywhere, if there is one, and was."""
        past = (path for path in self.steps if path.endswith(f"/{name}") and _counts(path))
        same = {*self.tree.named.get(name, ()), *past}
        return self._file(path) if len(same) == 1 and self._was_there(path := same.pop()) else None

    def _file(self, path: str) -> Change | None:
        steps = self.steps.get(path, ())
        if not steps:
            return None
        if path in self.tree.files:
            return Change(self._shown(path), CHANGED, _named(commit for _, commit in steps))
        deleted = [(step, commit) for step, commit in steps if step.letter == "D"]
        moved_to = self._shown(deleted[0][0].moved_to) if deleted else ""
        return Change(self._shown(path), VANISHED, _named(commit for _, commit in deleted), moved_to)

    def _shown(self, path: str) -> str:
        return path.removeprefix(self.tree.prefix)


def _named(commits: Iterable[Commit]) -> tuple[tuple[str, str], ...]:
    once = {commit.id: (commit.short, commit.subject) for commit in commits}
    return tuple(once.values())[:MOST_COMMITS_NAMED]


def _counts(path: str) -> bool:
    """What is in `.director/` is about the project, not of it."""
    return FOLDER not in path.split("/")


def _folders(path: str) -> Iterator[str]:
    """Every folder that a path is in."""
    while path := path.rpartition("/")[0]:
        yield path
