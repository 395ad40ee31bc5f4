"""Clients whose agents are told to ask for their context, and have no server to ask."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.clients.servers.installed import installed_servers, is_known
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import NOTHING, Proof
from director_ctx.context.settings.options import is_pull_switched_on, load_settings
from director_ctx.context.settings.tags import PULL
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.hooks.installed import Installation

NAME = "tools to ask by"
NO_TOOLS = (
    "{client}: agents are given the prompt of --layout pull, and have nothing to ask by, because no"
    " server dctx is installed."
)
TO_INSTALL = "dctx agents install --what mcp --client {client}"


def clients_without_tools(root: str | None, installed: Sequence[Installation]) -> tuple[str, ...]:
    """By name; none where agents are given whole contexts."""
    if not _pulls(root):
        return ()
    servers = installed_servers(root)
    names = []
    for installation in installed:
        # The plugin brings a server with its hooks.
        if not installation.plugin and not is_known(installation.client, servers):
            names.append(installation.client)
    return tuple(dict.fromkeys(names))


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


def say_without_tools(root: str, installed: Sequence[Installation]) -> Iterator[Proof]:
    """No failure of what is installed: the prompt arrives."""
    for name in clients_without_tools(root, installed):
        yield Proof(
            client=name,
            name=NAME,
            outcome=NOTHING,
            verdict=NO_TOOLS.format(client=CLIENTS[name].title),
            details=(f"`{TO_INSTALL.format(client=name)}` installs it.",),
        )
