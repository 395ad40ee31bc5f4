"""The `profiles` of a project's `dctx.yaml`: who gets what, on top of the shipped tables."""

from __future__ import annotations

from director_ctx.context.settings.config_check import budget, shown, unknown
from director_ctx.context.settings.profiles import BY_TASK, PROFILES, SKILLS, Profile, spelling
from director_ctx.context.settings.tags import GROUPS, INSTRUCTIONS, LAYOUT_NAMES, SYSTEM, TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.config_check import Checker

MOST_PROFILES = 200
_LISTS = (
    "sections",
    "optional",
    "protect",
    "requires",
    "codebase",
    "research",
    "reference",
    "compat",
    "inputs",
)
_OTHERS = ("purpose", "recent_changes", "instructions", "extends", "skill", "layout", "budget")


def read_profiles(check: Checker, value: object) -> Mapping[str, Profile]:
    profiles = {**PROFILES, **SKILLS}
    given = check.mapping("profiles", value)
    if len(given) > MOST_PROFILES:
        check.wrong("profiles", f"has more than {MOST_PROFILES} agents")
        return profiles

    for name, data in given.items():
        path = f"profiles.{name}"
        if not _is_name(name):
            check.wrong(path, "an agent's name has letters, digits, dashes and blanks only")
            continue
        known = _find(name, profiles)
        fields = check.mapping(path, data, (*_LISTS, *_OTHERS))
        base = _base(check, path, fields, profiles) or known
        if base is None and "sections" not in fields and "extends" not in fields:
            check.wrong(path, "a new agent needs `sections` or `extends`")
            continue

        own = name
        if known:
            own = known.name
        if base is None:
            base = Profile(own, "", (), instructions=own)
        values = _profile_fields(check, path, fields)
        protect = (*base.protect, *values.get("protect", ()))
        values["protect"] = tuple(dict.fromkeys(protect))
        profiles[own] = _closed(base.replace(name=own, **values))
        if known and profiles[own].skill != known.skill:
            check.wrong(
                f"{path}.skill",
                "an agent stays an agent, and a skill a skill; give it another name",
            )
    return profiles


def _find(name: str, profiles: Mapping[str, Profile]) -> Profile | None:
    """The profile of that name, however it is spelled."""
    wanted = spelling(name)
    for profile in profiles.values():
        if spelling(profile.name) == wanted:
            return profile
    return None


def _closed(profile: Profile) -> Profile:
    """An agent's context ends with instructions, or begins with a system prompt, whatever its
    profile says.
    """
    if profile.skill or INSTRUCTIONS in profile.sections or SYSTEM in profile.sections:
        return profile
    return profile.replace(sections=(*profile.sections, INSTRUCTIONS))


def _is_name(name: str) -> bool:
    """Names become file names, so they have none of the characters that paths are made of."""
    if not 0 < len(name) <= 60 or not name[0].isalnum():
        return False
    return all(char.isalnum() or char in " -_:" for char in name)


def _base(
    check: Checker, path: str, fields: dict[str, Any], profiles: Mapping[str, Profile]
) -> Profile | None:
    if "extends" not in fields:
        return None
    wanted = check.text(f"{path}.extends", fields["extends"])
    if not spelling(wanted):
        return None
    base = _find(wanted, profiles)
    if base is None:
        check.wrong(f"{path}.extends", unknown(shown(fields["extends"]), tuple(profiles)))
    return base


def _profile_fields(check: Checker, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    values = _lists(check, path, fields)
    if "recent_changes" in fields:
        values["recent_changes"] = check.number(f"{path}.recent_changes", fields["recent_changes"])
    if "skill" in fields:
        values["skill"] = check.flag(f"{path}.skill", fields["skill"])
    if "layout" in fields:
        values["layout"] = check.text(f"{path}.layout", fields["layout"])
        check.known(f"{path}.layout", (values["layout"],), LAYOUT_NAMES)
    if "budget" in fields:
        values["budget"] = budget(check, fields["budget"], f"{path}.budget")
    if "purpose" in fields:
        values["purpose"] = check.text(f"{path}.purpose", fields["purpose"], empty=True)
    if "instructions" in fields:
        values["instructions"] = check.text(f"{path}.instructions", fields["instructions"])
        if not _is_name(values["instructions"]):
            check.wrong(
                f"{path}.instructions",
                "must be the name of a file in .director/instructions/, without a folder",
            )
    return values


def _lists(check: Checker, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that are lists of names, and whether these names may stand there."""
    values: dict[str, Any] = {}
    for key in _LISTS:
        if key in fields:
            values[key] = check.texts(f"{path}.{key}", fields[key])

    for key in ("sections", "optional", "requires", "compat"):
        check.known(f"{path}.{key}", values.get(key, ()), TAGS)
    protectable = tuple(dict.fromkeys((*GROUPS, *TAGS)))
    check.known(f"{path}.protect", values.get("protect", ()), protectable)

    for key in ("codebase", "research", "reference"):
        for name in values.get(key, ()):
            if name != BY_TASK and _leaves_folder(name):
                check.wrong(f"{path}.{key}", f"{name!r} leaves the .director/ folder")
    return values


def _leaves_folder(name: str) -> bool:
    return ".." in name.split("/") or name.startswith(("/", "~")) or "\\" in name
