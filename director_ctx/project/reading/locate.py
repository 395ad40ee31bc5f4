"""Find the project: the nearest folder, upwards, that has a `.director/` in it."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.project.reading.search import FOLDER, SAFE, belongs_to_another, nearest

_NO_FOLDER_HINT = "`dctx setup` makes one (`dctx init` that alone); --root names another project."


class NoProject(DctxError):
    """Nobody named a project, and there is none here."""


def locate(start: str | None = None, root: str | None = None) -> str:
    """The project's root: `root` (or `DCTX_ROOT`) if given, else upwards from `start`."""
    named = root
    if not named and not start:
        # A path that was given says more than the environment.
        named = os.environ.get("DCTX_ROOT")
    if named:
        return _named(named)
    above = nearest(absolute(start or "."))
    if not above:
        raise NoProject("There is no .director/ folder here or above.", _NO_FOLDER_HINT)
    return _checked(above)


def _named(path: str) -> str:
    full = absolute(path)
    if os.path.basename(full) == FOLDER:
        full = os.path.dirname(full)
    if not os.path.lexists(os.path.join(full, FOLDER)):
        raise DctxError(f"There is no .director/ folder in {path}.", _NO_FOLDER_HINT)
    return _checked(full)


def absolute(path: str) -> str:
    """The full path, with `~` and relative to the current folder; an error where that is gone."""
    expanded = os.path.expanduser(path)
    if not os.path.isabs(expanded):
        expanded = os.path.join(_working_folder(), expanded)
    return os.path.normpath(expanded)


def _checked(root: str) -> str:
    """Refuses a `.director` that is no folder, a link that leaves the project, or somebody else's."""
    folder = os.path.join(root, FOLDER)
    if not os.path.isdir(folder):
        raise DctxError(
            f"{folder} is not a folder.", "Move it away; then `dctx init` makes the folder."
        )
    if os.path.islink(folder) and not inside(os.path.realpath(folder), os.path.realpath(root)):
        raise DctxError(
            f"{folder} is a link that leaves the project.",
            "Name the project it points to with --root.",
        )
    theirs = belongs_to_another(root)
    if theirs:
        raise DctxError(
            f"{theirs} belongs to another user, who could tell your agents what to do.",
            f"If you trust it, say so in your environment: {SAFE}={root}",
        )
    return root


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise DctxError(
            "The current folder no longer exists.", "Change to another folder, or use --root."
        ) from error


def inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or below it."""
    if path == folder:
        return True
    # The top of a disk ends with a separator of its own.
    start = folder.rstrip(os.sep) + os.sep
    return path.startswith(start)
