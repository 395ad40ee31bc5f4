"""Every conversation, whoever keeps it; and what was said in any of them."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.conversations.read_sessions import session_json
from director_ctx.history.sessions.copies import copies
from director_ctx.history.sessions.files import CLAUDE, CODEX, COPILOT, GEMINI, STORE, short_id
from director_ctx.history.sessions.find import list_sessions
from director_ctx.history.sessions.search import search
from director_ctx.history.sessions.told import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST, MOST_LINES = 200, 200
CLIENTS = {
    CLAUDE: "Claude Code",
    CODEX: "Codex",
    GEMINI: "Gemini CLI",
    COPILOT: "Copilot CLI",
    STORE: "The store",
}
ROLES = {"tool_call": "a call", "tool": "a result", "assistant": "model"}
"""As people are told who said a line; all others by their own names."""
EVERY = "all"


def data(visit: Visit) -> Json:
    """The newest first, each with its sub-agents behind it."""
    client = visit.asked("client")
    if client not in CLIENTS:
        client = ""
    words = visit.asked("q").strip()
    asked = {
        "client": client,
        "projects": EVERY if visit.asked("projects") == EVERY else "",
        "since": visit.asked("since")[:10],
        "q": words,
    }
    hooks = hooks_of(visit.project)
    shown: Json = {"asked": asked, "warn": hooks.warn, "urgent": hooks.urgent, "lines": None}
    if words:
        shown["lines"] = _lines(visit, asked)
    shown["sessions"] = _sessions(visit, asked)
    return shown


def _sessions(visit: Visit, asked: Json) -> list[Json]:
    is_every = asked["projects"] == EVERY
    known = list_sessions(visit.project.root, asked["client"] or None, is_every, MOST)
    copied = {copy.path for copy in copies(visit.project.root)}
    groups: list[list[Json]] = []
    for session in known:
        # A client that wrote a summary for us had no conversation.
        if session.own or session.last[:10] < asked["since"]:
            continue
        document = {**session_json(session), "is_copy": session.path in copied}
        # Only below the session that began it: that may be older than what is shown.
        if session.parent and groups:
            groups[-1].append(document)
        else:
            groups.append([document])
    return [document for group in reversed(groups) for document in group]


def _lines(visit: Visit, asked: Json) -> list[Json]:
    """The newest ones that have the text."""
    is_every = asked["projects"] == EVERY
    lines = []
    for line in search(asked["q"], visit.project.root, every=is_every):
        if asked["client"] in ("", line.client):
            lines.append(line)
    rows = []
    for line in reversed(lines[-MOST_LINES:]):
        rows.append(
            {**line.as_json(), "line": shown_text(line.line), "short": short_id(line.session)}
        )
    return rows


def view(data: Json) -> Json:
    rows = []
    for session in data["sessions"]:
        state = state_of(session["tokens"], data["warn"], data["urgent"])
        client = CLIENTS.get(session["client"], session["client"])
        rows.append({**session, "state": state, "client_name": client})
    lines = None
    if data["lines"] is not None:
        lines = list(_by_message(data["lines"]))
    return {
        "asked": data["asked"],
        "clients": CLIENTS,
        "every": data["asked"]["projects"] == EVERY,
        "urgent": data["urgent"],
        "rows": rows,
        "lines": lines,
        "all_lines": len(data["lines"] or ()),
        "most_lines": MOST_LINES,
        "is_full": len(rows) >= MOST,
    }


def _by_message(lines: list[Json]) -> Iterator[Json]:
    """A message is shown once, by the first of its lines."""
    shown: dict[tuple[str, int], Json] = {}
    for line in lines:
        place = (line["session"], line["number"])
        if place not in shown:
            who = ROLES.get(line["role"], line["role"])
            client = CLIENTS.get(line["client"], line["client"])
            shown[place] = {**line, "who": who, "client_name": client, "more": -1}
        # They come from the end.
        shown[place]["line"] = line["line"]
        shown[place]["more"] += 1
    yield from shown.values()


def newest(visit: Visit, most: int) -> list[Json]:
    """For the list that Ctrl-K opens."""
    try:
        known = list_sessions(visit.project.root, most=most)
    except DctxError:
        return []
    mains = [session for session in known if not session.parent and not session.own]
    return [session_json(session) for session in reversed(mains)]
