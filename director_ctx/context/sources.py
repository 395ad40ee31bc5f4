"""Which documents a context is made of: decided by names alone, before any of them is read."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.instructions import Extras, Spot
from director_ctx.context.selection import choose_codebase, choose_research, is_summary
from director_ctx.context.settings import tags
from director_ctx.context.settings.request import removed_tags
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.context.sections import Part, Remembered
    from director_ctx.context.selection import Choice
    from director_ctx.context.settings.keywords import Subject
    from director_ctx.context.settings.request import Request
    from director_ctx.project.reading.model import Document


FILES = {
    tags.VISION: f"{FOLDER}/VISION.md",
    tags.GAMEPLAN: f"{FOLDER}/GAMEPLAN.md",
    tags.RESEARCH_SUMMARY: f"{FOLDER}/research/SUMMARY.md",
    tags.CODEBASE_SUMMARY: f"{FOLDER}/codebase/SUMMARY.md",
    tags.STATE: f"{FOLDER}/STATE.md",
}
"""Sections that are a file of the project."""
STEP_FILES = {
    tags.STEP: "STEP.md",
    tags.DECISIONS: "STEP.md",
    tags.STEP_RESEARCH: "RESEARCH.md",
}
"""Sections that come from a file of the step."""
NOTES: dict[str, Callable[..., Choice]] = {
    tags.RESEARCH: choose_research,
    tags.CODEBASE: choose_codebase,
}
"""Sections of several notes, and the rule that chooses them."""
SUMMARIZED = {
    tags.RESEARCH_SUMMARY: (tags.RESEARCH, tags.STEP_RESEARCH),
    tags.CODEBASE_SUMMARY: (tags.CODEBASE,),
}
"""A summary, and the sections that the ladder may put it in place of."""


class Sources(Record):
    """Where each section of a context comes from."""

    tags: tuple[str, ...]
    """The sections to draft, in their order."""
    files: Mapping[str, str]
    """By tag, the path of the one document that it is made of."""
    absent: Mapping[str, str]
    """By tag, why there is no such document."""
    notes: Mapping[str, Choice]
    """By tag, which of several notes were chosen."""
    summaries: Mapping[str, str]
    """By tag, the paths of what the ladder may put in place of longer sections."""
    subject: Subject
    """What the task is about."""
    unasked: Mapping[str, tuple[str, ...]] = {}
    """By tag, where an option named notes, those that the agent gets without it."""

    def paths(self, tag: str) -> tuple[str, ...]:
        """The documents of one section, in the order in which they stand there."""
        if tag in self.notes:
            return tuple(note_path(tag, name) for name in self.notes[tag].files)
        if tag in self.files:
            return (self.files[tag],)
        return ()


class Material(Record):
    """What the outside world supplied for one assembly."""

    documents: Mapping[str, Document]
    """By path; what is not there has none."""
    stale: Mapping[str, str]
    """By path, the line that says a file may be out of date."""
    template: str
    spot: Spot = Spot()
    task: str = ""
    extras: Extras = Extras()
    references: tuple[Part, ...] = ()
    recent: tuple[str, ...] = ()
    recent_why: str = ""
    recent_late: bool = False
    """Whether git was not done with them in time."""
    remembered: Mapping[str, Remembered] = {}
    """By tag."""


def note_path(tag: str, name: str) -> str:
    return f"{notes_folder(tag)}/{name}.md"


def notes_folder(tag: str) -> str:
    """The folder of a section's notes has the name of its tag."""
    return f"{FOLDER}/{tag}"


def section_tags(wanted: Sequence[str], request: Request, has_references: bool) -> tuple[str, ...]:
    """The wanted tags, and those that an option brings in by naming files."""
    brought: set[str] = set()
    for tag, names in ((tags.CODEBASE, request.codebase), (tags.RESEARCH, request.research)):
        if names:
            brought.add(tag)
        if any(map(is_summary, names)):
            brought.add(f"{tag}_summary")
    if has_references:
        brought.add(tags.REFERENCE)
    brought.difference_update(removed_tags(request))

    chosen = [tag for tag in tags.TAGS if tag in wanted or tag in brought]
    if tags.COST in chosen:
        # It counts all others, so it comes after them.
        chosen.remove(tags.COST)
        chosen.append(tags.COST)
    return tuple(chosen)


def choose_sources(
    chosen_tags: tuple[str, ...],
    notes: Mapping[str, Choice],
    subject: Subject,
    request: Request,
    step_path: str,
) -> Sources:
    """The documents for these sections. `notes` were chosen by `NOTES`, for the tags among them."""
    files: dict[str, str] = {}
    absent: dict[str, str] = {}
    for tag in chosen_tags:
        if tag in FILES:
            files[tag] = FILES[tag]
        elif tag in STEP_FILES:
            why = _why_no_step_file(tag, request, step_path)
            if why:
                absent[tag] = why
            else:
                files[tag] = f"{step_path}/{STEP_FILES[tag]}"

    summaries = _summaries(chosen_tags, request)
    return Sources(chosen_tags, files, absent, notes, summaries, subject)


def _why_no_step_file(tag: str, request: Request, step_path: str) -> str:
    """Why a section has no document of the step; nothing where it has."""
    if tag == tags.STEP_RESEARCH and not request.step:
        return "no step was named with --step"
    if step_path:
        return ""
    if tag == tags.DECISIONS:
        return "there is no step to decide on"
    if request.quick:
        return "no step was named"
    return "there is no step yet"


def _summaries(chosen_tags: Sequence[str], request: Request) -> dict[str, str]:
    removed = removed_tags(request)
    summaries = {}
    for summary, longer in SUMMARIZED.items():
        replaces_something = any(tag in chosen_tags for tag in longer)
        if replaces_something and summary not in removed:
            summaries[summary] = FILES[summary]
    return summaries
