"""Every conversation, whoever keeps it; what was said in any of them; and every compression."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.one_line import begun
from director_ctx.base.record import Record
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.ui.pages.chat import address_of_chat, chat_list
from director_ctx.doors.ui.visit import NotThere, Visit
from director_ctx.history.compress.restore import every_receipt
from director_ctx.history.sessions.copies import ShorterCopy, copies, every_copy
from director_ctx.history.sessions.files import CLAUDE, CODEX, STORE, Session, short_id
from director_ctx.history.sessions.find import (
    choose,
    folder_of,
    list_sessions,
    read_bytes,
    starting_with,
    store_session,
)
from director_ctx.history.sessions.levels import LevelMark, marks_in
from director_ctx.history.sessions.search import search
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
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]
    from collections.abc import Sequence


MOST, MOST_LINES = 200, 200
MOST_TEXT = 200_000
"""Characters of a block; `dctx history show --full` has all of it."""
SHORT_TITLE = 70
CLIENTS = {
    CLAUDE: "Claude Code",
    CODEX: "Codex",
    STORE: "The store",
}
ROLES = {"tool_call": "call", "tool": "result", "assistant": "model"}
"""As people are told who said a line; all others by their own names."""
EVERY, LONGEST = "all", "longest"


def conversations_data(visit: Visit) -> Json:
    """The newest or the longest first, each with its sub-agents behind it."""
    client = visit.asked("client")
    words = visit.asked("q").strip()
    asked = {
        "client": client if client in CLIENTS else "",
        "projects": EVERY if visit.asked("projects") == EVERY else "",
        "since": visit.asked("since")[:10],
        "q": words,
        "order": LONGEST if visit.asked("order") == LONGEST else "",
    }
    hooks = hooks_of(visit.project)
    return {
        "asked": asked,
        "warn": hooks.warn,
        "urgent": hooks.urgent,
        "lines": _lines(visit, asked) if words else None,
        "sessions": _sessions(visit, asked),
        "chats": chat_list(visit),
    }


def _sessions(visit: Visit, asked: Json) -> list[Json]:
    is_every = asked["projects"] == EVERY
    known = list_sessions(visit.project.root, asked["client"] or None, is_every, MOST)
    copied = {copy.path: copy for copy in copies(visit.project.root)}
    groups: list[list[Json]] = []
    for session in known:
        # A client that wrote a summary for us had no conversation.
        if session.own or session.last[:10] < asked["since"]:
            continue
        copy = copied.get(session.path)
        document = {**session_json(session), "is_copy": copy is not None, "made": ""}
        if copy and copy.is_uncounted:
            document["tokens"] = copy.window() or session.tokens
            document["made"] = copy.made
        # Only below the session that began it: that may be older than what is shown.
        if session.parent and groups:
            groups[-1].append(document)
        else:
            groups.append([document])
    groups.reverse()
    if asked["order"] == LONGEST:
        # By a session, or by a sub-agent that has more.
        groups.sort(key=lambda group: max(each["tokens"] for each in group), reverse=True)
    return [document for group in groups for document in group]


def _lines(visit: Visit, asked: Json) -> list[Json]:
    """The newest messages that have the text, each by the first of its lines: one may have thousands."""
    is_every = asked["projects"] == EVERY
    by_message: dict[tuple[str, int], Json] = {}
    for line in search(asked["q"], visit.project.root, every=is_every):
        if asked["client"] not in ("", line.client):
            continue
        place = (line.session, line.number)
        if place in by_message:
            by_message[place]["more"] += 1
        else:
            by_message[place] = {**line.as_json(), "more": 0}

    newest = list(by_message.values())[-MOST_LINES:][::-1]
    for row in newest:
        row["line"] = shown_text(row["line"])
        row["short"] = short_id(row["session"])
    return newest


def conversations_view(data: Json) -> Json:
    rows = []
    for session in data["sessions"]:
        state = state_of(session["tokens"], data["warn"], data["urgent"])
        client = CLIENTS.get(session["client"], session["client"])
        rows.append({**session, "state": state, "client_name": client})
    lines = None
    if data["lines"] is not None:
        titles = {session["id"]: session["title"] for session in data["sessions"]}
        lines = [_line(line, titles) for line in data["lines"]]
    return {
        "asked": data["asked"],
        "clients": CLIENTS,
        "every": data["asked"]["projects"] == EVERY,
        "urgent": data["urgent"],
        "rows": rows,
        "chats": [{**chat, "address": address_of_chat(chat["id"])} for chat in data["chats"]],
        "lines": lines,
        "most_lines": MOST_LINES,
        "is_full": len(rows) >= MOST,
    }


def _line(line: Json, titles: Mapping[str, str]) -> Json:
    return {
        **line,
        "who": ROLES.get(line["role"], line["role"]),
        "client_name": CLIENTS.get(line["client"], line["client"]),
        "title": begun(titles.get(line["session"], ""), SHORT_TITLE) or line["short"],
    }


def newest(visit: Visit, most: int) -> list[Json]:
    """For the list that Ctrl-K opens."""
    try:
        known = list_sessions(visit.project.root, most=most)
    except DctxError:
        return []
    mains = [session for session in known if not session.parent and not session.own]
    return [session_json(session) for session in reversed(mains)]


UUID_LENGTH = 36


def compressions_data(visit: Visit) -> Json:
    """Oldest first, as they are kept."""
    root = visit.project.root
    with open_conversation(visit.project) as store:
        summaries = [summary.as_json(whole=False) for summary in compressions(store)]

    copy_of = {copy.receipt: copy for copy in every_copy(root)}
    titles = {session.id: session_json(session)["title"] for session in list_sessions(root)}

    receipts = []
    for head in every_receipt(root):
        made = {"session": "", "title": "", "undone": ""}
        copy = copy_of.get(head["receipt"])
        if copy:
            title = titles.get(copy.session, "")
            made = {"session": copy.session, "title": title, "undone": copy.undone}
        receipts.append({**head, **made})
    return {"receipts": receipts[-MOST:], "summaries": summaries[-MOST:]}


def compressions_view(data: Json) -> Json:
    receipts = []
    for head in reversed(data["receipts"]):
        share = head["tokens_out"] * 100 / max(1, head["tokens_in"])
        name, _, _ = str(head["source"] or "").rpartition(".")
        # Codex puts the time before the id.
        of = short_id(head["session"] or name[-UUID_LENGTH:])
        of = begun(head["title"], SHORT_TITLE) or of
        shown = {"short": head["receipt"][:12], "share": share, "of": of}
        receipts.append({**head, **shown})
    return {
        "receipts": receipts,
        "standing": sum(not head["undone"] for head in receipts),
        "summaries": data["summaries"][::-1],
    }


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
