"""Finds a text in the conversations of a project, whatever client had them, archived ones too."""

from __future__ import annotations

import re

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.contains import holds
from director_ctx.history.compress.keep_patterns import in_time
from director_ctx.history.sessions.files import STORE, files, look
from director_ctx.history.sessions.find import choose, place_of, read_bytes
from director_ctx.history.sessions.transcript import placed, told_of, told_of_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript
    from director_ctx.memory.conversations.messages import StoredMessage as Kept

_WORD = re.compile(r"[A-Za-z0-9_]+")
"""What stands in a file as it is, however JSON is written."""
_LOOSE = (
    r"\\(x..|u.{4}|U.{8}|N\{[^}]*\}|\d+|.)", r"\[\^?\]?[^\]]*\]", r"(?s)\(.*\)", r"\w(\{[^}]*\}|[?*])",
)  # fmt: skip
"""Escapes, sets, groups, and what may be missing: nothing there has to be in a text that a pattern
fits.
"""
AROUND = 120


class FoundLine(Record):
    """One line that has the text."""

    session: str
    client: str
    number: int
    """Of its message, as `history show` counts, from 1."""
    message: int | None
    """Its place among those that the model reads, as a receipt counts, from 0."""
    role: str
    archived: bool
    line: str

    def as_json(self) -> dict[str, Any]:
        """The shape of `dctx history search --json`."""
        return as_dict(self)


def search(
    text: str, root: str | None, regex: bool = False, every: bool = False
) -> Iterator[FoundLine]:
    """Oldest session first; the store's conversation last."""
    pattern = _pattern(text, regex)
    folded = bool(pattern.flags & re.IGNORECASE)
    words = words_of(pattern) if regex else _WORD.findall(text)
    coded = [word.encode() for word in words]
    folder = "" if every else place_of(root)
    for file in files(folder):
        # Most files have none of the words, and are not even read as a session.
        if not holds(file.path, coded, folded):
            continue
        session = look(file, folder)
        if session is None or (session.own and folder):
            continue
        try:
            told = told_of(session, read_bytes(session))
        except DctxError:
            continue
        yield from _found(told, pattern, regex)

    own = told_of_store(choose(STORE, root), root, _with(words, folded))
    yield from _found(own, pattern, regex)


def _with(words: list[str], folded: bool) -> Callable[[Kept], bool]:
    """Whether a message of the store has all of them, in its text or in what is known about it."""

    def fits(message: Kept) -> bool:
        text = f"{message.content} {message.metadata or ''}"
        if folded:
            text = text.lower()
        return all(word in text for word in words)

    return fits


def _pattern(text: str, regex: bool) -> re.Pattern[str]:
    """Upper and lower case are the same, unless the text has upper case in it."""
    if not text:
        raise UsageProblem("What is to be searched for?", "Give some text.")
    flags = re.IGNORECASE if regex or text == text.lower() else re.NOFLAG
    try:
        return re.compile(text if regex else re.escape(text), flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageProblem(
            f"--regex: {error}.", "Write a regular expression as Python does."
        ) from error


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """Words that are in every text which the pattern fits, in small letters: fewer than there are,
    where in doubt.
    """
    if pattern.flags & re.VERBOSE:
        return []
    text = pattern.pattern
    for loose in _LOOSE:
        text = re.sub(loose, " ", text)
    if "|" in text:
        return []
    return [word.lower() for word in _WORD.findall(text)]


def _found(told: WholeTranscript, pattern: re.Pattern[str], regex: bool) -> Iterable[FoundLine]:
    """How long a pattern of the user takes, nobody can tell from its form."""
    matches = _matches(told, pattern)
    if not regex:
        return matches
    return in_time(lambda: list(matches), "--regex", (pattern.pattern,))


def _matches(told: WholeTranscript, pattern: re.Pattern[str]) -> Iterator[FoundLine]:
    session = told.session
    place_of_row = placed(told)
    for row, archived in told.rows:
        for line in row.text.splitlines():
            hit = pattern.search(line)
            if hit is None:
                continue
            shown = _around(line, hit.start(), hit.end())
            place = place_of_row(row)
            yield FoundLine(
                session.id, session.client, row.message, place, row.role, archived, shown
            )


def _around(line: str, start: int, end: int) -> str:
    """As much of a long line as tells what it is about."""
    first = max(0, start - AROUND)
    last = min(len(line), max(end, start + 1) + AROUND)
    before = "..." if first else ""
    after = "..." if last < len(line) else ""
    return before + line[first:last].strip() + after
