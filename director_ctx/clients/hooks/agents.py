"""Types of agents: which have a profile in a project, which a client can spawn, and what a person
should know of both.
"""

from __future__ import annotations

import os

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import AllDone, DctxError, NothingReady
from director_ctx.base.record import Record
from director_ctx.clients.hooks.installed import installations
from director_ctx.clients.hooks.switches import values_in
from director_ctx.clients.program import shown, user_folder
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.skill import split
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.hooks import NONE, Hooks, profile_of
from director_ctx.context.settings.options import load_settings
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


class Given(Record):
    """What an agent of a type gets: a context, or nothing for a reason."""

    kind: str
    context: Assembly | None
    why: str = ""
    mapped: bool = True
    """Whether the type has a profile at all."""
    rightly: bool = False
    """Whether it gets nothing because there is nothing to do."""


def hooks_of(project: Project) -> Hooks:
    return load_settings(project).hooks or Hooks()


def profile_here(project: Project, kind: str) -> str:
    """What agents of a type are given in a project; an empty string for nothing."""
    return profile_of(kind, hooks_of(project), load_settings(project).profiles)


def types_here(project: Project, client: Client) -> tuple[str, ...]:
    """Types that have a profile and that the client can spawn, those of the project first."""
    types: list[str] = []
    for kind in hooks_of(project).agents:
        if client.colons or ":" not in kind:
            types.append(kind)

    start = "director:director-" if client.colons else "director-"
    types += [start + name for name in load_settings(project).profiles]
    return tuple(kind for kind in dict.fromkeys(types) if profile_here(project, kind))


def given_to(project: Project, kind: str) -> Given:
    profile = profile_here(project, kind)
    if not profile:
        why = f"dctx.yaml maps it to no profile (hooks.agents, hooks.default), or to {NONE}"
        return Given(kind, None, why, mapped=False)
    try:
        return Given(kind, assemble(project, profile))
    except DctxError as error:
        rightly = isinstance(error, (AllDone, NothingReady))
        return Given(kind, None, error.message, rightly=rightly)


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
    used = {installation.client for installation in installations(root)}
    for other in CLIENTS.values():
        if other is client:
            continue
        counts = bool(other.built_in) or other.name in used
        if counts and can_spawn(other, root, kind):
            return True
    return False


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
    yours = shown(os.path.join(user_folder(client), AGENTS), None)
    return f"not built in, not in {_own_agents(client)} or {yours}"


def _spelling(kind: str) -> str:
    return kind.strip().casefold()


def _own_agents(client: Client) -> str:
    """The folder of a project that a client finds agents in."""
    return client.agents or f"{os.path.dirname(client.settings)}/{AGENTS}"


def _known(client: Client, root: str) -> set[str]:
    """The types of agents that a client finds, spelled alike."""
    types = list(client.built_in)
    for folder in _folders(client, root):
        types += _names(folder)

    if client.switch_file:
        values = values_in(os.path.join(user_folder(client), client.switch_file))
        listed = values.get(AGENTS) if isinstance(values, dict) else None
        if isinstance(listed, dict):
            types += listed
    return {_spelling(kind) for kind in types}


def _folders(client: Client, root: str) -> Iterator[str]:
    """The user's, those of extensions, and those of the project and of every folder above it."""
    from glob import escape, glob

    home = user_folder(client)
    yield os.path.join(home, AGENTS)
    yield from glob(os.path.join(escape(home), "extensions", "*", AGENTS))

    folder, below = root, ""
    while folder != below:
        yield os.path.join(folder, *_own_agents(client).split("/"))
        folder, below = os.path.dirname(folder), folder


def _names(folder: str) -> Iterator[str]:
    from itertools import islice

    for path in islice(_files_below(folder), MOST):
        if path.endswith(".toml"):
            values = values_in(path)
            yield str(values.get("name", "")) if isinstance(values, dict) else ""
        elif path.endswith(".md"):
            # Some clients call an agent as its file is called, if it says nothing else:
            # NAME.agent.md.
            yield _name(path) or os.path.basename(path).partition(".")[0]


def _files_below(folder: str) -> Iterator[str]:
    for above, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(above, name)


def _name(path: str) -> str:
    """What the frontmatter calls an agent; an empty string where there is none."""
    try:
        text = read_settings(path) or ""
    except DctxError:
        return ""
    front, _, _ = split(text)
    for line in (front or "").splitlines():
        if line.startswith("name:"):
            name, _, _ = line.removeprefix("name:").partition(" #")
            return name.strip().strip("'\"")
    return ""


LINES = "    hooks:\n      agents: {{{kind}: builder}}\n"
BY_NAME = "director:director-* and dctx:* (by their names)"


class Types(Record):
    """Which types of agents have which profile."""

    agents: Mapping[str, str]
    """Those that the project names; an empty profile is nothing."""
    default: str
    problem: str = ""
    """Why the settings cannot be read: no hook gives anything then."""
    hint: str = ""

    @property
    def said(self) -> str:
        named = [BY_NAME]
        for kind, profile in self.agents.items():
            named.append(f"{kind} ({profile or 'nothing'})")
        return f"{', '.join(named)}; any other type: {self.default or 'nothing'}"


def another_type(client: Client, root: str | None) -> str:
    """A type that the project does not map yet."""
    if client.usual_type in types_of(root).agents:
        return "another-type"
    return client.usual_type


def types_of(root: str | None) -> Types:
    if root is None:
        return Types({}, "")
    project = load_project(root=root)
    try:
        hooks = hooks_of(project)
        named = {kind: profile_here(project, kind) for kind in hooks.agents}
    except DctxError as error:
        return Types(
            agents={},
            default="",
            problem=error.message,
            hint=error.hint,
        )
    return Types(named, profile_here(project, "any other type"))


def next_steps(written: Sequence[Client], root: str | None) -> Iterator[tuple[str, str]]:
    """Sentences, each with a hint. The lines for `dctx.yaml` follow the one that ends in a colon."""
    mapping = types_of(root)
    if mapping.problem:
        yield f"Hooks give nothing as long as this is so: {mapping.problem}", mapping.hint
    else:
        yield f"Types of agents that are given a context by themselves: {mapping.said}.", ""
        said = f"Another type is given one by two lines in {FOLDER}/dctx.yaml (each key once)"
        yield f"{said}, such as these:", ""

    vision = f"{FOLDER}/VISION.md"
    if root and is_template_vision(load_project(root=root).text(vision)):
        yield f"{vision} is still a template: agents that need a vision are given nothing yet.", ""

    names = " and ".join(client.title for client in written)
    said = f"Start {names} anew: settings are read at the start."
    yield f"{said} `dctx hooks verify` proves that contexts arrive.", ""
