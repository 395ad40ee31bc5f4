"""What the steps of the work left for each other, every change of it, and what is open in the browser."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.browser.display import tab_json
from director_ctx.browser.state import is_browser_known, known_tabs
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import change_json, in_order, variable_json
from director_ctx.memory.variables.variables import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.variables.entries import VariableChange
    from director_ctx.project.project import Project

    Json = dict[str, Any]

MOST_CHANGES = 50


def data(visit: Visit) -> Json:
    project = visit.project
    with open_store(project) as store:
        # Asked for first: a change in between makes it too old, and never too new.
        version = entries.version_now(store)
        rows = in_order(entries.variables(store))
        # One more than is shown, so that it is known whether there are more.
        changes = entries.changes(store, last=MOST_CHANGES + 1)
    return {
        "version": version,
        "variables": [{**variable_json(row), **named(row.name)} for row in rows],
        "changes": [change_row(change) for change in changes[-MOST_CHANGES:]],
        "more_changes": len(changes) > MOST_CHANGES,
        "browser": _browser(project),
    }


def change_row(change: VariableChange) -> Json:
    return {**change_json(change), **named(change.name)}


def named(name: str) -> Json:
    """Whether it has a page of its own. Other programs write to the store, too, and may have put a
    secret into a name: the address of its page would tell it.
    """
    try:
        check_name(name)
    except DctxError:
        return {"can_be_opened": False}
    return {"can_be_opened": True}


def _browser(project: Project) -> Json:
    if not is_browser_known(project):
        return {"known": False, "tabs": [], "why": "", "hint": ""}
    try:
        tabs = [tab_json(tab) for tab in known_tabs(project)]
    except DctxError as error:
        return {"known": True, "tabs": [], "why": error.message, "hint": error.hint}
    return {"known": True, "tabs": tabs, "why": "", "hint": ""}


def view(data: Json) -> Json:
    count = len(data["variables"])
    hidden = sum(row["hidden"] for row in data["variables"])
    return {**data, "count": count, "hidden_count": hidden, "changes": data["changes"][::-1]}
