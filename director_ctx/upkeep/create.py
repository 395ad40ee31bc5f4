"""New folders and documents in the plan: there whole or not at all, and never over something else."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.write import TEMPORARY, create_whole
from director_ctx.base.text import plain
from director_ctx.upkeep.rewrite import writable_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.project.project import Project


def create_folder(project: Project, path: str, files: dict[str, bytes]) -> None:
    """Made beside and moved into place, so that the folder is there with its document or not at
    all.
    """
    parent, _, name = path.rpartition("/")
    folder = writable_folder(project, parent)
    location = os.path.join(folder, name)
    # Hidden until it is whole; whatever reads the folder passes over names with a dot.
    beside = os.path.join(folder, f".{name[:50]}.{os.urandom(6).hex()}{TEMPORARY}")
    try:
        os.mkdir(beside)
        for file, data in files.items():
            if file.endswith("/"):
                os.mkdir(os.path.join(beside, file))
            else:
                create_whole(os.path.join(beside, file), data)
        os.rename(beside, location)
    except OSError as error:
        _forget(beside, files)
        raise DctxError(
            f"Could not make {plain(path)}: {error.strerror or error}.",
            "Nothing was changed; check its folder.",
        ) from error


def _forget(folder: str, files: Iterable[str]) -> None:
    # By name: whatever else came to lie there is not ours, and keeps its folder.
    for file in files:
        path = os.path.join(folder, file)
        try:
            if file.endswith("/"):
                os.rmdir(path)
            else:
                os.unlink(path)
        except OSError:
            continue
    try:
        os.rmdir(folder)
    except OSError:
        pass


def create_document(project: Project, path: str, data: bytes) -> None:
    folder, _, name = path.rpartition("/")
    location = os.path.join(writable_folder(project, folder), name)
    try:
        is_new = create_whole(location, data)
    except OSError as error:
        raise DctxError(
            f"Could not write {plain(path)}: {error.strerror or error}.", "Nothing was changed."
        ) from error
    if not is_new:
        raise DctxError(
            f"{plain(path)} is there already.", "Run the command again for the next number."
        )
