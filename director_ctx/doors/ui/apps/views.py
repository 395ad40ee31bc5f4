"""The plan and the budget as clients show them beside what a tool answered: the templates of the page,
each as one document that needs nothing from elsewhere.
"""

from __future__ import annotations

from importlib import import_module

from director_ctx.doors.ui.pages.table import WebPage
from director_ctx.doors.ui.serving.rendering import rendered
from director_ctx.doors.ui.visit import Visit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

VIEWS = {"plan": ("page.css",), "budget": ("page.css", "told.css")}
"""By its page, the styles that a view has in it."""
LAYOUT = "app.html"


def app_view(project: Project, name: str) -> str | None:
    """The whole document; None where there is no such view."""
    styles = VIEWS.get(name)
    if styles is None:
        return None
    visit = Visit(project, "")
    page = import_module(f"director_ctx.doors.ui.pages.{name}")
    view = page.view(page.data(visit))
    frame = {
        "layout": LAYOUT,
        "page": WebPage(name, "", name.capitalize()),
        "view_styles": styles,
        "link": _no_link,
        "form_token": "",
        "form_token_field": "",
        "read_only": True,
    }
    return rendered(name, **{**view, **frame})


def _no_link(_: str, **__: object) -> str:
    """A frame inside a conversation has nowhere to go; `app.js` takes the links out."""
    return "#"
