"""The frame around every page, and small pieces of HTML."""

from __future__ import annotations

from html import escape
from pathlib import Path

from .web import Request, Response

STYLE = Path(__file__).with_name("style.css")

FRAME = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="/style.css">
<h1>{title}</h1>
{body}
</html>
"""


def page(title: str, body: str, status: int = 200) -> Response:
    """A whole page; `title` is escaped here, `body` must be HTML already."""
    return Response(FRAME.format(title=escape(title), body=body), status)


def anchor(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def text_field(name: str, label: str, value: str = "") -> str:
    return f'<label>{escape(label)} <input name="{name}" value="{escape(value)}"></label>'


def style_sheet(request: Request) -> Response:
    return Response(STYLE.read_text(encoding="utf-8"), content_type="text/css; charset=utf-8")
