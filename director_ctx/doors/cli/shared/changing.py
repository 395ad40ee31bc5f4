"""Changes of clients' settings: shown first, asked about, written client by client."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.record import Record
from director_ctx.clients.program import shown_path
from director_ctx.clients.settings_change import SettingsChange, carry_out
from director_ctx.clients.settings_file import kept_copy
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.patches import put_patch
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.clients.servers.places import ServerPlace
    from director_ctx.clients.table import Client

    Changes = tuple[SettingsChange, ...]


class SettingsWork(Record):
    """What is done to the settings of each client, and what is said of it."""

    plan: Callable[[Any], Changes]
    unchanged: str
    """Where nothing changes, with TITLE for the client's."""
    brief: Callable[[SettingsChange, Any], str]
    """A change in a few words,"""
    done: Callable[[Any, Changes], None]
    """and what follows when it is written."""


def change_settings(
    values: dict[str, Any],
    clients: Sequence[Client] | Sequence[ServerPlace],
    work: SettingsWork,
) -> int:
    """Client by client, so that trouble with one of them does not keep the others from theirs."""
    code = OK
    for client in clients:
        try:
            changes = work.plan(client)
            if not changes:
                put_lines([(work.unchanged.replace("TITLE", client.title), "")])
                continue
            is_whole = values["dry_run"] or not values["yes"]
            for change in changes:
                # A patch, or a line for who has agreed already.
                if is_whole:
                    put_patch(change.name, change.before, change.after)
                else:
                    words = work.brief(change, client)
                    put_unstyled([f"{client.title}, {change.name}: {words}."])
            if agreed(values):
                carry_out(changes)
                _report(changes)
                work.done(client, changes)
        except DctxError as error:
            say(error.message, error.hint)
            code = error.exit_code
    return code


def _report(changes: tuple[SettingsChange, ...]) -> None:
    for change in changes:
        hint = ""
        copy = kept_copy(change.path, change.part)
        if copy:
            hint = f"As it was before: {shown_path(copy, None)}"
        state = "written"
        if change.after is None:
            state = "removed again"
        say(f"{change.name} is {state}.", hint)
