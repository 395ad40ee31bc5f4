"""Where the keys lie that open secrets: in the user's own state folder, which no project reaches.

A workflow has a file with a key on each line. The first seals; the others only open what was sealed
before.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.user_folders import state_place
from director_ctx.project.reading.locate import absolute, inside
from director_ctx.project.reading.lock import alone_in
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Choose = Callable[[list[str]], str]
    """Out of the keys that are there, or a new one."""

VARIABLE, FILE_VARIABLE = "DCTX_KEY", "DCTX_KEY_FILE"
_ENDING = ".keys"


def place(workflow: str = "") -> str:
    """The file of a workflow, or the folder of them all."""
    if not workflow:
        return state_place("keys")
    return state_place("keys", f"{workflow}{_ENDING}")


def keys_of_environment() -> tuple[list[str], str]:
    """The keys that the environment gives, and where they come from."""
    text = os.environ.get(VARIABLE, "").strip()
    if text:
        return text.split(), VARIABLE
    file = os.environ.get(FILE_VARIABLE, "").strip()
    if not file:
        return [], ""
    try:
        text = read_document(absolute(file), file).text
    except (OSError, Unreadable) as error:
        raise DctxError(
            f"{FILE_VARIABLE}: {file} cannot be read.",
            "Name the file that `dctx store key --export` made.",
        ) from error
    return text.split(), FILE_VARIABLE


def of_workflow(workflow: str, root: str | None) -> list[str]:
    """The keys of one workflow, the one that seals first."""
    if not _is_apart(root):
        return []
    return _lines(place(workflow))


def all_known(root: str | None) -> list[str]:
    """Every key in the folder: a workflow may have had another id."""
    if not _is_apart(root):
        return []
    try:
        names = sorted(os.listdir(place()))
    except OSError:
        return []
    keys: list[str] = []
    for name in names:
        if name.endswith(_ENDING):
            path = os.path.join(place(), name)
            keys += _lines(path)
    return keys


def put_first(workflow: str, root: str | None, choose: Choose) -> str:
    """Makes the key that is chosen the one that seals; those that were there stay. Two at once
    choose one.
    """
    if not _is_apart(root):
        raise DctxError(
            "Your own state folder is inside this project.",
            "Set XDG_STATE_HOME to a folder outside it.",
        )
    path = place(workflow)
    try:
        os.makedirs(place(), 0o700, exist_ok=True)
        with alone_in(place()):
            known: list[str] = []
            if os.path.lexists(path):
                known = _read(path)
            chosen = choose(known)
            if known[:1] != [chosen]:
                others = [key for key in known if key != chosen]
                _write(path, [chosen, *others])
    except Unreadable as error:
        raise _not_written(path, str(error)) from error
    except OSError as error:
        raise _not_written(path, error.strerror or str(error)) from error
    return chosen


def _write(path: str, keys: list[str]) -> None:
    # `vars get` imports this module, and writes no key.
    from director_ctx.base.system.write import write_whole

    _make_private(path)
    text = "\n".join(keys) + "\n"
    write_whole(path, text.encode())


def _not_written(path: str, why: str) -> DctxError:
    return DctxError(
        f"Could not write {path}: {why}.",
        f"Set XDG_STATE_HOME elsewhere, or give a key in {VARIABLE}.",
    )


def _is_apart(root: str | None) -> bool:
    if root is None:
        return True
    # What a repository brings is never a key.
    folder = os.path.realpath(place())
    return not inside(folder, os.path.realpath(root))


def _read(path: str) -> list[str]:
    return read_document(path, "").text.split()


def _lines(path: str) -> list[str]:
    try:
        return _read(path)
    except (OSError, Unreadable):
        return []


def _make_private(path: str) -> None:
    """`write_whole` keeps the permissions of what is there, so an empty file that only its owner
    reads goes first.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        os.chmod(path, 0o600)
