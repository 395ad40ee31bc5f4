"""The `hooks` key of `dctx.yaml`."""

from __future__ import annotations

from director_ctx.context.settings.config_check import shown
from director_ctx.context.settings.hooks import NONE, Hooks
from director_ctx.context.settings.profiles import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.config_check import Checker
    from director_ctx.context.settings.profiles import Profile

EVERY = "*"
_KEYS = ("agents", "default", "session", "archive", "warn", "urgent")


def read_hooks(check: Checker, value: object, profiles: Mapping[str, Profile], skills: Mapping[str, Profile]) -> Hooks:
    """Checked like the rest; a type of an agent may have any name, a profile must be one."""
    fields = check.mapping("hooks", value, _KEYS)
    changes: dict[str, Any] = {}
    if "agents" in fields:
        given = check.mapping("hooks.agents", fields["agents"])
        if EVERY in given:
            check.wrong(f"hooks.agents.{EVERY}", "is no type of an agent; hooks.default is for all that are not named")
        changes["agents"] = {
            name: _profile(check, f"hooks.agents.{name}", given[name], profiles, skills) for name in given
        }
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
    check: Checker, path: str, value: object, profiles: Mapping[str, Profile], skills: Mapping[str, Profile]
) -> str:
    if value is None or value is False:
        return NONE
    wanted = spelling(check.text(path, value))
    known = next((name for name in profiles if spelling(name) == wanted), "")
    if wanted in map(spelling, skills) and not known:
        check.wrong(path, f"{shown(value)!r} is a skill, not an agent; agents are {', '.join(profiles)}")
    elif wanted and wanted != NONE and not known:
        check.known(path, (str(value),), (*profiles, NONE))
    return known or NONE
