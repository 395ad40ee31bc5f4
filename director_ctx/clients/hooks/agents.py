"""Types of agents: which have a profile in a project, which a client can spawn, and what a person
should know of both.
"""

from __future__ import annotations

import os
from glob import escape, glob
from itertools import islice

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import AllDone, DctxError, NothingReady
from director_ctx.base.record import Record
from director_ctx.clients.file_change import read_settings
from director_ctx.clients.hooks.switches import values_in
from director_ctx.clients.parts.hooks import installations
from director_ctx.clients.program import shown_path, user_folder
from director_ctx.clients.skills.files import split
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.hooks import NEVER, Hooks, profile_for
from director_ctx.context.settings.options import default_layout, load_settings
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


class AgentContext(Record):
    """What an agent of a type gets: a context, or nothing for a reason."""

    kind: str
    context: Assembly | None
    why: str = ""
    mapped: bool = True
    """Whether the type has a profile at all."""
    nothing_to_do: bool = False
    """Whether it rightly gets nothing: no task is left, or none is ready."""


def hooks_of(project: Project) -> Hooks:
    return load_settings(project).hooks or Hooks()


def profile_here(project: Project, kind: str) -> str:
    """What agents of a type are given in a project whatever their prompt says; an empty string for
    nothing.
    """
    hooks = hooks_of(project)
    profiles = load_settings(project).profiles
    return profile_for(kind, False, hooks, profiles).profile


def types_here(project: Project, client: Client) -> tuple[str, ...]:
    """Types that have a profile and that the client can spawn, those of the project first."""
    types: list[str] = []
    for kind in hooks_of(project).agents:
        if client.colons or ":" not in kind:
            types.append(kind)

    for name in load_settings(project).profiles:
        types.append(f"dctx-{name}")

    once = dict.fromkeys(types)
    return tuple(kind for kind in once if profile_here(project, kind))


def context_for(project: Project, kind: str) -> AgentContext:
    profile = profile_here(project, kind)
    if not profile:
        why = f"dctx.yaml does not name it under hooks.agents, or says {NEVER}"
        usual = any(client.is_usual(kind) for client in CLIENTS.values())
        settings = load_settings(project)
        if profile_for(kind, usual, hooks_of(project), settings.profiles).only_named:
            why = "its prompt has to name a task or ask for the next one"
        return AgentContext(kind, None, why, mapped=False)
    try:
        layout = default_layout(project, profile, os.environ)
        context = assemble(project, profile, layout=layout)
    except DctxError as error:
        nothing_to_do = isinstance(error, (AllDone, NothingReady))
        return AgentContext(kind, None, error.message, nothing_to_do=nothing_to_do)
    return AgentContext(kind, context)


AGENTS = "agents"
MOST = 2_000
"""Files that are looked at for the name of an agent."""


def can_spawn(client: Client, root: str, kind: str) -> bool:
    """Whether a client knows a type, or may know it: those of plugins cannot be seen from here."""
    if not client.built_in or ":" in kind:
        return True
    return _spelling(kind) in _known(client, root)


def others_can(client: Client, root: str, kind: str) -> bool:
    """Whether another client may; one whose types are not known counts only if it has hooks here."""
    used = {name for installed in installations(root) for name in installed.clients}
    return any(
        can_spawn(other, root, kind)
        for other in CLIENTS.values()
        if other is not client and (other.built_in or other.name in used)
    )


def nobody_spawns(root: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """The types that no client has."""
    claude = CLIENTS["claude"]
    return tuple(
        kind
        for kind in kinds
        if not can_spawn(claude, root, kind) and not others_can(claude, root, kind)
    )


def looked_in(client: Client) -> str:
    """Where an agent would have to be, in words."""
    user_agents = os.path.join(user_folder(client), AGENTS)
    yours = shown_path(user_agents, None)
    return f"not built in, not in {_own_agents(client)[0]} or {yours}"


def _spelling(kind: str) -> str:
    return kind.strip().casefold()


def _own_agents(client: Client) -> tuple[str, ...]:
    """The folders of a project that a client finds agents in."""
    if not client.agent_file:
        return client.agents
    return (os.path.dirname(client.agent_file), *client.agents)


def _known(client: Client, root: str) -> set[str]:
    """The types of agents that a client finds, spelled alike."""
    types = list(client.built_in)
    for folder in _folders(client, root):
        files = (os.path.join(above, name) for above, _, names in os.walk(folder) for name in names)
        types += map(_name, islice(files, MOST))
    if client.switch_file:
        # Agents may be listed in these settings, too.
        listed = _value_in(os.path.join(user_folder(client), client.switch_file), AGENTS)
        types += listed if isinstance(listed, dict) else ()
    return {_spelling(kind) for kind in types}


def _value_in(path: str, key: str) -> object:
    values = values_in(path)
    return values.get(key) if isinstance(values, dict) else None


def _folders(client: Client, root: str) -> Iterator[str]:
    """The user's, those of extensions, and those of the project and of every folder above it."""
    home = user_folder(client)
    yield os.path.join(home, AGENTS)
    yield from glob(os.path.join(escape(home), "extensions", "*", AGENTS))
    folder = root
    below = ""
    # The top of a disk is its own parent.
    while folder != below:
        for own in _own_agents(client):
            yield os.path.join(folder, *own.split("/"))
        below = folder
        folder = os.path.dirname(folder)


def _name(path: str) -> str:
    """What a file calls an agent; an empty string where it describes none."""
    if path.endswith(".toml"):
        return str(_value_in(path, "name") or "")
    if not path.endswith(".md"):
        return ""
    try:
        front, _ = split(read_settings(path) or "")
    except DctxError:
        front = None
    # A name is plain text on a line of its own, and needs no YAML.
    for line in (front or "").splitlines():
        if line.startswith("name:"):
            name = line.removeprefix("name:").partition(" #")[0].strip().strip("'\"")
            if name:
                return name
    # Some clients call an agent as its file is called, if it says nothing else: NAME.agent.md.
    return os.path.basename(path).partition(".")[0]


MAP = "dctx config set hooks.agents.TYPE builder"
BY_NAME = "dctx-*, dctx:* and director:director-* (by their names)"
USUAL = "a general-purpose agent, where its prompt names a task or asks for the next one"


class Types(Record):
    """Which types of agents have which profile."""

    agents: Mapping[str, str]
    """Those that the project names; an empty profile is nothing."""
    problem: str = ""
    """Why the settings cannot be read: no hook gives anything then."""
    hint: str = ""

    @property
    def said(self) -> str:
        named = [BY_NAME]
        for kind, profile in self.agents.items():
            gets = profile or "nothing"
            named.append(f"{kind} ({gets})")
        return f"{', '.join(named)}; {USUAL}; any other type: nothing"


def types_of(root: str | None) -> Types:
    if root is None:
        return Types({})
    project = load_project(root=root)
    try:
        mapped = hooks_of(project).agents
        agents = {kind: profile_here(project, kind) for kind in mapped}
    except DctxError as error:
        return Types({}, error.message, error.hint)
    return Types(agents)
