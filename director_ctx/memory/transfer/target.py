"""Where a copy goes: a file is the backup of one project, unless a `workflow_id` says which rows are whose."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.file import LOCAL, META, file_place
from director_ctx.memory.store.open import open_file
from director_ctx.memory.store.teams import file_of, open_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

_ANY = "SELECT 1 FROM workflows WHERE id = ?"


def open_target(project: Project | None, url: str, source: Store, write: bool) -> Store:
    """The other store. A file takes the workflow as it is; a database needs the one in `dctx.yaml`."""
    configured = (load_settings(project).workflow_id or "") if project else ""
    place = file_of(url)
    if place is None:
        return open_shared(project, url, configured, write)
    if not configured:
        _check_owner(place, source.workflow, write)
    own = file_place(project.root if project else None, write=False)
    if own and os.path.realpath(place) == os.path.realpath(own) and (write or os.path.lexists(own)):
        return open_file(own, source.workflow, source.name, write)
    return open_shared(project, url, source.workflow, write)


def _check_owner(place: str, workflow: str, write: bool) -> None:
    """A project without an id reads the workflow that the file calls its own, so that has to be this one."""
    if not os.path.isfile(place):
        return
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        row = engine.row(META, (LOCAL,))
        if row is None or row[0] == workflow:
            return
        if engine.row(_ANY, (row[0],)):
            raise DctxError(
                f"{plain(place)} holds the plan and variables of another project.",
                "Copy into a file of its own, or a new one.",
            )
        if write:
            _give(engine, workflow)
    finally:
        engine.close()


def _give(engine: Engine, workflow: str) -> None:
    """A file in which nothing was kept yet is anybody's."""
    sql = "UPDATE dctx_meta SET value = ? WHERE name = ?"
    engine.write(workflow, lambda writer: writer.run(sql, (workflow, LOCAL)))
