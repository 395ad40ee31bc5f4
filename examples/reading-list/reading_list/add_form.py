"""The form that saves a link."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from . import links
from . import savers
from .markup import page, text_field
from .web import Request, Response, redirect


def form(values: dict[str, str], problem: str = "") -> Response:
    """The form with what was typed so far, and what is wrong with it."""
    fields = [text_field("url", "Address", values.get("url", ""))]
    fields.append(text_field("title", "Title", values.get("title", "")))
    fields.append(text_field("saver", "Your name", values.get("saver", "")))
    note = f'<p class="problem">{escape(problem)}</p>\n' if problem else ""
    body = "\n".join(fields) + '\n<button>Save link</button>'
    return page("Add a link", f'{note}<form method="post" action="/add">\n{body}\n</form>',
                400 if problem else 200)


def complaint(url: str, title: str) -> str:
    """What the user should mend, or nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "This does not look like a web address."
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return "The address should start with http:// or https://."
    return "" if title else "Please give the link a title."


def show(request: Request) -> Response:
    return form(request.query)


def save(request: Request) -> Response:
    url = request.form.get("url", "").strip()
    title = request.form.get("title", "").strip()
    problem = complaint(url, title)
    if problem:
        return form(request.form, problem)
    try:
        link_id = links.add(request.db, url, title)
    except links.AlreadySaved:
        return form(request.form, "This address is already on the list.")
    savers.remember(request.db, link_id, request.form.get("saver", ""))
    return redirect("/")
