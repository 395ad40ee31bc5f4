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
LISTS = (
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
    tables = check.mapping("profiles", value)
    if len(tables) > MOST_PROFILES:
        check.wrong("profiles", f"has more than {MOST_PROFILES} agents")
        return profiles

    for name, data in tables.items():
        profile = _profile(check, name, data, profiles)
        if profile:
            profiles[profile.name] = profile
    return profiles


def _profile(
    check: Checker,
    name: str,
    data: object,
    profiles: Mapping[str, Profile],
) -> Profile | None:
    """One agent or skill, on top of what it extends, else of itself as it was known before."""
    path = f"profiles.{name}"
    if not _is_name(name):
        check.wrong(path, "an agent's name has letters, digits, dashes and blanks only")
        return None

    known = _find(name, profiles)
    fields = check.mapping(path, data, (*LISTS, *_OTHERS))
    base = _base(check, path, fields, profiles) or known
    if base is None and "sections" not in fields and "extends" not in fields:
        check.wrong(path, "a new agent needs `sections` or `extends`")
        return None

    own_name = name
    if known:
        own_name = known.name
    if base is None:
        base = Profile(own_name, "", (), instructions=own_name)
    values = _profile_fields(check, path, fields)
    # A project may protect more than dctx does, and never less.
    protect = (*base.protect, *values.get("protect", ()))
    values["protect"] = tuple(dict.fromkeys(protect))

    profile = _closed(base.replace(name=own_name, **values))
    if known and profile.skill != known.skill:
        check.wrong(
            f"{path}.skill",
            "an agent stays an agent, and a skill a skill; give it another name",
        )
    return profile


def _find(name: str, profiles: Mapping[str, Profile]) -> Profile | None:
    """The profile of that name, however it is spelled."""
    spelled = spelling(name)
    for profile in profiles.values():
        if spelling(profile.name) == spelled:
            return profile
    return None


def _closed(profile: Profile) -> Profile:
    """An agent's context ends with instructions, or begins with a system prompt, whatever its
    profile says.
    """
    sections = profile.sections
    if profile.skill or INSTRUCTIONS in sections or SYSTEM in sections:
        return profile
    return profile.replace(sections=(*sections, INSTRUCTIONS))


def _is_name(name: str) -> bool:
    """Names become file names, so they have none of the characters that paths are made of."""
    if not 0 < len(name) <= 60 or not name[0].isalnum():
        return False
    return all(char.isalnum() or char in " -_:" for char in name)


def _base(
    check: Checker,
    path: str,
    fields: dict[str, Any],
    profiles: Mapping[str, Profile],
) -> Profile | None:
    if "extends" not in fields:
        return None
    path = f"{path}.extends"
    extended = fields["extends"]
    name = check.text(path, extended)
    if not spelling(name):
        return None
    base = _find(name, profiles)
    if base is None:
        check.wrong(path, unknown(shown(extended), tuple(profiles)))
    return base


def _profile_fields(
    check: Checker,
    path: str,
    fields: dict[str, Any],
) -> dict[str, Any]:
    values = _lists(check, path, fields)
    if "recent_changes" in fields:
        commits = fields["recent_changes"]
        values["recent_changes"] = check.number(f"{path}.recent_changes", commits)
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
    for key in LISTS:
        if key in fields:
            values[key] = check.texts(f"{path}.{key}", fields[key])

    for key in ("sections", "optional", "requires", "compat"):
        tags = values.get(key, ())
        check.known(f"{path}.{key}", tags, TAGS)
    # The names of groups first, without those that are tags too.
    protectable = tuple(dict.fromkeys((*GROUPS, *TAGS)))
    protected = values.get("protect", ())
    check.known(f"{path}.protect", protected, protectable)

    for key in ("codebase", "research", "reference"):
        for name in values.get(key, ()):
            if name == BY_TASK:
                continue
            if _leaves_folder(name):
                check.wrong(f"{path}.{key}", f"{name!r} leaves the .director/ folder")
    return values


def _leaves_folder(name: str) -> bool:
    return ".." in name.split("/") or name.startswith(("/", "~")) or "\\" in name
