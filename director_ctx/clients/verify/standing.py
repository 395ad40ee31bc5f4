"""What of dctx is installed where, whom a context comes to, and what failed lately."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict
from director_ctx.clients.agent_files import InstalledAgents, installed_agents
from director_ctx.clients.agents_md import InstalledRules, installed_rules
from director_ctx.clients.hooks.agents import Types, nobody_spawns, types_of
from director_ctx.clients.hooks.failures import HookFailure, recent_failures
from director_ctx.clients.hooks.installed import Installation, installations, runs_twice
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.servers.installed import InstalledServer, installed_servers
from director_ctx.clients.skills.installed import InstalledSkills, installed_skills
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import OFF, waits_for_agents
from director_ctx.clients.verify.pulling import clients_without_tools
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.table import Client
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
    agents: tuple[InstalledAgents, ...]
    skills: tuple[InstalledSkills, ...]
    rules: tuple[InstalledRules, ...]
    servers: tuple[InstalledServer, ...]
    without_tools: tuple[str, ...] = ()
    """Clients whose agents are told to ask, and have no server."""


def is_broken(state: AgentsStatus) -> bool:
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


def agents_status(root: str | None, is_off: bool = False) -> AgentsStatus:
    """Looked at, and nothing is run; `is_off` where the environment switches all hooks off."""
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
        switches([CLIENTS[name] for name in by_client], root, is_off),
        tuple(twice),
        tuple(idle),
        types,
        _unknown(root, types),
        _not_agreed(root, types),
        _failed(root),
        installed_agents(root),
        installed_skills(root),
        _installed_rules(root),
        installed_servers(root),
        clients_without_tools(root, installed),
    )


def switches(clients: Sequence[Client], root: str | None, is_off: bool) -> tuple[str, ...]:
    """What switches the hooks of these clients off."""
    every = []
    if is_off:
        every.append(OFF)
    for client in clients:
        switch = switched_off(client, root)
        if switch:
            every.append(switch)
    return tuple(every)


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


def agents_json(state: AgentsStatus) -> dict[str, Any]:
    types = state.types or Types({})
    log = []
    for failure in state.failed:
        log.append({"time": failure.when.isoformat(), "said": failure.said})
    return {
        "installed": [as_dict(installation) for installation in state.installed],
        "off": list(state.off),
        "twice": list(state.twice),
        "idle": list(state.idle),
        "agents": dict(types.agents),
        "unknown": list(state.unknown),
        "without_tools": list(state.without_tools),
        "not_agreed": [override.thing for override in state.not_agreed],
        "problem": types.problem,
        "log": log,
        "agent_files": [as_dict(agents) for agents in state.agents],
        "skills": [as_dict(skills) for skills in state.skills],
        "rules": [as_dict(rules) for rules in state.rules],
        "servers": [as_dict(server) for server in state.servers],
    }
