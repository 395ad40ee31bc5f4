"""`dctx statusline` in Claude Code's settings: the change is shown first; nothing is written unasked."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.clients.status_line.install import CLIENT, plan_install, plan_remove
from director_ctx.clients.table import CLIENTS
from director_ctx.doors.cli.shared.asking import scope
from director_ctx.doors.cli.shared.changing import SettingsWork, change_settings
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.settings_change import SettingsChange

OTHERS = "Only Claude Code has a status line that another program writes."


def install(values: dict[str, Any]) -> int:
    if values["client"] not in (None, CLIENT, "all"):
        raise UsageProblem(OTHERS, "Leave --client out.")
    root = scope(values)

    def plan(_: object) -> tuple[SettingsChange, ...]:
        return plan_install(root)

    def done(*_: object) -> None:
        say("Claude Code shows it from its next answer on.")

    work = SettingsWork(plan, "The status line of TITLE is installed already.", _brief, done)
    return change_settings(values, [CLIENTS[CLIENT]], work)


def remove(values: dict[str, Any]) -> int:
    if values["client"] not in (None, CLIENT, "all"):
        raise UsageProblem(OTHERS, "Leave --client out.")
    root = scope(values)

    def plan(_: object) -> tuple[SettingsChange, ...]:
        return plan_remove(root)

    def done(*_: object) -> None:
        """Nothing more is to be said."""

    work = SettingsWork(plan, "The status line of TITLE is not installed.", _brief, done)
    return change_settings(values, [CLIENTS[CLIENT]], work)


def remove_if_there(values: dict[str, Any]) -> int:
    """Together with everything else, where nobody has to hear that it is not there."""
    if values["client"] not in (CLIENT, "all") or not plan_remove(scope(values)):
        return OK
    return remove(values)


def _brief(change: SettingsChange, _: object) -> str:
    if change.after == change.original:
        return "no status line of dctx any more"
    return "the status line"
