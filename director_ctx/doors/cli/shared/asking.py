"""Whose files are meant."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.clients.program import clients_named, is_here
from director_ctx.doors.cli.shared.speak import say
from director_ctx.project.reading.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.table import Client


def scope(values: dict[str, Any]) -> str | None:
    """The project whose files are meant; None for the user's own."""
    if values["user"] and values["project"]:
        raise UsageProblem("--user and --project exclude each other.", "Choose one of them.")
    if values["user"]:
        return None
    return locate(root=values["root"])


def used_clients(values: dict[str, Any], root: str | None) -> list[Client]:
    """The clients that are meant; with `all`, those that seem to be used here."""
    meant = clients_named(values["client"])
    if values["client"] != "all":
        return list(meant)

    used = []
    for client in meant:
        if is_here(client, root):
            used.append(client)
        else:
            say(f"{client.title} does not seem to be used here; skipped.")
    return used
