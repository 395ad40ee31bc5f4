"""The start page: every saved link, newest first."""

from __future__ import annotations

from . import links
from . import read_marks
from . import savers
from . import unread_filter
from .links import Link
from .markup import anchor, page
from .web import Request, Response


def entry(request: Request, link: Link) -> str:
    """One line of the list."""
    parts = [anchor(link.url, link.title)]
    parts.append(savers.label(request.db, link.id))
    parts.append(read_marks.button(request.db, link.id))
    return "<li>" + " ".join(part for part in parts if part) + "</li>"


def show(request: Request) -> Response:
    shown = links.newest_first(request.db)
    menu = [anchor("/add", "Add a link")]
    menu.append(unread_filter.switch(request))
    shown = unread_filter.apply(request, shown)
    entries = "\n".join(entry(request, link) for link in shown)
    body = f"<ul>\n{entries}\n</ul>" if entries else "<p>Nothing to show here yet.</p>"
    return page("Reading list", "<p>" + " | ".join(menu) + "</p>\n" + body)
