"""`dctx agents status`: hooks, servers, skills and rules that are installed, who is given what, what
failed lately.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.clients.hooks.agents import looked_in
from director_ctx.clients.hooks.installed import TWICE
from director_ctx.clients.skills.installed import PROJECT
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import to_install
from director_ctx.clients.verify.pulling import NO_TOOLS
from director_ctx.clients.verify.pulling import TO_INSTALL as TO_INSTALL_TOOLS
from director_ctx.clients.verify.servers import to_install as to_install_server
from director_ctx.clients.verify.standing import agents_json, agents_status, is_broken
from director_ctx.doors.cli.clients.agents_trust import override_names
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.clients.hooks import nearest
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.agents_md import InstalledRules
    from director_ctx.clients.hooks.installed import Installation
    from director_ctx.clients.servers.installed import InstalledServer
    from director_ctx.clients.skills.installed import InstalledSkills
    from director_ctx.clients.verify.standing import AgentsStatus


def status(values: dict[str, Any]) -> int:
    state = agents_status(nearest(values), is_off())
    if values["json"]:
        put_json(agents_json(state))
    else:
        put_lines(
            [
                *_rows(state),
                *_servers(state),
                *_agents(state),
                *_skills(state.skills),
                *_rules(state.rules),
                *_types(state),
                *_trouble(state),
            ]
        )
    return FAILED if is_broken(state) else OK


def _rows(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    # With the server alone agents ask by themselves, and hooks are no must.
    if not state.installed and not any(server.is_dctx for server in state.servers):
        yield "No hooks are installed; `dctx agents install` does that.", ""
    for installation in state.installed:
        where = "this project"
        if installation.scope == "user":
            where = "every project"
        yield f"{installation.client}, {where}: {installation.path}", "bold"
        yield from _about(installation)


def _about(installation: Installation) -> Iterator[tuple[str, str]]:
    if installation.problem:
        yield f"  {installation.problem}", "red"
        return
    if installation.plugin:
        yield "  The plugin dctx is switched on here and brings the hooks.", ""
        return

    yield f"  {', '.join(installation.events)}", ""
    there = ", which is not there"
    if installation.works:
        there = ""
    yield f"  calls {' '.join(installation.command)}{there}", ""
    if not installation.current or not installation.works:
        yield "  `dctx agents install` brings it up to date.", "yellow"


def _servers(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    # What is wrong with a file that hooks are in, too, has been said.
    said = [installation.path for installation in state.installed if installation.problem]
    for server in state.servers:
        if server.path in said:
            continue
        where = "this project"
        if server.scope != PROJECT:
            where = "every project"
        yield f"Server of tools, {where}: {server.path} ({server.titles})", "bold"
        if server.problem:
            yield f"  {server.problem}", "yellow"
        else:
            yield from _about_server(server)


def _about_server(server: InstalledServer) -> Iterator[tuple[str, str]]:
    calls = f"  calls {' '.join(server.command)}"
    if server.foreign:
        yield f"{calls}, which is not dctx: somebody else's, left as it is", "yellow"
        return
    if server.works:
        yield calls, ""
    else:
        yield f"{calls}, which is not there", ""
    if not server.current or not server.works:
        yield f"  `{to_install_server(server)}` brings it up to date.", "yellow"


def _types(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    """Whom a context comes to here."""
    if state.types and state.types.problem:
        yield f"Hooks give nothing as long as this is so: {state.types.problem}", "red"
        yield f"  {state.types.hint}", ""
    elif state.types:
        yield f"Given a context: {state.types.said}.", ""
    for kind in state.unknown:
        where = looked_in(CLIENTS["claude"])
        yield f"{kind} is mapped, but there is no agent of that name: {where}.", "yellow"


def _without_tools(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    for name in state.without_tools:
        yield NO_TOOLS.format(client=CLIENTS[name].title), "yellow"
        yield f"  `{TO_INSTALL_TOOLS.format(client=name)}` installs it.", ""


def _trouble(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    yield from _without_tools(state)
    if state.not_agreed:
        overrides = override_names(state.not_agreed)
        yield f"Not used, because you have not agreed to it: {overrides}.", "yellow"
        yield "  `dctx agents trust` shows it, and asks.", ""
    for said in state.off:
        yield said, "yellow"
    for name in state.idle:
        client = CLIENTS[name]
        yield (
            f"{client.title}: none of its hooks waits for a spawned agent, so no agent is given anything.",
            "yellow",
        )
        yield f"  `{to_install(client)}` brings them up to date.", ""
    for name in state.twice:
        yield f"{CLIENTS[name].title}: {TWICE}", "yellow"
    if state.failed:
        yield "Hooks that failed lately, and have not worked since:", "bold"
        for failure in state.failed:
            yield f"  {failure.age}: {failure.said}", ""


def _agents(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    for agents in state.agents:
        where = "every project"
        if agents.scope == PROJECT:
            where = "this project"
        yield f"Agents, {where}: {agents.folder}", "bold"
        yield f"  {', '.join(agents.names)}", ""
        for name in agents.changed:
            yield f"  {name} was written or changed by somebody else, and stays as it is", ""
        if agents.older:
            yield "  `dctx agents install` brings them up to date.", "yellow"


def _skills(installed: tuple[InstalledSkills, ...]) -> Iterator[tuple[str, str]]:
    for skills in installed:
        where = "every project"
        if skills.scope == PROJECT:
            where = "this project"
        yield f"Skills, {where}: {skills.folder}", "bold"
        if skills.problem:
            yield f"  {skills.problem}", "red"
            continue
        yield f"  {skills.count} of dctx", ""
        if skills.changed:
            yield f"  {skills.changed} changed by somebody, which stay as they are", ""
        if skills.older:
            yield (
                f"  {skills.older} older than this dctx: `{_update(skills)}`",
                "yellow",
            )


def _update(skills: InstalledSkills) -> str:
    command = f"dctx agents install --what skills --client {skills.client}"
    if skills.scope != PROJECT:
        command += " --user"
    return command


def _rules(installed: tuple[InstalledRules, ...]) -> Iterator[tuple[str, str]]:
    for rules in installed:
        yield f"Rules, this project: {rules.path}", "bold"
        if rules.problem:
            yield f"  {rules.problem}", "red"
        elif rules.current:
            yield "  the section about the plan is as it should be", ""
        else:
            yield "  `dctx agents install --what rules` brings its section up to date.", "yellow"
