"""What hooks do in a project: which agents are given what, and when a window counts as full; the
`hooks` of `dctx.yaml`.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.budget import URGENT, WARN
from director_ctx.context.settings.profiles import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.context.settings.profiles import Profile


ALWAYS, NEVER = "always", "never"
"""What a type may be given instead of a profile by its name: the builder's context, or nothing."""
BUILDER = "builder"
OURS = ("director:director-", "director-", "dctx:", "dctx-")
"""How the types of agents begin that are a profile's own: Director's, and those of dctx, by its
plugin and its files.
"""
INFORMED = ("fork",)
"""Types that have their context already: a fork has the whole conversation."""
COMMAND = "ctx assemble "
LONGEST_NAME = 60


class Hooks(Record):
    agents: Mapping[str, str] = {}
    """An agent's type, as its client calls it, and its profile, or `never`."""
    session: bool = True
    """Whether a session is told where the project stands."""
    archive: bool | None = None
    """Whether a conversation is kept before its client compacts it; unless said, only in the
    project's own store.
    """
    warn: int = WARN
    urgent: int = URGENT


class AgentRule(Record):
    """What agents of a type are given."""

    profile: str = ""
    """Its name; empty where they are given nothing, ever."""
    only_named: bool = False
    """Whether only those whose prompt names a task of the plan, or asks for the next one."""


def profile_for(
    agent_type: str,
    usual: bool,
    hooks: Hooks,
    profiles: Mapping[str, Profile],
    prompt: str = "",
) -> AgentRule:
    """What an agent of this type is given; `usual` says that its client spawns this type where
    nobody asks for another.

    Where one type does every kind of work, its prompt says which: by the command that prints the
    context.
    """
    bare_type = agent_type.strip().casefold()
    if bare_type in INFORMED:
        return AgentRule()

    by_type: dict[str, str] = {}
    for name, profile in hooks.agents.items():
        by_type[name.strip().casefold()] = profile

    # What the project says of a type goes before what its name says.
    chosen = by_type.get(bare_type)
    if chosen == NEVER:
        return AgentRule()
    if chosen:
        return AgentRule(_asked_for(prompt, profiles) or chosen)
    if usual:
        return AgentRule(_asked_for(prompt, profiles) or BUILDER, only_named=True)
    return AgentRule(_ours(bare_type, profiles))


def _asked_for(prompt: str, profiles: Mapping[str, Profile]) -> str:
    """The agent in the first `dctx assemble AGENT` (or `python -m director_ctx assemble AGENT`) of
    a prompt.
    """
    _, _, behind = prompt.partition(COMMAND)
    words = behind[:LONGEST_NAME].split(maxsplit=1)
    name = ""
    if words:
        # Prompts put commands into backticks and quotes, and end sentences with them.
        name = words[0].strip("`'\".,;:")
    return _name_of_profile(name, profiles)


def _ours(agent_type: str, profiles: Mapping[str, Profile]) -> str:
    for start in OURS:
        if agent_type.startswith(start):
            name = agent_type.removeprefix(start)
            return _name_of_profile(name, profiles)
    return ""


def _name_of_profile(name: str, profiles: Mapping[str, Profile]) -> str:
    """A profile's own name, however this one is spelled; empty where there is none."""
    spelled = spelling(name)
    for profile in profiles.values():
        if spelling(profile.name) == spelled:
            return profile.name
    return ""
