"""The user's calibration: a small JSON file of numbers, and where it is."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.user_folders import state_place
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def place() -> str:
    return state_place("calibration.json")


def read() -> dict[str, Any]:
    """What was kept; nothing where there is none, or none that can be read."""
    import json

    try:
        document = read_document(place(), "")
        data = json.loads(document.text)
    except (OSError, Unreadable, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return data


def keep(data: dict[str, Any]) -> None:
    import json

    from director_ctx.base.system.write import write_whole

    path = place()
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        write_whole(path, json.dumps(data, indent=2).encode() + b"\n")
    except OSError as error:
        raise DctxError(
            f"Could not write {path}: {error.strerror or error}.", "Set XDG_STATE_HOME elsewhere."
        ) from error
