"""What a page function receives and returns."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    db: sqlite3.Connection
    query: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    body: str = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    location: str = ""


def redirect(location: str) -> Response:
    """Send the browser on after a form was handled."""
    return Response(status=303, location=location)
