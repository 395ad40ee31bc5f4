"""A section about the plan in the file that an agent reads at the start, such as AGENTS.md."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.clients.agents_md import FileChange, carry_out, plan
from director_ctx.clients.agents_md_section import FILES
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.program import program
from director_ctx.clients.table import ALSO
from director_ctx.doors.cli.shared.asking import used_clients
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.patches import put_patch
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project

DEFAULT_CLIENT = "codex"
"""AGENTS.md is read by most clients."""


def install(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    clients = _clients(values, project.root, is_removal=False)
    code, written = _client_by_client(values, project, clients, is_removal=False)
    if written and program() != (PROGRAM,):
        say(
            "The section calls `dctx`, but an agent may not find that program: it is installed in a "
            "virtual environment.",
            "`pipx install director-ctx` or `uv tool install director-ctx` makes it a command everywhere.",
        )
    return code


def remove(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    clients = _clients(values, project.root, is_removal=True)
    code, _ = _client_by_client(values, project, clients, is_removal=True)
    return code


def _client_by_client(
    values: dict[str, Any], project: Project, clients: tuple[str, ...], is_removal: bool
) -> tuple[int, bool]:
    """The exit code, and whether anything was written."""
    code = OK
    written = False
    for client in clients:
        try:
            change = plan(project, client, is_removal)
            if change.before == change.after:
                put_lines([(_unchanged(change, is_removal), "")])
                continue
            _show(change, whole=values["dry_run"] or not values["yes"])
            if agreed(values):
                carry_out(change)
                put_lines([(_carried_out(change), "")])
                written = True
        except UsageProblem:
            raise
        except DctxError as error:
            say(error.message, error.hint)
            code = error.exit_code
    return code, written


def _clients(values: dict[str, Any], root: str, is_removal: bool) -> tuple[str, ...]:
    name = ALSO.get(values["client"], values["client"])
    if name == "all":
        return _all_clients(values, root, is_removal)
    if name not in (None, *FILES):
        known = ", ".join((*FILES, "all"))
        raise UsageProblem(f"There is no client {name!r}.", f"Clients: {known}")
    return (name or DEFAULT_CLIENT,)


def _all_clients(values: dict[str, Any], root: str, is_removal: bool) -> tuple[str, ...]:
    """A client for each file: more than one may read the same."""
    # A section that was written for a client goes, whether the client is still used or not.
    names = list(FILES)
    if not is_removal:
        names = [client.name for client in used_clients(values, root)]

    # The first of them stands for the others: the section is written once.
    by_file: dict[str, str] = {}
    for name in names:
        by_file.setdefault(FILES[name], name)
    return tuple(by_file.values())


def _show(change: FileChange, whole: bool) -> None:
    """The change as a patch, unless somebody has agreed already."""
    if not whole:
        return
    put_patch(change.path, _text(change.before), _text(change.after))


def _unchanged(change: FileChange, is_removal: bool) -> str:
    if is_removal and change.before is None:
        return f"There is no {change.path}."
    if is_removal:
        return f"{change.path} has no section of dctx."
    return f"{change.path} is as it should be."


def _carried_out(change: FileChange) -> str:
    if change.after is None:
        return f"{change.path} removed."
    if change.before is None:
        return f"{change.path} made."
    return f"{change.path} changed."


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    return data.decode("utf-8", "replace")
