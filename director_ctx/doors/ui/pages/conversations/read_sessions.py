"""Conversations as pages need them: the one that an address names, read once as long as its file
stays as it is.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.ui.visit import NotThere
from director_ctx.history.sessions.copies import copies
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.find import (
    choose,
    folder_of,
    read_bytes,
    starting_with,
    store_session,
)
from director_ctx.history.sessions.levels import LevelMark, marks_in
from director_ctx.history.sessions.spending import BESIDE, UNEXPLAINED
from director_ctx.history.sessions.told import Told, entry_json, shown_text, told
from director_ctx.history.sessions.transcript import (
    WholeTranscript,
    identity,
    transcript_of,
    transcript_of_store,
)
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.copies import ShorterCopy
    from director_ctx.history.sessions.files import Session

    Json = dict[str, Any]

MOST_KEPT = 3
_kept: dict[tuple[str, int, int], ReadSession] = {}


class ReadSession(Record):
    """A conversation with everything that is derived from it."""

    session: Session
    transcript: WholeTranscript
    told: Told
    documents: tuple[Json, ...]
    """Each entry of what was told, as a page shows it."""
    used: int | None
    """The tokens in its window as its client said it last, or as they are expected."""
    copy: ShorterCopy | None = None
    """What it is a copy of, as long as its client has counted nothing in it."""

    @property
    def window(self) -> int:
        if self.used:
            return self.used
        if self.told.filled:
            return self.told.filled[-1][1]
        return 0

    def unsaid(self, in_messages: int) -> dict[str, int]:
        """What its client counts and these tokens of messages are not: what was there at the start is
        the client's own; of the rest nobody knows what it is, such as pictures or thoughts.
        """
        unsaid = max(0, (self.used or 0) - in_messages)
        beside = min(unsaid, self.told.beside)
        return {BESIDE: beside, UNEXPLAINED: unsaid - beside}


def session_named(visit: Visit) -> Session:
    """The one of the address, of this project or of another one. No path is a name."""
    name = visit.parts["session"]
    if name == STORE:
        return store_session(visit.project) or choose(STORE, visit.project.root)
    root = visit.project.root
    known = starting_with(name, folder_of(root)) or starting_with(name, "")
    exact = [session for session in known if session.id == name]
    if exact or len(known) == 1:
        return (exact or known)[0]
    raise NotThere(
        f"There is no conversation {name[:80]!r}, or more than one.", "Choose one from the list."
    )


def read_session(visit: Visit) -> ReadSession:
    session = session_named(visit)
    if session.client == STORE:
        return _read_store(visit, session)
    try:
        status = os.stat(session.path)
    except OSError as error:
        raise NotThere(f"{session.path} is not there any more.", "Choose another one.") from error
    key = (session.path, status.st_mtime_ns, status.st_size)
    known = _kept.get(key)
    if known is None:
        known = _read_file(session, uncounted_copies(visit).get(session.path))
        _kept[key] = known
        for old in list(_kept)[:-MOST_KEPT]:
            _kept.pop(old, None)
    return known.replace(session=session)


def uncounted_copies(visit: Visit) -> dict[str, ShorterCopy]:
    """By their files, shorter copies that their clients have not counted yet."""
    return {copy.path: copy for copy in copies(visit.project.root) if copy.is_uncounted}


def _read_file(session: Session, copy: ShorterCopy | None) -> ReadSession:
    data = read_bytes(session)
    transcript = transcript_of(session, data)
    marks = marks_in(data, of_agent=bool(session.parent))
    count, _ = choose_counter(None)
    used = None
    if marks and not marks[-1].compaction:
        used = marks[-1].tokens
    if copy and used:
        used = max(0, used - copy.saved)
        marks = _expected(transcript, marks, used)
    whole = told(transcript, marks, count)
    return ReadSession(session, transcript, whole, _documents(whole), used, copy)


def _expected(
    transcript: WholeTranscript, marks: Sequence[LevelMark], used: int
) -> list[LevelMark]:
    """Since the last compaction, the client said it of what was cut; what is known is the end."""
    past: list[LevelMark] = []
    for place, mark in enumerate(marks):
        if mark.compaction:
            past = list(marks[: place + 1])
    last = transcript.now.messages[-1]
    return [*past, LevelMark(last.when, used, name=identity(last))]


def _read_store(visit: Visit, session: Session) -> ReadSession:
    """Its window holds what is open, and the summaries of the rest."""
    root = visit.project.root
    # Files are called as people call them who are in the project.
    in_project = session.replace(folder=root)
    transcript = transcript_of_store(in_project, root)

    marks: list[LevelMark] = []
    with open_conversation(visit.project) as store:
        for summary in compressions(store):
            marks.append(LevelMark(summary.created_at, summary.tokens_out, True))
    now = transcript.now.messages
    is_begun_anew = any(archived for _, archived in transcript.rows)
    if is_begun_anew and now and not marks:
        # Its client had compacted it before it was taken in.
        marks.append(LevelMark(now[0].when, 0, True, identity(now[0])))

    count, _ = choose_counter(None)
    whole = told(transcript, marks, count)
    return ReadSession(session, transcript, whole, _documents(whole), None)


def _documents(whole: Told) -> tuple[Json, ...]:
    return tuple(entry_json(entry) for entry in whole.entries)


def session_json(session: Session) -> Json:
    """As lists show it; its title is somebody's words."""
    return {
        **session.as_json(),
        "title": shown_text(session.title).replace("`", ""),
        "short": short_id(session.id),
    }


def address_of(session: str) -> str:
    return f"conversations/{session}"
