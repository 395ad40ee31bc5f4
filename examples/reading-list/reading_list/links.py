"""Saved links: one SQLite file, one row per link."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

SCHEMA = Path(__file__).with_name("schema.sql")


@dataclass(frozen=True)
class Link:
    id: int
    url: str
    title: str
    saved_at: str


class AlreadySaved(Exception):
    """The address is on the list."""


def connect(path: str) -> sqlite3.Connection:
    """Open the file of links; create it and any missing table."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = ON")
    db.executescript(SCHEMA.read_text(encoding="utf-8"))
    return db


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def add(db: sqlite3.Connection, url: str, title: str) -> int:
    """Save a link and return its id."""
    try:
        with db:
            row = db.execute(
                "INSERT INTO links (url, title, saved_at) VALUES (?, ?, ?)", (url, title, now())
            )
    except sqlite3.IntegrityError:
        raise AlreadySaved(url) from None
    assert row.lastrowid is not None
    return row.lastrowid


def newest_first(db: sqlite3.Connection) -> list[Link]:
    rows = db.execute("SELECT id, url, title, saved_at FROM links ORDER BY id DESC")
    return [Link(*row) for row in rows]
