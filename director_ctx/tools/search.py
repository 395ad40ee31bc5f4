"""Words looked for in all texts of a project (folder, plan and variables, earlier contexts, conversations): where they
stand, the best places first.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from director_ctx.base.answer_pages import call as shown_call
from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import counted
from director_ctx.project.find_text import find_in_folder, nearest_in_folder, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from director_ctx.project.find_text import TextLine
    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

MOST = 2000
"""Lines that are looked at in one place; who gets more should ask for more words."""
MOST_SHOWN = 200
FEW = 6
"""Lines of one document or conversation, where all places are searched."""
NARROWER = " Or search one place by `where`."


class SearchHit(Record):
    """A line with the words."""

    text: str
    source: str = ""
    """The document, conversation or context; empty where there is only one."""
    place: str = ""
    """Where in it."""
    role: str = ""
    about: str = ""
    """What is to be known of the source."""

    @property
    def shown(self) -> str:
        where = f"{self.place} {self.role}".strip()
        return f"{where}: {self.text}" if where else self.text


def run(call: ToolCall, values: dict[str, Any]) -> str:
    text = values["text"].strip()
    if not text:
        raise UsageProblem("What is to be searched for?", "Give a word or two.")
    project = call.project()
    places = [values["where"]] if values["where"] else list(PLACES)
    hits: dict[str, list[SearchHit]] = {}
    failures: list[str] = []
    for number, place in enumerate(places):
        call.progress(number, len(places), f"Searching {place}")
        try:
            hits[place] = list(islice(PLACES[place](project, text), MOST))
        except DctxError as error:
            # One place that cannot be read does not hide what the others have.
            failures.append(f"{place} was not searched: {error.message}")
    is_few = len(places) > 1
    if is_few:
        # What was told earlier, and does not stand in the folder now just the same.
        now = {hit.text for hit in hits.get("folder", ())}
        hits["contexts"] = [hit for hit in hits.get("contexts", ()) if hit.text not in now]
    answer = _shown(project, text, hits, is_few)
    return page_of("\n".join([*failures, answer]), "search", values, NARROWER)


# --- Each place is searched by the use case that knows it ---


def _folder(project: Project, text: str) -> Iterator[SearchHit]:
    return map(_hit_of, find_in_folder(project, text))


def _hit_of(line: TextLine) -> SearchHit:
    return SearchHit(line.text, line.path, str(line.line))


def _plan(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.memory.plans.text import plan_markdown
    from director_ctx.memory.variables.display import listing
    from director_ctx.memory.variables.variables import variables
    from director_ctx.tools.plan import plan_now

    fits = pattern(text)
    version = plan_now(project)
    known = plan_markdown(version.data, version.number) if version else ""
    for line in (known + listing(variables(project))).splitlines():
        if fits(line):
            yield SearchHit(line.strip())


def _contexts(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.memory.runs.find_text import find_in_contexts

    for told in find_in_contexts(project.root, text):
        about = f" ({told.agent}, {told.time[:16]})"
        yield SearchHit(told.text, told.run, told.section, about=about)


def _conversations(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.history.sessions.files import short_id
    from director_ctx.history.sessions.search import search

    # The oldest ones come first, and of too many the newest are wanted.
    for line in deque(search(text, project.root, any_order=True), MOST):
        about = f" ({line.client})"
        yield SearchHit(line.line, short_id(line.session), str(line.number), line.role, about)


PLACES = {
    "folder": _folder,
    "plan": _plan,
    "contexts": _contexts,
    "conversations": _conversations,
}


# --- What was found ---


def _shown(project: Project, text: str, hits: dict[str, list[SearchHit]], is_few: bool) -> str:
    sizes: list[str] = []
    blocks: list[str] = []
    more = ""
    for place, here in hits.items():
        if here:
            groups = _grouped(here)
            # The newest conversation first, the document that is about the words first.
            if place == "conversations":
                groups.reverse()
            if place == "folder":
                groups.sort(key=lambda group: -_worth(group, text))
            more = more or _how_to_read_on(groups)
            sizes.append(f"{place} ({counted(len(here), 'line')})")
            blocks.append(_block(place, groups, is_few))
    if blocks:
        return "\n\n".join([f"Found in {', '.join(sizes)}.{more}", *blocks]) + "\n"
    if "folder" not in hits or " " not in text:
        return f"Nothing was found in {', '.join(hits)}.\n"
    near = _grouped(map(_hit_of, islice(nearest_in_folder(project, text), MOST)))
    if not near:
        return f"Nothing in {', '.join(hits)} has even two of these words: search for other ones.\n"
    heading = "No line has all of these words; these documents have most of them."
    return f"{heading}{_how_to_read_on(near)}\n\n{_block('folder', near, is_few=True)}\n"


def _grouped(hits: Iterable[SearchHit]) -> list[list[SearchHit]]:
    """Those of one source together."""
    groups: dict[str, list[SearchHit]] = {}
    for hit in hits:
        groups.setdefault(hit.source, []).append(hit)
    return list(groups.values())


def _how_to_read_on(groups: list[list[SearchHit]]) -> str:
    """The call for more of the best place, as an example for all of them; the plan has its own tool."""
    for first, *_ in groups:
        if first.source:
            locator = {"locator": f"{first.source}:{first.place}"}
            return f" To read on at one of these places: {shown_call('original', locator)}."
    return ""


def _worth(hits: list[SearchHit], text: str) -> int:
    """A title with the words, then the words side by side, then how many lines have them."""
    titles = sum(hit.text.startswith("# ") for hit in hits)
    phrases = sum(" " in text and text.lower() in hit.text.lower() for hit in hits)
    return min(len(hits), 50) + 200 * titles + 100 * phrases


def _block(place: str, groups: list[list[SearchHit]], is_few: bool) -> str:
    lines = [f"{place}:"]
    most = FEW if is_few else MOST_SHOWN
    for hits in groups:
        indent = "  "
        if hits[0].source:
            lines.append(f"  {hits[0].source}{hits[0].about}")
            indent = "    "
        lines += [f"{indent}{hit.shown}" for hit in hits[:most]]
        if len(hits) > most:
            lines.append(f"{indent}(and {counted(len(hits) - most, 'more line')})")
    if len(lines) > MOST_SHOWN:
        lines[MOST_SHOWN:] = ["  (and more: use more words, or other ones)"]
    return "\n".join(lines)
