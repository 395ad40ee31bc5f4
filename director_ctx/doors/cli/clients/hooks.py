"""Hooks in a client's settings: the change is shown first; nothing is written unasked."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.clients.agent_files import (
    foreign_agents,
    is_shared,
    plan_agents,
    plan_without_agents,
)
from director_ctx.clients.hooks.agents import next_steps
from director_ctx.clients.hooks.install import plan_install, plan_uninstall
from director_ctx.clients.hooks.installed import PROJECT, USER
from director_ctx.clients.hooks.remarks import remarks
from director_ctx.clients.program import clients_named
from director_ctx.clients.servers.installed import installed_servers, is_known
from director_ctx.clients.settings_file import AGENT
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.verify.standing import switches
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.doors.cli.clients.agents_trust import override_names
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.shared.asking import scope, used_clients
from director_ctx.doors.cli.shared.changing import SettingsWork, change_settings
from director_ctx.doors.cli.shared.consent import ask_once
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.settings_change import SettingsChange
    from director_ctx.clients.table import Client


def install(values: dict[str, Any]) -> int:
    root = scope(values)
    here = nearest(values)
    written: list[Client] = []

    def plan(client: Client) -> tuple[SettingsChange, ...]:
        hooks = plan_install(client, root, values["prompts"])
        return (*hooks, *plan_agents(client, root))

    def done(client: Client, _: object) -> None:
        written.append(client)
        for remark in remarks(client, root, here):
            say(*remark)

    clients = used_clients(values, root)
    nothing = "The hooks of TITLE are installed already."
    work = SettingsWork(plan, nothing, _brief, done)
    code = change_settings(values, clients, work)
    _name_foreign(clients, root)
    for said in off_here(clients, here):
        say(said)
    if here and written:
        _ask_about(here, values)
    _say_what_is_next(written, here)
    return code


def _ask_about(root: str, values: dict[str, Any]) -> None:
    """What the project has agents told, now that they will be."""
    project = load_project(root=root)
    try:
        if is_terminal() and not values["yes"]:
            ask_once(project)
        unused = not_agreed(project)
    except DctxError:
        return  # a mistake in dctx.yaml has been said
    if unused:
        said = f"Not used, because you have not agreed to it: {override_names(unused)}."
        say(said, "`dctx agents trust` shows it, and asks.")


def off_here(clients: Sequence[Client], root: str | None) -> tuple[str, ...]:
    """What switches the hooks of these clients off."""
    return switches(clients, root, is_off())


def remove(values: dict[str, Any]) -> int:
    root = scope(values)
    clients = clients_named(values["client"])

    def plan(client: Client) -> tuple[SettingsChange, ...]:
        hooks = plan_uninstall(client, root)
        if is_shared(client, root):
            return hooks
        return (*hooks, *plan_without_agents(client, root))

    def done(_: Client, changes: object) -> None:
        """Nothing more is to be said."""

    work = SettingsWork(plan, "The hooks of TITLE are not installed.", _brief, done)
    code = change_settings(values, clients, work)
    _name_foreign(clients, root)
    if values["what"] is None:
        _point_to_servers(clients, values["user"], root)
    return code


def _point_to_servers(clients: Sequence[Client], for_user: bool, root: str | None) -> None:
    """For whoever takes hooks out where a server is, and named neither."""
    wanted = PROJECT
    if for_user:
        wanted = USER
    here = [server for server in installed_servers(root) if server.scope == wanted]
    for client in clients:
        if is_known(client.name, here):
            command = f"dctx agents remove --what mcp --client {client.name}"
            if for_user:
                command += " --user"
            say(f"The server of tools is still installed for {client.title}.", command)


def nearest(values: dict[str, Any]) -> str | None:
    """The project that the user is in, if any; one that is named has to be there."""
    try:
        return locate(root=values["root"])
    except DctxError:
        if values["root"]:
            raise
        return None


def _name_foreign(clients: Sequence[Client], root: str | None) -> None:
    every = [path for client in clients for path in foreign_agents(client, root)]
    for path in dict.fromkeys(every):
        say(f"{path} was written or changed by somebody else, and stays as it is.")


def _brief(change: SettingsChange, client: Client) -> str:
    if change.part == AGENT:
        return "a sub-agent" if change.after else "no sub-agent any more"
    hooks: tuple[str, ...] = ()
    if change.after:
        hooks = tuple(own_entries(change.after, client))
    return ", ".join(hooks) or "no hooks of dctx any more"


def _say_what_is_next(written: Sequence[Client], here: str | None) -> None:
    """Whom a context comes to by itself, how it comes to others, and what has to happen first."""
    if not written:
        return
    for step in next_steps(written, here):
        say(*step)
