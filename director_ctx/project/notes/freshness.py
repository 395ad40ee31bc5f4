"""Notes judged by what happened in the repository since they were written; asked of git only if
something is new.
"""

from __future__ import annotations

from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.project.git.head import head_id
from director_ctx.project.notes.citations import citations
from director_ctx.project.notes.evidence import Cited, Evidence, StaleNote
from director_ctx.project.notes.stale_notes import keep_evidence, kept_evidence, note_bytes
from director_ctx.project.project import note_names
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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

        if not self.why:
            return ""
        return REMEDIES.get(self.why, REMEDY)


def freshness(project: Project) -> Freshness:
    """Judges every codebase and research note, or takes what was found before if neither notes nor
    HEAD changed.
    """
    notes = list(_cited_notes(project))
    if not any(note.paths for note in notes):
        return Freshness()
    evidence = kept_evidence(project.root)
    if evidence is None or not _still_holds(evidence, project, notes):
        evidence = _gather(project, notes)
    return Freshness(evidence.stale, evidence.why)


def _still_holds(known: Evidence, project: Project, notes: list[Cited]) -> bool:
    """Whether nothing is new. The rest of a shallow clone's history may be, though HEAD and the
    notes are the same.
    """
    from director_ctx.project.notes.git_evidence import SHALLOW

    if known.why == SHALLOW:
        return False
    hashes = {note.path: note.sha256 for note in notes}
    return known.hashes == hashes and known.head == head_id(project.root)


def _gather(project: Project, notes: list[Cited]) -> Evidence:
    from director_ctx.project.git.child import NO_REPOSITORY
    from director_ctx.project.git.log import in_repository
    from director_ctx.project.notes.git_evidence import gather

    if not in_repository(project.root):
        return Evidence("", {}, (), NO_REPOSITORY)
    evidence = gather(project.root, notes)
    # Without a commit there is nothing that it could be kept for.
    if evidence.head:
        keep_evidence(project.root, evidence)
    return evidence


def note_paths(project: Project) -> Iterator[str]:
    """Every note that describes code or what was found out: by folder, then by step."""
    for name in ("codebase", "research"):
        folder = f"{FOLDER}/{name}"
        for note in note_names(project, folder):
            yield f"{folder}/{note}.md"
    for goal in project.goals():
        for step in project.steps(goal):
            if "RESEARCH.md" in project.listing(step.path):
                yield f"{step.path}/RESEARCH.md"


def _cited_notes(project: Project) -> Iterator[Cited]:
    for path in note_paths(project):
        data = note_bytes(project, path)
        if data is None:
            continue
        folder, _, _ = path.rpartition("/")
        text = project.text(path)
        outside: list[str] = []
        for cited in citations(text, folder):
            # What is in `.director/` is about the project, not of it.
            if FOLDER not in cited.split("/"):
                outside.append(cited)
        yield Cited(
            path=path,
            location=project.location(path),
            data=data,
            sha256=digest(data),
            paths=tuple(outside),
        )
