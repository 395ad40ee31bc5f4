"""The choice between all links and the unread ones."""

from __future__ import annotations

from .links import Link
from .markup import anchor
from .read_marks import is_read
from .web import Request


def wanted(request: Request) -> bool:
    return request.query.get("show") == "unread"


def switch(request: Request) -> str:
    """The menu entry that changes to the other choice."""
    if wanted(request):
        return anchor("/", "Show all")
    return anchor("/?show=unread", "Show only unread")


def apply(request: Request, links: list[Link]) -> list[Link]:
    if not wanted(request):
        return links
    return [link for link in links if not is_read(request.db, link.id)]
