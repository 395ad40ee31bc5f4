"""What a person should know about a server that has just been installed."""

from __future__ import annotations

from director_ctx.clients.entries import PROGRAM, SERVER
from director_ctx.clients.hooks.remarks import names_machine
from director_ctx.clients.program import program
from director_ctx.clients.servers.places import PLACES, server_files

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
    """Each with a hint. Of a file that is the user's own only that calls are asked about: it is not
    shared, and the server is started unasked.
    """
    if changes and place.allows:
        yield place.allows, place.how_to_allow
    if root is None:
        return
    shared = {file.path for file in server_files(place, root) if not file.is_users}
    written = [change for change in changes if change.path in shared and change.after]
    for change in written:
        if program() != (PROGRAM,):
            yield names_machine(change.name)
    if written and place.asks:
        yield place.asks, ""


def also_read_by(
    place: ServerPlace, root: str | None, changes: Sequence[SettingsChange]
) -> list[ServerPlace]:
    """The other clients that lose the server, too, because they read the same file."""
    paths = {change.path for change in changes}
    others = []
    for other in PLACES.values():
        reads_it = any(file.path in paths for file in server_files(other, root))
        if reads_it and other.client != place.client:
            others.append(other)
    return others


def brief(change: SettingsChange) -> str:
    """A change in a few words."""
    if change.after == change.original:
        return f"no server {SERVER} any more"
    return f"the server {SERVER}"
