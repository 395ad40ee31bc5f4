"""Finds a text in the conversations of a project, whatever client had them, archived ones too."""

from __future__ import annotations

import re

from director_ctx.errors import DctxError, UsageProblem
from director_ctx.outside.sessions import STORE, files, look
from director_ctx.record import Record
from director_ctx.wiring.sessions import choose, place_of, read_bytes
from director_ctx.wiring.told import told, told_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.wiring.told import Told

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;()\[\]{}+*=?!@#$%^&~|-]+")
"""What stands in a file as it is, however JSON is written."""
AROUND = 120


class Match(Record):
    """One line that has the text."""

    session: str
    client: str
    message: int
    role: str
    archived: bool
    line: str


def search(text: str, root: str | None, regex: bool = False, every: bool = False) -> Iterator[Match]:
    """Oldest session first; the store's conversation last."""
    pattern = _pattern(text, regex)
    needle = text.casefold().encode() if not regex and _PLAIN.fullmatch(text) else b""
    place = "" if every else place_of(root)
    for file in files(place):
        session = look(file, place)
        if session is None:
            continue
        try:
            data = read_bytes(session)
            if needle and needle not in data.lower():
                continue
            yield from _matches(told_of(session, data), pattern)
        except DctxError:
            continue
    yield from _matches(told(choose(STORE, root), root), pattern)


def _pattern(text: str, regex: bool) -> re.Pattern[str]:
    """Upper and lower case are the same, unless the text has upper case in it."""
    if not text:
        raise UsageProblem("What is to be searched for?", "Give some text.")
    flags = re.IGNORECASE if regex or text == text.lower() else re.NOFLAG
    try:
        return re.compile(text if regex else re.escape(text), flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageProblem(f"--regex: {error}.", "Write a regular expression as Python does.") from error


def _matches(found: Told, pattern: re.Pattern[str]) -> Iterator[Match]:
    for row, archived in found.rows:
        for line in row.text.splitlines():
            if hit := pattern.search(line):
                shown = _around(line, hit.start(), hit.end())
                yield Match(found.session.id, found.session.client, row.message, row.role, archived, shown)


def _around(line: str, start: int, end: int) -> str:
    """As much of a long line as tells what it is about."""
    first, last = max(0, start - AROUND), min(len(line), max(end, start + 1) + AROUND)
    return f"{'...' if first else ''}{line[first:last].strip()}{'...' if last < len(line) else ''}"
