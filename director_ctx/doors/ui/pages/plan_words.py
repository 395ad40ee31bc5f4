"""What changed in a plan and why, in the words of the page's buttons."""

from __future__ import annotations

from director_ctx.doors.ui.pages.plan import WORDS
from director_ctx.memory.plans.diff import CHANGED, PLAN, TASK, changes
from director_ctx.memory.plans.plan import plan_history
from director_ctx.memory.plans.rules import STATUSES
from director_ctx.memory.plans.text import brief, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.project.project import Project

    Line = tuple[str, str]

ARROW = "\N{RIGHTWARDS ARROW}"


def lines_in_words(differences: Sequence[PlanChange]) -> list[Line]:
    """A line for each change, as `lines` has them for a terminal."""
    shown: list[Line] = []
    for change in differences:
        for sign, text in lines([change]):
            shown.append((sign, _in_words(change, text)))
    return shown


def _in_words(change: PlanChange, text: str) -> str:
    if change.what != PLAN and change.field == "status":
        name = f"{change.name} {brief(change.label)}".strip()
        return f"{name}: {_word(change.before)} {ARROW} {_word(change.after)}"
    if change.what == PLAN and change.field:
        field, _, rest = text.partition(":")
        text = f"{field.replace('_', ' ').capitalize()}:{rest}"
    if change.kind == CHANGED:
        return text.replace(" -> ", f" {ARROW} ")
    return text


def reason_in_words(reason: str | None) -> str:
    """The reason that is written where nobody gave one has a status in it."""
    if not reason:
        return ""
    begins, _, status = reason.rpartition(": ")
    if begins.startswith("Task ") and status in STATUSES:
        return f"{begins}: {_word(status)}"
    return reason


def newest_reasons(project: Project) -> dict[str, str]:
    """By task, why the newest version changed its status, where somebody said why."""
    versions = plan_history(project, 2)
    if len(versions) < 2:
        return {}
    before, newest = versions
    reason = newest.reason or ""
    was_given = reason_in_words(reason) == reason
    if not was_given:
        return {}
    reasons: dict[str, str] = {}
    for change in changes(before.data, newest.data):
        if change.what == TASK and change.field == "status":
            reasons[change.name] = reason
    return reasons


def _word(status: object) -> str:
    name = str(status)
    return WORDS.get(name, name)
