"""What hooks do in a project: which agents are given what, and when a window counts as full; the
`hooks` of `dctx.yaml`.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.budget import URGENT, WARN
from director_ctx.context.settings.config_check import shown
from director_ctx.context.settings.profiles import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.config_check import Checker
    from director_ctx.context.settings.profiles import Profile


NONE = "none"
OURS = ("director:director-", "director-", "dctx:", "dctx-")
"""How the types of agents begin that are a profile's own: Director's, and those of this tool's
plugin.
"""
NEVER = ("fork",)
"""Types that have their context already: a fork has the whole conversation."""
COMMAND = "ctx assemble "
LONGEST_NAME = 60


class Hooks(Record):
    agents: Mapping[str, str] = {}
    """An agent's type, as its client calls it, and its profile, or `none`."""
    default: str = ""
    """The profile of all types that are not named; nothing, unless the project says so."""
    session: bool = True
    """Whether a session is told where the project stands."""
    archive: bool | None = None
    """Whether a conversation is kept before its client compacts it; unless said, only in the
    project's own store.
    """
    warn: int = WARN
    urgent: int = URGENT


def profile_of(
    agent_type: str,
    hooks: Hooks,
    profiles: Mapping[str, Profile],
    prompt: str = "",
) -> str:
    """The name of the profile for an agent of this type; empty where it gets nothing.

    Where one type does every kind of work, its prompt says which: by the command that prints the
    context.
    """
    bare_type = agent_type.strip().casefold()
    if bare_type in NEVER:
        return ""

    by_type: dict[str, str] = {}
    for name, profile in hooks.agents.items():
        by_type[name.strip().casefold()] = profile

    # What the project says of a type goes before what its name says.
    own = ""
    if bare_type not in by_type:
        own = _ours(bare_type, profiles)
    chosen = by_type.get(bare_type) or own or hooks.default
    if not chosen or chosen.casefold() == NONE:
        return ""
    return own or _asked_for(prompt, profiles) or chosen


class AgentRule(Record):
    """What agents of a type are given."""

    profile: str = ""
    """Empty for nothing, ever."""
    only_named: bool = False
    """Only where the prompt names a task or asks for the next one."""


def profile_for(
    agent_type: str, usual: bool, hooks: Hooks, profiles: Mapping[str, Profile], prompt: str = ""
) -> AgentRule:
    profile = profile_of(agent_type, hooks, profiles, prompt)
    is_named = any(
        agent_type.strip().casefold() == name.strip().casefold() for name in hooks.agents
    )
    if not profile and usual and not is_named:
        return AgentRule("builder", True)
    return AgentRule(profile)


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


EVERY = "*"
KEYS = ("agents", "default", "session", "archive", "warn", "urgent")


def read_hooks(
    check: Checker,
    value: object,
    profiles: Mapping[str, Profile],
    skills: Mapping[str, Profile],
) -> Hooks:
    """Checked like the rest; a type of an agent may have any name, a profile must be one."""
    fields = check.mapping("hooks", value, KEYS)
    changes: dict[str, Any] = {}
    if "agents" in fields:
        agents = check.mapping("hooks.agents", fields["agents"])
        if EVERY in agents:
            check.wrong(
                f"hooks.agents.{EVERY}",
                "is no type of an agent; hooks.default is for all that are not named",
            )
        chosen: dict[str, str] = {}
        for name, profile in agents.items():
            path = f"hooks.agents.{name}"
            chosen[name] = _profile(check, path, profile, profiles, skills)
        changes["agents"] = chosen
    if "default" in fields:
        changes["default"] = _profile(check, "hooks.default", fields["default"], profiles, skills)
    if "session" in fields:
        changes["session"] = check.flag("hooks.session", fields["session"])
    if "archive" in fields:
        changes["archive"] = check.flag("hooks.archive", fields["archive"])
    for key in ("warn", "urgent"):
        if key in fields:
            changes[key] = check.number(f"hooks.{key}", fields[key])

    hooks = Hooks().replace(**changes)
    if hooks.warn > hooks.urgent:
        check.wrong("hooks.warn", "must not be larger than hooks.urgent")
    return hooks


def _profile(
    check: Checker,
    path: str,
    value: object,
    profiles: Mapping[str, Profile],
    skills: Mapping[str, Profile],
) -> str:
    if value is None or value is False:
        return NONE
    spelled = spelling(check.text(path, value))
    for name in profiles:
        if spelling(name) == spelled:
            return name or NONE

    if spelled in map(spelling, skills):
        agents = ", ".join(profiles)
        check.wrong(path, f"{shown(value)!r} is a skill, not an agent; agents are {agents}")
    elif spelled and spelled != NONE:
        check.known(path, (str(value),), (*profiles, NONE))
    return NONE
