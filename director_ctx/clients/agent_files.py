"""Sub-agents of dctx as files that a client finds in a project: what is in them, who wrote one that is
there, and the changes that install them and take them out.
"""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.hooks.installed import PROJECT, USER, installations
from director_ctx.clients.program import shown_path, user_folder
from director_ctx.clients.settings_change import SettingsChange, refuse_links
from director_ctx.clients.settings_file import AGENT, read_settings
from director_ctx.clients.skills.by_client import OPEN, is_ours, sealed
from director_ctx.clients.sub_agents import AGENTS, agent_body
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.sub_agents import Agent
    from director_ctx.clients.table import Client

INSTALLED = ("builder", "verifier")
"""The profiles that have a file: one does a task, the other checks it."""
GIVEN = "It receives its context by itself."


class AgentFile(Record):
    """One of them, whether it is there or not."""

    name: str
    path: str
    shown: str
    before: str | None
    """What is there; None for nothing."""
    wanted: str
    """What this version writes."""

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else wrote it, or has changed it since."""
        return self.before is not None and not is_ours(self.before)


def agent_files(client: Client, root: str | None) -> tuple[AgentFile, ...]:
    """Those of a project, or of the user where there is none; nothing for a client without such files."""
    if not client.agent_file:
        return ()
    folder, file_name = os.path.split(client.agent_file)
    base = os.path.join(user_folder(client), os.path.basename(folder))
    if root is not None:
        base = os.path.join(root, *folder.split("/"))

    files: list[AgentFile] = []
    for agent in AGENTS:
        if agent.name not in INSTALLED:
            continue
        name = f"dctx-{agent.name}"
        path = os.path.join(base, file_name.replace("NAME", name))
        try:
            before = read_settings(path)
        except DctxError:
            # A folder, or no text: certainly not ours.
            before = ""
        wanted = sealed(_text(agent, name, client))
        files.append(AgentFile(name, path, shown_path(path, root), before, wanted))
    return tuple(files)


def _text(agent: Agent, name: str, client: Client) -> str:
    """The file, with its seal still open. It calls `dctx` by its name, because a project shares it."""
    body = agent_body(agent.name, (PROGRAM,))
    values = {"name": name, "description": f"{agent.description} {GIVEN}"}
    seal = f"# dctx-sha256: {OPEN}"
    if agent.tools and client.reading_tools:
        values["tools"] = client.reading_tools
    if client.agent_file.endswith(".toml"):
        values["developer_instructions"] = body
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        return "\n".join([seal, *lines, ""])
    lines = [f"{key}: {value}" for key, value in values.items()]
    return "\n".join(["---", seal, *lines, "---", "", body])


def plan_agents(client: Client, root: str | None) -> tuple[SettingsChange, ...]:
    """What brings them in, or up to date; nothing is written over what somebody else wrote."""
    changes: list[SettingsChange] = []
    for file in agent_files(client, root):
        if file.before != file.wanted and not file.is_foreign:
            changes.append(_change(file, file.wanted))
    refuse_links(root, changes)
    return tuple(changes)


def plan_without_agents(client: Client, root: str | None) -> tuple[SettingsChange, ...]:
    """What takes them out. The first made the folder, so it goes last."""
    changes: list[SettingsChange] = []
    for file in reversed(agent_files(client, root)):
        if file.before is not None and not file.is_foreign:
            changes.append(_change(file, None))
    refuse_links(root, changes)
    return tuple(changes)


def _change(file: AgentFile, after: str | None) -> SettingsChange:
    return SettingsChange(
        path=file.path,
        name=file.shown,
        before=file.before,
        after=after,
        original=None,
        part=AGENT,
    )


def foreign_agents(client: Client, root: str | None) -> tuple[str, ...]:
    """Files of these names that somebody else wrote or changed: they stay."""
    return tuple(file.shown for file in agent_files(client, root) if file.is_foreign)


def has_own_agent(client: Client, root: str, name: str) -> bool:
    """Whether the client finds a sub-agent of ours of this name, in the project or for the user."""
    files = (*agent_files(client, root), *agent_files(client, None))
    return any(file.name == name and file.before is not None for file in files)


def is_shared(client: Client, root: str | None) -> bool:
    """Whether another client with hooks in this project finds the same files."""
    if root is None:
        return False
    used = {installation.client for installation in installations(root)}
    others = used - {client.name}
    return any(CLIENTS[name].agent_file == client.agent_file for name in others)


class InstalledAgents(Record):
    """Those in one folder."""

    folder: str
    scope: str
    names: tuple[str, ...]
    older: tuple[str, ...]
    """Of these, those that an installation would bring up to date,"""
    changed: tuple[str, ...]
    """and those that somebody else wrote or changed."""


def installed_agents(root: str | None) -> tuple[InstalledAgents, ...]:
    """Each folder once: several clients may look into the same."""
    scopes: dict[str, str | None] = {USER: None}
    if root is not None:
        scopes = {PROJECT: root, USER: None}
    by_folder: dict[str, InstalledAgents] = {}
    for scope, place in scopes.items():
        for client in CLIENTS.values():
            there = [file for file in agent_files(client, place) if file.before is not None]
            if not there:
                continue
            folder = os.path.dirname(there[0].shown)
            by_folder[folder] = InstalledAgents(
                folder=folder,
                scope=scope,
                names=tuple(file.name for file in there),
                older=tuple(file.name for file in there if _is_older(file)),
                changed=tuple(file.name for file in there if file.is_foreign),
            )
    return tuple(by_folder.values())


def _is_older(file: AgentFile) -> bool:
    return file.before != file.wanted and not file.is_foreign
