"""The server `dctx mcp` in a client's settings: where it is, how it gets in, and how it gets out."""

from __future__ import annotations

import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients import json_setting
from director_ctx.clients.entries import PROGRAM, SERVER, shell_line
from director_ctx.clients.file_change import FileChange, read_receipt, refuse_links, text_by_then
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.parts.part import (
    PROJECT,
    Installed,
    Part,
    each_once,
    guarded,
    names_machine,
    scopes,
)
from director_ctx.clients.parts.part import (
    SERVER as NAME,
)
from director_ctx.clients.program import program
from director_ctx.clients.servers import in_toml
from director_ctx.clients.servers.description import called_words, described, is_ours, read_call
from director_ctx.clients.servers.in_toml import NotToml, TomlNotChanged
from director_ctx.clients.servers.places import PLACES, server_files
from director_ctx.clients.settings_text import had_only_hooks
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Changes, Remark, Wish
    from director_ctx.clients.servers.description import ServerCall
    from director_ctx.clients.servers.places import ServerFile, ServerPlace

QUESTION = "What should I do next, and what do I need to know?"


class ServerState(Record):
    """What one file has of the server."""

    file: ServerFile
    text: str | None
    description: object | None
    """None where no server has our name."""

    @property
    def call(self) -> ServerCall | None:
        """None where it is somebody else's server."""
        return read_call(called_words(self.description))

    @property
    def is_ours(self) -> bool:
        return is_ours(self.file, self.description)


def _state(place: ServerPlace, file: ServerFile, ahead: Ahead) -> ServerState:
    text = text_by_then(file.path, ahead)
    description = None
    read = in_toml.server_in if file.is_toml else json_setting.setting_in
    try:
        if text is not None:
            description = read(text, file.keys, SERVER)
    except (NotJson, NotToml) as error:
        language = "TOML" if file.is_toml else "JSON"
        raise DctxError(
            f"{file.name} is not {language} as {place.title} reads it: {error}.",
            "Mend it, and try again.",
        ) from None
    return ServerState(file, text, description)


def _put(client: str, root: str | None, wish: Wish, ahead: Ahead) -> Changes:
    place = PLACES[client]
    states = [_state(place, file, ahead) for file in server_files(place, root)]
    for state in states:
        call = state.call
        # What somebody wrote down by hand is as good as ours.
        if call and not state.is_ours and wish.areas in (None, call.areas):
            return ()
    for state in states:
        if state.description is not None and not state.is_ours:
            words = called_words(state.description)
            what = f"calls `{shell_line(words)}`" if words else "is called differently"
            raise DctxError(
                f"{state.file.name} has a server {SERVER} already, which somebody else wrote: it {what}.",
                "It stays as it is; take it out or call it something else, and try again.",
            )

    target = _target(states)
    areas = wish.areas
    if areas is None:
        areas = next((state.call.areas for state in [target, *states] if state.call), "")
    wanted = described(target.file, program(), areas)
    changes: list[FileChange] = []
    for state in states:
        # One that is for this machine alone would stand before what the project shares.
        if state.file.is_users and state.is_ours and state != target:
            changes.append(_change(place, state, None))
    if target.description != wanted:
        changes.append(_change(place, target, wanted))
    return _checked(root, states, changes)


def _target(states: list[ServerState]) -> ServerState:
    """The file to write: a place in full is of no use to others, so it stays out of what a project
    shares where there is another way.
    """
    shared = [state for state in states if not state.file.is_users]
    own = [state for state in states if state.file.is_users]
    candidates = own if own and (not shared or program() != (PROGRAM,)) else shared
    for state in candidates:
        if state.description is not None:
            return state
    for state in candidates:
        if state.text is not None:
            return state
    return candidates[0]


def _take(client: str, root: str | None, ahead: Ahead) -> Changes:
    place = PLACES[client]
    states = [_state(place, file, ahead) for file in server_files(place, root)]
    changes = [_change(place, state, None) for state in states if state.is_ours]
    return _checked(root, states, changes)


def _checked(root: str | None, states: list[ServerState], changes: list[FileChange]) -> Changes:
    """No project leads the user's own files elsewhere."""
    shared = {state.file.path for state in states if not state.file.is_users}
    refuse_links(root, [change for change in changes if change.path in shared])
    return tuple(changes)


def _change(
    place: ServerPlace, state: ServerState, description: dict[str, Any] | None
) -> FileChange:
    file = state.file
    try:
        original = after = _without_us(place, state)
        if description is not None and file.is_toml:
            after = in_toml.with_server(original, file.keys, SERVER, description)
        elif description is not None:
            if original and not place.allows_comments and json_setting.has_comments(original):
                raise DctxError(
                    f"{file.name} has comments, or a comma at an end: {place.title} passes over the whole file then.",
                    "Take them out; then its other servers count again too, and this one can be installed.",
                )
            after = json_setting.with_setting(original, file.keys, SERVER, description)
    except TomlNotChanged as error:
        raise DctxError(
            f"{file.name} cannot be changed for certain: {error}.", "Change it by hand."
        ) from None
    return FileChange(file.path, file.name, state.text, after, original, NAME)


def _without_us(place: ServerPlace, state: ServerState) -> str | None:
    """What was there before us; if somebody has changed the file since, what is there now less our
    server.
    """
    file, text = state.file, state.text
    if text is None or not state.is_ours:
        return text
    receipt = read_receipt(file.path, NAME)
    if receipt and receipt.is_untouched(text):
        return receipt.before
    before = receipt.before if receipt else None
    if file.is_toml:
        rest = in_toml.without_server(text, file.keys, SERVER)
        is_empty = not rest.strip()
    else:
        rest = json_setting.without_setting(text, file.keys, SERVER, before)
        is_empty = json_setting.is_bare(rest)
    if not receipt or not is_empty:
        return rest
    # Before the server there may have been hooks alone, in the file that the client has them in.
    client = CLIENTS.get(place.client)
    had_hooks = before is not None and client is not None and place.file == client.settings
    if before is None or (had_hooks and client and had_only_hooks(before, client)):
        return None
    return rest


def installed_servers(root: str | None) -> tuple[Installed, ...]:
    """Every file that has one, or that cannot be read; for the user, then for the project."""
    return tuple(each_once(_installed(root)))


def _installed(root: str | None) -> Iterator[Installed]:
    for scope, base in scopes(root):
        for place in PLACES.values():
            for file in server_files(place, base):
                found = Installed(NAME, (place.client,), scope, file.name)
                for server in guarded(found, lambda known: _found(place, file, known)):  # noqa: B023
                    # What is wrong with the user's own file has been said for the user.
                    if scope != PROJECT or not (server.problem and file.is_users):
                        yield server


def _found(place: ServerPlace, file: ServerFile, found: Installed) -> Installed | None:
    state = _state(place, file, {})
    if state.description is None:
        return None
    call = state.call
    found = found.replace(command=called_words(state.description))
    if call is None:
        return found.replace(foreign=True)
    wanted = described(file, program(), call.areas)
    return found.replace(
        writes=call.areas,
        works=shutil.which(call.program[0]) is not None,
        current=not state.is_ours or state.description == wanted,
    )


def _remarks(client: str, root: str | None, changes: Changes) -> Iterator[Remark]:
    """Of a file that is the user's own only that calls are asked about: it is not shared, and the
    server is started unasked.
    """
    place = PLACES[client]
    if place.allows:
        yield place.allows, place.how_to_allow
    shared = {file.path for file in server_files(place, root) if not file.is_users}
    written = [change.name for change in changes if change.path in shared and change.after]
    if program() != (PROGRAM,):
        yield from names_machine(written)
    if written and place.asks:
        yield place.asks, ""


def _files(client: str, root: str | None) -> list[str]:
    return [file.path for file in server_files(PLACES[client], root)]


PART = Part(
    name=NAME,
    what="tools",
    clients=tuple(PLACES),
    find=installed_servers,
    put=_put,
    take=_take,
    files=_files,
    remarks=_remarks,
)
