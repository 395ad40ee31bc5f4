"""`dctx profiles`: the tables as data, in the form that `.director/dctx.yaml` takes."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.ladder import LADDER, PROTECTED_LADDER, Rung
from director_ctx.context.settings.budget import FILE_LIMIT, MODELS
from director_ctx.context.settings.keywords import MARKS
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import PROFILES, SKILLS, Profile, find_profile
from director_ctx.context.settings.request import Settings
from director_ctx.context.settings.tags import protected_tags
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = {
    "vision": "vision", "gameplan": "gameplan", "step": "current_step", "task": "task", "recent": "recent_changes",
    "state": "project_state", "decisions": "decisions",
}  # fmt: skip
"""Names of columns, and the tags that they are for."""
_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML takes for something else."""
_THEN = "Then these cuts are made, in this order, until the context fits:"
_PROTECTED = "What a profile protects is cut last, in this order, and never entirely, except notes that options name:"


def run(values: dict[str, Any]) -> int:
    try:
        project = load_project(root=values["root"])
    except DctxError:
        # Where there is no project, the shipped tables are shown.
        if values["root"]:
            raise
        settings = Settings()
    else:
        settings = load_settings(project)
    if values["agent"]:
        known = {**settings.profiles, **settings.skills}
        profile = find_profile(values["agent"], known, "profile")
        if values["json"]:
            put_json(profile_json(profile))
        else:
            put(profile_yaml(profile))
    elif values["json"]:
        put_json(settings_json(settings))
    else:
        chosen = [put_one for name, put_one in TABLES.items() if values[name]]
        for put_one in chosen or [_put_overview]:
            put_one(settings)
    return OK


def profile_json(profile: Profile) -> dict[str, Any]:
    fields = _fields(profile)
    return {name: list(row) if isinstance(row, tuple) else row for name, row in fields.items()}


def _fields(profile: Profile) -> dict[str, Any]:
    """Every field but those that say nothing: no skill, no budget of its own, the usual layout."""
    usual = {"skill": False, "budget": "", "layout": "tags"}
    fields = as_dict(profile).items()
    return {name: value for name, value in fields if name not in usual or usual[name] != value}


def settings_json(settings: Settings) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for table in ("profiles", "skills"):
        rows = getattr(settings, table).items()
        document[table] = {name: profile_json(profile) for name, profile in rows}
    for name, ladder in (("ladder", LADDER), ("protected_ladder", PROTECTED_LADDER)):
        document[name] = [
            {"rung": rung.name, "group": rung.group, "says": rung.says} for rung in ladder
        ]
    models = {**MODELS, **settings.models}
    document["models"] = {name: as_dict(model) for name, model in models.items()}
    document["file_limit"] = FILE_LIMIT
    for table in ("task_types", "research_types"):
        document[table] = {
            kind.name: {"keywords": list(kind.keywords), "files": list(kind.files)}
            for kind in getattr(settings, table)
        }
    return document


def profile_yaml(profile: Profile) -> str:
    """A block to paste into `dctx.yaml` and change."""
    lines = ["profiles:", f"  {_scalar(profile.name)}:"]
    for name, value in _fields(profile).items():
        if isinstance(value, tuple):
            lines.append(f"    {name}: [{', '.join(map(_scalar, value))}]")
        elif isinstance(value, int):
            lines.append(f"    {name}: {str(value).lower()}")
        elif name != "name":
            lines.append(f"    {name}: {_scalar(str(value))}")
    return "\n".join(lines) + "\n"


def _scalar(text: str) -> str:
    """A word as it is, everything else in the quotes that JSON and YAML share."""
    bare = text.replace("-", "").replace("_", "")
    is_word = bare.isascii() and bare.isalnum() and text[0].isalpha()
    if is_word and text.casefold() not in _NOT_TEXT:
        return text
    # Most of them are words, and need no quotes.
    import json

    return json.dumps(text, ensure_ascii=not text.isprintable())


def _put_overview(settings: Settings) -> None:
    for kind, profiles in (("agent", settings.profiles), ("skill", settings.skills)):
        if kind == "skill":
            put_lines([("", "")])
        rows = [_row(profile) for profile in profiles.values()]
        put_table([kind, *COLUMNS, "research", "codebase", "purpose"], rows)


def _row(profile: Profile) -> list[str]:
    row = [profile.name]
    for tag in COLUMNS.values():
        mark = "optional" if tag in profile.optional else "-"
        row.append("yes" if tag in profile.sections else mark)
    for tag, notes in (("research", profile.research), ("codebase", profile.codebase)):
        summary = "summary" if f"{tag}_summary" in profile.sections else "-"
        row.append(", ".join(notes) if tag in profile.sections else summary)
    is_own = profile not in (PROFILES.get(profile.name), SKILLS.get(profile.name))
    return [*row, profile.purpose + (" (this project's own)" if is_own else "")]


def _put_types(settings: Settings) -> None:
    rows = []
    for kind in (*settings.task_types, *settings.research_types):
        rows.append([kind.name, " ".join(kind.files), ", ".join(kind.keywords)])
    put_table(["kind", "files", "words"], rows)
    put_lines([("", ""), (MARKS, "")])


def _put_ladder(settings: Settings) -> None:
    protects = {
        name: protected_tags(profile.protect)
        for name, profile in {**settings.profiles, **settings.skills}.items()
    }

    def rows(ladder: tuple[Rung, ...]) -> list[list[str]]:
        """The rungs, each with the profiles that protect what it takes."""
        every_row = []
        for rung in ladder:
            names = [name for name, covered in protects.items() if rung.group in covered]
            every_row.append([rung.name, rung.says, ", ".join(names)])
        return every_row

    first = f"First, one unprotected file over {FILE_LIMIT:,} tokens is cut at a heading. {_THEN}"
    put_lines([(first, "")])
    put_table(["cut", "what it does", "not for"], rows(LADDER))
    put_lines([("", ""), (_PROTECTED, "")])
    # Rungs that no profile protects anything from say nothing about this project.
    protected = [row for row in rows(PROTECTED_LADDER) if row[-1]]
    put_table(["cut", "what it does", "for"], protected)
    put_lines([("", ""), ("What fits again then is given back, from the last cut upwards.", "")])


def _put_models(settings: Settings) -> None:
    models = {**MODELS, **settings.models}
    rows = [[name, f"{model.window:,}", model.tokenizer] for name, model in models.items()]
    put_table(["model", ">window", "tokenizer"], rows)


TABLES = {"types": _put_types, "ladder": _put_ladder, "models": _put_models}
