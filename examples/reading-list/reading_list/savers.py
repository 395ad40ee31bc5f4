"""Who saved which link."""

from __future__ import annotations

import sqlite3
from html import escape

LONGEST_NAME = 40


def remember(db: sqlite3.Connection, link_id: int, name: str) -> None:
    """Note who saved a link; a blank name is not kept."""
    tidy = " ".join(name.split())[:LONGEST_NAME].strip()
    if tidy:
        with db:
            db.execute("INSERT OR REPLACE INTO savers VALUES (?, ?)", (link_id, tidy))


def name_of(db: sqlite3.Connection, link_id: int) -> str:
    row = db.execute("SELECT name FROM savers WHERE link_id = ?", (link_id,)).fetchone()
    return row[0] if row else ""


def label(db: sqlite3.Connection, link_id: int) -> str:
    """The words shown after a link on the list."""
    name = name_of(db, link_id)
    return f'<span class="saver">saved by {escape(name)}</span>' if name else ""
