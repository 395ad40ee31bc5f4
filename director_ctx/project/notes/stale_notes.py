"""Which notes may be out of date, as far as somebody looked before: only what was kept is read,
never git asked.
"""

from __future__ import annotations

import os

from director_ctx.base.hashing import digest
from director_ctx.project.dctx_folder import KEPT, kept_path, write_kept
from director_ctx.project.project import FILE
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE, Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.project.notes.evidence import Evidence
    from director_ctx.project.project import Project

NAME = "evidence"


def stale_note_warnings(project: Project) -> Mapping[str, str]:
    """A line for each note that is known to be out of date at this very commit, if the note is
    still the same.
    """
    return project.once("stale notes", lambda: _known_now(project))


def _known_now(project: Project) -> Mapping[str, str]:
    # The usual case: nothing more is loaded for it.
    if not os.path.exists(project.location(f"{KEPT}/{NAME}")):
        return {}
    from director_ctx.project.git.head import head_id
    from director_ctx.project.notes.evidence import warning

    known = kept_evidence(project.root)
    if known is None or not known.stale:
        return {}
    if known.head != head_id(project.root):
        return {}
    warnings: dict[str, str] = {}
    for note in known.stale:
        if note_hash(project, note.path) == note.sha256:
            warnings[note.path] = warning(note)
    return warnings


def note_hash(project: Project, path: str) -> str:
    """The SHA-256 of a note's bytes, or an empty string if there is no such note."""
    data = note_bytes(project, path)
    if data is None:
        return ""
    return digest(data)


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
    """What was found out the last time, whether or not it still holds."""
    from director_ctx.project.notes.evidence import from_text

    place = kept_path(root, NAME)
    if not place or os.path.islink(place):
        return None
    try:
        document = read_document(place, NAME)
    except (OSError, Unreadable):
        return None
    return from_text(document.text)


def keep_evidence(root: str, evidence: Evidence) -> None:
    """Keeps it for contexts to come. Nothing is lost where that is not possible."""
    from director_ctx.project.notes.evidence import to_text

    data = to_text(evidence).encode("utf-8", "replace")
    try:
        write_kept(root, NAME, data)
    except OSError:
        return
