"""Which types of agents a client can spawn here, as far as its files and what is built in tell."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.clients.hooks.installed import installations
from director_ctx.clients.hooks.switches import values_in
from director_ctx.clients.program import shown, user_folder
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.skill import split
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.table import Client

AGENTS = "agents"
MOST = 2_000
"""Files that are looked at for the name of an agent."""


def can_spawn(client: Client, root: str, kind: str) -> bool:
    """Whether a client knows a type, or may know it: those of plugins cannot be seen from here."""
    return not client.built_in or ":" in kind or _spelling(kind) in _known(client, root)


def others_can(client: Client, root: str, kind: str) -> bool:
    """Whether another client may; one whose types are not known counts only if it has hooks here."""
    used = {one.client for one in installations(root)}
    others = (one for one in CLIENTS.values() if one is not client and (one.built_in or one.name in used))
    return any(can_spawn(one, root, kind) for one in others)


def nobody_spawns(root: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """The types that no client has."""
    claude = CLIENTS["claude"]
    return tuple(kind for kind in kinds if not can_spawn(claude, root, kind) and not others_can(claude, root, kind))


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
    roles = values_in(os.path.join(user_folder(client), client.switch_file)) if client.switch_file else None
    listed = roles.get(AGENTS) if isinstance(roles, dict) else None
    found = (name for place in _folders(client, root) for name in _names(place))
    return {_spelling(name) for name in (*client.built_in, *found, *(listed if isinstance(listed, dict) else ()))}


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
            # Some clients call an agent as its file is called, if it says nothing else: NAME.agent.md.
            yield _name(path) or os.path.basename(path).partition(".")[0]


def _name(path: str) -> str:
    """What the frontmatter calls an agent; an empty string where there is none."""
    try:
        about = split(read_settings(path) or "")[0] or ""
    except DctxError:
        return ""
    named = (line.partition(":")[2] for line in about.splitlines() if line.startswith("name:"))
    return next(named, "").partition(" #")[0].strip().strip("'\"")
