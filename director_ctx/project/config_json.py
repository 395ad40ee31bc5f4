"""The plugin's `config.json`: read, never trusted, unknown keys left alone."""

from __future__ import annotations

from director_ctx.base.light_json import parse
from director_ctx.base.text import Remark
from director_ctx.project.reading.model import FOLDER, NO_JSON, NO_OBJECT, NO_SUCH_MODEL_PROFILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project

CONFIG = f"{FOLDER}/config.json"
USUAL_PROFILE = "balanced"
INHERIT = "inherit"
"""Instead of a model: the one of the session."""


def read_config(project: Project) -> dict[str, Any]:
    """The settings, or none; a broken file is noted."""
    text = project.text(CONFIG)
    if not text.strip():
        return {}
    try:
        data = parse(text)
    except ValueError:
        project.note(CONFIG, Remark(NO_JSON, "is not valid JSON; its settings were ignored"))
        return {}
    if not isinstance(data, dict):
        project.note(CONFIG, Remark(NO_OBJECT, "is not a JSON object; its settings were ignored"))
        return {}
    return data


def named_model(project: Project, agent: str) -> tuple[str, str]:
    """The model that an agent is to run on, and the key that names it; nothing where that is the
    session's own.

    The table of the chosen model profile comes first, as it does in the plugin.
    """
    config = read_config(project)
    profile = _model_profile(project, config)
    for keys in (("model_profiles", profile, agent), ("agents", agent, "model")):
        value = _value(config, keys)
        if not isinstance(value, str) or not value.strip():
            continue
        name = value.strip()
        if name.casefold() == INHERIT:
            return "", ""
        return name, ".".join(keys)
    return "", ""


def _model_profile(project: Project, config: dict[str, Any]) -> str:
    """The model profile that the project chose; the usual one, with a note, where there is none of
    that name.
    """
    chosen = config.get("model_profile", USUAL_PROFILE)
    tables = config.get("model_profiles")
    if not isinstance(tables, dict) or chosen == USUAL_PROFILE:
        return USUAL_PROFILE
    if isinstance(chosen, str) and chosen in tables:
        return chosen
    project.note(
        CONFIG,
        Remark(
            NO_SUCH_MODEL_PROFILE,
            f"chooses a model profile that it does not have; {USUAL_PROFILE} was taken instead",
        ),
    )
    return USUAL_PROFILE


def _value(config: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        if not isinstance(config, dict):
            return None
        config = config.get(key)
    return config
