"""`dctx browser tabs`: what is open, and the names of tabs."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.browser.display import shown, tab_json, tidy_name
from director_ctx.browser.state import find_browser, find_tab, open_tabs
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.display import Open
    from director_ctx.browser.state import Browser
    from director_ctx.project.project import Project


def where(values: dict[str, Any]) -> tuple[Project | None, Browser]:
    """The project, if this is one, and the browser that is meant."""
    project = project_here(values["root"])
    return project, find_browser(project, values["cdp"], values["remote"])


def put_tabs(tabs: Sequence[Open], as_json: bool) -> None:
    if as_json:
        put_json({"tabs": [tab_json(tab) for tab in tabs]})
    else:
        put_lines(tab_lines(tabs))


def tab_lines(tabs: Sequence[Open]) -> list[tuple[str, str]]:
    """As a context shows them, so that people and agents speak of the same tabs."""
    return [(line, "") for line in shown(tabs).split("\n")]


def tabs(values: dict[str, Any]) -> int:
    name = values["name"]
    if name is not None and not tidy_name(name):
        raise UsageProblem("The name is empty.", "Give the tab a name, such as --name 'Debug Tab'.")

    project, browser = where(values)
    if name is None and not values["tab"]:
        put_tabs(open_tabs(project, browser), values["json"])
        return OK

    tab = find_tab(open_tabs(project, browser), values["tab"] or "")
    if name is None:
        put_tabs([tab], values["json"])
        return OK
    # The name is settled while the tabs are listed, in one write with what came and went.
    names = {tab.tab.id: tidy_name(name)}
    put_tabs(open_tabs(project, browser, names), values["json"])
    return OK
