"""`dctx agents-md`: a section about the plan in the file that an agent reads at the start."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.plugin.agents_md import Change, carry_out, plan
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
    code, written = OK, False
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
        hint = "Keep it out of git; with dctx on everyone's PATH (pipx, uv tool) it can be shared."
        say("The section calls dctx by its place on this machine.", hint)
    return code


def _clients(values: dict[str, Any], root: str) -> tuple[str, ...]:
    name = ALSO.get(values["client"], values["client"])
    if name == "all":
        # A section that was written for a client goes, whether the client is still used or not.
        names = (
            tuple(FILES)
            if values["remove"]
            else tuple(client.name for client in used_clients(values, root))
        )
        # Some read the same file.
        by_file = {FILES[name]: name for name in reversed(names)}
        return tuple(name for name in names if by_file[FILES[name]] == name)
    if name not in (None, *FILES):
        raise UsageProblem(
            f"There is no client {name!r}.", "Clients: " + ", ".join((*FILES, "all"))
        )
    return (name or "codex",)


def _lines(change: Change, values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if change.before is None and values["remove"]:
        yield f"There is no {change.path}.", ""
    elif change.before == change.after:
        yield (
            f"{change.path} {'has no section of dctx' if values['remove'] else 'is as it should be'}.",
            "",
        )
    elif values["dry_run"]:
        old, new = (
            (data or b"").decode("utf-8", "replace") for data in (change.before, change.after)
        )
        yield from patch_lines(old, new, change.path, change.path)
    else:
        done = "removed" if change.after is None else "made" if change.before is None else "changed"
        yield f"{change.path} {done}.", ""
