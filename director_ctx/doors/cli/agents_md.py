"""`dctx agents-md`: a section about the plan in the file that an agent reads at the start."""

from __future__ import annotations

from director_ctx.clients.agents_md import FILES
from director_ctx.clients.entries import PROGRAM
from director_ctx.doors.cli.speak import say
from director_ctx.doors.cli.table import put_lines
from director_ctx.errors import OK, DctxError, UsageProblem
from director_ctx.folder.project import load_project
from director_ctx.wiring.agents_md import Change, carry_out, plan
from director_ctx.wiring.hooks.placement import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_STYLES = {"+": "green", "-": "red", "@": "dim"}


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    code, written = OK, False
    for client in _clients(values["client"]):
        try:
            change = plan(project, client, values["remove"])
            put_lines(list(_lines(change, values["dry_run"])))
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


def _clients(name: str | None) -> tuple[str, ...]:
    if name == "all":
        return tuple(FILES)
    if name not in (None, *FILES):
        raise UsageProblem(f"There is no client {name!r}.", "Clients: " + ", ".join((*FILES, "all")))
    return (name or "codex",)


def _lines(change: Change, dry_run: bool) -> Iterator[tuple[str, str]]:
    if change.before == change.after:
        yield f"{change.path} is as it should be.", ""
    elif dry_run:
        yield from _diff(change)
    else:
        done = "removed" if change.after is None else "made" if change.before is None else "changed"
        yield f"{change.path} {done}.", ""


def _diff(change: Change) -> Iterator[tuple[str, str]]:
    import difflib

    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (change.before, change.after))
    for line in difflib.unified_diff(old, new, change.path, change.path, lineterm=""):
        yield line, "bold" if line[:3] in ("---", "+++") else _STYLES.get(line[:1], "")
