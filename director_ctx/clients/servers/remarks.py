"""What a person should know about a server that has just been installed."""

from __future__ import annotations

from director_ctx.clients.by_server import SERVER
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.hooks.remarks import names_machine
from director_ctx.clients.program import program
from director_ctx.clients.servers.places import server_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.servers.places import ServerPlace
    from director_ctx.clients.settings_change import SettingsChange

QUESTION = "What should I do next, and what do I need to know?"


def remarks(
    place: ServerPlace,
    root: str | None,
    changes: Sequence[SettingsChange],
) -> Iterator[tuple[str, str]]:
    """Each with a hint. Nothing of a file that is the user's own: it asks nobody, and is not
    shared.
    """
    if root is None:
        return
    shared = {file.path for file in server_files(place, root) if not file.is_users}
    written = [change for change in changes if change.path in shared and change.after]
    for change in written:
        if program() != (PROGRAM,):
            yield names_machine(change.name)
    if written and place.asks:
        yield place.asks, ""


def brief(change: SettingsChange) -> str:
    """A change in a few words."""
    if change.after == change.original:
        return f"no server {SERVER} any more"
    return f"the server {SERVER}"
