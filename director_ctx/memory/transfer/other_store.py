"""The store that rows are copied to or from, beside the project's own."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.by_url import file_of, open_shared
from director_ctx.memory.store.file import change_own_workflow, file_place, own_workflow
from director_ctx.memory.store.open import open_file
from director_ctx.memory.store.store import workflow_exists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


def is_same_place(one: Store, other: Store) -> bool:
    """Whether two stores are one."""
    if one.engine.name != other.engine.name:
        return False
    if one.engine.name == "sqlite":
        return _is_same_file(one.engine.place, other.engine.place)
    return one.engine.place == other.engine.place


def _is_same_file(path: str, other: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def open_target(
    project: Project | None,
    url: str,
    source: Store,
    write: bool,
) -> Store:
    """The other store. A file takes the workflow as it is; a database needs the one in `dctx.yaml`."""
    configured = ""
    root = None
    if project:
        settings = load_settings(project)
        configured = settings.workflow_id or ""
        root = project.root

    path = file_of(url)
    if path is None:
        return open_shared(project, url, configured, write)
    if not configured:
        _check_owner(path, source.workflow, write)

    # The project's own file is opened as such, so that it is made private.
    own = file_place(root, write=False)
    is_own = bool(own) and _is_same_file(path, own)
    if is_own and (write or os.path.lexists(own)):
        return open_file(own, source.workflow, source.name, write)
    return open_shared(project, url, source.workflow, write)


def _check_owner(place: str, workflow: str, write: bool) -> None:
    """A project without an id reads the workflow that the file calls its own, so that has to be
    this one.
    """
    if not os.path.isfile(place):
        return
    # Who copies into a database goes without SQLite.
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        own = own_workflow(engine)
        if own is None or own == workflow:
            return
        if workflow_exists(engine, own):
            raise DctxError(
                f"{plain(place)} holds the plan and variables of another project.",
                "Copy into a file of its own, or a new one.",
            )
        if write:
            # A file in which nothing was kept yet is anybody's.
            engine.write(workflow, lambda writer: change_own_workflow(writer, workflow))
    finally:
        engine.close()
