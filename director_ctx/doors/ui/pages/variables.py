"""What the steps of the work left for each other, every change of it, and what is open in the browser."""

from __future__ import annotations

from itertools import islice
from json import loads

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.strict_json import strict_json
from director_ctx.base.text import counted
from director_ctx.browser.display import tab_json
from director_ctx.browser.state import is_browser_known, known_tabs
from director_ctx.doors.ui.visit import Done, NotThere, Visit, number_in
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import (
    change_json,
    in_order,
    shown,
    shown_name,
    variable_json,
    visible,
)
from director_ctx.memory.variables.typed import as_typed, from_form, typed_value, whole_text
from director_ctx.memory.variables.variables import (
    NOT_GIVEN,
    change_variable,
    check_name,
    clear_variable,
    clear_variables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from director_ctx.memory.variables.entries import Variable, VariableChange
    from director_ctx.project.project import Project

    Json = dict[str, Any]
    Form = dict[str, str]

MOST_CHANGES = 50
MOST_SHOWN = 500


def variables_data(visit: Visit) -> Json:
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
        return {"can_be_opened": True}
    except DctxError:
        return {"can_be_opened": False}


def _browser(project: Project) -> Json:
    shown: Json = {"known": is_browser_known(project), "tabs": [], "why": "", "hint": ""}
    try:
        if shown["known"]:
            shown["tabs"] = [tab_json(tab) for tab in known_tabs(project)]
    except DctxError as error:
        shown |= {"why": error.message, "hint": error.hint}
    return shown


def variables_view(data: Json) -> Json:
    hidden = sum(row["hidden"] for row in data["variables"])
    return {**data, "hidden_count": hidden, "changes": list(_newest_first(data["changes"]))}


def _newest_first(changes: list[Json]) -> Iterator[Json]:
    """With whether the value is the one that the list has."""
    told: set[str] = set()
    for change in reversed(changes):
        is_newest = change["name"] not in told
        told.add(change["name"])
        yield {**change, "is_now": is_newest and change["shown"] is not None}


VARIABLE_MOST_CHANGES = 100
LONGEST_EDITED = 20_000
"""Characters of a value that a field is filled with."""


def variable_data(visit: Visit) -> Json:
    name = visit.asked("name")
    check_name(name)
    with open_store(visit.project) as store:
        version = entries.version_now(store)
        row = entries.variable(store, name)
        changes = entries.changes(store, name, VARIABLE_MOST_CHANGES)
    if row is None and not changes:
        raise NotThere(
            f"There is no variable {shown_name(name)}.", "Variables lists those that there are."
        )
    document: Json = {
        "name": name,
        "version": version,
        "variable": None,
        "value": None,
        "text": "",
        "changes": [change_row(change) for change in changes],
    }
    if row is not None:
        document["variable"] = variable_json(row)
        value = visible(row.name, row.stored)
        # Half a character, as JSON may have it, cannot be sent.
        document["value"] = loads(strict_json(value).encode("utf-8", "replace"))
        document["text"] = whole_text(value)
    return document


def variable_view(data: Json) -> Json:
    field = ""
    variable = data["variable"]
    # To send back what is shown would put `[hidden]` in the place of the secret.
    if variable and not variable["hidden"] and len(data["text"]) <= LONGEST_EDITED:
        field = as_typed(data["value"])
    return {**data, "field": field, "changes": data["changes"][::-1]}


CHECKED = "1"


def set_value(visit: Visit, form: Form) -> Done:
    name = form.get("name", "").strip()
    value = _value(form)
    change = change_variable(
        visit.project,
        (name, value, _reason(form)),
        secret=form.get("secret") == CHECKED,
        expected=_version(form),
    )
    says = f"{shown_name(name)} is {shown(name, change.stored or '')}."
    return Done(says, visit.link("variable", name=name))


def _value(form: Form) -> Any:
    text = from_form(form.get("value", ""))
    if form.get("string") == CHECKED:
        return text
    # A secret is not shown, so its field is empty: to send it like that is no wish to lose it.
    if not text.strip():
        raise UsageProblem("The value is empty.", 'Write one; "" is an empty text.')
    return typed_value(text)


def clear(visit: Visit, form: Form) -> Done:
    name = form.get("name", "")
    clear_variable(visit.project, name, _reason(form), _version(form))
    return Done(f"{shown_name(name)} is cleared.", visit.link("variables"))


def clear_all(visit: Visit, form: Form) -> Done:
    """Only with the box checked that says so: scripts or none, nobody does this by one click."""
    if form.get("sure") != CHECKED:
        raise UsageProblem("Nothing was cleared.", "Check the box beside the button first.")
    count = clear_variables(visit.project, _reason(form), _version(form))
    return Done(f"{counted(count, 'variable')} cleared.", visit.link("variables"))


def _version(form: Form) -> int:
    return number_in(form.get("version", ""), "a version of the variables")


def _reason(form: Form) -> str:
    return " ".join(form.get("reason", "").split()) or NOT_GIVEN
