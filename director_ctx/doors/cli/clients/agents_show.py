"""`dctx agents show`: what is installed where, who is given what, what failed lately."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.clients.hooks.agents import MAP, looked_in
from director_ctx.clients.parts.hooks import TWICE
from director_ctx.clients.parts.part import HOOKS, SERVER, to_install
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.standing import NO_TOOLS, agents_json, agents_status, is_broken
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.reading.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.parts.part import Installed
    from director_ctx.clients.verify.standing import AgentsStatus

    Lines = Iterator[tuple[str, str]]


def run(values: dict[str, Any]) -> int:
    root = None
    try:
        root = locate(root=values["root"])
    except DctxError:
        # One that is named has to be there.
        if values["root"]:
            raise
    state = agents_status(root, is_off())
    if values["json"]:
        put_json(agents_json(state))
    else:
        put_lines([*_installed(state), *_types(state), *_trouble(state)])
    return FAILED if is_broken(state) else OK


def _installed(state: AgentsStatus) -> Lines:
    # With the server alone agents ask by themselves, and hooks are no must.
    if not state.is_connected:
        yield "No hooks are installed; `dctx setup` does that.", ""
    said: set[str] = set()
    for installed in state.installed:
        # What is wrong with a file that hooks are in, too, has been said.
        if installed.problem and installed.path in said:
            continue
        if installed.problem:
            said.add(installed.path)
        titles = f"{installed.title}, {installed.where}: {installed.path} ({installed.titles})"
        yield titles, "bold"
        yield from _about(installed)


def _about(installed: Installed) -> Lines:
    if installed.problem:
        yield f"  {installed.problem}", "red" if installed.part == HOOKS else "yellow"
        return
    if installed.says:
        yield f"  {installed.says}", "yellow" if installed.foreign else ""
    for name in installed.changed:
        yield f"  {name} was written or changed by somebody else, and stays as it is", ""
    if installed.needs_update:
        yield f"  `{installed.update}` brings it up to date.", "yellow"


def _types(state: AgentsStatus) -> Lines:
    """Whom a context comes to here."""
    if state.types and state.types.problem:
        yield f"Hooks give nothing as long as this is so: {state.types.problem}", "red"
        yield f"  {state.types.hint}", ""
    elif state.types:
        yield f"Given a context: {state.types.said}.", ""
        yield f"  `{MAP}` gives one to another type.", "dim"
    for kind in state.unknown:
        where = looked_in(CLIENTS["claude"])
        yield f"{kind} is mapped, but there is no agent of that name: {where}.", "yellow"


def _trouble(state: AgentsStatus) -> Lines:
    for name in state.without_tools:
        yield NO_TOOLS.format(client=CLIENTS[name].title), "yellow"
        yield f"  `{to_install(SERVER, name)}` installs it.", ""
    if state.not_agreed:
        things = ", ".join(plain(override.thing) for override in state.not_agreed)
        yield f"Not used, because you have not agreed to it: {things}.", "yellow"
        yield "  `dctx setup --trust` shows it, and asks.", ""
    for said in state.off:
        yield said, "yellow"
    for name in state.idle:
        yield (
            f"{CLIENTS[name].title}: none of its hooks waits for a spawned agent, so no agent is given anything.",
            "yellow",
        )
        yield f"  `{to_install(HOOKS, name)}` brings them up to date.", ""
    for name in state.twice:
        yield f"{CLIENTS[name].title}: {TWICE}", "yellow"
    if state.failed:
        yield "Hooks that failed lately, and have not worked since:", "bold"
        for failure in state.failed:
            yield f"  {failure.age}: {failure.said}", ""
