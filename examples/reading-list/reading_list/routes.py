"""Which function answers which address."""

from __future__ import annotations

from collections.abc import Callable

from . import add_form
from . import list_page
from . import markup
from . import read_marks
from .web import Request, Response

ROUTES: dict[tuple[str, str], Callable[[Request], Response]] = {
    ("GET", "/"): list_page.show,
    ("GET", "/style.css"): markup.style_sheet,
    ("GET", "/add"): add_form.show,
    ("POST", "/add"): add_form.save,
    ("POST", "/read"): read_marks.mark,
}


def not_found(request: Request) -> Response:
    return markup.page("Not found", "<p>There is no such page.</p>", 404)


def answer(method: str, path: str, request: Request) -> Response:
    return ROUTES.get((method, path), not_found)(request)
