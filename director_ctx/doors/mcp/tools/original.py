"""What was cut from a conversation, by its locator."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.doors.mcp.tools.pages import page_of
from director_ctx.memory.archive.originals import find
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service


def run(service: Service, _: ClientCall, values: dict[str, Any]) -> str:
    """Out of this project's store alone: what was cut elsewhere is not this client's business."""
    with open_store(service.project()) as store:
        text = find(store, values["locator"].strip())
    if text is None:
        raise DctxError(
            f"The archive of this project has no {plain(values['locator'][:80])}.",
            "A locator stands in a shortened conversation, where something was cut.",
        )
    return page_of(text, "original", values)
