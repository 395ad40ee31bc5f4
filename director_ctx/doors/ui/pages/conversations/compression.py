"""One compression: what it removed, what each of the largest pieces began with; or a summary's text."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.visit import NotThere
from director_ctx.history.compress.restore import by_kind, first_lines, receipt_of
from director_ctx.history.sessions.told import shown_text
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST_PIECES = 40


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
    largest = sorted(receipt["cuts"], key=lambda cut: cut["after"] - cut["before"])[:MOST_PIECES]
    begins = first_lines([cut["locator"] for cut in largest], visit.project.root)
    pieces = []
    for cut in largest:
        begun = shown_text(begins.get(cut["locator"], "")[:400])[:200]
        pieces.append({**cut, "begins": begun})
    return {"summary": None, "receipt": receipt, "largest": pieces}


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
        "summary": None,
        "receipt": receipt,
        "short": receipt["id"][:12],
        "share": receipt["tokens_out"] * 100 / max(1, receipt["tokens_in"]),
        "kinds": kinds,
        "largest": data["largest"],
    }
