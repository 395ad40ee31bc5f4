"""Before a client compacts its conversation: a note of how far it goes, and a summary of it, kept
for afterwards.

The store has the messages; this is the note that a session is given back when it goes on. May be
lost without harm.
"""

from __future__ import annotations

import os

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import load_settings
from director_ctx.project.dctx_folder import kept_rows, write_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.protocol import Event
    from director_ctx.memory.conversations.messages import StoredMessage as Kept
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


NAME, LARGEST, MOST = "compactions.json", 400_000, 8
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
    asked: str = ""
    """What the user asked for."""
    text: str = ""
    """What else a session needs first."""


def read_compactions(root: str) -> tuple[Compaction, ...]:
    """Newest first."""
    rows = kept_rows(root, NAME, LARGEST)[:MOST]
    compactions: list[Compaction] = []
    for row in rows:
        if _is_one(row):
            compactions.append(Compaction(*map(row.get, Compaction._fields)))
    return tuple(compactions)


def write_compaction(root: str, one: Compaction) -> None:
    """In the place of what was known of its session."""
    others = [other for other in read_compactions(root) if other.session != one.session]
    rows: list[dict[str, str]] = []
    for compaction in (one, *others)[:MOST]:
        rows.append({name: getattr(compaction, name) for name in Compaction._fields})
    write_kept(root, NAME, dump(rows).encode("ascii"))


def compaction_of(root: str, session: str) -> Compaction | None:
    if not session:
        return None
    for compaction in read_compactions(root):
        if compaction.session == session:
            return compaction
    return None


def _is_one(row: Any) -> bool:
    return isinstance(row, dict) and all(
        isinstance(row.get(name), str) for name in Compaction._fields
    )


CLIENTS = ("claude", "codex")
"""Whose transcripts can be read, and who say where they are."""
LONGEST, LONGEST_ASKED = 6_000, 2_000
"""Characters of the note that a session is given back, and of what the user asked for."""
PATIENCE, NAP = 0.8, 0.05
"""Seconds that a session which goes on waits for the note at most."""


def about_to_compact(project: Project, event: Event) -> None:
    """Within the hook's deadline, however long the conversation is."""
    hooks = load_settings(project).hooks or Hooks()
    if hooks.archive is False or event.client.name not in CLIENTS or not event.session:
        return
    try:
        if not os.path.isfile(event.transcript):
            return
        size = str(os.stat(event.transcript).st_size)
        write_compaction(project.root, Compaction(event.session, BEGUN, size))
        from director_ctx.base.system.detached import start_apart

        words = (
            project.root,
            event.client.name,
            event.session,
            os.path.abspath(event.transcript),
            size,
        )
        start_apart(__name__, "finish", words)
    except OSError as error:
        from director_ctx.project.hook_log import log

        log(
            project.root,
            f"{event.client.name} {event.name}: the conversation is not kept: {error.strerror or error}",
        )


def finish(root: str, client: str, session: str, transcript: str, size: str) -> None:
    """In a process of its own: the conversation goes into the store, and a note of it beside."""
    from director_ctx.project.hook_log import log

    done = Compaction(session, NOT_KEPT, size)
    try:
        done = _kept(root, client, session, transcript, int(size))
    except Exception as error:
        # Nobody sees this process fail.
        log(root, f"{client} compaction: the conversation of {session} is not kept: {error}")
    write_compaction(root, done)


def _kept(root: str, client: str, session: str, transcript: str, size: int) -> Compaction:
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.history.sessions.add import import_transcript
    from director_ctx.history.sessions.files import Session
    from director_ctx.history.sessions.find import read_bytes
    from director_ctx.history.sessions.transcript import as_messages, transcript_of
    from director_ctx.history.strategies.config import TARGET
    from director_ctx.history.summaries.extract import excerpt, extract
    from director_ctx.history.summaries.notes import ASKED
    from director_ctx.memory.conversations.messages import all_messages
    from director_ctx.memory.store.open import open_store
    from director_ctx.project.project import load_project

    project = load_project(root=root)
    found = Session(session, client, transcript, "", "", 0, 0, False, "")
    told = transcript_of(found, read_bytes(found, size))
    with open_store(project, write=True) as store:
        # A store that others read is given a conversation only where the settings ask for it.
        is_shared = store.engine.name != "sqlite"
        if is_shared and not (load_settings(project).hooks or Hooks()).archive:
            return Compaction(session, NOT_KEPT, str(size))
        import_transcript(store, told)
        own = [message for message in all_messages(store) if _is_of(message, session)]
        said = as_messages(store, own)
        summary = _summed_up(store, own)

    text = extract(said, "", TARGET, count_chars)
    asked = excerpt(text, LONGEST_ASKED, (ASKED,))
    first = excerpt(text, LONGEST)
    if summary is None:
        return Compaction(session, DONE, str(size), asked=asked, text=first)
    messages = str(len(summary.messages or ()))
    return Compaction(session, DONE, str(size), summary.id, messages, asked, first)


def _summed_up(store: Store, own: Sequence[Kept]) -> Compression | None:
    """The summary of what is still open of a session; the one before, where nothing is or somebody
    was faster.
    """
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.history.summaries.summaries import (
        NothingNew,
        SummaryWay,
        keep,
        last_of_session,
        plan_of_session,
        write_summary,
    )
    from director_ctx.memory.conversations.summaries import SESSION, Overtaken

    names = {message.id for message in own}
    still_open = [message for message in own if not message.archived]
    way = SummaryWay(count_chars, by=SESSION)
    try:
        plan = plan_of_session(store, still_open, names, count_chars)
        return keep(store, plan, write_summary(plan, way), way)
    except (NothingNew, Overtaken):
        return last_of_session(store, names)


def _is_of(one: Kept, session: str) -> bool:
    from director_ctx.memory.conversations.messages import about_of

    about = about_of(one.metadata)
    return about.get("session") == session and not about.get("isCompressed")


def told_after(project: Project, session: str, has_task: bool) -> str:
    """What a session is told that was just compacted; an empty text where nothing was kept of it.

    One that has no task of the plan is told what the user asked for.
    """
    found = compaction_of(project.root, session)
    if found is not None and found.state == BEGUN:
        found = _awaited(project.root, session) or found
    if found is None or found.state == NOT_KEPT:
        return ""
    from director_ctx.base.escape import escape_tags

    return escape_tags(_note(found, has_task))[0]


def _awaited(root: str, session: str) -> Compaction | None:
    """What keeps a long conversation takes longer than a hook may."""
    from time import monotonic, sleep

    until = monotonic() + PATIENCE
    while True:
        compaction = compaction_of(root, session)
        if compaction is None or compaction.state != BEGUN or monotonic() >= until:
            return compaction
        sleep(NAP)


def _note(found: Compaction, has_task: bool) -> str:
    """Where the whole of it is, then what the session needs first."""
    from director_ctx.base.system.own_name import own_name
    from director_ctx.history.sessions.files import short_id

    dctx, name = own_name(), plain(short_id(found.session))
    shows = f"`{dctx} history show {name}` shows all of it, `{dctx} history search TEXT` finds a text in it"
    if found.state == BEGUN:
        return f"What was said before this compaction is being kept; in a moment {shows}."
    stands = ""
    if found.summary:
        short = plain(found.summary[:8])
        stands = (
            f" `{dctx} history compressions show {short}` prints the summary of its "
            f"{plain(found.messages)} messages."
        )
    text = found.text if has_task else f"{found.asked}\n\n{found.text}"
    lines = "\n".join(plain(line) for line in text.strip().splitlines())
    return f"What was said before this compaction is kept: {shows}.{stands}\n\n{lines}".rstrip()
