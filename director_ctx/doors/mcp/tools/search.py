"""Words looked for wherever a project has texts: each place by the use case that knows it."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import counted
from director_ctx.project.find_text import find_in_folder, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.project.project import Project

    Search = Callable[[Project, str], Iterator[str]]

MOST = 200
"""Lines that one place may give; who gets more should ask for more words."""


def run(service: Service, call: ClientCall, values: dict[str, Any]) -> str:
    text = values["text"].strip()
    if not text:
        raise UsageProblem("What is to be searched for?", "Give a word or two.")
    project = service.project()
    places = list(PLACES)
    if values["where"]:
        places = [values["where"]]

    blocks = []
    for number, place in enumerate(places):
        call.progress(number, len(places), f"Searching {place}")
        blocks += _block(project, place, text, call)
    if not blocks:
        return f"Nothing was found in {', '.join(places)}."
    return page_of("\n\n".join(blocks) + "\n", "search", values, " Or search one place by `where`.")


def _block(project: Project, place: str, text: str, call: ClientCall) -> list[str]:
    """The lines of one place under its name; none where nothing was found."""
    lines = []
    try:
        for line in PLACES[place](project, text):
            call.check()
            lines.append(line)
            if len(lines) > MOST:
                break
    except DctxError as error:
        # One place that cannot be read does not hide what the others have.
        return [f"{place}: not searched: {error.message}"]
    if not lines:
        return []
    if len(lines) > MOST:
        lines[MOST:] = [f"(and more than {counted(MOST, 'line')}: use more words)"]
    return ["\n".join([f"{place}:", *lines])]


def _folder(project: Project, text: str) -> Iterator[str]:
    for line in find_in_folder(project, text):
        yield f"  {line.path}:{line.line}: {line.text}"


def _plan(project: Project, text: str) -> Iterator[str]:
    from director_ctx.memory.plans.plan import current_plan
    from director_ctx.memory.plans.text import plan_markdown
    from director_ctx.memory.variables.display import listing
    from director_ctx.memory.variables.variables import variables

    fits = pattern(text)
    version = current_plan(project)
    known = ""
    if version:
        known = plan_markdown(version.data, version.number)
    known += listing(variables(project))
    for line in known.splitlines():
        if fits(line):
            yield f"  {line.strip()}"


def _contexts(project: Project, text: str) -> Iterator[str]:
    from director_ctx.memory.runs.find_text import find_in_contexts

    for told in find_in_contexts(project.root, text):
        yield f"  {told.time[:16]} {told.agent}, {told.section}: {told.text}"


def _conversations(project: Project, text: str) -> Iterator[str]:
    from director_ctx.history.sessions.files import short_id
    from director_ctx.history.sessions.search import search

    for line in search(text, project.root):
        yield f"  {short_id(line.session)}:{line.number} {line.role}: {line.line}"


PLACES: dict[str, Search] = {
    "folder": _folder,
    "plan": _plan,
    "contexts": _contexts,
    "conversations": _conversations,
}
