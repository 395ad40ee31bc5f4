"""Notes that are out of date, as far as `status` or `doctor` found them, and what a context says of them. Git is not
asked here.
"""

from __future__ import annotations

import os

from director_ctx.base.hashing import digest
from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.dctx_folder import KEPT, kept_rows, write_kept
from director_ctx.project.git.repository import head_id
from director_ctx.project.project import FILE
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.project.project import Project

NAME = "evidence"
CHANGED, VANISHED = "changed", "vanished"
_LONGEST_NAME = 40


class CodeChange(Record):
    """A cited file that is not what it was."""

    path: str
    what: str
    moved_to: str
    """Where the same content went, if it vanished from its path only."""
    commits: tuple[tuple[str, str], ...]
    """Short id and subject of those that made it so, newest first."""


class StaleNote(Record):
    """A note that is older than files that it names."""

    path: str
    since: str
    """When it was written, in UTC."""
    changed: tuple[CodeChange, ...]


class Evidence(Record):
    """The notes as they were judged at one commit."""

    head: str
    hashes: Mapping[str, str]
    """Every note that was looked at, and the SHA-256 of its bytes."""
    stale: tuple[StaleNote, ...]
    why: str
    """Why some or all of it is not known, if anything is not."""


def stale_note_warnings(project: Project) -> Mapping[str, str]:
    """A line for each note that is known to be out of date at this very commit, if the note is
    still the same.
    """
    return project.once("stale notes", lambda: _warnings(project))


def _warnings(project: Project) -> Mapping[str, str]:
    # The usual case: nothing is read for it.
    if not os.path.exists(project.location(f"{KEPT}/{NAME}")):
        return {}
    known = kept_evidence(project.root)
    if known is None or not known.stale or known.head != head_id(project.root):
        return {}
    warnings: dict[str, str] = {}
    for note in known.stale:
        data = note_bytes(project, note.path)
        if data is not None and digest(data) == known.hashes.get(note.path):
            warnings[note.path] = warning(note)
    return warnings


def warning(note: StaleNote) -> str:
    """The one line that tells an agent; never longer than about 200 characters."""
    names = [plain(change.path) for change in note.changed[:2]]
    names = [
        name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}" for name in names
    ]
    files = " and ".join(names)
    more = len(note.changed) - len(names)
    if more:
        files = f"{', '.join(names)} and {more:,} more of the files it cites"
    is_there = all(change.what == CHANGED for change in note.changed)
    fate = CHANGED if is_there else f"{CHANGED} or {VANISHED}"
    return f"_This note may be out of date: since it was written, {files} {fate}._"


def note_bytes(project: Project, path: str) -> bytes | None:
    """A note as it is on disk, up to what is ever read of a file."""
    if not path.startswith(f"{FOLDER}/") or project.kind(path) != FILE:
        return None
    try:
        with open(project.location(path), "rb") as file:
            return file.read(LARGEST_FILE)
    except (OSError, ValueError):
        return None


def kept_evidence(root: str) -> Evidence | None:
    """What was found out the last time, whether or not it still holds; None where nothing readable is kept."""
    try:
        head, hashes, rows, why = kept_rows(root, NAME, LARGEST_FILE)
        stale: list[StaleNote] = []
        for path, since, changed in rows:
            changes: list[CodeChange] = []
            for cited, what, moved_to, commits in changed:
                named = tuple((str(short), str(subject)) for short, subject in commits)
                changes.append(CodeChange(str(cited), str(what), str(moved_to), named))
            stale.append(StaleNote(str(path), str(since), tuple(changes)))
        return Evidence(head, dict(hashes), tuple(stale), str(why))
    except (ValueError, TypeError):
        return None


def keep_evidence(root: str, evidence: Evidence) -> None:
    """Keeps it for contexts to come. Nothing is lost where that is not possible."""
    rows = []
    for note in evidence.stale:
        changed = [[one.path, one.what, one.moved_to, one.commits] for one in note.changed]
        rows.append([note.path, note.since, changed])
    text = dump([evidence.head, evidence.hashes, rows, evidence.why])
    try:
        write_kept(root, NAME, text.encode("ascii"))
    except OSError:
        return
