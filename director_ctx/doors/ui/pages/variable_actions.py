"""What can be changed about variables: each change with its reason, and only if nobody was faster."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import counted
from director_ctx.doors.ui.visit import Done, number_in
from director_ctx.memory.variables.display import shown, shown_name
from director_ctx.memory.variables.typed import from_form, typed_value
from director_ctx.memory.variables.variables import (
    NOT_GIVEN,
    change_variable,
    clear_variable,
    clear_variables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Form = dict[str, str]

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
