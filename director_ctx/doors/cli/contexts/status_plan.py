"""What `dctx status` says of the plan beyond its files: failed, blocked."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.doors.cli.shared.speak import complain, say
from director_ctx.memory.plans.beside import BesideFiles, beside_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.project.project import Project


def beside(project: Project) -> BesideFiles:
    """Settings or a store that cannot be read are no reason to tell nothing of the files."""
    try:
        # They name the store, and what is wrong with them is not wrong with the plan.
        load_settings(project)
    except DctxError as error:
        complain(error)
        return BesideFiles()
    try:
        return beside_files(project)
    except DctxError as error:
        say(f"warning: what was written into the plan cannot be read: {error.message}", error.hint)
        return BesideFiles()


def beside_lines(known: BesideFiles) -> Iterator[tuple[str, str]]:
    """A line for each kind: the first of them, and how many more there are."""
    failed = [_shown(task) for task in known.failed]
    blockers = [plain(text) for text in known.blockers]
    yield from _first("Failed", failed, "red")
    yield from _first("Blocked", blockers, "red")


def _first(title: str, texts: list[str], style: str) -> Iterator[tuple[str, str]]:
    if not texts:
        return
    line = f"{title}: {texts[0]}"
    left = len(texts) - 1
    if left:
        line += f", and {left:,} more: `dctx plan show`"
    yield line, style


def _shown(task: PhaseTask) -> str:
    shown = f"{plain(task.name)}  {plain(task.description)}"
    notes = _notes(task)
    if notes:
        shown += f": {notes}"
    return shown


def _notes(task: PhaseTask) -> str:
    """On one line, as everything in this list is."""
    notes = task.task.get("notes")
    if not isinstance(notes, str):
        return ""
    return plain(" ".join(notes.split()))
