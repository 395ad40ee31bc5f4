"""Makes the Claude Code plugin in a folder that is empty, new, or of its own making."""

from __future__ import annotations

import json
import os

from director_ctx import __version__
from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.resources import shipped
from director_ctx.base.system.write import write_whole
from director_ctx.clients.plugin.files import ICON, icon, plugin_files
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.files import shipped_skills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MARK = ".claude-plugin/.dctx.json"
"""Names every file that was made, with the hash of its bytes."""


def build_plugin(folder: str, program: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of the plugin's files. Nothing is written over what somebody else put there."""
    files = {path: text.encode() for path, text in _files(program).items()}
    files[ICON] = icon()
    known = _known(folder)
    _refuse_others(folder, files, known)

    # The list of files comes first: what a kill leaves behind is known as ours then.
    _write(folder, MARK, _listed(files))
    for path, data in files.items():
        _write(folder, path, data)
    for path in known.keys() - files.keys():
        _remove(folder, path)
    return tuple(sorted(files))


def _listed(files: Mapping[str, bytes]) -> bytes:
    hashes = {path: digest(data) for path, data in sorted(files.items())}
    text = json.dumps(hashes, indent=2)
    return f"{text}\n".encode()


def _files(program: tuple[str, ...]) -> dict[str, str]:
    with open(_terms(), encoding="utf-8") as file:
        return plugin_files(shipped_skills(), program, __version__, file.read())


def _terms() -> str:
    """The licence, beside the skills in a wheel and at the top of a checkout."""
    return shipped("LICENSE")


def _known(folder: str) -> dict[str, str]:
    """What was made here before. A folder with something else in it is somebody's."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise DctxError(f"{folder} is not a folder.", "Name a new one.")
    text = read_settings(_place(folder, MARK))
    if text is None:
        if os.path.isdir(folder) and os.listdir(folder):
            raise DctxError(
                f"{folder} is not empty, and not a plugin that dctx made.", "Name a new folder."
            )
        return {}

    try:
        hashes = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DctxError(
            f"{folder}/{MARK} cannot be read: {error}.", "Name a new folder."
        ) from error
    if not isinstance(hashes, dict):
        return {}
    return {path: str(sha256) for path, sha256 in hashes.items() if _is_of_ours(path)}


def _is_of_ours(path: str) -> bool:
    """Whether a file of a plugin may be called that. The list is a file too, and may have come from
    anywhere.
    """
    folder, _, name = path.rpartition("/")
    if not path.isprintable() or name.startswith(".") or ".." in folder.split("/"):
        return False
    if folder in ("", ".claude-plugin", "agents", "hooks", os.path.dirname(ICON)):
        return True
    is_folder_of_a_skill = folder.startswith("skills/") and folder.count("/") == 1
    return is_folder_of_a_skill and name == "SKILL.md"


def _refuse_others(
    folder: str,
    files: Mapping[str, bytes],
    known: Mapping[str, str],
) -> None:
    others: list[str] = []
    for path in dict.fromkeys((*files, *known)):
        if not _may_write(folder, path, files.get(path), known.get(path)):
            others.append(path)
    if others:
        raise DctxError(
            f"{', '.join(others)} in {folder}: changed by somebody, or not made by dctx.",
            "Name a new folder.",
        )


def _may_write(
    folder: str,
    path: str,
    data: bytes | None,
    known: str | None,
) -> bool:
    """Whether nothing is there, or what we put there, or what we would put there."""
    full_path = _place(folder, path)
    expected = os.path.join(os.path.realpath(folder), *path.split("/"))
    if os.path.realpath(full_path) != expected:
        return False
    if not os.path.lexists(full_path):
        return True
    if not os.path.isfile(full_path):
        return False

    try:
        with open(full_path, "rb") as file:
            present = file.read()
    except OSError:
        return False
    return present == data or digest(present) == known


def _place(folder: str, path: str) -> str:
    return os.path.join(folder, *path.split("/"))


def _write(folder: str, path: str, data: bytes) -> None:
    full_path = _place(folder, path)
    os.makedirs(os.path.dirname(full_path), exist_ok=True)
    write_whole(full_path, data)


def _remove(folder: str, path: str) -> None:
    """What this version no longer has, and the folder that it leaves empty."""
    full_path = _place(folder, path)
    try:
        os.unlink(full_path)
        os.rmdir(os.path.dirname(full_path))
    except OSError:
        pass
