"""`dctx profiles`: the tables as data, in the form that `.director/dctx.yaml` takes."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.reductions import LADDER, PROTECTED_LADDER, Rung
from director_ctx.context.settings.budget import FILE_LIMIT, MODELS
from director_ctx.context.settings.keywords import MARKS
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import PROFILES, SKILLS, Profile, find_profile
from director_ctx.context.settings.request import Settings
from director_ctx.context.settings.tags import protected_tags
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.table import put_table
from director_ctx.project.project import Project, load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = (
    "vision",
    "gameplan",
    "current_step",
    "task",
    "recent_changes",
    "project_state",
    "decisions",
)
COLUMN_NAMES = (
    "vision", "gameplan", "step", "task", "recent", "state", "decisions", "research", "codebase", "purpose",
)  # fmt: skip


def run(values: dict[str, Any]) -> int:
    settings = _settings(values["root"])
    if values["agent"]:
        profile = find_profile(values["agent"], {**settings.profiles, **settings.skills}, "profile")
        put_json(profile_json(profile)) if values["json"] else put(profile_yaml(profile))
    elif values["json"]:
        put_json(settings_json(settings))
    else:
        chosen = [show for name, show in TABLES.items() if values[name]] or [_overview]
        for show in chosen:
            show(settings)
    return OK


def _settings(root: str | None) -> Settings:
    """The project's own, or the shipped ones where there is no project."""
    try:
        project: Project | None = load_project(root=root)
    except DctxError:
        if root:
            raise
        project = None
    return load_settings(project) if project else Settings()


def profile_json(profile: Profile) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in _fields(profile).items()
    }


def _fields(profile: Profile) -> dict[str, Any]:
    """Every field but those that say nothing: no skill, no budget of its own, the usual layout."""
    usual = {"skill": False, "budget": "", "layout": "tags"}
    return {
        name: value for name, value in as_dict(profile).items() if usual.get(name, ...) != value
    }


def settings_json(settings: Settings) -> dict[str, Any]:
    models = {**MODELS, **settings.models}
    return {
        "profiles": {name: profile_json(profile) for name, profile in settings.profiles.items()},
        "skills": {name: profile_json(profile) for name, profile in settings.skills.items()},
        "ladder": _ladder_json(LADDER),
        "protected_ladder": _ladder_json(PROTECTED_LADDER),
        "models": {name: as_dict(model) for name, model in models.items()},
        "file_limit": FILE_LIMIT,
        "task_types": {
            kind.name: {"keywords": list(kind.keywords), "files": list(kind.files)}
            for kind in settings.task_types
        },
        "research_types": {
            kind.name: {"keywords": list(kind.keywords), "files": list(kind.files)}
            for kind in settings.research_types
        },
    }


def _ladder_json(ladder: tuple[Rung, ...]) -> list[dict[str, str]]:
    return [{"rung": rung.name, "group": rung.group, "says": rung.says} for rung in ladder]


def profile_yaml(profile: Profile) -> str:
    """A block to paste into `dctx.yaml` and change."""
    fields = [
        f"    {name}: {_flow(value)}" for name, value in _fields(profile).items() if name != "name"
    ]
    return "\n".join(["profiles:", f"  {_scalar(profile.name)}:", *fields]) + "\n"


def _flow(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_scalar, value))}]"
    return str(value).lower() if isinstance(value, int) else _scalar(str(value))


_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML takes for something else."""


def _scalar(text: str) -> str:
    """A word as it is, everything else in the quotes that JSON and YAML share."""
    import json

    bare = text.replace("-", "").replace("_", "")
    is_word = (
        bare.isascii() and bare.isalnum() and text[0].isalpha() and text.casefold() not in _NOT_TEXT
    )
    return text if is_word else json.dumps(text, ensure_ascii=not text.isprintable())


def _overview(settings: Settings) -> None:
    for kind, profiles in (("agent", settings.profiles), ("skill", settings.skills)):
        if kind == "skill":
            put("\n")
        put_table([kind, *COLUMN_NAMES], [_row(profile) for profile in profiles.values()])


def _types(settings: Settings) -> None:
    kinds = [*settings.task_types, *settings.research_types]
    rows = [[kind.name, " ".join(kind.files), ", ".join(kind.keywords)] for kind in kinds]
    put_table(["kind", "files", "words"], rows)
    put(f"\n{MARKS}\n")


def _ladder(settings: Settings) -> None:
    put(
        f"First, one unprotected file over {FILE_LIMIT:,} tokens is cut at a heading. Then, in this order:\n"
    )
    profiles = {**settings.profiles, **settings.skills}
    protected = {name: protected_tags(profile.protect) for name, profile in profiles.items()}

    def row(rung: Rung) -> list[str]:
        whose = [name for name in protected if rung.group in protected[name]]
        return [rung.name, rung.says, ", ".join(whose)]

    put_table(["rung", "what it does", "not for"], [row(rung) for rung in LADDER])
    last = [row(rung) for rung in PROTECTED_LADDER]
    put("\nWhat a profile protects goes after all of that, in this order, and never entirely:\n")
    put_table(["rung", "what it does", "for"], [cells for cells in last if cells[2]])
    put("\nWhat fits again then is given back, from the last rung upwards.\n")


def _models(settings: Settings) -> None:
    models = {**MODELS, **settings.models}
    rows = [[name, f"{one.window:,}", one.tokenizer] for name, one in models.items()]
    put_table(["model", ">window", "tokenizer"], rows)


TABLES = {"types": _types, "ladder": _ladder, "models": _models}


def _row(profile: Profile) -> list[str]:
    marks = [
        "yes" if tag in profile.sections else "optional" if tag in profile.optional else "-"
        for tag in COLUMNS
    ]
    notes = [_notes(profile, kind) for kind in ("research", "codebase")]
    changed = (
        ""
        if profile in (PROFILES.get(profile.name), SKILLS.get(profile.name))
        else " (this project's own)"
    )
    return [profile.name, *marks, *notes, profile.purpose + changed]


def _notes(profile: Profile, kind: str) -> str:
    if kind in profile.sections:
        chosen = profile.codebase if kind == "codebase" else profile.research
        return ",".join(chosen)
    return "summary" if f"{kind}_summary" in profile.sections else "-"
