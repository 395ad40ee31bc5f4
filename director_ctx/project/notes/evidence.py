"""What is known of notes that may be out of date, and the lines that it is kept in.

The lines are tab-separated, so that reading them back needs nothing that a start would feel. They
may have been tampered with: whatever cannot be read is no evidence.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    CommitName = tuple[str, str]
    """Short id and subject."""

CHANGED, VANISHED = "changed", "vanished"
MOVED = "moved"
"""Vanished from its path, and there under another."""
MOST_COMMITS_NAMED = 20
_FIRST = "dctx evidence 2"
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))
_LONGEST_NAME = 40


class Cited(Record):
    """A note as it is on disk, and the paths that it cites."""

    path: str
    location: str
    data: bytes
    sha256: str
    paths: tuple[str, ...]


class CodeChange(Record):
    """A cited file that is not what it was, and the commits that made it so, newest first."""

    path: str
    what: str
    commits: tuple[tuple[str, str], ...] = ()
    """Short id and subject, of the newest twenty."""
    moved_to: str = ""
    """Where the same content is now, if it vanished from its path only."""

    @property
    def fate(self) -> str:
        """What became of it, in a word."""
        if self.moved_to:
            return MOVED
        return self.what


class StaleNote(Record):
    """A note that cites what has changed or vanished since it was written."""

    path: str
    sha256: str
    since: str
    """When it was written, in UTC; empty if that is longer ago than was looked at."""
    changed: tuple[CodeChange, ...]


class Evidence(Record):
    """The notes as they were judged at one commit."""

    head: str
    hashes: Mapping[str, str]
    """Every note that was looked at, and the SHA-256 of its bytes."""
    stale: tuple[StaleNote, ...] = ()
    why: str = ""
    """Why some or all of it is not known, if anything is not."""


def warning(note: StaleNote) -> str:
    """The one line that tells an agent; never longer than about 200 characters."""
    names: list[str] = []
    for change in note.changed[:2]:
        names.append(_short(plain(change.path)))
    files = " and ".join(names)
    more = len(note.changed) - len(names)
    if more:
        files = f"{', '.join(names)} and {more:,} more of the files it cites"

    fates = {change.fate for change in note.changed}
    in_order = [fate for fate in (CHANGED, MOVED, VANISHED) if fate in fates]
    fate = _either(in_order)
    return f"_This note may be out of date: since it was written, {files} {fate}._"


def _either(kinds: list[str]) -> str:
    if len(kinds) < 2:
        return "".join(kinds)
    *others, last = kinds
    return f"{', '.join(others)} or {last}"


def _short(path: str) -> str:
    if len(path) <= _LONGEST_NAME:
        return path
    return f"…{path[1 - _LONGEST_NAME :]}"


def to_text(evidence: Evidence) -> str:
    lines: list[str] = []
    for fields in _lines(evidence):
        lines.append("\t".join(map(_escaped, fields)))
    return "".join(f"{line}\n" for line in lines)


def _lines(evidence: Evidence) -> Iterator[tuple[str, ...]]:
    yield _FIRST, evidence.head, evidence.why
    for path, sha256 in evidence.hashes.items():
        yield "note", path, sha256
    for note in evidence.stale:
        yield "stale", note.path, note.sha256, note.since
        for change in note.changed:
            yield "change", change.path, change.what, change.moved_to
            for short, subject in change.commits:
                yield "commit", short, subject


def from_text(text: str) -> Evidence | None:
    """The evidence that was kept, or None if this is not how it is kept."""
    lines = text.removesuffix("\n").split("\n")
    first, *others = map(_fields, lines)
    if len(first) != 3 or first[0] != _FIRST:
        return None
    _, head, why = first
    hashes: dict[str, str] = {}
    stale: list[_NoteRows] = []
    for kind, *fields in others:
        if kind == "note" and len(fields) == 2:
            path, sha256 = fields
            hashes[path] = sha256
        elif kind == "stale" and len(fields) == 3:
            stale.append(_NoteRows(fields))
        elif not stale or not stale[-1].take(kind, fields):
            return None
    notes = tuple(note.value() for note in stale if note.changes)
    return Evidence(head, hashes, notes, why)


def _fields(line: str) -> list[str]:
    return [_unescaped(field) for field in line.split("\t")]


class _NoteRows:
    """The lines about one note, as they are read: each `commit` belongs to the `change` above it."""

    def __init__(self, about: list[str]) -> None:
        self.about = about
        self.changes: list[tuple[list[str], list[CommitName]]] = []

    def take(self, kind: str, fields: list[str]) -> bool:
        """Whether it is a line that may stand here."""
        if kind == "change" and len(fields) == 3:
            _, what, _ = fields
            self.changes.append((fields, []))
            return what in (CHANGED, VANISHED)
        if kind == "commit" and len(fields) == 2 and self.changes:
            short, subject = fields
            _, commits = self.changes[-1]
            commits.append((short, subject))
            return True
        return False

    def value(self) -> StaleNote:
        changes: list[CodeChange] = []
        for (path, what, moved_to), commits in self.changes:
            change = CodeChange(
                path=path,
                what=what,
                commits=tuple(commits),
                moved_to=moved_to,
            )
            changes.append(change)
        path, sha256, since = self.about
        return StaleNote(path, sha256, since, tuple(changes))


def _escaped(field: str) -> str:
    for char, written in _ESCAPES:
        field = field.replace(char, written)
    return field


def _unescaped(field: str) -> str:
    if "\\" not in field:
        return field
    # A backslash of its own is written as two; what is between such pairs has none.
    pieces = field.split("\\\\")
    for char, written in _ESCAPES[1:]:
        pieces = [piece.replace(written, char) for piece in pieces]
    return "\\".join(pieces)
