"""Takes out what `dctx setup` put in. What somebody has changed since stays, and is named."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.clients.file_change import carry_out as write_changes
from director_ctx.clients.parts.hooks import installations
from director_ctx.clients.parts.part import HOOKS, PROJECT, USER
from director_ctx.clients.parts.table import PARTS
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.setup.plan import FOLDER_STEP, SetupStep, named
from director_ctx.clients.setup.record import SetupRecord, drop_record, read_record, write_record
from director_ctx.project.dctx_folder import KEPT
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.init import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Part

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


class UndoRequest(Record):
    """What is to be taken out."""

    root: str | None
    """The project; None for the user's own files."""
    parts: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is what setup did in a project, and not everything of ours in these parts and
        clients.
        """
        return self.root is not None and not self.parts and not self.clients


def plan_undo(wanted: UndoRequest) -> tuple[SetupStep, ...]:
    """What would be taken out."""
    record = read_record(wanted.root) if wanted.root else None
    if wanted.is_whole and record is None:
        raise DctxError(
            "Nothing here was set up by `dctx setup`.",
            "`dctx setup --undo --what all` takes out what was installed in another way.",
        )
    record = record or SetupRecord()
    steps: list[SetupStep] = []
    ahead: dict[str, str | None] = {}
    # What came into a file last goes first.
    for part in reversed(PARTS.values()):
        if part.name in (wanted.parts or PARTS):
            own = list(_take(part, wanted, record, ahead))
            ahead.update({change.path: change.after for step in own for change in step.changes})
            steps += own
    if wanted.is_whole and wanted.root:
        steps += _folder(wanted.root, record)
    return tuple(steps)


def _take(
    part: Part, wanted: UndoRequest, record: SetupRecord, ahead: Ahead
) -> Iterator[SetupStep]:
    root = wanted.root
    recorded = record.parts.get(part.name, {})
    going = tuple(recorded) if wanted.is_whole else wanted.clients or part.clients
    for installed in part.find(root):
        is_here = installed.scope == (PROJECT if root else USER)
        if is_here and set(installed.clients) & set(going):
            for name in installed.changed:
                says = f"{name} stays, because somebody else wrote or changed it"
                yield SetupStep(part.name, says)

    for client in going:
        if client not in part.clients:
            continue
        step = SetupStep(part.name, f"take {part.what} for {PLACES[client].title} out", client)
        try:
            changes = part.take(client, root, ahead)
        except DctxError as error:
            yield step.failed(error)
            continue
        if wanted.is_whole:
            # What was installed in another way stays.
            changes = tuple(change for change in changes if change.path in recorded[client])
        if not changes:
            continue
        heirs = _heirs(part, root, recorded, {change.path for change in changes}) - {*going}
        if heirs:
            others = " and ".join(PLACES[name].title for name in sorted(heirs))
            says = f"{named(changes)} stays, because {others} reads it, too"
            yield step.replace(says=says, heir=min(heirs))
        else:
            yield step.replace(says=f"{step.says} of {named(changes)}", changes=changes)


def _heirs(
    part: Part, root: str | None, recorded: Mapping[str, Sequence[str]], paths: set[str]
) -> set[str]:
    """Clients that this part was set up for in these files, or that have hooks of dctx here and look
    there.
    """
    heirs = {name for name, own in recorded.items() if paths & {*own}}
    if root and part.name != HOOKS:
        for place in installations(root):
            for name in place.clients:
                if place.scope == PROJECT and name in part.clients:
                    heirs |= {name} if paths & {*part.files(name, root)} else set()
    return heirs


def _folder(root: str, record: SetupRecord) -> Iterator[SetupStep]:
    if not record.files or not os.path.isdir(os.path.join(root, FOLDER)):
        return
    changed = _first_change(root, record)
    if changed:
        says = f"{FOLDER}/ stays, because somebody has worked in it: {changed}; `rm -r {FOLDER}` removes it"
        yield SetupStep(FOLDER_STEP, says)
        return
    says = f"remove {FOLDER}/, in which nothing was changed since"
    yield SetupStep(FOLDER_STEP, says, removes_folder=True)


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


def carry_out_undo(wanted: UndoRequest, steps: Sequence[SetupStep]) -> None:
    """Takes it out. The record goes last, and stays as long as something of it is left to undo."""
    for step in steps:
        if step.changes:
            write_changes(step.changes)
        if step.removes_folder and wanted.root:
            _remove_folder(wanted.root)
    record = read_record(wanted.root) if wanted.root else None
    if wanted.root is None or record is None:
        return
    if not wanted.is_whole:
        for step in steps:
            record = record.without(step.name, step.client, step.heir)
        write_record(wanted.root, record)
    elif not any(step.problem for step in steps):
        drop_record(wanted.root)


def _remove_folder(root: str) -> None:
    """Looked at once more: while a question waits for its answer, somebody may work on."""
    changed = _first_change(root, read_record(root) or SetupRecord())
    if changed:
        raise DctxError(f"{changed} was changed meanwhile.", "Look at it, and try again.")
    try:
        shutil.rmtree(os.path.join(root, FOLDER))
    except OSError as error:
        raise DctxError(
            f"{FOLDER}/ could not be removed: {error.strerror or error}.",
            f"Look at {KEPT} as well.",
        ) from error
