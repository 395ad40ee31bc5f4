"""What a change needs to be told: itself, why, and the version that it was made from."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def needed(values: dict[str, Any], name: str) -> Any:
    value = values[name]
    if value in (None, ""):
        raise UsageProblem(f"{values['action']} needs the argument {name}.")
    return value


def reason_of(values: dict[str, Any]) -> str:
    said: str = values["reason"] or ""
    if not said.strip():
        raise UsageProblem("Say why: reason.", "It is kept with the change.")
    return said


def version_seen(values: dict[str, Any]) -> int:
    """The version that this change is made from, so that it cannot undo what somebody else did.

    Whoever names none saw nothing yet: that is version 0.
    """
    said = str(values["version"] or 0)
    if not (said.isascii() and said.isdigit() and len(said) < 10):
        raise UsageProblem(
            "That is not a version.", "It is the number shown with the plan, or with the variables."
        )
    return int(said)
