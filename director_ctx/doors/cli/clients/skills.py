"""Skills where a client looks for them: what would be written is shown first."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.program import clients_named, program
from director_ctx.clients.skills.by_client import PLACES
from director_ctx.clients.skills.install import (
    FOREIGN,
    SAME,
    SkillChange,
    carry_out,
    plan_install,
    plan_uninstall,
)
from director_ctx.doors.cli.shared.asking import scope, used_clients
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.clients.table import Client

    Plan = Callable[[Client, str | None, tuple[str, ...]], tuple[SkillChange, ...]]

_STYLES = {SAME: "dim", FOREIGN: "yellow"}
_KEPT = "Delete what is marked as changed and install again, to have the skill as dctx has it."
_STAYS = "Delete what is marked as changed, if you no longer want it."


def install(values: dict[str, Any]) -> int:
    root = scope(values)
    return _client_by_client(values, root, used_clients(values, root), plan_install, _KEPT)


def remove(values: dict[str, Any]) -> int:
    return _client_by_client(
        values, scope(values), clients_named(values["client"]), plan_uninstall, _STAYS
    )


def _client_by_client(
    values: dict[str, Any], root: str | None, clients: Sequence[Client], plan: Plan, advice: str
) -> int:
    """Client by client, so that trouble with one of them does not keep the others from theirs."""
    code = OK
    for client in clients:
        try:
            changes = plan(client, root, values["names"])
            put_lines(_lines(client, changes))
            if _to_do(changes) and agreed(values):
                carry_out(changes, root)
                _say_how_to_call(client, root, changes)
            if FOREIGN in (change.what for change in changes):
                say(f"Somebody's own changes are never written over ({client.title}).", advice)
                code = FAILED
        except UsageProblem:
            # A name that there is not is none for the next client either.
            raise
        except DctxError as error:
            say(error.message, error.hint)
            code = error.exit_code
    return code


def _to_do(changes: Sequence[SkillChange]) -> list[SkillChange]:
    """Those that change a file."""
    return [change for change in changes if change.what not in (SAME, FOREIGN)]


def _lines(client: Client, changes: Sequence[SkillChange]) -> list[tuple[str, str]]:
    if not changes:
        return [(f"{client.title}: no skills of dctx are installed.", "")]
    lines = [(client.title, "bold")]
    for change in changes:
        style = _STYLES.get(change.what, "")
        lines.append((f"  {change.shown}: {change.what}", style))
    return lines


def _say_how_to_call(client: Client, root: str | None, changes: Sequence[SkillChange]) -> None:
    # An uninstall takes files away, and nothing is there to be called.
    written = _to_do(changes)
    if None in (change.after for change in written):
        say(f"{len(written)} removed.")
        return

    called = PLACES[client.name].called.replace("NAME", written[0].name)
    say(f"{len(written)} written; in {client.title}, {called} calls the first of them.")
    if root is not None and program() != (PROGRAM,):
        hint = "Keep them out of git, or use --user; with dctx on everyone's PATH (pipx, uv tool) they can be shared."
        say("They call dctx by its place on this machine.", hint)
