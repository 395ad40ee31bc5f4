"""Types of agents of which a project does not say what they are given: told once where a session
starts, because their agents go without a context and nobody would know why.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.context.settings.hooks import Hooks, profile_of
from director_ctx.context.settings.options import load_settings
from director_ctx.project.dctx_folder import kept_rows, write_kept
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.next import READY, next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.table import Client
    from director_ctx.project.project import Project

NAME = "mentioned.json"
LARGEST = 10_000
MOST = 50
SAID = """

Agents of type {kind} are given no context here, because {folder}/dctx.yaml does not say which. For the user, once:
`{dctx} config set hooks.agents.{kind} builder` gives them the builder's; `none` in its place leaves it so."""


def usual_types(clients: Sequence[Client]) -> tuple[str, ...]:
    """What these clients call an agent that is spawned where nobody asks for another."""
    types = [client.usual_type for client in clients]
    return tuple(dict.fromkeys(types))


def undecided(project: Project, clients: Sequence[Client]) -> tuple[str, ...]:
    """Those of them that have neither a profile nor `none`."""
    settings = load_settings(project)
    hooks = settings.hooks or Hooks()
    named = {kind.strip().casefold() for kind in hooks.agents}
    types: list[str] = []
    for kind in usual_types(clients):
        if kind.casefold() in named or profile_of(kind, hooks, settings.profiles):
            continue
        types.append(kind)
    return tuple(types)


def mention_once(project: Project, client: Client, dctx: str) -> str:
    """A remark for a session that starts; empty where it was made before, or where there is nothing
    to do for such an agent.
    """
    types = undecided(project, (client,))
    if not types or next_task(project).state != READY:
        return ""
    kind = types[0]
    mentioned: list[str] = []
    for row in kept_rows(project.root, NAME, LARGEST):
        if isinstance(row, str):
            mentioned.append(row)
    if kind in mentioned or len(mentioned) >= MOST:
        return ""

    data = dump([*mentioned, kind]).encode("ascii")
    try:
        write_kept(project.root, NAME, data)
    except OSError:
        # What cannot be remembered would be said at every start.
        return ""
    return SAID.format(kind=kind, folder=FOLDER, dctx=dctx)
