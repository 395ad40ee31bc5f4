"""Words looked for wherever a project has texts: where they stand, the best places first."""

from __future__ import annotations

from director_ctx.base.answer_pages import call as shown_call
from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import counted
from director_ctx.tools.search_places import MOST, PLACES, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.call import ToolCall
    from director_ctx.tools.search_places import SearchHit
    from director_ctx.tools.service import ToolService

    Hits = list[SearchHit]
    Groups = dict[str, Hits]

MOST_SHOWN = 200
FEW = 6
"""Lines of one document or conversation, where all places are searched."""
NARROWER = " Or search one place by `where`."


def run(service: ToolService, call: ToolCall, values: dict[str, Any]) -> str:
    text = values["text"].strip()
    if not text:
        raise UsageProblem("What is to be searched for?", "Give a word or two.")
    project = service.project()
    places = list(PLACES)
    if values["where"]:
        places = [values["where"]]

    hits: dict[str, Hits] = {}
    failures: list[str] = []
    for number, place in enumerate(places):
        call.progress(number, len(places), f"Searching {place}")
        try:
            hits[place] = _first_of(PLACES[place](project, text))
        except DctxError as error:
            # One place that cannot be read does not hide what the others have.
            failures.append(f"{place} was not searched: {error.message}")
    if len(places) > 1:
        hits["contexts"] = _not_in_folder(hits)

    answer = _shown(project, text, hits, len(places) > 1)
    return page_of("\n".join([*failures, answer]), "search", values, NARROWER)


def _first_of(every_hit: Iterator[SearchHit]) -> Hits:
    hits = []
    for hit in every_hit:
        hits.append(hit)
        if len(hits) == MOST:
            break
    return hits


def _not_in_folder(hits: dict[str, Hits]) -> Hits:
    """What was told earlier, and does not stand in the folder now just the same."""
    now = {hit.text for hit in hits.get("folder", ())}
    return [hit for hit in hits.get("contexts", ()) if hit.text not in now]


def _shown(project: Project, text: str, hits: dict[str, Hits], few: bool) -> str:
    sizes = []
    blocks = []
    more = ""
    for place, here in hits.items():
        if here:
            groups = _ranked(place, here, text)
            more = more or _how_to_read_on(groups)
            sizes.append(f"{place} ({counted(len(here), 'line')})")
            blocks.append(_block(place, groups, few))
    if blocks:
        heading = f"Found in {', '.join(sizes)}.{more}"
        return "\n\n".join([heading, *blocks]) + "\n"

    if "folder" in hits and " " in text:
        near = _grouped(_first_of(nearest(project, text)))
        if near:
            heading = f"No line has all of these words; these documents have most of them.{_how_to_read_on(near)}"
            return f"{heading}\n\n{_block('folder', near, few=True)}\n"
        return f"Nothing in {', '.join(hits)} has even two of these words: search for other ones.\n"
    return f"Nothing was found in {', '.join(hits)}.\n"


def _how_to_read_on(groups: Groups) -> str:
    """The call for more of the best place, as an example for all of them; the plan has its own tool."""
    for source, hits in groups.items():
        if source:
            locator = {"locator": hits[0].locator}
            return f" To read on at one of these places: {shown_call('original', locator)}."
    return ""


def _grouped(hits: Hits) -> Groups:
    groups: Groups = {}
    for hit in hits:
        groups.setdefault(hit.source, []).append(hit)
    return groups


def _ranked(place: str, hits: Hits, text: str) -> Groups:
    """The newest conversation first, the document that is about the words first."""
    groups = list(_grouped(hits).items())
    if place == "conversations":
        groups.reverse()
    if place == "folder":
        groups.sort(key=lambda group: -_worth(group[1], text))
    return dict(groups)


def _worth(hits: Hits, text: str) -> int:
    """A title with the words, then the words side by side, then how many lines have them."""
    worth = min(len(hits), 50)
    for hit in hits:
        if hit.text.startswith("# "):
            worth += 200
        if " " in text and text.lower() in hit.text.lower():
            worth += 100
    return worth


def _block(place: str, groups: Groups, few: bool) -> str:
    lines = [f"{place}:"]
    most = MOST_SHOWN
    if few:
        most = FEW
    for source, hits in groups.items():
        indent = "  "
        if source:
            lines.append(f"  {source}{hits[0].about}")
            indent = "    "
        for hit in hits[:most]:
            lines.append(f"{indent}{hit.shown}")
        if len(hits) > most:
            lines.append(f"{indent}(and {counted(len(hits) - most, 'more line')})")
    if len(lines) > MOST_SHOWN:
        lines[MOST_SHOWN:] = ["  (and more: use more words, or other ones)"]
    return "\n".join(lines)
