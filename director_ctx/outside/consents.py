"""Which skills may run their commands in which project: the user's own record, kept where no project reaches."""

from __future__ import annotations

import os

from director_ctx.errors import DctxError
from director_ctx.folder.locate import inside
from director_ctx.folder.lock import alone_in
from director_ctx.folder.read import Unreadable, read_document
from director_ctx.outside.state import state_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    Consents = dict[str, dict[str, str]]


def place() -> str:
    return state_place("consents.json")


def is_trusted(root: str, path: str, mark: str) -> bool:
    """Whether this very skill was allowed in this project."""
    return bool(mark) and read(root).get(os.path.realpath(root), {}).get(os.path.realpath(path)) == mark


def was_trusted(root: str, path: str) -> bool:
    """Whether it was allowed here, as it is now or as it once was."""
    return os.path.realpath(path) in read(root).get(os.path.realpath(root), {})


def read(root: str) -> Consents:
    """The record; an empty one where there is none, or where it lies inside the project that it is about."""
    import json

    if inside(os.path.realpath(place()), os.path.realpath(root)):
        return {}
    try:
        data = json.loads(read_document(place(), "").text)
    except (OSError, Unreadable, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {key: value for key, value in data.items() if isinstance(value, dict)}


def keep(root: str, path: str, mark: str) -> bool:
    """Writes consent down, or takes it back for an empty mark; False where there was none to take."""
    import json

    from director_ctx.folder.write import write_whole

    real, file = os.path.realpath(root), os.path.realpath(path)
    if inside(os.path.realpath(place()), real):
        raise DctxError("Your own state folder is inside this project.", "Set XDG_STATE_HOME to a folder outside it.")
    try:
        os.makedirs(os.path.dirname(place()), 0o700, exist_ok=True)
        with alone_in(os.path.dirname(place())):
            known = read(root)
            mine = {**known.get(real, {}), file: mark}
            if not mark and file not in known.get(real, {}):
                return False
            if not mark:
                del mine[file]
            data = {key: value for key, value in {**known, real: mine}.items() if value}
            write_whole(place(), (json.dumps(data, indent=2) + "\n").encode())
            os.chmod(place(), 0o600)
    except OSError as error:
        raise DctxError(
            f"Could not write {place()}: {error.strerror or error}.", "Set XDG_STATE_HOME elsewhere."
        ) from error
    return True
