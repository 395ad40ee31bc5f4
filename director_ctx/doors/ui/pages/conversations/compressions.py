"""Every compression: shorter conversations with their receipts, and summaries of the store."""

from __future__ import annotations

from director_ctx.base.one_line import begun
from director_ctx.doors.ui.pages.conversations.conversations import SHORT_TITLE
from director_ctx.doors.ui.pages.conversations.read_sessions import session_json
from director_ctx.history.compress.restore import every_receipt
from director_ctx.history.sessions.copies import every_copy
from director_ctx.history.sessions.files import short_id
from director_ctx.history.sessions.find import list_sessions
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST = 200
UUID_LENGTH = 36


def data(visit: Visit) -> Json:
    """Oldest first, as they are kept."""
    root = visit.project.root
    with open_conversation(visit.project) as store:
        summaries = [summary.as_json(whole=False) for summary in compressions(store)]

    copy_of = {copy.receipt: copy for copy in every_copy(root)}
    titles: dict[str, str] = {}
    for session in list_sessions(root):
        titles[session.id] = session_json(session)["title"]

    receipts = []
    for head in every_receipt(root):
        made = {"session": "", "title": "", "undone": ""}
        copy = copy_of.get(head["receipt"])
        if copy:
            title = titles.get(copy.session, "")
            made = {"session": copy.session, "title": title, "undone": copy.undone}
        receipts.append({**head, **made})
    return {"receipts": receipts[-MOST:], "summaries": summaries[-MOST:]}


def view(data: Json) -> Json:
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
