"""What the steps of the work left for each other, every change of it, and what is open in the browser."""

from __future__ import annotations

from itertools import islice

from director_ctx.base.errors import DctxError
from director_ctx.browser.display import tab_json
from director_ctx.browser.state import is_browser_known, known_tabs
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import change_json, in_order, variable_json
from director_ctx.memory.variables.variables import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.variables.entries import Variable, VariableChange
    from director_ctx.project.project import Project

    Json = dict[str, Any]

MOST_CHANGES = 50
MOST_SHOWN = 500


def data(visit: Visit) -> Json:
    project = visit.project
    with open_store(project) as store:
        # Asked for first: a change in between makes it too old, and never too new.
        version = entries.version_now(store)
        every_row = in_order(entries.variables(store))
        # One more than is shown, so that it is known whether there are more.
        changes = entries.changes(store, last=MOST_CHANGES + 1)
    words = visit.asked("words").casefold().split()
    rows = list(islice(_with_words(every_row, words), MOST_SHOWN + 1))
    return {
        "version": version,
        "words": " ".join(words),
        "variables": rows[:MOST_SHOWN],
        "more": len(rows) > MOST_SHOWN,
        "count": len(every_row),
        "changes": [change_row(change) for change in changes[-MOST_CHANGES:]],
        "more_changes": len(changes) > MOST_CHANGES,
        "browser": _browser(project),
    }


def _with_words(rows: Iterable[Variable], words: list[str]) -> Iterator[Json]:
    """By what is shown of them: nobody finds a secret by guessing at it. One by one, because to hide
    what is hidden takes longer than to read it.
    """
    for row in rows:
        document = {**variable_json(row), **named(row.name)}
        text = f"{document['name']} {document['shown']}".casefold()
        if all(word in text for word in words):
            yield document


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
    hidden = sum(row["hidden"] for row in data["variables"])
    return {**data, "hidden_count": hidden, "changes": list(_newest_first(data["changes"]))}


def _newest_first(changes: list[Json]) -> Iterator[Json]:
    """With whether the value is the one that the list has."""
    told: set[str] = set()
    for change in reversed(changes):
        is_newest = change["name"] not in told
        told.add(change["name"])
        yield {**change, "is_now": is_newest and change["shown"] is not None}
