"""Finds a text in the conversations of a project, whatever client had them, archived ones too."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.contains import holds
from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.compress.keep_patterns import in_time
from director_ctx.history.sessions.files import STORE, files, look
from director_ctx.history.sessions.find import choose, folder_of, read_bytes
from director_ctx.history.sessions.transcript import row_places, transcript_of, transcript_of_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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

    def as_json(self) -> dict[str, object]:
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
        # Fits a line that has all of them, up to where the first one ends.
        first, *others = map(re.escape, text.split())
        ahead = "".join(f"(?=.*?{word})" for word in others)
        pattern = re.compile(f"^{ahead}.*?(?P<shown>{first})", pattern.flags)
    folded = bool(pattern.flags & re.IGNORECASE)
    words = words_of(pattern) if regex else _WORD.findall(text)

    def has_words(message: StoredMessage) -> bool:
        """In its text or in what is known about it."""
        still_wanted()
        said = f"{message.content} {message.metadata or ''}"
        said = said.lower() if folded else said
        return all(word in said for word in words)

    folder = "" if every else folder_of(root)
    stored = (transcript_of_store(one, root, has_words) for one in [choose(STORE, root)])
    for transcript in chain(_transcripts_with(words, folded, folder), stored):
        if regex:
            # How long a pattern of the user takes, nobody can tell from its form.
            found: partial[list[FoundLine]] = partial(list, _matches(transcript, pattern))
            yield from in_time(found, "--regex", (pattern.pattern,))
        else:
            yield from _matches(transcript, pattern)


def _transcripts_with(words: list[str], folded: bool, folder: str) -> Iterator[WholeTranscript]:
    coded = [word.encode() for word in words]
    for file in files(folder):
        still_wanted()
        # Most files have none of the words, and are not even read as a session.
        session = look(file, folder) if holds(file.path, coded, folded) else None
        # In a summary that a client wrote for us nobody said anything.
        if session is None or (session.own and folder):
            continue
        try:
            transcript = transcript_of(session, read_bytes(session))
        except DctxError:
            continue
        yield transcript


def _pattern(text: str, regex: bool) -> re.Pattern[str]:
    """Upper and lower case are the same, unless the text has upper case in it."""
    if not text:
        raise UsageProblem("There is no text to search for.", "Give a text in quotes.")
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
    before, behind = "..." if first else "", "..." if last < len(line) else ""
    return f"{before}{line[first:last].strip()}{behind}"
