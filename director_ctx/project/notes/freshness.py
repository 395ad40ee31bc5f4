"""Notes judged by what happened in the repository since they were written; asked of git only if
something is new.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.git.head import head_id
from director_ctx.project.notes.evidence import Evidence, StaleNote
from director_ctx.project.notes.stale_notes import keep_evidence, kept_evidence, note_bytes
from director_ctx.project.project import note_names
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.notes.git_evidence import Cited
    from director_ctx.project.project import Project


class Freshness(Record):
    """The notes that are out of date."""

    notes: tuple[StaleNote, ...] = ()
    why: str = ""
    """Why it is not known of all notes, if it is not."""

    @property
    def remedy(self) -> str:
        """What to do so that it is known."""
        from director_ctx.project.notes.git_evidence import REMEDIES, REMEDY

        return REMEDIES.get(self.why, REMEDY) if self.why else ""


def freshness(project: Project) -> Freshness:
    """Judges every codebase and research note, or takes what was found before if neither notes nor
    HEAD changed.
    """
    notes = list(_cited(project))
    if not any(note.paths for note in notes):
        return Freshness()
    known = kept_evidence(project.root)
    if known is None or not _holds(known, project, notes):
        known = _gather(project, notes)
    return Freshness(known.stale, known.why)


def _holds(known: Evidence, project: Project, notes: list[Cited]) -> bool:
    """Whether nothing is new. The rest of a shallow clone's history may be, though HEAD and the
    notes are the same.
    """
    from director_ctx.project.notes.git_evidence import SHALLOW

    same = known.hashes == {note.path: note.sha256 for note in notes} and known.head == head_id(
        project.root
    )
    return same and known.why != SHALLOW


def _gather(project: Project, notes: list[Cited]) -> Evidence:
    from director_ctx.project.git.log import in_repository

    if not in_repository(project.root):
        return Evidence("", {}, (), "this is not a git repository")
    from director_ctx.project.notes.git_evidence import gather

    found = gather(project.root, notes)
    if found.head:
        keep_evidence(project.root, found)
    return found


def note_paths(project: Project) -> Iterator[str]:
    """Every note that describes code or what was found out: by folder, then by step."""
    for folder in ("codebase", "research"):
        yield from (
            f"{FOLDER}/{folder}/{name}.md" for name in note_names(project, f"{FOLDER}/{folder}")
        )
    for goal in project.goals():
        for step in project.steps(goal):
            if "RESEARCH.md" in project.listing(step.path):
                yield f"{step.path}/RESEARCH.md"


def _cited(project: Project) -> Iterator[Cited]:
    from director_ctx.base.hashing import digest
    from director_ctx.project.notes.citations import citations
    from director_ctx.project.notes.git_evidence import Cited

    for path in note_paths(project):
        data = note_bytes(project, path)
        if data is not None:
            paths = citations(project.text(path), path.rpartition("/")[0])
            outside = tuple(one for one in paths if FOLDER not in one.split("/"))
            yield Cited(path, project.location(path), data, digest(data), outside)
