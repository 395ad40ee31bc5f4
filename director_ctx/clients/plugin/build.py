"""Makes the Claude Code plugin in a folder that is empty, new, or of its own making."""

from __future__ import annotations

import json
import os

from director_ctx import __version__
from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.resources import read_shipped, shipped
from director_ctx.base.system.write import write_whole
from director_ctx.clients.plugin.files import SERVERS, plugin_files
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.files import shipped_skills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ICON = ".claude-plugin/icon.png"
"""Found by its name; an older client warns of a key for it."""
MARK = ".claude-plugin/.dctx.json"
"""Names every file that was made, with the hash of its bytes."""


def build_plugin(folder: str, program: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of the plugin's files. Nothing is written over what somebody else put there."""
    files = _files(program)
    known = _known(folder)
    _refuse_others(folder, files, known)

    # The list of files comes first: what a kill leaves behind is known as ours then.
    _write(folder, MARK, _listed(files))
    for path, data in files.items():
        _write(folder, path, data)
    for path in known:
        if path not in files:
            _remove(folder, path)
    return tuple(sorted(files))


def _listed(files: Mapping[str, bytes]) -> bytes:
    hashes: dict[str, str] = {}
    for path in sorted(files):
        hashes[path] = digest(files[path])
    text = json.dumps(hashes, indent=2)
    return f"{text}\n".encode()


def _files(program: tuple[str, ...]) -> dict[str, bytes]:
    """Every file of the plugin by its path."""
    # The licence lies beside the skills in a wheel, and at the top of a checkout.
    terms = read_shipped("LICENSE")
    skills = shipped_skills()
    texts = plugin_files(skills, program, __version__, terms)

    files: dict[str, bytes] = {}
    for path, text in texts.items():
        files[path] = text.encode()
    with open(shipped("clients", "plugin", "icon.png"), "rb") as picture:
        files[ICON] = picture.read()
    return files


def _known(folder: str) -> dict[str, str]:
    """What was made here before. A folder with something else in it is somebody's."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise DctxError(f"{folder} is not a folder.", "Name a new one.")
    text = read_settings(_full_path(folder, MARK))
    if text is None:
        is_in_use = os.path.isdir(folder) and os.listdir(folder)
        if is_in_use:
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
    known: dict[str, str] = {}
    for path, sha256 in hashes.items():
        # What is on the list may be written over and removed, so a name that leads elsewhere is
        # passed over.
        if _is_of_ours(path):
            known[path] = str(sha256)
    return known


def _is_of_ours(path: str) -> bool:
    """Whether a file of a plugin may be called that. The list is a file too, and may have come from
    anywhere.
    """
    if path == SERVERS:
        return True
    folder, _, name = path.rpartition("/")
    leads_upwards = ".." in folder.split("/")
    if leads_upwards or not path.isprintable() or name.startswith("."):
        return False
    if folder in ("", ".claude-plugin", "agents", "hooks"):
        return True
    is_folder_of_a_skill = folder.startswith("skills/") and folder.count("/") == 1
    return is_folder_of_a_skill and name == "SKILL.md"


def _refuse_others(
    folder: str,
    files: Mapping[str, bytes],
    known: Mapping[str, str],
) -> None:
    others: list[str] = []
    every = dict.fromkeys((*files, *known))
    for path in every:
        ours = files.get(path)
        known_digest = known.get(path)
        if not _may_write(folder, path, ours, known_digest):
            others.append(path)
    if others:
        raise DctxError(
            f"{', '.join(others)} in {folder}: changed by somebody, or not made by dctx.",
            "Name a new folder.",
        )


def _may_write(
    folder: str,
    path: str,
    ours: bytes | None,
    known_digest: str | None,
) -> bool:
    """Whether nothing is there, or what we put there, or what we would put there."""
    full_path = _full_path(folder, path)
    real_folder = os.path.realpath(folder)
    # Behind a link lies what somebody else put there, whatever is in it.
    if os.path.realpath(full_path) != _full_path(real_folder, path):
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
    return present == ours or digest(present) == known_digest


def _full_path(folder: str, path: str) -> str:
    return os.path.join(folder, *path.split("/"))


def _write(folder: str, path: str, data: bytes) -> None:
    full_path = _full_path(folder, path)
    os.makedirs(os.path.dirname(full_path), exist_ok=True)
    write_whole(full_path, data)


def _remove(folder: str, path: str) -> None:
    """What this version no longer has, and the folder that it leaves empty."""
    full_path = _full_path(folder, path)
    try:
        os.unlink(full_path)
        os.rmdir(os.path.dirname(full_path))
    except OSError:
        pass
