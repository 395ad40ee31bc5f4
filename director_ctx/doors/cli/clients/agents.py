"""`dctx agents install` and `remove`: what dctx puts into a client, and takes out again."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Part = Callable[[dict[str, Any]], int]

PARTS = ("hooks", "skills", "rules", "mcp")
MODULES = {"mcp": "servers"}
"""Where a part is not in the module of its name, which is that of a command."""
ALL = "all"
DEFAULT_CLIENT = "claude"


def install(values: dict[str, Any]) -> int:
    return _each_part(values, "install")


def remove(values: dict[str, Any]) -> int:
    return _each_part(values, "remove")


def _each_part(values: dict[str, Any], action: str) -> int:
    what = values["what"] or PARTS[0]
    _check(values, what)
    if what != ALL:
        return _part(what, action)(values)

    # Each part has a default of its own; together they are about one client.
    client = values["client"] or DEFAULT_CLIENT
    together = {**values, "client": client}
    parts = list(_parts_for(values))
    if action == "remove":
        # What came into a file last goes first, so that it is as it was before.
        parts.reverse()
    code = OK
    for part in parts:
        # Trouble with one of them does not keep the others from theirs.
        code = max(code, _part(part, action)(together))
    return code


def _parts_for(values: dict[str, Any]) -> tuple[str, ...]:
    if values["client"] == "opencode":
        say("OpenCode has no hooks that dctx knows: only the server is put into it.")
        return ("mcp",)
    if values["user"]:
        say("Rules are about one project's plan, so they are left out for every project.")
        return tuple(part for part in PARTS if part != "rules")
    return PARTS


def _check(values: dict[str, Any], what: str) -> None:
    every_part = (*PARTS, ALL)
    if what not in every_part:
        known = ", ".join(every_part)
        raise UsageProblem(f"--what: there is no {what!r}.", f"What can be named: {known}")
    if values["names"] and values["names"][0] in PARTS and not values["what"]:
        part = values["names"][0]
        raise UsageProblem(f"{part} is named by --what.", f"Say --what {part}.")
    if values["names"] and what != "skills":
        raise UsageProblem("Only skills have names.", "Say --what skills before them.")
    if values.get("write") is not None and what not in ("mcp", ALL):
        raise UsageProblem("Only the server has --write.", "Say --what mcp before it.")
    if values["user"] and what == "rules":
        raise UsageProblem(
            "Rules are about one project, so --user has none.", "Leave --user out, in a project."
        )


def _part(name: str, action: str) -> Part:
    module_name = MODULES.get(name, name)
    module = __import__(f"director_ctx.doors.cli.clients.{module_name}", fromlist=[action])
    part: Part = getattr(module, action)
    return part
