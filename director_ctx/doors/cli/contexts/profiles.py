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
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.context.settings.keywords import Kind

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
        known = {**settings.profiles, **settings.skills}
        profile = find_profile(values["agent"], known, "profile")
        if values["json"]:
            put_json(profile_json(profile))
        else:
            put(profile_yaml(profile))
        return OK

    if values["json"]:
        put_json(settings_json(settings))
        return OK

    chosen = [name for name in TABLES if values[name]]
    for name in chosen:
        TABLES[name](settings)
    if not chosen:
        _overview(settings)
    return OK


def _settings(root: str | None) -> Settings:
    """The project's own, or the shipped ones where there is no project."""
    try:
        project = load_project(root=root)
    except DctxError:
        if root:
            raise
        return Settings()
    return load_settings(project)


def profile_json(profile: Profile) -> dict[str, Any]:
    fields = _fields(profile)
    for name, value in fields.items():
        if isinstance(value, tuple):
            fields[name] = list(value)
    return fields


def _fields(profile: Profile) -> dict[str, Any]:
    """Every field but those that say nothing: no skill, no budget of its own, the usual layout."""
    usual = {"skill": False, "budget": "", "layout": "tags"}
    fields = {}
    for name, value in as_dict(profile).items():
        if name not in usual or usual[name] != value:
            fields[name] = value
    return fields


def settings_json(settings: Settings) -> dict[str, Any]:
    models = {**MODELS, **settings.models}
    return {
        "profiles": _profiles_json(settings.profiles),
        "skills": _profiles_json(settings.skills),
        "ladder": _ladder_json(LADDER),
        "protected_ladder": _ladder_json(PROTECTED_LADDER),
        "models": {name: as_dict(model) for name, model in models.items()},
        "file_limit": FILE_LIMIT,
        "task_types": _kinds_json(settings.task_types),
        "research_types": _kinds_json(settings.research_types),
    }


def _profiles_json(profiles: Mapping[str, Profile]) -> dict[str, Any]:
    return {name: profile_json(profile) for name, profile in profiles.items()}


def _kinds_json(kinds: Sequence[Kind]) -> dict[str, Any]:
    """Kinds of work, with the words that a task is judged by."""
    by_name = {}
    for kind in kinds:
        by_name[kind.name] = {"keywords": list(kind.keywords), "files": list(kind.files)}
    return by_name


def _ladder_json(ladder: tuple[Rung, ...]) -> list[dict[str, str]]:
    return [{"rung": rung.name, "group": rung.group, "says": rung.says} for rung in ladder]


def profile_yaml(profile: Profile) -> str:
    """A block to paste into `dctx.yaml` and change."""
    lines = ["profiles:", f"  {_scalar(profile.name)}:"]
    for name, value in _fields(profile).items():
        if name != "name":
            lines.append(f"    {name}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_scalar, value))}]"
    if isinstance(value, int):
        return str(value).lower()
    return _scalar(str(value))


_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML takes for something else."""


def _scalar(text: str) -> str:
    """A word as it is, everything else in the quotes that JSON and YAML share."""
    # Most of them are words, and need no quotes.
    import json

    bare = text.replace("-", "").replace("_", "")
    is_word = bare.isascii() and bare.isalnum() and text[0].isalpha()
    if is_word and text.casefold() not in _NOT_TEXT:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _overview(settings: Settings) -> None:
    agents = [_row(profile) for profile in settings.profiles.values()]
    put_table(["agent", *COLUMN_NAMES], agents)
    put_lines([("", "")])
    skills = [_row(profile) for profile in settings.skills.values()]
    put_table(["skill", *COLUMN_NAMES], skills)


def _types(settings: Settings) -> None:
    rows: list[list[str]] = []
    for kind in (*settings.task_types, *settings.research_types):
        files = " ".join(kind.files)
        words = ", ".join(kind.keywords)
        rows.append([kind.name, files, words])
    put_table(["kind", "files", "words"], rows)
    put_lines([("", ""), (MARKS, "")])


_THEN = "Then these cuts are made, in this order, until the context fits:"
_PROTECTED = "What a profile protects is cut last, in this order, and never entirely, except notes that options name:"


def _ladder(settings: Settings) -> None:
    put_lines(
        [
            (
                f"First, one unprotected file over {FILE_LIMIT:,} tokens is cut at a heading. {_THEN}",
                "",
            )
        ]
    )
    rows = [_rung_row(settings, rung) for rung in LADDER]
    put_table(["cut", "what it does", "not for"], rows)

    put_lines([("", ""), (_PROTECTED, "")])
    rows = []
    for rung in PROTECTED_LADDER:
        # Rungs that no profile protects anything from say nothing about this project.
        row = _rung_row(settings, rung)
        if row[-1]:
            rows.append(row)
    put_table(["cut", "what it does", "for"], rows)
    put_lines([("", ""), ("What fits again then is given back, from the last cut upwards.", "")])


def _rung_row(settings: Settings, rung: Rung) -> list[str]:
    """A rung, with the profiles that protect what it takes."""
    protecting = []
    for name, profile in {**settings.profiles, **settings.skills}.items():
        if rung.group in protected_tags(profile.protect):
            protecting.append(name)
    return [rung.name, rung.says, ", ".join(protecting)]


def _models(settings: Settings) -> None:
    models = {**MODELS, **settings.models}
    rows = [[name, f"{model.window:,}", model.tokenizer] for name, model in models.items()]
    put_table(["model", ">window", "tokenizer"], rows)


TABLES = {"types": _types, "ladder": _ladder, "models": _models}


def _row(profile: Profile) -> list[str]:
    marks = [_mark(profile, tag) for tag in COLUMNS]
    notes = [_notes(profile, kind) for kind in ("research", "codebase")]
    purpose = profile.purpose
    shipped = (PROFILES.get(profile.name), SKILLS.get(profile.name))
    if profile not in shipped:
        purpose += " (this project's own)"
    return [profile.name, *marks, *notes, purpose]


def _mark(profile: Profile, tag: str) -> str:
    if tag in profile.sections:
        return "yes"
    if tag in profile.optional:
        return "optional"
    return "-"


def _notes(profile: Profile, kind: str) -> str:
    if kind in profile.sections:
        chosen = profile.research
        if kind == "codebase":
            chosen = profile.codebase
        return ", ".join(chosen)
    if f"{kind}_summary" in profile.sections:
        return "summary"
    return "-"
