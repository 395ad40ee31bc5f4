"""`dctx agents status`: hooks, servers, skills and rules that are installed, who is given what, what
failed lately.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import Record, as_dict
from director_ctx.clients.by_server import SERVER
from director_ctx.clients.hooks.agents import Types, looked_in, nobody_spawns, types_of
from director_ctx.clients.hooks.failures import HookFailure, recent_failures
from director_ctx.clients.hooks.installed import TWICE, Installation, installations, runs_twice
from director_ctx.clients.plugin.agents_md import InstalledRules, installed_rules
from director_ctx.clients.servers.installed import InstalledServer, installed_servers, is_known
from director_ctx.clients.skills.installed import PROJECT, InstalledSkills, installed_skills
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import to_install, waits_for_agents
from director_ctx.clients.verify.servers import to_install as to_install_server
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.doors.cli.clients.agents_trust import override_names
from director_ctx.doors.cli.clients.hooks import NO_SERVER, TO_INSTALL, nearest, off_here
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.context.settings.agreement import Override

LAST = 5
"""Lines of the log that are shown."""


class AgentsStatus(Record):
    """Everything that is said."""

    installed: tuple[Installation, ...]
    off: tuple[str, ...]
    """What switches hooks off."""
    twice: tuple[str, ...]
    """Clients whose hooks run twice."""
    idle: tuple[str, ...]
    """Clients whose hooks do not wait for agents."""
    types: Types | None
    unknown: tuple[str, ...]
    """Types that have a profile and that no client has."""
    not_agreed: tuple[Override, ...]
    """What the project has agents told that the user has not agreed to."""
    failed: tuple[HookFailure, ...]
    skills: tuple[InstalledSkills, ...]
    rules: tuple[InstalledRules, ...]
    servers: tuple[InstalledServer, ...]


def status(values: dict[str, Any]) -> int:
    state = _agents_status(nearest(values))
    if values["json"]:
        put_json(_json(state))
    else:
        put_lines(
            [
                *_rows(state.installed),
                *_servers(state),
                *_skills(state.skills),
                *_rules(state.rules),
                *_types(state),
                *_trouble(state),
            ]
        )
    return FAILED if _is_broken(state) else OK


def _is_broken(state: AgentsStatus) -> bool:
    """Whether something is installed from which nothing can arrive; settings with a mistake are
    broken anyway.
    """
    for installation in state.installed:
        if installation.problem or not installation.works:
            return True
    if state.installed and state.off:
        return True
    if not all(server.works for server in state.servers):
        return True
    if state.types and state.types.problem:
        return True
    return bool(state.idle)


def _agents_status(root: str | None) -> AgentsStatus:
    installed = installations(root)
    by_client: dict[str, list[Installation]] = {}
    for name in CLIENTS:
        own = [installation for installation in installed if installation.client == name]
        if own:
            by_client[name] = own

    twice = []
    idle = []
    for name, own in by_client.items():
        if runs_twice(own):
            twice.append(name)
        # Where settings cannot be read, it is not known what the hooks wait for.
        has_problem = any(installation.problem for installation in own)
        if not has_problem and not waits_for_agents(CLIENTS[name], own):
            idle.append(name)

    types = None
    if root:
        types = types_of(root)
    return AgentsStatus(
        installed,
        off_here([CLIENTS[name] for name in by_client], root),
        tuple(twice),
        tuple(idle),
        types,
        _unknown(root, types),
        _not_agreed(root, types),
        _failed(root),
        installed_skills(root),
        _installed_rules(root),
        installed_servers(root),
    )


def _installed_rules(root: str | None) -> tuple[InstalledRules, ...]:
    if not root:
        return ()
    return installed_rules(load_project(root=root))


def _unknown(root: str | None, types: Types | None) -> tuple[str, ...]:
    if not root or not types:
        return ()
    mapped = [kind for kind, profile in types.agents.items() if profile]
    return nobody_spawns(root, mapped)


def _failed(root: str | None) -> tuple[HookFailure, ...]:
    if not root:
        return ()
    return tuple(recent_failures(root)[-LAST:])


def _not_agreed(root: str | None, types: Types | None) -> tuple[Override, ...]:
    # Where the settings have a mistake, that is what is to be said, and nothing can be read.
    if root is None or (types and types.problem):
        return ()
    return tuple(not_agreed(load_project(root=root)))


def _json(state: AgentsStatus) -> dict[str, Any]:
    types = state.types or Types({}, "")
    log = []
    for failure in state.failed:
        log.append({"time": failure.when.isoformat(), "said": failure.said})
    return {
        "installed": [as_dict(installation) for installation in state.installed],
        "off": list(state.off),
        "twice": list(state.twice),
        "idle": list(state.idle),
        "agents": dict(types.agents),
        "default": types.default,
        "unknown": list(state.unknown),
        "not_agreed": [override.thing for override in state.not_agreed],
        "problem": types.problem,
        "log": log,
        "skills": [as_dict(skills) for skills in state.skills],
        "rules": [as_dict(rules) for rules in state.rules],
        "servers": [as_dict(server) for server in state.servers],
    }


def _rows(installed: tuple[Installation, ...]) -> Iterator[tuple[str, str]]:
    if not installed:
        yield "No hooks are installed; `dctx agents install` does that.", ""
    for installation in installed:
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
    command = " ".join(installation.command)
    if installation.by_server:
        yield f"  asks the server {SERVER}, where the client has started it", ""
    if installation.command:
        there = ", which is not there"
        if installation.works:
            there = ""
        yield f"  calls {command}{there}", ""
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


def _without_server(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    """Clients whose hooks ask a server that they do not know: the program answers then."""
    for installation in state.installed:
        if installation.by_server and not is_known(installation.client, state.servers):
            client = CLIENTS[installation.client]
            yield NO_SERVER.format(client=client.title), "yellow"
            yield f"  `{TO_INSTALL.format(name=client.name)}` tells it.", ""


def _trouble(state: AgentsStatus) -> Iterator[tuple[str, str]]:
    yield from _without_server(state)
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
