"""Where the server is installed, and whether what is called there is here."""

from __future__ import annotations

import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.installed import PROJECT, USER
from director_ctx.clients.program import program
from director_ctx.clients.servers.description import called_words, described
from director_ctx.clients.servers.install import server_state
from director_ctx.clients.servers.places import PLACES, server_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.servers.install import ServerState
    from director_ctx.clients.servers.places import ServerPlace


class InstalledServer(Record):
    """A server called dctx in one file of settings."""

    clients: tuple[str, ...]
    """Those that read this file."""
    scope: str
    path: str
    command: tuple[str, ...] = ()
    """What the client starts."""
    writes: str = ""
    """What agents may change by it."""
    works: bool = True
    """Whether what is called is there."""
    current: bool = True
    """Whether it is what this version would write, or was written by hand."""
    foreign: bool = False
    """Whether it is a server of somebody else's."""
    problem: str = ""
    """Why the file cannot be read."""

    @property
    def is_dctx(self) -> bool:
        """Whether it is this server, whoever wrote it down."""
        return not self.foreign and not self.problem

    @property
    def is_sound(self) -> bool:
        """Whether nothing is to be mended."""
        return self.is_dctx and self.works and self.current

    @property
    def titles(self) -> str:
        return ", ".join(PLACES[name].title for name in self.clients)


def is_known(client: str, servers: Sequence[InstalledServer]) -> bool:
    """Whether one of these is our server, started by a client."""
    return any(server.is_dctx and client in server.clients for server in servers)


def installed_servers(root: str | None) -> tuple[InstalledServer, ...]:
    """Every file that has one, or that cannot be read; for the user, then for the project."""
    roots: list[str | None] = [None]
    if root:
        roots.append(root)
    every: list[InstalledServer] = []
    for scope in roots:
        for place in PLACES.values():
            every += _of_place(place, scope)

    # Several clients may read one file.
    by_file: dict[tuple[str, str], InstalledServer] = {}
    for server in every:
        file = (server.scope, server.path)
        known = by_file.get(file)
        clients = known.clients if known else ()
        by_file[file] = server.replace(clients=(*clients, *server.clients))
    return tuple(by_file.values())


def _of_place(place: ServerPlace, root: str | None) -> Iterator[InstalledServer]:
    scope = PROJECT
    if root is None:
        scope = USER
    for file in server_files(place, root):
        nothing = InstalledServer((place.client,), scope, file.name)
        try:
            state = server_state(place, file)
        except DctxError as error:
            # What is wrong with the user's own file has been said for the user.
            if root is None or not file.is_users:
                yield nothing.replace(problem=error.message)
            continue
        if state.description is not None:
            yield _said_of(state, nothing)


def _said_of(state: ServerState, server: InstalledServer) -> InstalledServer:
    words = called_words(state.description)
    call = state.call
    if call is None:
        return server.replace(command=words, foreign=True)
    wanted = described(state.file, program(), call.areas)
    is_current = not state.is_ours or state.description == wanted
    works = shutil.which(call.program[0]) is not None
    return server.replace(
        command=words,
        writes=call.areas,
        works=works,
        current=is_current,
    )
