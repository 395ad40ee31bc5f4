"""Which store is meant: the project's own file, a database that the user named, or the user's file
outside projects.
"""

from __future__ import annotations

import os

from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.file import FILE, VARIABLE, file_place, settle_workflow
from director_ctx.memory.store.store import Store, no_store
from director_ctx.project.dctx_folder import KEPT, close, corner_of, make_private, trouble
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import NoProject, absolute
from director_ctx.project.reading.search import may_be_owned_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

    Where = Project | Store | None
    """A project, a store that is open already, or what is the user's own."""

_FILES = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps, by the ends of the names."""


class NotUsed(StoreError):
    """The project's own store is somebody else's, or everybody's, so it is neither read nor
    written.
    """


def project_here(root: str | None) -> Project | None:
    """The project that is meant; None outside of any, where the user's own store serves."""
    try:
        return load_project(root=root)
    except NoProject:
        return None


def open_store(project: Where, write: bool = False) -> Store:
    """The store of a project, or the user's own outside of one. Whoever only reads makes nothing.

    Whoever has much to do opens it once, and gives it to the library in the project's place.
    """
    if isinstance(project, Store):
        return project.lent()
    store = _open(project, write)
    store.root = project.root if project else None
    return store


def open_conversation(project: Project | None, write: bool = False) -> Store:
    """The store as the one whose conversation is meant."""
    return conversation_of(open_store(project, write))


def conversation_of(store: Store) -> Store:
    """In the user's own file every repository, and every folder outside of one, has a conversation
    of its own.
    """
    if store.engine.place != file_place(None, write=False):
        return store
    # A project has its id already, and goes without these.
    from hashlib import sha256
    from uuid import UUID

    top = here = os.path.realpath(absolute("."))
    while not os.path.lexists(os.path.join(top, ".git")):
        top, below = os.path.dirname(top), top
        if top == below:
            top = here
            break
    identity = UUID(bytes=sha256(os.fsencode(top)).digest()[:16], version=5)
    return Store(store.engine, str(identity), plain(os.path.basename(top)))


def _open(project: Project | None, write: bool) -> Store:
    settings = load_settings(project) if project else None
    root = project.root if project else None
    workflow = (settings.workflow_id if settings else None) or ""
    url = store_url(root, settings.store if settings else None)
    if url:
        # Most projects share no store.
        from director_ctx.memory.store.by_url import open_shared

        return open_shared(project, url, workflow, write)

    path = file_place(None, write) if root is None else _own_place(root, write)
    if not path or not (write or os.path.lexists(path)):
        return no_store()
    return open_file(path, workflow, os.path.basename(root or ""), write)


def _own_place(root: str, write: bool) -> str:
    """Where a project's file is. Before anything in the corner is read, it has to be ours, and
    private.
    """
    if wrong := trouble(root):
        sentence = f"{wrong.says[0].upper()}{wrong.says[1:]}"
        raise NotUsed(f"{sentence}, so the store here is not used.", wrong.advice)
    if write:
        return file_place(root, write)

    corner = corner_of(root)
    if not os.path.isdir(corner):
        return ""
    try:
        close(root)
    except OSError:
        pass  # on a disk that only gives
    return os.path.join(corner, FILE)


def store_url(root: str | None, configured: str | None) -> str:
    """The URL of a shared store: the environment's, or the one in `dctx.yaml` if the user agreed to
    it.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if named or not configured or root is None:
        return named
    # Most projects share no store.
    from director_ctx.memory.store.by_url import agreed_url

    return agreed_url(root, configured)


def open_file(place: str, workflow: str, name: str, write: bool) -> Store:
    """The file as an engine; a link instead of a file is nobody's store."""
    # Where nothing was kept yet, nobody waits 5 ms for SQLite.
    from director_ctx.memory.store.sqlite import SQLite, make_file, sweep

    if write:
        sweep(place)
    if not os.path.lexists(place):
        make_file(place)
    if os.path.islink(place) or not os.path.isfile(place):
        raise StoreError(f"{place} is not a regular file.", "Move it away.")
    _make_private(place)
    engine = SQLite(place)
    try:
        own = settle_workflow(engine, workflow, write)
    except BaseException:
        engine.close()
        raise
    return Store(engine, own, name)


def _make_private(path: str) -> None:
    # A project's own, or one that lies in a folder by itself. Where the user trusts that folder,
    # the file may be its owner's.
    around = os.path.dirname(path)
    root = around.removesuffix(os.path.join(os.sep, *KEPT.split("/")))
    owner = os.lstat(path).st_uid
    if not may_be_owned_by({owner}, root):
        raise NotUsed(
            f"{path} belongs to another user, so it is not used.",
            "Move it away, and look at who made it.",
        )
    try:
        for end in _FILES:
            make_private(f"{path}{end}")
    except OSError:
        pass  # on a disk that only gives
