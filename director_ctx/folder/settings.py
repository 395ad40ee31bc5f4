"""The plugin's `config.json`: read, never trusted, unknown keys left alone."""

from __future__ import annotations

import json

from director_ctx.folder.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.folder.project import Project


def read_config(project: Project) -> dict[str, Any]:
    """The settings, or none; a broken file is noted."""
    path = f"{FOLDER}/config.json"
    text = project.text(path)
    if not text.strip():
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        project.note(path, "is not valid JSON; its settings were ignored")
        return {}
    if not isinstance(data, dict):
        project.note(path, "is not a JSON object; its settings were ignored")
        return {}
    return data
