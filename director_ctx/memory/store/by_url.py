"""The store that a URL names: which database or file that is, and whether the user agreed to it and
to a workflow in it.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.text import plain
from director_ctx.context.settings.consents import is_trusted, keep
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.file import file_place, own_workflow, settle_workflow
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.store.store import Store, no_store, workflow_exists
from director_ctx.project.reading.locate import absolute
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Row
    from director_ctx.memory.store.postgres import Postgres
    from director_ctx.project.project import Project

SETTINGS = f"{FOLDER}/dctx.yaml"
_VERSION = "SELECT value FROM dctx_meta WHERE name = 'version'"
_NO_TABLE = "42P01"
# Not by `to_regclass`: while somebody else migrates, a session may remember for a while that there
# was none.
_THERE = "SELECT 1 FROM pg_class WHERE relname = 'dctx_meta' AND relkind = 'r' AND pg_table_is_visible(oid)"


def open_shared(project: Project | None, url: str, workflow: str, write: bool) -> Store:
    """The store behind a URL, or in a file that the user named."""
    root = project.root if project else None
    name = os.path.basename(root or "")
    place = file_of(url)
    if place is not None:
        return _open_named(place, workflow, name, write, root)
    if not workflow:
        from director_ctx.memory.store.postgres import settings

        # `migrate` would need psycopg too, so that is said first.
        settings(url)
        raise DctxError(
            "This project has no workflow_id yet, and a shared store needs one.",
            "`dctx store migrate`, with DCTX_STORE set to this URL, writes one into .director/dctx.yaml; commit that.",
        )
    engine = connect(url)
    try:
        _check(engine)
        if root is not None:
            check_workflow(root, engine.place, engine, workflow, write)
    except BaseException:
        engine.close()
        raise
    return Store(engine, workflow, name)


def connect(url: str) -> Postgres:
    # Where a file serves, nothing of a server is loaded.
    from director_ctx.memory.store.postgres import Postgres

    return Postgres(url)


def version(reader: Reader) -> int:
    """The version of a database; 0 before its first migration."""
    return _number(reader.row(_VERSION)) if reader.row(_THERE) else 0


def _number(row: Row | None) -> int:
    return int(row[0]) if row and str(row[0]).isdigit() else 0


def _check(engine: Postgres) -> None:
    # In one question, as every command asks it; only outside of a transaction, which a refusal
    # would end.
    try:
        version = _number(engine.row(_VERSION))
    except StoreError as error:
        if error.state != _NO_TABLE:
            raise
        version = 0
    if version > VERSION:
        raise StoreError(
            f"The store is of version {version}, newer than this dctx.", "Upgrade dctx."
        )
    if version < VERSION:
        raise StoreError(
            "The database has no tables of dctx yet.",
            "`dctx store migrate`, with DCTX_STORE set to this URL, shows what it would add, and asks.",
        )


def file_of(url: str) -> str | None:
    """The file that a URL or a path names; None where it names a server."""
    scheme, mark, rest = url.partition("://")
    if mark and scheme in ("postgresql", "postgres"):
        return None
    if mark and (scheme != "sqlite" or not rest.startswith("/")):
        raise DctxError(
            f"A store cannot be named like this: {plain(scheme)}://...",
            "postgresql://USER@HOST/DATABASE, sqlite:///the/path of a file, or just the path.",
        )
    return rest if mark else absolute(url)


def _open_named(place: str, workflow: str, name: str, write: bool, root: str | None) -> Store:
    """A file that the user named. It keeps the workflow it has; a project with a `workflow_id` has
    its own in it.
    """
    # Who names a server goes without SQLite.
    from director_ctx.memory.store.sqlite import SQLite, make_file

    if not os.path.lexists(place):
        if not write:
            return no_store()
        make_file(place)
    if not os.path.isfile(place):
        raise StoreError(f"{plain(place)} is not a file.", "Name another one.")
    engine = SQLite(place)
    try:
        becomes_ours = write and own_workflow(engine) is None
        if not workflow or becomes_ours:
            workflow = settle_workflow(engine, workflow, write)
        if root is not None and not is_own_file(root, place):
            check_workflow(root, place, engine, workflow, write)
        return Store(engine, workflow, name)
    except BaseException:
        engine.close()
        raise


def is_own_file(root: str, place: str) -> bool:
    """Whether it is the project's own store, which the user happened to name."""
    own = file_place(root, write=False)
    return bool(own) and os.path.realpath(own) == os.path.realpath(place)


def place_of(url: str) -> str:
    """A store as it is shown, without a password."""
    place = file_of(url)
    if place is not None:
        return place
    # Where a file serves, nothing of a server is loaded.
    from director_ctx.memory.store.postgres import shown

    return shown(url)


def agreed_url(root: str, configured: str) -> str:
    """The URL of `dctx.yaml`, which whoever wrote the repository chose: only once the user agreed
    to this very one.
    """
    if is_agreed(root, configured):
        return configured
    raise DctxError(
        f"{SETTINGS} names a database that you have not agreed to: {plain(place_of(configured))}.",
        "`dctx store migrate` asks whether this project may use it; DCTX_STORE names another store.",
    )


def is_agreed(root: str, configured: str) -> bool:
    return is_trusted(root, _url_consent(root), text_digest(configured))


def agree(root: str, configured: str) -> None:
    keep(root, {_url_consent(root): text_digest(configured)})


def _url_consent(root: str) -> str:
    """The name of the line with a URL among the consents."""
    return os.path.realpath(os.path.join(root, SETTINGS))


def check_workflow(root: str, place: str, store: Reader, workflow: str, write: bool) -> None:
    """Refuses a workflow in which somebody else has kept something. Whoever begins one is
    remembered.
    """
    if is_others(root, place, store, workflow):
        # Another process of this project may have begun it just now: it was remembered before the
        # first row was written.
        if is_trusted(root, _workflow_consent(place, workflow), workflow):
            return
        raise DctxError(
            f"The workflow {plain(workflow)} has something in this store already, and this project did not begin it "
            "here.",
            "`dctx store migrate` asks whether this project may use it; --yes is for CI.",
        )
    consent = _workflow_consent(place, workflow)
    if write and workflow and not is_trusted(root, consent, workflow):
        allow_workflow(root, place, workflow)


def is_others(root: str, place: str, store: Reader, workflow: str) -> bool:
    """Whether somebody else has kept something in a workflow, and the user has not agreed to it."""
    if not workflow or is_trusted(root, _workflow_consent(place, workflow), workflow):
        return False
    return workflow_exists(store, workflow)


def allow_workflow(root: str, place: str, workflow: str) -> None:
    keep(root, {_workflow_consent(place, workflow): workflow})


def _workflow_consent(place: str, workflow: str) -> str:
    """The name of a workflow among the consents. A file is one, by whichever path."""
    real = place if "://" in place else os.path.realpath(place)
    return f"workflow {workflow} in {real}"
