"""What `dctx setup` would do, decided before anything is written: a list of steps, each with a
sentence and the files that it changes.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import counted
from director_ctx.clients.agent_files import agent_files, foreign_agents, plan_agents
from director_ctx.clients.hooks.install import plan_install
from director_ctx.clients.hooks.installed import PROJECT, installations
from director_ctx.clients.program import plugin_file
from director_ctx.clients.servers.install import plan_install as plan_server
from director_ctx.clients.servers.installed import installed_servers
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.settings_change import texts_after
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.table import CLIENTS, PROMPT
from director_ctx.other_plans.find import find_plan
from director_ctx.other_plans.take_over import plan_taking
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import TITLES
from director_ctx.upkeep.init import template_files
from director_ctx.upkeep.settings_file import PATH, mistakes_in, read_config_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.hooks.installed import Installation
    from director_ctx.clients.servers.places import ServerPlace
    from director_ctx.clients.settings_change import SettingsChange
    from director_ctx.clients.setup.here import SetupPlace
    from director_ctx.clients.table import Client
    from director_ctx.other_plans.take_over import Taking

FOLDER_STEP, HOOKS_STEP, SERVER_STEP, AGENTS_STEP = "folder", "hooks", "server", "agents"
PLAN_STEP = "plan"


class SetupRequest(Record):
    """What is wanted."""

    clients: tuple[str, ...]
    server: bool = True
    """Whether clients are told of the tools of dctx."""
    take_over: tuple[str, ...] = ()
    """Names of the tools whose plans are taken over."""


class SetupStep(Record):
    """One thing to do, or one that is done already."""

    name: str
    says: str
    client: str = ""
    settings: tuple[SettingsChange, ...] = ()
    """Changes of a client's settings,"""
    templates: tuple[str, ...] = ()
    """and files of a new folder."""
    taking: Taking | None = None
    """What taking a plan over does."""
    problem: str = ""
    """Why it cannot be done."""
    hint: str = ""

    @property
    def is_done(self) -> bool:
        """Whether nothing has to be done."""
        return not (self.settings or self.templates or self.taking or self.problem)

    @property
    def is_to_do(self) -> bool:
        """Whether something has to be done, and can be."""
        return not self.is_done and not self.problem


def plan_setup(here: SetupPlace, wanted: SetupRequest) -> tuple[SetupStep, ...]:
    """Everything in the order in which it is done."""
    clients = [CLIENTS[name] for name in wanted.clients]
    steps = [_folder(here)]
    # Several clients may read one file of hooks: it is written once.
    files: set[str] = set()
    for client in clients:
        if client.settings not in files:
            steps.append(_hooks(client, here.root))
        files.add(client.settings)
    if wanted.server:
        # Hooks and servers may be in one file.
        ahead = texts_after(change for step in steps for change in step.settings)
        steps += _servers(clients, here.root, ahead)
    steps += _agents(clients, here.root)
    steps += [_plan(here, name) for name in wanted.take_over]
    return tuple(steps)


def _plan(here: SetupPlace, name: str) -> SetupStep:
    says = f"take over the plan of {TITLES[name]}"
    try:
        taking = plan_taking(here.root, find_plan(name, here.root, None))
    except DctxError as error:
        return SetupStep(PLAN_STEP, says, problem=error.message, hint=error.hint)
    found = taking.counts()
    units = [counted(found[kind], kind[:-1]) for kind in ("goals", "steps", "tasks")]
    if not taking.changes_something:
        return SetupStep(PLAN_STEP, f"the plan of {TITLES[name]} has nothing to take over")
    return SetupStep(PLAN_STEP, f"{says} ({', '.join(units)})", taking=taking)


def _folder(here: SetupPlace) -> SetupStep:
    if here.folder:
        mistakes = mistakes_in(read_config_text(here.root) or "")
        if not mistakes:
            return SetupStep(FOLDER_STEP, f"{FOLDER}/ is here")
        return SetupStep(
            name=FOLDER_STEP,
            says=f"use {PATH}",
            problem="; ".join(mistakes),
            hint="Hooks give nothing as long as this is so. Mend it, and run `dctx setup` again.",
        )
    kind = "a new project"
    if here.code:
        kind = "a project with code"
    names = tuple(template_files(here.code))
    says = f"make {FOLDER}/ for {kind} ({len(names)} files)"
    return SetupStep(FOLDER_STEP, says, templates=names)


def _hooks(client: Client, root: str) -> SetupStep:
    own = [placed for placed in installations(root) if placed.client == client.name]
    if plugin_file(client, root):
        says = f"the plugin dctx brings the hooks of {client.title}"
        return SetupStep(HOOKS_STEP, says, client.name)
    for installation in own:
        if _is_sound(installation):
            says = f"the hooks of {client.title} are in {installation.path}"
            return SetupStep(HOOKS_STEP, says, client.name)

    kinds: set[str] = set()
    for installation in own:
        if installation.scope == PROJECT:
            kinds.update(client.events.get(event, "") for event in installation.events)
    try:
        changes = plan_install(client, root, PROMPT in kinds)
    except DctxError as error:
        return SetupStep(
            name=HOOKS_STEP,
            says=f"put hooks into {client.title}",
            client=client.name,
            problem=error.message,
            hint=error.hint,
        )
    return SetupStep(
        name=HOOKS_STEP,
        says=_said_of(client, changes, bool(kinds)),
        client=client.name,
        settings=changes,
    )


def _is_sound(installation: Installation) -> bool:
    return installation.works and installation.current and not installation.problem


def _said_of(client: Client, changes: Sequence[SettingsChange], is_repair: bool) -> str:
    """Such as: add 4 hooks for Claude Code to .claude/settings.json."""
    if not changes:
        return f"the hooks of {client.title} are installed"
    written = changes[-1]
    hooks = own_entries(written.after or "", client)
    if is_repair:
        return f"bring {len(hooks)} hooks of {client.title} up to date in {written.name}"
    return f"add {len(hooks)} hooks for {client.title} to {written.name}"


def _servers(
    clients: Sequence[Client],
    root: str,
    ahead: Mapping[str, str | None],
) -> Iterator[SetupStep]:
    """Several clients may read one file of servers: it is written once."""
    files: set[str] = set()
    for client in clients:
        step = _server(PLACES[client.name], root, ahead)
        names = {change.path for change in step.settings}
        if not names or not names <= files:
            yield step
        files |= names


def _server(place: ServerPlace, root: str, ahead: Mapping[str, str | None]) -> SetupStep:
    title = place.title
    if plugin_file(CLIENTS[place.client], root):
        says = f"the plugin dctx brings {title} its tools"
        return SetupStep(SERVER_STEP, says, place.client)
    for server in installed_servers(root):
        if place.client in server.clients and server.is_sound:
            says = f"{title} knows the tools of dctx ({server.path})"
            return SetupStep(SERVER_STEP, says, place.client)
    says = f"tell {title} of the tools of dctx"
    try:
        changes = plan_server(place, root, ahead=ahead)
    except DctxError as error:
        return SetupStep(
            name=SERVER_STEP,
            says=says,
            client=place.client,
            problem=error.message,
            hint=error.hint,
        )
    if not changes:
        return SetupStep(SERVER_STEP, f"{title} knows the tools of dctx", place.client)
    files = " and ".join(change.name for change in changes)
    return SetupStep(
        name=SERVER_STEP,
        says=f"{says} ({files})",
        client=place.client,
        settings=changes,
    )


def _agents(clients: Sequence[Client], root: str) -> Iterator[SetupStep]:
    """Several clients may find one file: it is written once."""
    by_file: dict[str, Client] = {}
    for client in clients:
        by_file.setdefault(client.agent_file, client)
    for client in by_file.values():
        for shown in foreign_agents(client, root):
            yield SetupStep(AGENTS_STEP, f"{shown} is somebody else's and stays", client.name)
        if client.agent_file:
            yield _own_agents(client, root)


def _own_agents(client: Client, root: str) -> SetupStep:
    if plugin_file(client, root):
        says = f"the plugin dctx brings the agents of {client.title}"
        return SetupStep(AGENTS_STEP, says, client.name)
    of_user = agent_files(client, None)
    if all(file.before == file.wanted for file in of_user):
        folder = os.path.dirname(of_user[0].shown)
        says = f"the agents of {client.title} are in {folder}"
        return SetupStep(AGENTS_STEP, says, client.name)

    folder = os.path.dirname(client.agent_file)
    try:
        changes = plan_agents(client, root)
    except DctxError as error:
        return SetupStep(
            name=AGENTS_STEP,
            says=f"add agents for {client.title}",
            client=client.name,
            problem=error.message,
            hint=error.hint,
        )
    says = f"the agents of {client.title} are in {folder}"
    if changes:
        names = [os.path.basename(change.name).partition(".")[0] for change in changes]
        says = f"add {' and '.join(names)} for {client.title} to {folder}"
    return SetupStep(AGENTS_STEP, says, client.name, settings=changes)
