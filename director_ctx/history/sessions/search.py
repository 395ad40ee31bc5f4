"""Finds a text in the conversations of a project, whatever client had them, archived ones too."""

from __future__ import annotations

import re

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.contains import holds
from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.compress.keep_patterns import in_time
from director_ctx.history.sessions.files import STORE, files, look
from director_ctx.history.sessions.find import choose, folder_of, read_bytes
from director_ctx.history.sessions.row_places import row_places
from director_ctx.history.sessions.transcript import transcript_of, transcript_of_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript
    from director_ctx.memory.conversations.messages import StoredMessage

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
    text: str,
    root: str | None,
    regex: bool = False,
    every: bool = False,
    any_order: bool = False,
) -> Iterator[FoundLine]:
    """Oldest session first; the store's conversation last. Words in `any_order` need not stand side
    by side, only on one line.
    """
    pattern = _pattern(text, regex)
    if any_order:
        pattern = _all_words(text.split(), pattern.flags)
    folded = bool(pattern.flags & re.IGNORECASE)
    words = _WORD.findall(text)
    if regex:
        words = words_of(pattern)
    folder = ""
    if not every:
        folder = folder_of(root)
    for transcript in _transcripts_with(words, folded, folder):
        yield from _lines_in(transcript, pattern, regex)

    stored = choose(STORE, root)
    transcript = transcript_of_store(stored, root, _has_words(words, folded))
    yield from _lines_in(transcript, pattern, regex)


def _transcripts_with(
    words: list[str],
    folded: bool,
    folder: str,
) -> Iterator[WholeTranscript]:
    coded = [word.encode() for word in words]
    for file in files(folder):
        still_wanted()
        # Most files have none of the words, and are not even read as a session.
        if not holds(file.path, coded, folded):
            continue
        session = look(file, folder)
        if session is None:
            continue
        # In a summary that a client wrote for us nobody said anything.
        if session.own and folder:
            continue
        try:
            data = read_bytes(session)
            transcript = transcript_of(session, data)
        except DctxError:
            continue
        yield transcript


def _has_words(words: list[str], folded: bool) -> Callable[[StoredMessage], bool]:
    """Whether a message of the store has all of them, in its text or in what is known about it."""

    def has_all(message: StoredMessage) -> bool:
        still_wanted()
        text = f"{message.content} {message.metadata or ''}"
        if folded:
            text = text.lower()
        return all(word in text for word in words)

    return has_all


def _pattern(text: str, regex: bool) -> re.Pattern[str]:
    """Upper and lower case are the same, unless the text has upper case in it."""
    if not text:
        raise UsageProblem("There is no text to search for.", "Give a text in quotes.")
    flags = re.NOFLAG
    if regex or text == text.lower():
        flags = re.IGNORECASE
    expression = text
    if not regex:
        expression = re.escape(text)
    try:
        return re.compile(expression, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageProblem(
            f"--regex: {error}.", "Write a regular expression as Python does."
        ) from error


def _all_words(words: list[str], flags: int) -> re.Pattern[str]:
    """Fits a line that has all of them, up to where the first one ends."""
    first, *others = map(re.escape, words)
    expression = "^"
    for word in others:
        expression += f"(?=.*?{word})"
    return re.compile(f"{expression}.*?(?P<shown>{first})", flags)


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """Words that are in every text which the pattern fits, in small letters: fewer than there are,
    where in doubt.
    """
    # There spaces and comments stand between what has to be in a text.
    if pattern.flags & re.VERBOSE:
        return []
    text = pattern.pattern
    for loose in _LOOSE:
        text = re.sub(loose, " ", text)
    # Of several ways to fit, none has to be there.
    if "|" in text:
        return []
    return [word.lower() for word in _WORD.findall(text)]


def _lines_in(
    transcript: WholeTranscript,
    pattern: re.Pattern[str],
    regex: bool,
) -> Iterable[FoundLine]:
    matches = _matches(transcript, pattern)
    if not regex:
        return matches
    # How long a pattern of the user takes, nobody can tell from its form.
    return in_time(lambda: list(matches), "--regex", (pattern.pattern,))


def _matches(transcript: WholeTranscript, pattern: re.Pattern[str]) -> Iterator[FoundLine]:
    session = transcript.session
    place_of_row = row_places(transcript)
    for row, archived in transcript.rows:
        still_wanted()
        for line in row.text.splitlines():
            hit = pattern.search(line)
            if hit is None:
                continue
            start, end = hit.span(pattern.groupindex.get("shown", 0))
            yield FoundLine(
                session=session.id,
                client=session.client,
                number=row.message,
                message=place_of_row(row),
                role=row.role,
                archived=archived,
                line=_around(line, start, end),
            )


def _around(line: str, start: int, end: int) -> str:
    """As much of a long line as tells what it is about."""
    first = max(0, start - AROUND)
    last = min(len(line), max(end, start + 1) + AROUND)
    shown = line[first:last].strip()
    if first:
        shown = f"...{shown}"
    if last < len(line):
        shown = f"{shown}..."
    return shown
