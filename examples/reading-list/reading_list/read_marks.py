"""Which links have been read."""

from __future__ import annotations

import sqlite3

from .links import now
from .web import Request, Response, redirect


def is_read(db: sqlite3.Connection, link_id: int) -> bool:
    row = db.execute("SELECT 1 FROM read_marks WHERE link_id = ?", (link_id,)).fetchone()
    return row is not None


def set_read(db: sqlite3.Connection, link_id: int, read: bool) -> None:
    """Mark a link as read or unread; doing so twice changes nothing."""
    with db:
        if read:
            db.execute(
                "INSERT OR IGNORE INTO read_marks SELECT id, ? FROM links WHERE id = ?",
                (now(), link_id),
            )
        else:
            db.execute("DELETE FROM read_marks WHERE link_id = ?", (link_id,))


def button(db: sqlite3.Connection, link_id: int) -> str:
    read = is_read(db, link_id)
    text, value = ("Mark as unread", "no") if read else ("Mark as read", "yes")
    return (
        '<form class="mark" method="post" action="/read">'
        f'<input type="hidden" name="id" value="{link_id}">'
        f'<button name="read" value="{value}">{text}</button></form>'
    )


def mark(request: Request) -> Response:
    """Handle the button."""
    link_id = request.form.get("id", "")
    if not (link_id.isascii() and link_id.isdigit() and len(link_id) < 19):
        return redirect("/")
    set_read(request.db, int(link_id), request.form.get("read") == "yes")
    return redirect("/")
