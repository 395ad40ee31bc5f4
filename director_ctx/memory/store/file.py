"""Where the file of a store is, and the id of the workflow that the file gave itself."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.user_folders import state_place
from director_ctx.memory.store.store import new_id, workflow_exists
from director_ctx.project.dctx_folder import KEPT, kept_path, make_kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Reader, Writer

FILE = "store.db"
VARIABLE = "DCTX_STORE"
_OWN = "workflow_id"
"""The row of `dctx_meta` with the id that the file gave itself."""


def file_place(root: str | None, write: bool) -> str:
    """Where the file is; an empty string where there can be none."""
    if not write:
        return state_place(FILE) if root is None else kept_path(root, FILE)
    try:
        if root is not None:
            return make_kept_path(root, FILE)
        os.makedirs(state_place(), 0o700, exist_ok=True)
        return state_place(FILE)
    except OSError as error:
        corner = state_place() if root is None else KEPT
        raise DctxError(
            f"Could not make {corner}: {error.strerror or error}.", "Look at its permissions."
        ) from error


def own_workflow(reader: Reader) -> str | None:
    """The workflow that a file gave itself."""
    row = reader.row("SELECT value FROM dctx_meta WHERE name = ?", (_OWN,))
    return str(row[0]) if row else None


def workflow_in_file(place: str) -> str | None:
    """The only workflow of a file, which is not made if it is not there."""
    if not os.path.isfile(place):
        return None
    # Who has a database and no file does not wait for SQLite.
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        return own_workflow(engine)
    finally:
        engine.close()


def settle_workflow(engine: Engine, configured: str, write: bool = True) -> str:
    """The workflow of a file: the one it gave itself. Once `dctx.yaml` names another, everything
    goes over to that.
    """
    own = own_workflow(engine)
    if own is not None and (not write or configured in ("", own)):
        return own
    if not write:
        return configured
    workflow = configured or new_id()

    def work(writer: Writer) -> str:
        # Asked again: somebody may have settled it since.
        known = own_workflow(writer)
        if known is None:
            writer.run("INSERT INTO dctx_meta (name, value) VALUES (?, ?)", (_OWN, workflow))
            return workflow
        if configured in ("", known):
            return known

        # All other rows follow their workflow's id (ON UPDATE CASCADE).
        if not workflow_exists(writer, workflow):
            writer.run("UPDATE workflows SET id = ? WHERE id = ?", (workflow, known))
        writer.run("UPDATE dctx_meta SET value = ? WHERE name = ?", (workflow, _OWN))
        return workflow

    return engine.write(workflow, work)
