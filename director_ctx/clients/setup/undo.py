"""Takes back what `dctx setup` did here. What somebody has changed since stays, and is named."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.clients.agent_files import foreign_agents, plan_without_agents
from director_ctx.clients.hooks.install import plan_uninstall
from director_ctx.clients.servers.install import plan_remove
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.settings_change import carry_out as write_settings
from director_ctx.clients.settings_change import texts_after
from director_ctx.clients.setup.record import SetupRecord, drop_record, read_record
from director_ctx.clients.table import find_client
from director_ctx.project.dctx_folder import KEPT
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.init import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from director_ctx.clients.settings_change import SettingsChange

MADE_AGAIN = (
    ".gitignore",
    "dctx.schema.json",
    "hooks.log",
    "session.json",
    "claims.json",
    "runs.jsonl",
    "texts",
)
"""What dctx keeps in a project and can do without; anything else there is somebody's."""


class UndoStep(Record):
    """One thing to take back, or one that stays."""

    says: str
    settings: tuple[SettingsChange, ...] = ()
    folder: bool = False
    """Whether the folder goes."""
    stays: bool = False
    """Whether it is left as it is, for the reason that is said,"""
    waits: bool = False
    """and can be undone once that is mended."""


def plan_undo(root: str) -> tuple[UndoStep, ...]:
    """What would be taken back."""
    record = read_record(root)
    if record is None:
        raise DctxError(
            "Nothing here was set up by `dctx setup`.",
            "`dctx agents remove` takes hooks out that were installed in another way.",
        )
    servers = tuple(_servers(root, record))
    ahead = texts_after(change for step in servers for change in step.settings)
    hooks = _hooks(root, record, ahead)
    return (*servers, *hooks, *_agents(root, record), *_folder(root, record))


def _agents(root: str, record: SetupRecord) -> Iterator[UndoStep]:
    for name in record.agents:
        client = find_client(name)
        try:
            changes = plan_without_agents(client, root)
        except DctxError as error:
            says = f"the agents of {client.title} stay: {error.message}"
            yield UndoStep(says, stays=True, waits=True)
            continue
        for shown in foreign_agents(client, root):
            yield UndoStep(f"{shown} stays, because somebody else wrote or changed it", stays=True)
        if changes:
            files = " and ".join(change.name for change in changes)
            yield UndoStep(f"remove the agents of {client.title}, {files}", settings=changes)


def _hooks(
    root: str,
    record: SetupRecord,
    ahead: Mapping[str, str | None],
) -> Iterator[UndoStep]:
    for name in record.clients:
        client = find_client(name)
        try:
            changes = plan_uninstall(client, root, ahead)
        except DctxError as error:
            says = f"the hooks of {client.title} stay: {error.message}"
            yield UndoStep(says, stays=True, waits=True)
            continue
        if changes:
            files = " and ".join(change.name for change in changes)
            says = f"take the hooks of {client.title} out of {files}"
            yield UndoStep(says, settings=changes)


def _servers(root: str, record: SetupRecord) -> Iterator[UndoStep]:
    """Before the hooks: in a file that has both they came in last."""
    for name, paths in record.servers.items():
        place = PLACES[name]
        try:
            removals = plan_remove(place, root)
        except DctxError as error:
            says = f"the tools of {place.title} stay: {error.message}"
            yield UndoStep(says, stays=True, waits=True)
            continue
        # What was installed in another way stays.
        changes = tuple(change for change in removals if change.path in paths)
        if changes:
            files = " and ".join(change.name for change in changes)
            says = f"take the tools of {place.title} out of {files}"
            yield UndoStep(says, settings=changes)


def _folder(root: str, record: SetupRecord) -> Iterator[UndoStep]:
    if not record.files or not os.path.isdir(os.path.join(root, FOLDER)):
        return
    changed = _first_change(root, record)
    if changed:
        says = f"{FOLDER}/ stays, because somebody has worked in it: {changed}; `rm -r {FOLDER}` removes it"
        yield UndoStep(says, stays=True)
        return
    yield UndoStep(f"remove {FOLDER}/, in which nothing was changed since", folder=True)


def _first_change(root: str, record: SetupRecord) -> str:
    """What is not as setup made it, and stays therefore; nothing where all is."""
    top = os.path.join(root, FOLDER)
    if os.path.islink(top) or not inside(os.path.realpath(top), os.path.realpath(root)):
        return f"{FOLDER} is a link"
    for folder, folders, names in os.walk(top):
        for name in sorted((*folders, *names), key=_last_if_ours):
            location = os.path.join(folder, name)
            path = os.path.relpath(location, top).replace(os.sep, "/")
            if not _is_ours(location, path, record):
                return f"{FOLDER}/{path}"
        # What is in there was looked at as one.
        if ".dctx" in folders:
            folders.remove(".dctx")
    return ""


def _last_if_ours(name: str) -> tuple[bool, str]:
    """What somebody wrote says more than what dctx kept."""
    return name == ".dctx", name


def _is_ours(location: str, path: str, record: SetupRecord) -> bool:
    """Whether a file or folder is exactly what was made here, or may be lost without harm."""
    if os.path.islink(location):
        return False
    if path == ".dctx":
        return set(os.listdir(location)) <= set(MADE_AGAIN)
    if os.path.isdir(location):
        folders = {*FOLDERS, *(os.path.dirname(name) for name in record.files)}
        return path in folders
    wanted = record.files.get(path, "")
    try:
        with open(location, "rb") as file:
            return digest(file.read()) == wanted
    except OSError:
        return False


def carry_out_undo(root: str, steps: tuple[UndoStep, ...]) -> None:
    """Takes it back. The record goes last, and stays as long as something of it is left to undo."""
    for step in steps:
        if step.settings:
            write_settings(step.settings)
        if step.folder:
            _remove_unchanged(root)
    if not any(step.waits for step in steps):
        drop_record(root)


def _remove_unchanged(root: str) -> None:
    """Looked at once more: while a question waits for its answer, somebody may work on."""
    record = read_record(root) or SetupRecord()
    changed = _first_change(root, record)
    if changed:
        raise DctxError(f"{changed} was changed meanwhile.", "Look at it, and try again.")
    _remove(os.path.join(root, FOLDER))


def _remove(folder: str) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise DctxError(
            f"{FOLDER}/ could not be removed: {error.strerror or error}.",
            f"Look at {KEPT} as well.",
        ) from error
