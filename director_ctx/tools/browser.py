"""The browser: its tabs, a page looked at, and things tried in it; below also by the names of the seed's tools."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError
from director_ctx.browser.act import DOM, Look, act, look_light, look_text
from director_ctx.browser.display import shown
from director_ctx.browser.page_text import light_lines
from director_ctx.browser.requests import Action, one_action
from director_ctx.browser.session import check_installed
from director_ctx.browser.state import browser_state as state_of
from director_ctx.browser.state import find_browser, open_tabs
from director_ctx.tools.needed import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

    Object = dict[str, Any]

TOKENS = 10_000
"""Of a page, at most; answers have pages of their own."""
NO_REASON = "Debugging"
"""The seed's examples for opening and closing a tab have none."""


def run(call: ToolCall, values: Object) -> str:
    project = call.project()
    if values["action"] == "tabs":
        return shown(open_tabs(project, find_browser(project))) + "\n"
    if values["action"] == "inspect":
        text = inspect(project, values["tab"] or "", values["looking_for"] or "")
        return page_of(text, "browser", values)
    expect(values, "reason")
    fields = {name: values[name] or "" for name in ("tab", "selector", "text", "url")}
    return acted(project, Action(values["action"], reason=values["reason"], **fields))


def inspect(project: Project, tab: str, looking_for: str, reason: str = "") -> str:
    check_installed()
    browser = find_browser(project)
    look = Look(tab, reason or "An agent's tool looked")
    if looking_for == DOM:
        _, (lines, _) = look_text(project, browser, look.replace(how=DOM), TOKENS)
    else:
        opened, light = look_light(project, browser, look, looking_for)
        lines = light_lines(opened, light)
    return "\n".join(lines) + "\n"


def acted(project: Project, asked: Action) -> str:
    """What came of it, and the tabs afterwards."""
    action = one_action(asked)
    if action.action != "close":
        check_installed()
    results, after = act(project, find_browser(project), [action])
    for result in results:
        if result.failed:
            raise DctxError(result.result, result.hint)
    done = ", ".join(f"{result.action} {result.on}: {result.result}" for result in results)
    return f"{done}\n{shown(after)}\n"


# --- The seed's tools ---


def browser_state(call: ToolCall, __: Object) -> str:
    return f"BROWSER STATE:\n{state_of(call.project()) or 'No browser is open.'}\n"


def inspect_tab(call: ToolCall, values: Object) -> str:
    looking_for = values["instruction"] or ""
    if values["inspectionType"] == "dom_snapshot":
        looking_for = DOM
    text = inspect(call.project(), values["tabName"] or "", looking_for)
    return page_of(text, "inspect_tab", values)


def navigate(call: ToolCall, values: Object) -> str:
    return _do(call, "navigate", values, url=values["url"], tab=values["tabName"] or "")


def debug_action(call: ToolCall, values: Object) -> str:
    fields = {"selector": values["selector"], "text": values["text"] or ""}
    return _do(call, values["action"], values, tab=values["tabName"] or "", **fields)


def open_tab(call: ToolCall, values: Object) -> str:
    return _do(call, "open", values, url=values["url"], name=values["tabName"] or "")


def close_tab(call: ToolCall, values: Object) -> str:
    return _do(call, "close", values, tab=values["tabName"])


def _do(call: ToolCall, action: str, values: Object, **fields: str) -> str:
    reason = values["reason"] or NO_REASON
    return acted(call.project(), Action(action, reason=reason, **fields))
