"""The server `dctx mcp` in a client's settings: the change is shown first; nothing is written
unasked.
"""

from __future__ import annotations

from director_ctx.clients.servers.install import plan_install, plan_remove
from director_ctx.clients.servers.places import is_used, places_named
from director_ctx.clients.servers.remarks import QUESTION, also_read_by, brief, remarks
from director_ctx.doors.cli.clients.mcp import writable_areas
from director_ctx.doors.cli.shared.asking import scope
from director_ctx.doors.cli.shared.changing import SettingsWork, change_settings
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.servers.places import ServerPlace
    from director_ctx.clients.settings_change import SettingsChange


def install(values: dict[str, Any]) -> int:
    root = scope(values)
    areas = None
    if values["write"] is not None:
        areas = ",".join(writable_areas(values["write"]))

    def plan(place: ServerPlace) -> tuple[SettingsChange, ...]:
        return plan_install(place, root, areas)

    def done(place: ServerPlace, changes: Sequence[SettingsChange]) -> None:
        for remark in remarks(place, root, changes):
            say(*remark)
        say(f"Start {place.title} in this project (anew, if it runs), and ask: {QUESTION}")

    nothing = "The server of TITLE is installed already."
    work = SettingsWork(plan, nothing, _brief, done)
    return change_settings(values, _used_places(values, root), work)


def remove(values: dict[str, Any]) -> int:
    root = scope(values)

    def plan(place: ServerPlace) -> tuple[SettingsChange, ...]:
        changes = plan_remove(place, root)
        for other in _others(place, changes):
            say(f"{other.title} will not have it any more either: it reads the same file.")
        return changes

    def done(place: ServerPlace, changes: Sequence[SettingsChange]) -> None:
        for other in _others(place, changes):
            again = f"Back again: dctx agents install --what mcp --client {other.client}"
            say(f"{other.title} has no server dctx any more either.", again)

    def _others(place: ServerPlace, changes: Sequence[SettingsChange]) -> list[ServerPlace]:
        """With `all` nobody is surprised."""
        if values["client"] == "all":
            return []
        return also_read_by(place, root, changes)

    nothing = "The server of TITLE is not installed."
    work = SettingsWork(plan, nothing, _brief, done)
    return change_settings(values, places_named(values["client"]), work)


def _brief(change: SettingsChange, _: ServerPlace) -> str:
    return brief(change)


def _used_places(values: dict[str, Any], root: str | None) -> list[ServerPlace]:
    """With `all`, those of clients that seem to be used here."""
    meant = places_named(values["client"])
    if values["client"] != "all":
        return list(meant)
    used = []
    for place in meant:
        if is_used(place, root):
            used.append(place)
        else:
            say(f"{place.title} does not seem to be used here; skipped.")
    return used
