"""What of dctx is installed where, whom a context comes to, and what failed lately."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.clients.hooks.agents import Types, nobody_spawns, types_of
from director_ctx.clients.hooks.failures import HookFailure, recent_failures
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.parts.hooks import runs_twice, waits_for_agents
from director_ctx.clients.parts.part import HOOKS, SERVER, Installed
from director_ctx.clients.parts.table import PARTS
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.options import is_pull_switched_on, load_settings
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.context.settings.tags import PULL
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.clients.table import Client
    from director_ctx.context.settings.agreement import Override

LAST = 5
"""Lines of the log that are shown."""
OFF = "DCTX_HOOKS=off: hooks answer with nothing."
NO_TOOLS = (
    "{client}: agents are given the prompt of --layout pull, and have nothing to ask by, because no"
    " server dctx is installed."
)


class AgentsStatus(Record):
    """Everything that is said."""

    installed: tuple[Installed, ...]
    """Part by part."""
    off: tuple[str, ...] = ()
    """What switches hooks off."""
    twice: tuple[str, ...] = ()
    """Clients whose hooks run twice."""
    idle: tuple[str, ...] = ()
    """Clients whose hooks do not wait for agents."""
    without_tools: tuple[str, ...] = ()
    """Clients whose agents are told to ask, and have no server."""
    types: Types | None = None
    unknown: tuple[str, ...] = ()
    """Types that have a profile and that no client has."""
    not_agreed: tuple[Override, ...] = ()
    """What the project has agents told that the user has not agreed to."""
    failed: tuple[HookFailure, ...] = ()

    @property
    def is_connected(self) -> bool:
        """Whether contexts can come to agents of some client: by hooks, or by a server."""
        return any(
            place.part == HOOKS or (place.part == SERVER and place.is_dctx)
            for place in self.installed
        )


def is_broken(state: AgentsStatus) -> bool:
    """Whether something is installed from which nothing can arrive; settings with a mistake are
    broken anyway.
    """
    hooks = [place for place in state.installed if place.part == HOOKS]
    if any(place.problem for place in hooks) or (hooks and state.off):
        return True
    if not all(place.works for place in state.installed):
        return True
    return bool(state.idle or (state.types and state.types.problem))


def agents_status(root: str | None, is_off: bool = False) -> AgentsStatus:
    """Looked at, and nothing is run; `is_off` where the environment switches all hooks off."""
    installed = [place for part in PARTS.values() for place in part.find(root)]
    by_client: dict[str, list[Installed]] = {}
    for name in CLIENTS:
        own = [place for place in installed if place.part == HOOKS and name in place.clients]
        if own:
            by_client[name] = own
    # Where settings cannot be read, it is not known what the hooks wait for.
    known = {name: own for name, own in by_client.items() if not any(one.problem for one in own)}
    state = AgentsStatus(
        installed=tuple(installed),
        off=switches([CLIENTS[name] for name in by_client], root, is_off),
        twice=tuple(name for name, own in by_client.items() if runs_twice(own)),
        idle=tuple(name for name, own in known.items() if not waits_for_agents(CLIENTS[name], own)),
        without_tools=clients_without_tools(root, installed),
    )
    if root is None:
        return state
    types = types_of(root)
    mapped = [kind for kind, profile in types.agents.items() if profile]
    # Where the settings have a mistake, that is what is to be said, and nothing can be read.
    unused = [] if types.problem else not_agreed(load_project(root=root))
    return state.replace(
        types=types,
        unknown=nobody_spawns(root, mapped),
        not_agreed=tuple(unused),
        failed=tuple(recent_failures(root)[-LAST:]),
    )


def switches(clients: Iterable[Client], root: str | None, is_off: bool) -> tuple[str, ...]:
    """What switches the hooks of these clients off."""
    every = [OFF] if is_off else []
    every += [switched_off(client, root) for client in clients]
    return tuple(filter(None, every))


def clients_without_tools(root: str | None, installed: Iterable[Installed]) -> tuple[str, ...]:
    """By name; none where agents are given whole contexts."""
    if not _pulls(root):
        return ()
    places = list(installed)
    served = {
        name for place in places for name in place.clients if place.part == SERVER and place.is_dctx
    }
    # The plugin brings a server with its hooks.
    hooked = [place for place in places if place.part == HOOKS and not place.plugin]
    names = dict.fromkeys(name for place in hooked for name in place.clients)
    return tuple(name for name in names if name not in served)


def _pulls(root: str | None) -> bool:
    """Whether the pull layout is the default, of all agents or of some."""
    if is_pull_switched_on(os.environ):
        return True
    if root is None:
        return False
    try:
        profiles = load_settings(load_project(root=root)).profiles
    except DctxError:
        return False  # a mistake in dctx.yaml is said elsewhere
    return any(profile.layout == PULL for profile in profiles.values())


def agents_json(state: AgentsStatus) -> dict[str, Any]:
    types = state.types or Types({})
    return {
        "installed": [_installed_json(place) for place in state.installed],
        "off": list(state.off),
        "twice": list(state.twice),
        "idle": list(state.idle),
        "agents": dict(types.agents),
        "unknown": list(state.unknown),
        "without_tools": list(state.without_tools),
        "not_agreed": [override.thing for override in state.not_agreed],
        "problem": types.problem,
        "log": [
            {"time": failure.when.isoformat(), "said": failure.said} for failure in state.failed
        ],
    }


def _installed_json(place: Installed) -> dict[str, Any]:
    update = place.update if place.needs_update else ""
    return {**as_dict(place), "says": place.says, "update": update}
