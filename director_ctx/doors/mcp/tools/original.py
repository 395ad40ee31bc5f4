"""What was cut from a conversation, by its locator."""

from __future__ import annotations

from director_ctx.history.retrieve.answering import asked_for, original_page
from director_ctx.memory.archive.originals import find
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service


def run(service: Service, _: ClientCall, values: dict[str, Any]) -> str:
    """Out of this project's store alone: what was cut elsewhere is not this client's business."""

    def look_up(locator: str) -> str | None:
        with open_store(service.project()) as store:
            return find(store, locator)

    return original_page("original", asked_for(values), look_up)
