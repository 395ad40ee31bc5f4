"""How full a session is, and how that changes: by the numbers of its client, else estimated."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.follow import Follow
from director_ctx.base.text import plain
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import measure
from director_ctx.history.sessions.ends import read_ends
from director_ctx.history.sessions.files import BYTES_A_TOKEN, STORE
from director_ctx.history.sessions.find import read_bytes
from director_ctx.history.sessions.sampled import by_ends, format_of, tokens_of
from director_ctx.history.sessions.transcript import tokens_of_store
from director_ctx.history.sessions.usage import tokens_in_use, tokens_said_by
from director_ctx.history.signals.compactions import pieces
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.history.sessions.files import Session

    Count = Callable[[str], int]

LARGEST_READ = 50_000_000
"""A longer file without numbers is estimated by its ends."""
VALUE = ".json"
"""A file that is one value, of which the end says nothing by itself."""
BATCH = 8_000_000
"""Bytes of new lines that are counted at a time."""


class Level(Record):
    tokens: int
    exact: bool
    """Whether the client says so; else it is estimated."""


def level(session: Session, count: Count, root: str | None) -> Level:
    """As it is now. Of a file with numbers in it, only the end is read."""
    if session.client == STORE:
        with open_conversation(project_here(root)) as store:
            return Level(tokens_of_store(store, count), exact=False)
    used = tokens_in_use(session.path)
    if used:
        return Level(used, exact=True)
    return Level(_estimated(session, count), exact=False)


def levels(
    session: Session,
    count: Count,
    root: str | None,
    wait: Callable[[], None],
) -> Iterator[Level]:
    """One after another, for as long as anybody listens. `wait` is called between two looks."""
    if session.client == STORE:
        followed = _of_store(session, count, root)
    else:
        followed = _of_file(session, count, root)
    for now in followed:
        yield now
        wait()


def _of_store(
    session: Session,
    count: Count,
    root: str | None,
) -> Iterator[Level]:
    """Its messages are read again only when there are others."""
    known: tuple[object, ...] | None = None
    while True:
        with open_conversation(project_here(root)) as store:
            state = messages.state(store)
        if state != known:
            now, known = level(session, count, root), state
        yield now


def _of_file(
    session: Session,
    count: Count,
    root: str | None,
) -> Iterator[Level]:
    try:
        follow = Follow(session.path)
        now = level(session, count, root)
        while True:
            yield now
            # Whoever wrote the file anew may have written anything: all of it is read again.
            if follow.again():
                now = level(session, count, root)
            else:
                now = _after(now, follow, session, count)
    except OSError as error:
        why = error.strerror or str(error)
        raise DctxError(f"{plain(session.path)} cannot be followed any longer: {why}.") from error


def _after(now: Level, follow: Follow, session: Session, count: Count) -> Level:
    """With the new lines: the newest number counts, and what came behind it is counted by its text."""
    if session.path.endswith(VALUE):
        return _after_change(now, follow, session, count)
    # Lines that came behind the newest number.
    uncounted: list[bytes] = []
    length = 0
    for line in follow.lines():
        tokens = tokens_said_by(line)
        if tokens is None:
            # A compaction: the window begins anew with what stands in this line.
            now = Level(0, exact=False)
            uncounted = [line]
            length = len(line)
        elif tokens:
            now = Level(tokens, exact=True)
            uncounted = []
            length = 0
        else:
            uncounted.append(line)
            length += len(line)
        if length > BATCH:
            now = _with_lines(now, uncounted, session, count)
            uncounted = []
            length = 0
    if not uncounted:
        return now
    return _with_lines(now, uncounted, session, count)


def _after_change(
    now: Level,
    follow: Follow,
    session: Session,
    count: Count,
) -> Level:
    """Of a file that is one value: all of it, if there is anything new."""
    before = follow.place
    for _ in follow.lines():
        pass
    if follow.place == before:
        return now
    return level(session, count, None)


def _with_lines(
    now: Level,
    lines: list[bytes],
    session: Session,
    count: Count,
) -> Level:
    format = format_of(session.client, session.path)
    if format:
        added = tokens_of(lines, format, session.path, count)
    else:
        added = sum(map(len, lines)) // BYTES_A_TOKEN
    # Lines that the model does not read leave the client's own number exact.
    if now.tokens and not added:
        return now
    return Level(now.tokens + added, exact=False)


def _estimated(session: Session, count: Count) -> int:
    """What is in the window by its text; of what is too long by its ends, of what cannot be read by
    its size.
    """
    path = session.path
    size = os.stat(path).st_size
    if size > LARGEST_READ:
        ends = read_ends(path, size)
        if ends:
            format = format_of(session.client, path)
            return by_ends(ends, size, format, path, count)
    try:
        data = read_bytes(session)
        newest = pieces(data)[-1]
        conversation = read(newest)
    except DctxError:
        return size // BYTES_A_TOKEN
    return measure(conversation.messages, count)
