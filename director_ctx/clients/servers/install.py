"""The server into a client's settings and out again: decided first, shown, then written."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients import json_setting
from director_ctx.clients.entries import PROGRAM, SERVER, shell_line
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import plugin_file, program, shown_path
from director_ctx.clients.servers import in_toml
from director_ctx.clients.servers.description import called_words, described, is_ours, read_call
from director_ctx.clients.servers.in_toml import NotToml, TomlNotChanged
from director_ctx.clients.servers.places import server_files
from director_ctx.clients.settings_change import SettingsChange, refuse_links
from director_ctx.clients.settings_file import SERVERS, read_receipt, text_by_then
from director_ctx.clients.settings_text import had_only_hooks
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.clients.servers.description import ServerCall
    from director_ctx.clients.servers.places import ServerFile, ServerPlace


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


def server_state(
    place: ServerPlace,
    file: ServerFile,
    ahead: Mapping[str, str | None] = {},
) -> ServerState:
    """Raises DctxError where the file cannot be read."""
    text = text_by_then(file.path, ahead)
    description = None
    try:
        if text is not None and _is_toml(file):
            description = in_toml.server_in(text, file.keys, SERVER)
        elif text is not None:
            description = json_setting.setting_in(text, file.keys, SERVER)
    except (NotJson, NotToml) as error:
        language = "JSON"
        if _is_toml(file):
            language = "TOML"
        raise DctxError(
            f"{file.name} is not {language} as {place.title} reads it: {error}.",
            "Mend it, and try again.",
        ) from None
    return ServerState(file, text, description)


def plan_install(
    place: ServerPlace,
    root: str | None,
    areas: str | None = None,
    ahead: Mapping[str, str | None] = {},
) -> tuple[SettingsChange, ...]:
    """The files that change so that the server is there; none where it is there already. `areas`
    are what agents may change: None leaves that as it is. `ahead` are texts of files that other
    changes will have written by then.
    """
    refuse_plugin(place, root)
    words = program()
    states = [server_state(place, file, ahead) for file in server_files(place, root)]
    if any(_is_by_hand(state, areas) for state in states):
        return ()
    for state in states:
        _refuse_foreign(state)

    target = _target(states, words)
    if areas is None:
        areas = _areas_now([target, *states])
    wanted = described(target.file, words, areas)
    changes = [_change(place, state, None) for state in states if _hides(state, target)]
    if target.description != wanted:
        changes.append(_change(place, target, wanted))
    _refuse_links(root, states, changes)
    return tuple(changes)


def _hides(state: ServerState, target: ServerState) -> bool:
    """Whether it is for this machine alone, and would stand before what the project shares."""
    return state.file.is_users and state.is_ours and state != target


def refuse_plugin(place: ServerPlace, root: str | None) -> None:
    if place.client not in CLIENTS:
        return
    provided = plugin_file(CLIENTS[place.client], root)
    if provided:
        raise DctxError(
            f"The plugin dctx is switched on in {shown_path(provided, root)} and brings this server.",
            "Keep the plugin, or switch it off first: claude plugin disable dctx.",
        )


def plan_remove(place: ServerPlace, root: str | None) -> tuple[SettingsChange, ...]:
    """Those that an installation wrote; what somebody wrote by hand stays."""
    states: list[ServerState] = []
    changes: list[SettingsChange] = []
    for file in server_files(place, root):
        state = server_state(place, file)
        states.append(state)
        if state.is_ours:
            changes.append(_change(place, state, None))
    _refuse_links(root, states, changes)
    return tuple(changes)


def _is_by_hand(state: ServerState, areas: str | None) -> bool:
    """Whether somebody wrote down the same: it is as good as ours."""
    call = state.call
    if call is None or state.is_ours:
        return False
    return areas is None or call.areas == areas


def _refuse_foreign(state: ServerState) -> None:
    if state.description is None or state.is_ours:
        return
    words = called_words(state.description)
    what = "is called differently"
    if words:
        what = f"calls `{shell_line(words)}`"
    raise DctxError(
        f"{state.file.name} has a server {SERVER} already, which somebody else wrote: it {what}.",
        "It stays as it is; take it out or call it something else, and try again.",
    )


def _target(states: list[ServerState], words: tuple[str, ...]) -> ServerState:
    """The file to write: a place in full is of no use to others, so it stays out of what a project
    shares where there is another way.
    """
    shared = [state for state in states if not state.file.is_users]
    own = [state for state in states if state.file.is_users]
    is_for_all = words == (PROGRAM,)
    candidates = shared
    if not shared or (own and not is_for_all):
        candidates = own
    for state in candidates:
        if state.description is not None:
            return state
    for state in candidates:
        if state.text is not None:
            return state
    return candidates[0]


def _areas_now(states: list[ServerState]) -> str:
    for state in states:
        if state.call:
            return state.call.areas
    return ""


def _change(
    place: ServerPlace,
    state: ServerState,
    description: dict[str, Any] | None,
) -> SettingsChange:
    file = state.file
    try:
        original = _without_us(place, state)
        after = original
        if description is not None:
            after = _with_us(place, file, original, description)
    except TomlNotChanged as error:
        raise DctxError(
            f"{file.name} cannot be changed for certain: {error}.", "Change it by hand."
        ) from None
    return SettingsChange(
        path=file.path,
        name=file.name,
        before=state.text,
        after=after,
        original=original,
        part=SERVERS,
    )


def _with_us(
    place: ServerPlace,
    file: ServerFile,
    text: str | None,
    description: dict[str, Any],
) -> str:
    if _is_toml(file):
        return in_toml.with_server(text, file.keys, SERVER, description)
    if text and not place.allows_comments and json_setting.has_comments(text):
        raise DctxError(
            f"{file.name} has comments, or a comma at an end: {place.title} passes over the whole file then.",
            "Take them out; then its other servers count again too, and this one can be installed.",
        )
    return json_setting.with_setting(text, file.keys, SERVER, description)


def _without_us(place: ServerPlace, state: ServerState) -> str | None:
    """What was there before us; if somebody has changed the file since, what is there now less our
    server.
    """
    text = state.text
    if text is None or not state.is_ours:
        return text
    file = state.file
    receipt = read_receipt(file.path, SERVERS)
    if receipt and receipt.is_untouched(text):
        return receipt.before

    if _is_toml(file):
        rest = in_toml.without_server(text, file.keys, SERVER)
        is_empty = not rest.strip()
    else:
        before = None
        if receipt:
            before = receipt.before
        rest = json_setting.without_setting(text, file.keys, SERVER, before)
        is_empty = json_setting.is_bare(rest)
    if receipt and is_empty and _had_nothing(place, receipt.before):
        return None
    return rest


def _had_nothing(place: ServerPlace, before: str | None) -> bool:
    """Hooks can be in the file only where it is the one that the client has them in."""
    if before is None:
        return True
    if place.client not in CLIENTS or place.file != CLIENTS[place.client].settings:
        return False
    return had_only_hooks(before, CLIENTS[place.client])


def _refuse_links(
    root: str | None,
    states: list[ServerState],
    changes: list[SettingsChange],
) -> None:
    """No project leads the user's own files elsewhere."""
    shared = {state.file.path for state in states if not state.file.is_users}
    refuse_links(root, [change for change in changes if change.path in shared])


def _is_toml(file: ServerFile) -> bool:
    return file.path.endswith(".toml")
