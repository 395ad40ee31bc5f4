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

    _Changes = list[tuple[list[str], list[tuple[str, str]]]]

CHANGED, VANISHED = "changed", "vanished"
MOST_COMMITS_NAMED = 20
_FIRST = "dctx evidence 2"
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))
_LONGEST_NAME = 40


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
        return "moved" if self.moved_to else self.what


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
    names = [_short(plain(change.path)) for change in note.changed[:2]]
    more = len(note.changed) - len(names)
    who = (
        f"{', '.join(names)} and {more:,} more of the files it cites"
        if more
        else " and ".join(names)
    )
    fates = {change.fate for change in note.changed}
    kinds = [kind for kind in (CHANGED, "moved", VANISHED) if kind in fates]
    return f"_This note may be out of date: since it was written, {who} {_either(kinds)}._"


def _either(kinds: list[str]) -> str:
    return " or ".join([", ".join(kinds[:-1]), kinds[-1]] if kinds[1:] else kinds)


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_NAME else f"…{path[1 - _LONGEST_NAME :]}"


def to_text(evidence: Evidence) -> str:
    return "".join("\t".join(map(_escaped, line)) + "\n" for line in _lines(evidence))


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
    first, *rest = [
        tuple(map(_unescaped, line.split("\t"))) for line in text.removesuffix("\n").split("\n")
    ]
    if len(first) != 3 or first[0] != _FIRST:
        return None
    hashes: dict[str, str] = {}
    stale: list[tuple[list[str], _Changes]] = []
    for kind, *fields in rest:
        if kind == "note" and len(fields) == 2:
            hashes[fields[0]] = fields[1]
        elif kind == "stale" and len(fields) == 3:
            stale.append((fields, []))
        elif kind == "change" and len(fields) == 3 and fields[1] in (CHANGED, VANISHED) and stale:
            stale[-1][1].append((fields, []))
        elif kind == "commit" and len(fields) == 2 and stale and stale[-1][1]:
            stale[-1][1][-1][1].append((fields[0], fields[1]))
        else:
            return None
    notes = tuple(_note(about, changes) for about, changes in stale if changes)
    return Evidence(first[1], hashes, notes, first[2])


def _note(about: list[str], changes: _Changes) -> StaleNote:
    path, sha256, since = about
    return StaleNote(path, sha256, since, tuple(map(_change, changes)))


def _change(read: tuple[list[str], list[tuple[str, str]]]) -> CodeChange:
    (path, what, moved_to), commits = read
    return CodeChange(path, what, tuple(commits), moved_to)


def _escaped(field: str) -> str:
    for char, written in _ESCAPES:
        field = field.replace(char, written)
    return field


def _unescaped(field: str) -> str:
    if "\\" not in field:
        return field
    pieces = field.split("\\\\")
    for char, written in _ESCAPES[1:]:
        pieces = [piece.replace(written, char) for piece in pieces]
    return "\\".join(pieces)
