"""What else a plan brings: the vision, notes and reference, and documents in the folder of a step."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.documents import vision_document
from director_ctx.other_plans.model import OtherDocument, OtherStep
from director_ctx.other_plans.place import REMOVED
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import mark_of
from director_ctx.project.templates import is_template_vision
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.model import OtherPlan, OtherVision
    from director_ctx.other_plans.place import PlacedUnit
    from director_ctx.project.project import Project
    from director_ctx.project.taken import TakenPlan

MARK = "text"
DOC = "doc:"
VISION = "VISION.md"
LARGEST = 2_000_000
_PLACE = re.compile(
    r"(?:reference|research|codebase)/[\w.+ -]{1,120}\.(?:md|txt)|[\w.+-]{1,80}\.md"
)
MADE, CHANGED, KEPT, SAME, UNFIT = "made", "changed", "kept", "same", "unfit"


class SideDocument(Record):
    """A document, where it goes, and what is done about it."""

    key: str
    at: str
    """Below `.director/`."""
    text: str
    origin: str
    state: str

    @property
    def writes(self) -> bool:
        return self.state in (MADE, CHANGED)


def side_documents(
    project: Project, before: TakenPlan, plan: OtherPlan, placed: Sequence[PlacedUnit]
) -> Iterator[SideDocument]:
    vision = _vision(project, before, plan)
    documents = [*plan.documents]
    yield vision
    if vision.state == KEPT and _says_something(plan.vision):
        documents.append(OtherDocument(VISION, vision.text, ""))

    told: set[str] = set()
    for document in documents:
        if document.path in told:
            continue
        told.add(document.path)
        own = _document(project, before, document, document.path)
        if document.path != VISION:
            yield own
        beside = _beside(project, before, document, plan.format)
        is_somebodys = own.state == KEPT and own.key not in before.units
        if is_somebodys or beside.key in before.units:
            yield beside
    for unit in placed:
        if isinstance(unit.other, OtherStep) and unit.state != REMOVED:
            for document in unit.other.documents:
                yield _document(project, before, document, f"{unit.at}/{document.path}")


def _says_something(vision: OtherVision) -> bool:
    return bool(vision.decisions) or any(text.strip() for _, text in vision.sections)


def _beside(
    project: Project, before: TakenPlan, document: OtherDocument, tool: str
) -> SideDocument:
    """Where it goes when its place is taken by what somebody wrote, or another tool's plan brought."""
    name = document.path.rpartition("/")[2]
    path = f"reference/{tool}-{name}"
    return _document(project, before, document.replace(path=path), path)


def _vision(project: Project, before: TakenPlan, plan: OtherPlan) -> SideDocument:
    text = vision_document(plan.vision, project_name(project), plan.format)
    here = project.text(f"{FOLDER}/{VISION}")
    key = f"{DOC}{VISION}"
    state = _state(before, key, here, text)

    # A run that was ended may have written it down and not written it.
    is_owed = key not in before.units or before.unfinished
    says_nothing = not here.strip() or is_template_vision(here)
    if is_owed and says_nothing:
        state = MADE
    return SideDocument(key, VISION, text, "", state)


def _document(
    project: Project, before: TakenPlan, document: OtherDocument, at: str
) -> SideDocument:
    key = f"{DOC}{document.path}"
    if at != document.path:
        key = f"{DOC}{at}"
    text = document.text.strip("\n") + "\n"
    if not _PLACE.fullmatch(document.path) or len(text) > LARGEST or ".." in document.path:
        return SideDocument(key, at, text, document.origin, UNFIT)
    here = project.text(f"{FOLDER}/{at}")
    is_there = bool(project.kind(f"{FOLDER}/{at}"))
    state = _state(before, key, here, text)
    if key not in before.units:
        state = KEPT if is_there else MADE
    elif not is_there:
        # Somebody has removed it, and does not want it; or it was never written.
        state = MADE if before.unfinished else SAME
    if is_there and here == text:
        state = SAME
    return SideDocument(key, at, text, document.origin, state)


def _state(before: TakenPlan, key: str, here: str, text: str) -> str:
    """Of a document that is there: whether only the source has changed it, or somebody here."""
    recorded = before.units.get(key)
    written = recorded.marks.get(MARK, "") if recorded else ""
    if mark_of(text) == written or here.strip() == text.strip():
        return SAME
    if mark_of(here) == written:
        return CHANGED
    return KEPT
