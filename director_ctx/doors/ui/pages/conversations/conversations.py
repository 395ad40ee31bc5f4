"""Every conversation, whoever keeps it; and what was said in any of them."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.one_line import begun
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.conversations.chat import address_of_chat, chat_list
from director_ctx.doors.ui.pages.conversations.read_sessions import session_json
from director_ctx.history.sessions.copies import copies
from director_ctx.history.sessions.files import CLAUDE, CODEX, STORE, short_id
from director_ctx.history.sessions.find import list_sessions
from director_ctx.history.sessions.search import search
from director_ctx.history.sessions.told import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST, MOST_LINES = 200, 200
SHORT_TITLE = 70
CLIENTS = {
    CLAUDE: "Claude Code",
    CODEX: "Codex",
    STORE: "The store",
}
ROLES = {"tool_call": "call", "tool": "result", "assistant": "model"}
"""As people are told who said a line; all others by their own names."""
EVERY, LONGEST = "all", "longest"


def data(visit: Visit) -> Json:
    """The newest or the longest first, each with its sub-agents behind it."""
    client = visit.asked("client")
    if client not in CLIENTS:
        client = ""
    words = visit.asked("q").strip()
    asked = {
        "client": client,
        "projects": EVERY if visit.asked("projects") == EVERY else "",
        "since": visit.asked("since")[:10],
        "q": words,
        "order": LONGEST if visit.asked("order") == LONGEST else "",
    }
    hooks = hooks_of(visit.project)
    shown: Json = {"asked": asked, "warn": hooks.warn, "urgent": hooks.urgent, "lines": None}
    if words:
        shown["lines"] = _lines(visit, asked)
    shown["sessions"] = _sessions(visit, asked)
    shown["chats"] = chat_list(visit)
    return shown


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
        groups.sort(key=_longest_in, reverse=True)
    return [document for group in groups for document in group]


def _longest_in(group: list[Json]) -> int:
    """The tokens of a session, or of a sub-agent that has more."""
    sizes: list[int] = [document["tokens"] for document in group]
    return max(sizes)


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

    newest = list(by_message.values())[-MOST_LINES:]
    newest.reverse()
    for row in newest:
        row["line"] = shown_text(row["line"])
        row["short"] = short_id(row["session"])
    return newest


def view(data: Json) -> Json:
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
