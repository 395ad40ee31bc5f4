"""`dctx agents-md`: a section about the plan in the file that an agent reads at the start."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.plugin.agents_md import FileChange, carry_out, plan
from director_ctx.clients.plugin.agents_md_section import FILES
from director_ctx.clients.program import program
from director_ctx.clients.table import ALSO
from director_ctx.doors.cli.shared.asking import patch_lines, used_clients
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    code = OK
    written = False
    for client in _clients(values, project.root):
        try:
            change = plan(project, client, values["remove"])
            put_lines(list(_lines(change, values)), tabs=values["dry_run"])
            if change.before != change.after and not values["dry_run"]:
                carry_out(change)
                written = written or not values["remove"]
        except DctxError as error:
            say(error.message, error.hint)
            code = error.exit_code

    if written and program() != (PROGRAM,):
        say(
            "The section calls `dctx`, but an agent may not find that program: it is installed in a "
            "virtual environment.",
            "`pipx install director-ctx` or `uv tool install director-ctx` makes it a command everywhere.",
        )
    return code


def _clients(values: dict[str, Any], root: str) -> tuple[str, ...]:
    name = ALSO.get(values["client"], values["client"])
    if name == "all":
        return _all_clients(values, root)
    if name not in (None, *FILES):
        known = ", ".join((*FILES, "all"))
        raise UsageProblem(f"There is no client {name!r}.", f"Clients: {known}")
    return (name or "codex",)


def _all_clients(values: dict[str, Any], root: str) -> tuple[str, ...]:
    """A client for each file: more than one may read the same."""
    # A section that was written for a client goes, whether the client is still used or not.
    names = list(FILES)
    if not values["remove"]:
        names = [client.name for client in used_clients(values, root)]

    # The first of them stands for the others: the section is written once.
    by_file: dict[str, str] = {}
    for name in names:
        by_file.setdefault(FILES[name], name)
    return tuple(by_file.values())


def _lines(change: FileChange, values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if change.before is None and values["remove"]:
        yield f"There is no {change.path}.", ""
    elif change.before == change.after:
        state = "is as it should be"
        if values["remove"]:
            state = "has no section of dctx"
        yield f"{change.path} {state}.", ""
    elif values["dry_run"]:
        yield from patch_lines(_text(change.before), _text(change.after), change.path, change.path)
    elif change.after is None:
        yield f"{change.path} removed.", ""
    elif change.before is None:
        yield f"{change.path} made.", ""
    else:
        yield f"{change.path} changed.", ""


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
