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
        known = next(
            (profile for profile in profiles.values() if spelling(profile.name) == spelling(name)),
            None,
        )
        fields = check.mapping(path, data, (*_LISTS, *_OTHERS))
        base = _base(check, path, fields, profiles) or known
        if base is None and not {"sections", "extends"} & fields.keys():
            check.wrong(path, "a new agent needs `sections` or `extends`")
            continue
        own = known.name if known else name
        base = base or Profile(own, "", (), instructions=own)
        values = _profile_fields(check, path, fields)
        values["protect"] = tuple(dict.fromkeys((*base.protect, *values.get("protect", ()))))
        profiles[own] = _closed(base.replace(name=own, **values))
        if known and profiles[own].skill != known.skill:
            check.wrong(
                f"{path}.skill",
                "an agent stays an agent, and a skill a skill; give it another name",
            )
    return profiles


def _closed(profile: Profile) -> Profile:
    """An agent's context ends with instructions, or begins with a system prompt, whatever its
    profile says.
    """
    if profile.skill or INSTRUCTIONS in profile.sections or SYSTEM in profile.sections:
        return profile
    return profile.replace(sections=(*profile.sections, INSTRUCTIONS))


def _is_name(name: str) -> bool:
    """Names become file names, so they have none of the characters that paths are made of."""
    return (
        0 < len(name) <= 60
        and name[0].isalnum()
        and all(char.isalnum() or char in " -_:" for char in name)
    )


def _base(
    check: Checker, path: str, fields: dict[str, Any], profiles: Mapping[str, Profile]
) -> Profile | None:
    if "extends" not in fields:
        return None
    wanted = spelling(check.text(f"{path}.extends", fields["extends"]))
    if not wanted:
        return None
    base = next(
        (profile for profile in profiles.values() if spelling(profile.name) == wanted), None
    )
    if base is None:
        check.wrong(f"{path}.extends", unknown(shown(fields["extends"]), tuple(profiles)))
    return base


def _profile_fields(check: Checker, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {
        key: check.texts(f"{path}.{key}", fields[key]) for key in _LISTS if key in fields
    }
    for key in ("sections", "optional", "requires", "compat"):
        check.known(f"{path}.{key}", values.get(key, ()), TAGS)
    check.known(
        f"{path}.protect", values.get("protect", ()), tuple(dict.fromkeys((*GROUPS, *TAGS)))
    )
    for key in ("codebase", "research", "reference"):
        for name in values.get(key, ()):
            if name != BY_TASK and (
                ".." in name.split("/") or name.startswith(("/", "~")) or "\\" in name
            ):
                check.wrong(f"{path}.{key}", f"{name!r} leaves the .director/ folder")
    if "recent_changes" in fields:
        values["recent_changes"] = check.number(f"{path}.recent_changes", fields["recent_changes"])
    if "skill" in fields:
        values["skill"] = check.flag(f"{path}.skill", fields["skill"])
    if "layout" in fields:
        values["layout"] = check.text(f"{path}.layout", fields["layout"])
        check.known(f"{path}.layout", (values["layout"],), LAYOUT_NAMES)
    if "budget" in fields:
        values["budget"] = budget(check, fields["budget"], f"{path}.budget")
    for key in ("purpose", "instructions"):
        if key in fields:
            values[key] = check.text(f"{path}.{key}", fields[key], empty=key == "purpose")
    if "instructions" in values and not _is_name(values["instructions"]):
        check.wrong(
            f"{path}.instructions",
            "must be the name of a file in .director/instructions/, without a folder",
        )
    return values
