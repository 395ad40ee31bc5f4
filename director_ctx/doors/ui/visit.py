"""One request, as pages see it: whose project, which address, and what was asked for."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.doors.ui.running_chats import RunningChats
    from director_ctx.project.project import Project

    Json = dict[str, Any]


PROGRESS = "progress"


class NotThere(DctxError):
    """What an address names does not exist, or no longer."""


def _nobody(event: str, value: object) -> None:
    """Where no page is open."""


class Visit(Record):
    """The folder is read anew for each, so that a page never shows what was."""

    project: Project
    name: str
    """The project's, as it stands in addresses."""
    parts: Mapping[str, str] = {}
    """What the address names, such as a task."""
    query: Mapping[str, str] = {}
    tell: Callable[[str, object], None] = _nobody
    """Says something to every open page of the project; it may be called from any thread."""
    chats: RunningChats | None = None
    """Where a server runs, the chats that a model is answering."""

    def progress(self, name: str, part: int, whole: int, says: str = "") -> None:
        """How far something is; pages show it where they have `data-progress="NAME"`."""
        self.tell(PROGRESS, {"name": name, "part": part, "whole": whole, "says": says})

    def asked(self, name: str, default: str = "") -> str:
        return self.query.get(name, default)

    def link(self, address: str, **query: object) -> str:
        return link_to(self.name, address, **query)


class TakeBack(Record):
    """The form that takes an action back, where one step does."""

    address: str
    fields: Mapping[str, str]


class Done(Record):
    """What an action did, in a sentence, and which address shows it; without one, where it shows by itself."""

    says: str
    then: str
    undo: TakeBack | None = None


def link_to(project: str, address: str, **query: object) -> str:
    """The address of a page of a project; what is asked for and empty is left out."""
    # A name of a file may be no text; then the link leads to what is not there.
    where = f"/{quote(project)}/{quote(address, errors='replace')}"
    asked = {}
    for name, value in query.items():
        if value not in (None, ""):
            asked[name] = value
    if asked:
        where += f"?{urlencode(asked, errors='replace')}"
    return where


def number_in(text: str, what: str) -> int:
    """A number of an address or a form."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotThere(f"{text[:40]!r} is not {what}.", "Go back, and follow a link of the page.")
    return int(text)
