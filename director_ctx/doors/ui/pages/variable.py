"""One variable: its whole value with `[hidden]` for what is, its changes, and how to change it."""

from __future__ import annotations

from json import loads

from director_ctx.base.strict_json import strict_json
from director_ctx.doors.ui.pages.variables import change_row
from director_ctx.doors.ui.visit import NotThere
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import shown_name, variable_json, visible
from director_ctx.memory.variables.typed import as_typed, whole_text
from director_ctx.memory.variables.variables import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST_CHANGES = 100
LONGEST_EDITED = 20_000
"""Characters of a value that a field is filled with."""


def data(visit: Visit) -> Json:
    name = visit.asked("name")
    check_name(name)
    with open_store(visit.project) as store:
        version = entries.version_now(store)
        row = entries.variable(store, name)
        changes = entries.changes(store, name, MOST_CHANGES)
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


def view(data: Json) -> Json:
    field = ""
    variable = data["variable"]
    # To send back what is shown would put `[hidden]` in the place of the secret.
    if variable and not variable["hidden"] and len(data["text"]) <= LONGEST_EDITED:
        field = as_typed(data["value"])
    return {**data, "field": field, "changes": data["changes"][::-1]}
