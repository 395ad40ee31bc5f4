"""One compression: what it removed, each of the largest pieces with its original; or a summary's text."""

from __future__ import annotations

from contextlib import suppress

from director_ctx.base.errors import DctxError
from director_ctx.base.record import as_dict
from director_ctx.doors.ui.pages.conversations.cut_pieces import cut_places, named_cuts
from director_ctx.doors.ui.pages.conversations.entries import MOST_TEXT
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    read_session,
    session_json,
    session_named,
)
from director_ctx.doors.ui.visit import NotThere
from director_ctx.history.compress.restore import by_kind, first_lines, original, receipt_of
from director_ctx.history.sessions.copies import every_copy
from director_ctx.history.sessions.told import shown_text
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.pages.conversations.cut_pieces import CutPlace
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.copies import ShorterCopy

    Json = dict[str, Any]

MOST_PIECES, MARGIN = 40, 400


def data(visit: Visit) -> Json:
    """By the start of an id: of a summary first, as there are fewer of them."""
    name = visit.parts["id"]
    with open_conversation(visit.project) as store:
        for summary in compressions(store):
            if summary.id.startswith(name):
                document = summary.as_json()
                return {
                    "summary": {**document, "summary": shown_text(summary.text)},
                    "receipt": None,
                }
    try:
        receipt = receipt_of(name, visit.project.root)
    except DctxError as error:
        raise NotThere(
            error.message, "The list of compressions has those that there are."
        ) from error
    copy = _copy_with(visit, receipt["id"])
    return {
        "summary": None,
        "receipt": receipt,
        "copy": as_dict(copy) if copy else None,
        "waits": bool(copy and copy.waits),
        "session": _session_of(visit, copy),
        "pieces": _pieces(visit, receipt, copy),
        "original": _original(visit, receipt),
    }


def _copy_with(visit: Visit, receipt: str) -> ShorterCopy | None:
    """What it made: it may be undone since."""
    for copy in every_copy(visit.project.root):
        if copy.receipt == receipt:
            return copy
    return None


def _session_of(visit: Visit, copy: ShorterCopy | None) -> Json | None:
    """The conversation that was compressed, as long as its client keeps it."""
    if copy is None:
        return None
    try:
        return session_json(session_named(_at(visit, copy)))
    except DctxError:
        return None


def _pieces(visit: Visit, receipt: Json, copy: ShorterCopy | None) -> list[Json]:
    """With the names that the conversation has for them, where it is still there."""
    known: dict[tuple[int, int], CutPlace] = {}
    if copy:
        with suppress(DctxError):
            conversation = read_session(_at(visit, copy))
            known = cut_places(conversation)

    largest = named_cuts(receipt["cuts"], known)[:MOST_PIECES]
    locators = [cut["locator"] for cut in largest]
    begins = first_lines(locators, visit.project.root)
    for cut in largest:
        line = begins.get(cut["locator"], "")
        cut["begins"] = shown_text(line[:400])[:200]
    return largest


def _at(visit: Visit, copy: ShorterCopy) -> Visit:
    return visit.replace(parts={"session": copy.session})


def _original(visit: Visit, receipt: Json) -> Json | None:
    """One of its originals in full, if it is asked for; never one of another compression."""
    locator = visit.asked("original")
    if locator not in [cut["locator"] for cut in receipt["cuts"]]:
        return None
    text = ""
    try:
        text = original(locator, visit.project.root).decode("utf-8", "replace")
    except DctxError as error:
        return {"locator": locator, "text": "", "left_out": 0, "trouble": error.message}
    return {
        "locator": locator,
        # A secret may end behind what is shown.
        "text": shown_text(text[: MOST_TEXT + MARGIN])[:MOST_TEXT],
        "left_out": max(0, len(text) - MOST_TEXT),
        "trouble": "",
    }


def view(data: Json) -> Json:
    receipt = data["receipt"]
    if receipt is None:
        return {"summary": data["summary"], "receipt": None}
    kinds = []
    for kind, tool, blocks, before, after in by_kind(receipt["cuts"]):
        kinds.append(
            {
                "kind": kind,
                "tool": shown_text(tool),
                "blocks": blocks,
                "before": before,
                "after": after,
            }
        )
    return {
        **data,
        "short": receipt["id"][:12],
        "share": receipt["tokens_out"] * 100 / max(1, receipt["tokens_in"]),
        "kinds": kinds,
        "number": _number_of(data),
        "more": len(receipt["cuts"]) - len(data["pieces"]),
    }


def _number_of(data: Json) -> int:
    """The message that the original which is shown was in; 0 where that is not known."""
    if data["original"] is None:
        return 0
    for piece in data["pieces"]:
        if piece["locator"] == data["original"]["locator"]:
            return int(piece["number"])
    return 0
