"""Where a project has texts: folder, plan and variables, earlier contexts, conversations. Each is
searched by the use case that knows it.
"""

from __future__ import annotations

from collections import deque

from director_ctx.base.record import Record
from director_ctx.project.find_text import find_in_folder, nearest_in_folder, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.project.find_text import TextLine
    from director_ctx.project.project import Project

    PlaceSearch = Callable[[Project, str], Iterator["SearchHit"]]

MOST = 2000
"""Lines that are looked at in one place; who gets more should ask for more words."""


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
    def locator(self) -> str:
        return f"{self.source}:{self.place}"

    @property
    def shown(self) -> str:
        where = f"{self.place} {self.role}".strip()
        if not where:
            return self.text
        return f"{where}: {self.text}"


def folder(project: Project, text: str) -> Iterator[SearchHit]:
    for line in find_in_folder(project, text):
        yield _hit_of(line)


def nearest(project: Project, text: str) -> Iterator[SearchHit]:
    """Where no line has all of the words."""
    for line in nearest_in_folder(project, text):
        yield _hit_of(line)


def _hit_of(line: TextLine) -> SearchHit:
    return SearchHit(line.text, line.path, str(line.line))


def plan(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.memory.plans.text import plan_markdown
    from director_ctx.memory.variables.display import listing
    from director_ctx.memory.variables.variables import variables
    from director_ctx.tools.plan_actions import plan_now

    fits = pattern(text)
    version = plan_now(project)
    known = ""
    if version:
        known = plan_markdown(version.data, version.number)
    known += listing(variables(project))
    for line in known.splitlines():
        if fits(line):
            yield SearchHit(line.strip())


def contexts(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.memory.runs.find_text import find_in_contexts

    for told in find_in_contexts(project.root, text):
        about = f" ({told.agent}, {told.time[:16]})"
        yield SearchHit(told.text, told.run, told.section, about=about)


def conversations(project: Project, text: str) -> Iterator[SearchHit]:
    from director_ctx.history.sessions.files import short_id
    from director_ctx.history.sessions.search import search

    # The oldest ones come first, and of too many the newest are wanted.
    newest = deque(search(text, project.root, any_order=True), MOST)
    for line in newest:
        about = f" ({line.client})"
        yield SearchHit(line.line, short_id(line.session), str(line.number), line.role, about)


PLACES: dict[str, PlaceSearch] = {
    "folder": folder,
    "plan": plan,
    "contexts": contexts,
    "conversations": conversations,
}
