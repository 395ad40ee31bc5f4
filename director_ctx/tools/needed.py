"""What a change needs to be told: itself, why, and the version that it was made from."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.tools.tool import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MEANINGS = {
    "value": "A variable without a value is cleared: clear_variable.",
    "version": "The version is the one that was shown with what you change.",
    "reason": "The reason is kept with the change.",
}
"""What somebody has to know who left an argument out."""


def expect(values: dict[str, Any], *names: str) -> None:
    """Names everything that is missing at once, so that one more call is enough."""
    missing = [
        name
        for name in names
        if values[name] is None or (name != "value" and not str(values[name]).strip())
    ]
    if missing:
        meanings = [_MEANINGS[name] for name in missing if name in _MEANINGS]
        raise UsageProblem(f"{values['action']} needs {listed(missing)}.", " ".join(meanings))


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


def expect_version(values: dict[str, Any], what: str, newest: Callable[[], int]) -> None:
    """Whoever leaves the version out was not too late, but has to say what was seen."""
    number = newest() if values["version"] is None else 0
    if number:
        raise UsageProblem(
            f"{values['action']} needs the version that you saw: {what} at version {number} now.",
            "Look before you change it: somebody may have written something else there.",
        )
