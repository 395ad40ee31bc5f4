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
    start = "director:director-" if client.colons else "director-"
    named = [kind for kind in hooks_of(project).agents if client.colons or ":" not in kind]
    own = [start + name for name in load_settings(project).profiles]
    return tuple(kind for kind in dict.fromkeys((*named, *own)) if profile_here(project, kind))


def given_to(project: Project, kind: str) -> Given:
    profile = profile_here(project, kind)
    if not profile:
        return Given(
            kind,
            None,
            f"dctx.yaml maps it to no profile (hooks.agents, hooks.default), or to {NONE}",
            False,
        )
    try:
        return Given(kind, assemble(project, profile))
    except DctxError as error:
        return Given(kind, None, error.message, rightly=isinstance(error, (AllDone, NothingReady)))


AGENTS = "agents"
MOST = 2_000
"""Files that are looked at for the name of an agent."""


def can_spawn(client: Client, root: str, kind: str) -> bool:
    """Whether a client knows a type, or may know it: those of plugins cannot be seen from here."""
    return not client.built_in or ":" in kind or _spelling(kind) in _known(client, root)


def others_can(client: Client, root: str, kind: str) -> bool:
    """Whether another client may; one whose types are not known counts only if it has hooks here."""
    used = {one.client for one in installations(root)}
    others = (
        one for one in CLIENTS.values() if one is not client and (one.built_in or one.name in used)
    )
    return any(can_spawn(one, root, kind) for one in others)


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
    roles = (
        values_in(os.path.join(user_folder(client), client.switch_file))
        if client.switch_file
        else None
    )
    listed = roles.get(AGENTS) if isinstance(roles, dict) else None
    found = (name for place in _folders(client, root) for name in _names(place))
    return {
        _spelling(name)
        for name in (*client.built_in, *found, *(listed if isinstance(listed, dict) else ()))
    }


def _folders(client: Client, root: str) -> Iterator[str]:
    """The user's, those of extensions, and those of the project and of every folder above it."""
    from glob import escape, glob

    yield os.path.join(user_folder(client), AGENTS)
    yield from glob(os.path.join(escape(user_folder(client)), "extensions", "*", AGENTS))
    here, above = root, ""
    while here != above:
        yield os.path.join(here, *_own_agents(client).split("/"))
        here, above = os.path.dirname(here), here


def _names(place: str) -> Iterator[str]:
    from itertools import islice

    files = (os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names)
    for path in islice(files, MOST):
        if path.endswith(".toml"):
            values = values_in(path)
            yield str(values.get("name", "")) if isinstance(values, dict) else ""
        elif path.endswith(".md"):
            # Some clients call an agent as its file is called, if it says nothing else:
            # NAME.agent.md.
            yield _name(path) or os.path.basename(path).partition(".")[0]


def _name(path: str) -> str:
    """What the frontmatter calls an agent; an empty string where there is none."""
    try:
        about = split(read_settings(path) or "")[0] or ""
    except DctxError:
        return ""
    named = (line.partition(":")[2] for line in about.splitlines() if line.startswith("name:"))
    return next(named, "").partition(" #")[0].strip().strip("'\"")


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
        named = [f"{kind} ({profile or 'nothing'})" for kind, profile in self.agents.items()]
        return f"{', '.join([BY_NAME, *named])}; any other type: {self.default or 'nothing'}"


def another_type(client: Client, root: str | None) -> str:
    """A type that the project does not map yet."""
    return client.usual_type if client.usual_type not in types_of(root).agents else "another-type"


def types_of(root: str | None) -> Types:
    if root is None:
        return Types({}, "")
    project = load_project(root=root)
    try:
        hooks = hooks_of(project)
        named = {kind: profile_here(project, kind) for kind in hooks.agents}
    except DctxError as error:
        return Types({}, "", error.message, error.hint)
    return Types(named, profile_here(project, "any other type"))


def next_steps(written: Sequence[Client], root: str | None) -> Iterator[tuple[str, str]]:
    """Sentences, each with a hint. The lines for `dctx.yaml` follow the one that ends in a colon."""
    mapping = types_of(root)
    if mapping.problem:
        yield f"Hooks give nothing as long as this is so: {mapping.problem}", mapping.hint
    else:
        yield f"Types of agents that are given a context by themselves: {mapping.said}.", ""
        yield (
            f"Another type is given one by two lines in {FOLDER}/dctx.yaml (each key once), such as these:",
            "",
        )
    if root and is_template_vision(load_project(root=root).text(f"{FOLDER}/VISION.md")):
        yield (
            f"{FOLDER}/VISION.md is still a template: agents that need a vision are given nothing yet.",
            "",
        )
    names = " and ".join(client.title for client in written)
    yield (
        f"Start {names} anew: settings are read at the start. `dctx hooks verify` proves that contexts arrive.",
        "",
    )
