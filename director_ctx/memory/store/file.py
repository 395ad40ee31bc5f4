"""Where the file of a store is, and the id of the workflow that the file gave itself."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.store import new_id
from director_ctx.project.dctx_folder import KEPT, kept_path, make_kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Row, Writer

FILE = "store.db"
VARIABLE = "DCTX_STORE"
LOCAL = "workflow_id"
"""The row of `dctx_meta` with the id that the file gave itself."""
META = "SELECT value FROM dctx_meta WHERE name = ?"


def file_place(root: str | None, write: bool) -> str:
    """Where the file is; an empty string where there can be none."""
    if not write:
        return _state_place() if root is None else kept_path(root, FILE)
    try:
        return _make_state() if root is None else make_kept_path(root, FILE)
    except OSError as error:
        corner = os.path.dirname(_state_place()) if root is None else KEPT
        raise DctxError(
            f"Could not make {corner}: {error.strerror or error}.", "Look at its permissions."
        ) from error


def _state_place() -> str:
    from director_ctx.base.system.user_folders import state_place

    return state_place(FILE)


def _make_state() -> str:
    from director_ctx.base.system.user_folders import state_place

    os.makedirs(state_place(), 0o700, exist_ok=True)
    return state_place(FILE)


def settle_workflow(engine: Engine, configured: str, write: bool = True) -> str:
    """The workflow of a file: the one it gave itself. Once `dctx.yaml` names another, everything
    goes over to that.
    """

    def is_settled(row: Row | None) -> bool:
        return row is not None and (not configured or row[0] == configured)

    row = engine.row(META, (LOCAL,))
    if row and (not write or is_settled(row)):
        return str(row[0])
    if not write:
        return configured
    wanted = configured or new_id()

    def work(writer: Writer) -> str:
        # Asked again: somebody may have settled it since.
        known = writer.row(META, (LOCAL,))
        if known is None:
            writer.run("INSERT INTO dctx_meta (name, value) VALUES (?, ?)", (LOCAL, wanted))
            return wanted
        if is_settled(known):
            return str(known[0])
        if writer.row("SELECT 1 FROM workflows WHERE id = ?", (wanted,)) is None:
            writer.run("UPDATE workflows SET id = ? WHERE id = ?", (wanted, known[0]))
        writer.run("UPDATE dctx_meta SET value = ? WHERE name = ?", (wanted, LOCAL))
        return wanted

    return str(engine.write(wanted, work))
