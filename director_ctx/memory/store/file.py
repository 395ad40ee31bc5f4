"""Where the file of a store is, and the id of the workflow that the file gave itself."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.store import new_id
from director_ctx.project.dctx_folder import KEPT, kept, make_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Writer

FILE = "store.db"
VARIABLE = "DCTX_STORE"
LOCAL = "workflow_id"
"""The row of `dctx_meta` with the id that the file gave itself."""
META = "SELECT value FROM dctx_meta WHERE name = ?"


def file_place(root: str | None, write: bool) -> str:
    """Where the file is; an empty string where there can be none."""
    if root is None:
        from director_ctx.base.system.user_folders import state_place

        make, corner, place = _make_state, state_place(), state_place(FILE)
    else:
        make, corner, place = lambda: make_kept(root, FILE), KEPT, kept(root, FILE)
    if not write:
        return place
    try:
        return make()
    except OSError as error:
        raise DctxError(
            f"Could not make {corner}: {error.strerror or error}.", "Look at its permissions."
        ) from error


def _make_state() -> str:
    from director_ctx.base.system.user_folders import state_place

    os.makedirs(state_place(), 0o700, exist_ok=True)
    return state_place(FILE)


def settle_workflow(engine: Engine, configured: str, write: bool = True) -> str:
    """The workflow of a file: the one it gave itself. Once `dctx.yaml` names another, everything
    goes over to that.
    """
    row = engine.row(META, (LOCAL,))
    if not write or (row and (not configured or row[0] == configured)):
        return str(row[0]) if row else configured
    wanted = configured or new_id()

    def work(writer: Writer) -> str:
        known = writer.row(META, (LOCAL,))
        if known and (not configured or known[0] == configured):
            return str(known[0])
        if known:
            if writer.row("SELECT 1 FROM workflows WHERE id = ?", (wanted,)) is None:
                writer.run("UPDATE workflows SET id = ? WHERE id = ?", (wanted, known[0]))
            writer.run("UPDATE dctx_meta SET value = ? WHERE name = ?", (wanted, LOCAL))
        else:
            writer.run("INSERT INTO dctx_meta (name, value) VALUES (?, ?)", (LOCAL, wanted))
        return wanted

    return str(engine.write(wanted, work))
