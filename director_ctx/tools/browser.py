"""The browser: its tabs, a page looked at, and things tried in it."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError
from director_ctx.browser.act import DOM, Look, act, look_light, look_text
from director_ctx.browser.display import shown
from director_ctx.browser.page_text import light_lines
from director_ctx.browser.requests import Action, one_action
from director_ctx.browser.session import check_installed
from director_ctx.browser.state import find_browser, open_tabs
from director_ctx.tools.needed import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.call import ToolCall
    from director_ctx.tools.service import ToolService

TOKENS = 10_000
"""Of a page, at most; answers have pages of their own."""


def run(service: ToolService, _: ToolCall, values: dict[str, Any]) -> str:
    project = service.project()
    if values["action"] == "tabs":
        return tabs(project)
    if values["action"] == "inspect":
        text = inspect(project, values["tab"] or "", values["looking_for"] or "")
        return page_of(text, "browser", values)
    return acted(project, asked_action(values))


def tabs(project: Project) -> str:
    return shown(open_tabs(project, find_browser(project))) + "\n"


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


def asked_action(values: dict[str, Any]) -> Action:
    expect(values, "reason")
    fields = {"action": values["action"], "reason": values["reason"]}
    for name in ("tab", "selector", "text", "url"):
        fields[name] = values.get(name) or ""
    return one_action(Action(**fields))


def acted(project: Project, action: Action) -> str:
    """What came of it, and the tabs afterwards."""
    if action.action != "close":
        check_installed()
    results, after = act(project, find_browser(project), [action])
    for result in results:
        if result.failed:
            raise DctxError(result.result, result.hint)
    done = ", ".join(f"{result.action} {result.on}: {result.result}" for result in results)
    return f"{done}\n{shown(after)}\n"
