"""Before a client compacts its conversation: a note of how far it goes; afterwards what a session is
told of it.

The store has the messages; this is the note that a session is given back when it goes on. May be
lost without harm. Hooks read this, so what takes long stands in `keep_session.py`.
"""

from __future__ import annotations

import os

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import load_settings
from director_ctx.project.dctx_folder import kept_rows, write_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.protocol import Event
    from director_ctx.project.project import Project


NAME = "compactions.json"
LARGEST, MOST = 400_000, 8
"""Bytes of that file, and sessions in it."""
BEGUN, DONE, NOT_KEPT = "begun", "done", "not kept"


class Compaction(Record):
    """One session, as far as its last compaction goes."""

    session: str
    state: str
    offset: str
    """Where its file ended, in bytes: it tells one compaction from the next."""
    summary: str = ""
    """The id of its summary."""
    messages: str = ""
    """How many that stands for."""
    text: str = ""
    """The hand-over."""


def read_compactions(root: str) -> tuple[Compaction, ...]:
    """Newest first."""
    compactions: list[Compaction] = []
    for row in kept_rows(root, NAME, LARGEST)[:MOST]:
        # Another version may have other fields.
        values: list[Any] = [
            row.get(name) if isinstance(row, dict) else None for name in Compaction._fields
        ]
        if all(isinstance(value, str) for value in values):
            compactions.append(Compaction(*values))
    return tuple(compactions)


def write_compaction(root: str, compaction: Compaction) -> None:
    """In the place of what was known of its session."""
    others = (other for other in read_compactions(root) if other.session != compaction.session)
    rows = [as_dict(one) for one in (compaction, *others)]
    write_kept(root, NAME, dump(rows[:MOST]).encode("ascii"))


def compaction_of(root: str, session: str) -> Compaction | None:
    for compaction in read_compactions(root) if session else ():
        if compaction.session == session:
            return compaction
    return None


KEEPS = "director_ctx.history.summaries.keep_session"
"""The module that goes on in a process of its own."""
CLIENTS = ("claude", "codex")
"""Whose transcripts can be read, and who say where they are."""
LONGEST = 6_000
"""Characters of the hand-over that a session is given back."""
PATIENCE, NAP = 0.8, 0.05
"""Seconds that a session which goes on waits for the note at most."""


def about_to_compact(project: Project, event: Event) -> None:
    """Within the hook's deadline, however long the conversation is."""
    client = event.client.name
    hooks = load_settings(project).hooks or Hooks()
    if hooks.archive is False or client not in CLIENTS or not event.session:
        return
    try:
        if os.path.isfile(event.transcript):
            _begin(project.root, event)
    except OSError as error:
        from director_ctx.project.hook_log import log

        why = error.strerror or str(error)
        log(project.root, f"{client} {event.name}: the conversation is not kept: {why}")


def _begin(root: str, event: Event) -> None:
    # Only where there is something to begin: starting processes takes a module of its own.
    from director_ctx.base.system.detached import start_apart

    session = event.session
    size = str(os.stat(event.transcript).st_size)
    begun = Compaction(session, BEGUN, size)
    # First, so that a session which goes on at once knows that there is something to wait for.
    write_compaction(root, begun)
    transcript = os.path.abspath(event.transcript)
    words = (root, event.client.name, session, transcript, size)
    start_apart(KEEPS, "finish", words)


def told_after(project: Project, session: str) -> str:
    """What a session is told that was just compacted; an empty text where nothing was kept of it."""
    compaction = compaction_of(project.root, session)
    if compaction is not None and compaction.state == BEGUN:
        compaction = _awaited(project.root, session) or compaction
    if compaction is None or compaction.state == NOT_KEPT:
        return ""
    from director_ctx.base.escape import escape_tags

    # What tools said in the session must not speak as the client does.
    note, _ = escape_tags(_note(compaction))
    return note


def _awaited(root: str, session: str) -> Compaction | None:
    """What keeps a long conversation takes longer than a hook may."""
    from time import monotonic, sleep

    until = monotonic() + PATIENCE
    while True:
        compaction = compaction_of(root, session)
        is_begun = compaction is not None and compaction.state == BEGUN
        if not is_begun or monotonic() >= until:
            return compaction
        sleep(NAP)


def _note(compaction: Compaction) -> str:
    """Where the whole of it is, then the hand-over."""
    from director_ctx.base.system.own_name import own_name
    from director_ctx.history.sessions.files import short_id

    dctx = own_name()
    name = plain(short_id(compaction.session))
    shows = f"`{dctx} history show {name}` shows all of it, `{dctx} history search TEXT` finds a text in it"
    if compaction.state == BEGUN:
        return f"What was said before this compaction is being kept; in a moment {shows}."

    first = f"What was said before this compaction is kept: {shows}."
    if compaction.summary:
        short = plain(compaction.summary[:8])
        messages = plain(compaction.messages)
        first += f" `{dctx} history show {short}` prints the summary of its {messages} messages."
    lines = [plain(line) for line in compaction.text.strip().splitlines()]
    return "\n".join([first, "", *lines]).rstrip()
