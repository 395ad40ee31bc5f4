"""Every page and everything that a page changes, as data."""

from __future__ import annotations

from director_ctx.base.record import Record

TASK_PARTS = "{ref:path}"


class WebPage(Record):
    """An address below the project's; its module and its template have its name."""

    name: str
    address: str
    title: str
    key: str = ""
    """After `g`, where it stands in the navigation; empty for a page that is reached by a link."""
    beside: str = ""
    """The page of the navigation that it belongs to."""
    hears_talk: bool = False
    """Whether it shows something of conversations, which change all the time."""
    hears_tabs: bool = False
    """Whether it shows what is open in the browser."""


class PageAction(Record):
    """An address that forms are sent to, and the function that carries it out."""

    address: str
    module: str
    call: str


PAGES = (
    WebPage("now", "now", "Now", "n", hears_talk=True),
    WebPage("plan", "plan", "Plan", "p"),
    WebPage("project", "project", "Project", "r"),
    WebPage("variables", "variables", "Variables", "v", hears_tabs=True),
    WebPage("health", "health", "Health", "h"),
    WebPage("plan_history", "plan/history", "History of the plan", beside="plan"),
    WebPage("plan_version", "plan/versions/{number}", "A version of the plan", beside="plan"),
    WebPage("variable", "variable", "Variable", beside="variables"),
    WebPage("task", f"tasks/{TASK_PARTS}", "Task", beside="project"),
)
"""In the order of the navigation. A page that is not made yet has no row."""

ACTIONS = (
    PageAction("plan/set", "plan_actions", "set_status"),
    PageAction("plan/restore", "plan_actions", "restore"),
    PageAction("variables/set", "variable_actions", "set_value"),
    PageAction("variables/clear", "variable_actions", "clear"),
    PageAction("variables/clear-all", "variable_actions", "clear_all"),
    PageAction("health/mend", "health", "mend"),
)


def navigation() -> tuple[WebPage, ...]:
    return tuple(page for page in PAGES if page.key)
