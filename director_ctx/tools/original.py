"""A whole text by its locator: what was cut from a conversation, or a place that a search shows."""

from __future__ import annotations

from director_ctx.base.answer_pages import call as shown_call
from director_ctx.base.answer_pages import page_of, page_with_line
from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.history.retrieve.answering import asked_for, original_page
from director_ctx.memory.archive.originals import MARK, find
from director_ctx.memory.store.open import open_store
from director_ctx.project.find_text import documents
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

LONGEST_SHOWN = 80


def run(call: ToolCall, values: dict[str, Any]) -> str:
    """Out of this project alone: what was cut or said elsewhere is not this client's business."""
    project = call.project()
    locator = values["locator"].strip()
    source, _, place = locator.rpartition(":")
    if locator.startswith(f"{FOLDER}/"):
        return _document(project, locator, values)
    if source and not locator.startswith(MARK):
        return page_of(_said(project, source, place), "original", values)

    def look_up(wanted: str) -> str | None:
        with open_store(project) as store:
            return find(store, wanted)

    return original_page("original", asked_for(values), look_up)


def _document(project: Project, locator: str, values: dict[str, Any]) -> str:
    """All of it, from the page with the line on."""
    path, _, number = locator.rpartition(":")
    if not number.isdecimal():
        path, number = locator, "1"
    # Only what is listed can be read, so no path leads out of the folder.
    if path not in documents(project):
        raise DctxError(
            f"There is no document {plain(path[:LONGEST_SHOWN])}.", "`search` shows those that are."
        )
    text = project.text(path)
    if not values["page"]:
        values = {**values, "page": page_with_line(text, int(number[:9]))}
    return page_of(text, "original", values)


def _said(project: Project, source: str, place: str) -> str:
    """A message of a conversation by its number, or a section of an earlier context by its name."""
    # Whoever brings a cut text back needs neither.
    from director_ctx.history.sessions.transcript import message_text
    from director_ctx.memory.runs.find_text import told

    if place.isdecimal():
        number = int(place[:9])
        text = message_text(project.root, source, number)
        next_one = shown_call("original", {"locator": f"{source}:{number + 1}"})
        return f"{text}\n\n[The next message: {next_one}.]\n"
    section = told(project.root, source, place)
    if section is None:
        raise DctxError(
            f"No context {plain(source[:LONGEST_SHOWN])} with such a section is kept.",
            "Only the texts of the last contexts are; `search` shows them.",
        )
    return section
