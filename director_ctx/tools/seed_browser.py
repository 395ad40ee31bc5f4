"""What the seed's tools about the browser answer."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.browser.act import DOM
from director_ctx.browser.requests import Action, one_action
from director_ctx.browser.state import browser_state as state_of
from director_ctx.tools.browser import acted, inspect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.tools.call import ToolCall
    from director_ctx.tools.service import ToolService

    Object = dict[str, Any]

NO_REASON = "Debugging"
"""The seed's examples for opening and closing a tab have none."""


def browser_state(service: ToolService, _: ToolCall, __: Object) -> str:
    tabs = state_of(service.project()) or "No browser is open."
    return f"BROWSER STATE:\n{tabs}\n"


def inspect_tab(service: ToolService, _: ToolCall, values: Object) -> str:
    looking_for = values["instruction"] or ""
    if values["inspectionType"] == "dom_snapshot":
        looking_for = DOM
    text = inspect(service.project(), values["tabName"] or "", looking_for)
    return page_of(text, "inspect_tab", values)


def navigate(service: ToolService, _: ToolCall, values: Object) -> str:
    return _do(service, "navigate", values, url=values["url"], tab=values["tabName"] or "")


def debug_action(service: ToolService, _: ToolCall, values: Object) -> str:
    action = values["action"]
    return _do(
        service,
        action,
        values,
        selector=values["selector"],
        text=values["text"] or "",
        tab=values["tabName"] or "",
    )


def open_tab(service: ToolService, _: ToolCall, values: Object) -> str:
    return _do(service, "open", values, url=values["url"], name=values["tabName"] or "")


def close_tab(service: ToolService, _: ToolCall, values: Object) -> str:
    return _do(service, "close", values, tab=values["tabName"])


def _do(service: ToolService, action: str, values: Object, **fields: str) -> str:
    reason = values["reason"] or NO_REASON
    return acted(service.project(), one_action(Action(action, reason=reason, **fields)))
