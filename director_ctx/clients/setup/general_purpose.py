"""Agents that a client spawns where nobody asks for another type: they get nothing until a project
says what.
"""

from __future__ import annotations

from director_ctx.context.settings.hooks import NONE, Hooks, profile_of
from director_ctx.context.settings.options import load_settings
from director_ctx.upkeep.settings_file import plan_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.table import Client
    from director_ctx.project.project import Project
    from director_ctx.upkeep.settings_file import ConfigChange

BUILDER = "builder"
QUESTION = "Give general-purpose agents the builder's context?"


def usual_types(clients: Sequence[Client]) -> tuple[str, ...]:
    """What these clients call such an agent."""
    types = [client.usual_type for client in clients]
    return tuple(dict.fromkeys(types))


def undecided(project: Project, clients: Sequence[Client]) -> tuple[str, ...]:
    """The types of which the project does not say what they are given: neither a profile nor
    `none`.
    """
    settings = load_settings(project)
    hooks = settings.hooks or Hooks()
    named = {kind.strip().casefold() for kind in hooks.agents}
    types: list[str] = []
    for kind in usual_types(clients):
        if kind.casefold() in named or profile_of(kind, hooks, settings.profiles):
            continue
        types.append(kind)
    return tuple(types)


def plan_answer(root: str, types: Sequence[str], give: bool) -> ConfigChange:
    """The answer in `dctx.yaml`. A no is written down as well: nobody is asked twice."""
    profile = BUILDER
    if not give:
        profile = NONE
    values: list[tuple[tuple[str, ...], object]] = []
    for kind in types:
        values.append((("hooks", "agents", kind), profile))
    return plan_values(root, values)
