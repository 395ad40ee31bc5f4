"""The browser that `dctx browser start` started for a project: written down in the user's own
state, never in it.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.user_folders import state_place
from director_ctx.project.reading.locate import inside

LARGEST = 10_000
_DIGITS = 32
"""Of a path's hash: so many that nobody finds two projects with one browser."""


class Started(Record):
    """A browser of ours: where it listens, its process, and the id that it gave itself."""

    port: int
    pid: int
    browser: str


def own_folder(root: str | None) -> str:
    """The folder for a project's browser. A project that has the state folder inside could bring
    one along.
    """
    if not root:
        return state_place("browsers", "user")
    real = os.path.realpath(root)
    folder = state_place("browsers", text_digest(real)[:_DIGITS])
    if inside(os.path.realpath(folder), real):
        raise DctxError(
            "Your own state folder is inside this project.",
            "Set XDG_STATE_HOME to a folder outside it.",
        )
    return folder


def read_started(root: str | None) -> Started | None:
    """What was written down; nothing where there is none, or something else."""
    try:
        with open(_note_path(root), "rb") as file:
            text = file.read(LARGEST)
    except (OSError, DctxError):
        return None
    # Only here: most contexts know of no browser, and need no JSON.
    import json

    try:
        data = json.loads(text)
        started = Started(data["port"], data["pid"], data["browser"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    # True is no number here, and process 1 is no browser.
    is_good = (
        type(started.port) is type(started.pid) is int
        and started.pid > 1
        and 0 < started.port < 65536
        and isinstance(started.browser, str)
    )
    return started if is_good else None


def keep_started(root: str | None, started: Started) -> None:
    import json

    from director_ctx.base.system.write import write_whole

    text = json.dumps(as_dict(started)) + "\n"
    write_whole(_note_path(root), text.encode())


def forget_started(root: str | None) -> None:
    try:
        os.unlink(_note_path(root))
    except OSError:
        pass


def _note_path(root: str | None) -> str:
    return os.path.join(own_folder(root), "browser.json")
