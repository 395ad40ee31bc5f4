"""`dctx browser show`, `start` and `stop`: what is open, the names of tabs, and a browser of its own
for a project.
"""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.browser.display import Open, shown, tab_json, tidy_name
from director_ctx.browser.state import Browser, find_browser, find_tab, open_tabs
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.project.project import Project

    Values = dict[str, Any]


def where(values: Values) -> tuple[Project | None, Browser]:
    """The project, if this is one, and the browser that is meant."""
    project = project_here(values["root"])
    return project, find_browser(project, values["cdp"], values["remote"])


def tab_lines(tabs: Sequence[Open]) -> list[tuple[str, str]]:
    """As a context shows them, so that people and agents speak of the same tabs."""
    return [(line, "") for line in shown(tabs).split("\n")]


def number(text: str, option: str, what: str, most: int, hint: str) -> int:
    """The number that an option gives."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not is_number or int(text) > most:
        raise UsageProblem(f"{option}: {text!r} is not {what}.", hint)
    return int(text)


def show(values: Values) -> int:
    name = values["name"]
    if name is not None and not tidy_name(name):
        raise UsageProblem("The name is empty.", "Give the tab a name, such as --name 'Debug Tab'.")

    project, browser = where(values)
    tabs = open_tabs(project, browser)
    if name is not None or values["tab"]:
        tab = find_tab(tabs, values["tab"] or "")
        tabs = [tab]
        if name is not None:
            # The name is settled while the tabs are listed, in one write with what came and went.
            tabs = open_tabs(project, browser, {tab.tab.id: tidy_name(name)})
    if values["json"]:
        put_json({"tabs": [tab_json(tab) for tab in tabs]})
    else:
        put_lines(tab_lines(tabs))
    return OK


def start(values: Values) -> int:
    # Whoever only looks at tabs goes without these.
    from director_ctx.browser.launch import has_display, is_root
    from director_ctx.browser.launch import start as begin
    from director_ctx.browser.requests import address

    url = address(values["url"]) if values["url"] else None
    if url == "":
        raise UsageProblem(
            f"URL: {values['url']!r} is not the address of a page.",
            "Write it with its beginning, such as http://localhost:3000.",
        )
    hint = "Say a number up to 65535, or leave --port out to get a free port."
    port = number(values["port"] or "0", "--port", "a port", 65535, hint)
    unseen = values["headless"] or not has_display()
    browser, pid, new = begin(project_here(values["root"]), url, port, values["program"], unseen)

    if values["json"]:
        put_json({"endpoint": str(browser.endpoint), "pid": pid, "started": new})
    else:
        state = "Started" if new else "Already running"
        put_lines([(f"{state}: {browser.endpoint} (process {pid})", "")])
    if new and unseen and not values["headless"]:
        say("There is no display here, so the browser runs without a window.")
    # Chromium refuses to run as root with its sandbox, as in most containers.
    if new and is_root():
        say("As root the browser runs without its sandbox; visit only pages that you trust.")
    if not new and url:
        say(
            "The browser was running already, so the page was not opened.",
            f"`dctx browser open {url} --reason TEXT` opens it.",
        )
    return OK


def stop(values: Values) -> int:
    from director_ctx.browser.launch import end

    pid = end(project_here(values["root"]))
    if values["json"]:
        put_json({"stopped": bool(pid), "pid": pid or None})
    else:
        line = f"Stopped: process {pid}." if pid else "No browser of dctx is running here."
        put_lines([(line, "")])
    return OK
