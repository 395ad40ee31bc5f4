"""A shared database made ready: what it lacks is shown first, then added all at once or not at all.
Nothing that is there is changed.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.by_url import version
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.schema import (
    DATA,
    ID,
    KINDS,
    MOMENT,
    NUMBER,
    POSTGRES_WORDS,
    SEEDS,
    STATEMENTS,
    TEXT,
    TRUTH,
    VERSION,
    columns_of,
    statements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.memory.store.engine import Engine, Reader, Row, Writer

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
_BY_HAND = (
    "Rows in `workflows` have to be made by your application, because {name} must be filled in there and dctx does"
    " not know it: put the id of one into .director/dctx.yaml as workflow_id."
)
TURN = "dctx store migrate"
TYPES = {
    ID: ("uuid", "text", "varchar", "bpchar"),
    TEXT: ("text", "varchar", "bpchar", "citext"),
    NUMBER: ("int2", "int4", "int8", "float4", "float8", "numeric"),
    TRUTH: ("bool",),
    MOMENT: ("timestamptz", "timestamp"),
    DATA: ("jsonb", "json", "text"),
}
"""The types by PostgreSQL's own names that serve for each kind of column."""
# What is found along the search_path, by PostgreSQL's own catalog: other users' columns too.
CATALOG = """SELECT c.relname::text, c.relkind::text, a.attname::text, t.typname::text, t.typtype = 'e',
  a.attnotnull, a.atthasdef OR a.attidentity <> '', a.attgenerated <> '' OR a.attidentity = 'a',
  EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL
    AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
FROM pg_class c
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
WHERE c.oid IN (to_regclass('workflows'), to_regclass('director_plans'), to_regclass('compressed_contexts'),
  to_regclass('conversations'))
ORDER BY c.relname, a.attnum"""


class PresentColumn(Record):
    """A column that is there."""

    name: str
    type: str
    is_enum: bool
    required: bool
    has_default: bool
    computed: bool
    unique: bool


class Present(Record):
    """A table that is there."""

    is_table: bool
    columns: Mapping[str, PresentColumn]


class Migration(Record):
    statements: tuple[str, ...]
    problems: tuple[str, ...] = ()
    """Why the database cannot be used, each with what to do about it."""
    notes: tuple[str, ...] = ()
    by_hand: bool = False
    """Whether rows in `workflows` have to be made by whoever owns that table."""


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
        raise StoreError(
            f"The store is of version {present_version}, newer than this dctx, which knows {VERSION}.",
            "Upgrade dctx.",
        )
    exposed = reader.row(_EXPOSED)
    tables = _present(reader.rows(CATALOG))
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

    return engine.write(TURN, work, lambda reader: is_ready(reader) or None)


def is_ready(reader: Reader) -> bool:
    return version(reader) == VERSION and not examine(reader).statements


def _present(rows: Sequence[Row]) -> dict[str, Present]:
    tables: dict[str, Present] = {}
    columns: dict[str, dict[str, PresentColumn]] = {}
    for table, kind, *column in rows:
        # An ordinary table or a partitioned one; a view would take no row.
        inside = columns.setdefault(table, {})
        tables.setdefault(table, Present(kind in ("r", "p"), inside))
        if column[0] is not None:
            inside[column[0]] = PresentColumn(*column)
    return tables


def plan(tables: Mapping[str, Present], version: int, exposed: bool) -> Migration:
    """What is lacking; `version` is 0 where dctx has no tables yet. `exposed`: the schema is served to
    browsers, so its new tables are closed.
    """
    # Ids refer to `workflows`, so they are of its type.
    workflows = tables.get("workflows")
    key = workflows.columns.get("id") if workflows else None
    kind = "text" if key and key.type != "uuid" else "uuid"

    made = statements(POSTGRES_WORDS)
    lacking: list[str] = []
    problems: list[str] = []
    by_hand: list[str] = []
    for template, statement in zip(STATEMENTS[:SEEDS], made, strict=False):
        # An index says behind ON which table it is for.
        table = statement.split()[4 if statement.startswith("CREATE INDEX") else 2]
        there = tables.get(table)
        if there is None:
            lacking.append(statement)
        elif statement.startswith("CREATE TABLE"):
            known = {name: (word, line) for name, word, line in columns_of(template)}
            lacking += _added(table, known, there)
            problems += _problems(table, known, there, kind)
            if table == "workflows":
                by_hand = _unknown(known, there)
    if not version:
        lacking += made[SEEDS:]
    # Such a schema is served to browsers, and a plan is nobody's business.
    for statement in list(lacking) if exposed else ():
        if statement.startswith("CREATE TABLE"):
            lacking.append(f"ALTER TABLE {statement.split()[2]} ENABLE ROW LEVEL SECURITY")
    return Migration(
        tuple(statement.replace("{id}", kind) for statement in lacking),
        tuple(problems),
        tuple(_BY_HAND.format(name=name) for name in by_hand),
        bool(by_hand),
    )


def _added(table: str, known: Mapping[str, tuple[str, str]], there: Present) -> Iterator[str]:
    for name, (_, line) in known.items():
        if name not in there.columns and name != "id":
            sql = line.rstrip(",").format_map(POSTGRES_WORDS)
            # In a table with rows, a column without a default has to stay empty in them.
            sql = sql if "DEFAULT" in sql else sql.replace(" NOT NULL", "")
            yield f"ALTER TABLE {table} ADD COLUMN {name} {sql}"


def _problems(
    table: str, known: Mapping[str, tuple[str, str]], there: Present, kind: str
) -> Iterator[str]:
    if not there.is_table:
        yield f"{table} is no table: give dctx a schema of its own, with ?options=-csearch_path%3Ddctx in the URL"
        return
    if "id" not in there.columns:
        yield f"{table} has no column id: rename the table, or use another schema"
    for name, (word, _) in known.items():
        if found := there.columns.get(name):
            wanted = ID if name in ("id", "workflow_id") else KINDS[word]
            yield from _mismatch(f"{table}.{name}", wanted, found, kind)
    for name in _unknown(known, there) if table != "workflows" else ():
        yield (
            f"{table}.{name} must be filled in, and dctx does not know it: give it a default, or"
            f" ALTER TABLE {table} ALTER COLUMN {name} DROP NOT NULL"
        )


def _mismatch(where: str, wanted: str, found: PresentColumn, kind: str) -> Iterator[str]:
    table, _, name = where.partition(".")
    serves = found.type in TYPES[wanted] or (wanted == TEXT and found.is_enum)
    if not serves:
        yield f"{where} is of type {found.type}, and dctx keeps {wanted} there: use another schema or database"
    elif name == "workflow_id" and (found.type == "uuid") != (kind == "uuid"):
        yield f"{where} is of type {found.type}, and workflows.id is not: make them the same"
    if found.computed:
        yield f"{where} is computed by the database, and dctx has to write it: use another schema or database"
    if name == "id" and not found.unique:
        yield f"{where} is not unique: ALTER TABLE {table} ADD PRIMARY KEY (id)"


def _unknown(known: Mapping[str, object], there: Present) -> list[str]:
    """Columns that somebody has to fill in, and that dctx does not know."""
    return [
        column.name
        for column in there.columns.values()
        if column.required
        and column.name not in known
        and not (column.has_default or column.computed)
    ]
