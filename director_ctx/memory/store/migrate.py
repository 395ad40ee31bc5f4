"""A shared database made ready: what it lacks is shown first, then added all at once or not at all."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.by_url import version
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.migration import Migration, newer, plan, present
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.store.schema_postgres import CATALOG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Reader, Writer

# gen_random_uuid() is built in from version 13 on.
OLDEST = 130_000
_SERVER = (
    "SELECT current_setting('server_version_num')::int, current_schema()::text, "
    "current_setting('search_path')::text"
)
_EXPOSED = "SELECT count(*)::int FROM pg_roles WHERE rolname IN ('anon', 'authenticated')"
_KEEP = (
    "INSERT INTO dctx_meta (name, value) VALUES ('version', ?) ON CONFLICT (name) DO "
    "UPDATE SET value = excluded.value"
)
TURN = "dctx store migrate"


def examine(reader: Reader) -> Migration:
    """What this database lacks, and what keeps it from being used."""
    row = reader.row(_SERVER)
    if row and row[0] < OLDEST:
        raise StoreError("The server is older than PostgreSQL 13.", "Upgrade it.")
    if row and not row[1]:
        raise StoreError(
            f"The database has no schema to make tables in: none of its search_path ({row[2]}) exists.",
            "Make one first, by CREATE SCHEMA, or name another one.",
        )
    present_version = version(reader)
    if present_version > VERSION:
        raise StoreError(newer(present_version), "Upgrade dctx.")
    exposed = reader.row(_EXPOSED)
    tables = present(reader.rows(CATALOG))
    migration = plan(tables, present_version, bool(exposed and exposed[0]))
    if migration.problems:
        raise DctxError(
            "This database cannot be used as it is", "Nothing was changed.", migration.problems
        )
    return migration


def migrate(engine: Engine, agreed: Migration) -> bool:
    """Adds what was agreed to; False where somebody else was faster. Two at once: one waits for the
    other.
    """

    def work(writer: Writer) -> bool:
        # Asked again once it is our turn: nothing is added that nobody agreed to.
        lacking = examine(writer).statements
        if lacking and lacking != agreed.statements:
            raise DctxError(
                "The database has changed meanwhile; nothing was added.", "Look at it again."
            )
        for statement in lacking:
            writer.run(statement)
        if version(writer) < VERSION:
            writer.run(_KEEP, (str(VERSION),))
        return bool(lacking)

    def done(reader: Reader) -> bool | None:
        return True if is_ready(reader) else None

    return engine.write(TURN, work, done)


def is_ready(reader: Reader) -> bool:
    return version(reader) == VERSION and not examine(reader).statements
