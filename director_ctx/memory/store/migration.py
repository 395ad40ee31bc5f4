"""What a database lacks, as statements, and what keeps it from being used; pure. Nothing that is
there is changed.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.store.schema_postgres import ID, KINDS, OWN, SEEDS, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.memory.store.engine import Row
    from director_ctx.memory.store.schema_postgres import Column, Table

    Tables = Mapping[str, "Present"]


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


def present(rows: Sequence[Row]) -> Tables:
    """The tables of a catalog, as `schema_postgres.CATALOG` lists them."""
    tables: dict[str, Present] = {}
    columns: dict[str, dict[str, PresentColumn]] = {}
    for table_name, table_kind, name, type_, type_kind, *properties in rows:
        if table_name not in tables:
            # An ordinary table or a partitioned one; a view would take no row.
            is_table = table_kind in ("r", "p")
            columns[table_name] = {}
            tables[table_name] = Present(is_table, columns[table_name])
        if name is None:
            continue

        required, default, computed, unique = properties
        columns[table_name][name] = PresentColumn(
            name=name,
            type=type_,
            is_enum=type_kind == "e",
            required=required,
            has_default=default,
            computed=computed,
            unique=unique,
        )
    return tables


def plan(tables: Tables, version: int, exposed: bool) -> Migration:
    """What is lacking; `version` is 0 where dctx has no tables yet. `exposed`: the schema is served to
    browsers, so its new tables are closed.
    """
    kind = _id_type(tables)
    statements: list[str] = []
    problems: list[str] = []
    for table in SEEDS:
        there = tables.get(table.name)
        statements += _missing(table, there)
        problems += _problems(table, there, kind)
    if not version:
        statements += OWN

    # Such a schema is served to browsers, and a plan is nobody's business.
    if exposed:
        for statement in list(statements):
            if statement.startswith("CREATE TABLE"):
                name = statement.split()[2]
                statements.append(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")

    workflows = SEEDS[0]
    strange = _unknown(workflows, tables.get(workflows.name))
    return Migration(
        tuple(statement.replace("{id}", kind) for statement in statements),
        tuple(problems),
        tuple(_BY_HAND.format(name=name) for name in strange),
        bool(strange),
    )


_BY_HAND = (
    "Rows in `workflows` have to be made by your application, because {name} must be filled in there and dctx does"
    " not know it: put the id of one into .director/dctx.yaml as workflow_id."
)


def _id_type(tables: Tables) -> str:
    """Ids refer to `workflows`, so they are of its type."""
    workflows = tables.get("workflows")
    column = workflows.columns.get("id") if workflows else None
    if column is None or column.type == "uuid":
        return "uuid"
    return "text"


def _missing(table: Table, there: Present | None) -> Iterator[str]:
    if there is None:
        yield table.made()
        yield from table.indexes
        return
    for column in table.columns:
        if column.name not in there.columns and column.name != "id":
            yield f"ALTER TABLE {table.name} ADD COLUMN {column.name} {column.added}"


def _problems(table: Table, there: Present | None, kind: str) -> Iterator[str]:
    if there is None:
        return
    if not there.is_table:
        yield f"{table.name} is no table: give dctx a schema of its own, with ?options=-csearch_path%3Ddctx in the URL"
        return
    for column in table.columns:
        yield from _mismatch(table, column, there.columns.get(column.name), kind)
    if table.name != "workflows":
        for name in _unknown(table, there):
            yield (
                f"{table.name}.{name} must be filled in, and dctx does not know it: give it a default, or"
                f" ALTER TABLE {table.name} ALTER COLUMN {name} DROP NOT NULL"
            )


def _mismatch(
    table: Table,
    column: Column,
    found: PresentColumn | None,
    kind: str,
) -> Iterator[str]:
    where = f"{table.name}.{column.name}"
    if found is None:
        if column.name == "id":
            yield f"{table.name} has no column id: rename the table, or use another schema"
        return

    serves = found.type in KINDS[column.kind] or (column.kind == TEXT and found.is_enum)
    if not serves:
        yield f"{where} is of type {found.type}, and dctx keeps {column.kind} there: use another schema or database"
    elif column.name == "workflow_id" and (found.type == "uuid") != (kind == "uuid"):
        yield f"{where} is of type {found.type}, and workflows.id is not: make them the same"
    if found.computed:
        yield f"{where} is computed by the database, and dctx has to write it: use another schema or database"
    if column.kind == ID and column.name == "id" and not found.unique:
        yield f"{where} is not unique: ALTER TABLE {table.name} ADD PRIMARY KEY (id)"


def _unknown(table: Table, there: Present | None) -> list[str]:
    """Columns that somebody has to fill in, and that dctx does not know."""
    if there is None:
        return []
    known = {column.name for column in table.columns}
    unknown: list[str] = []
    for column in there.columns.values():
        fills_itself = column.has_default or column.computed
        if column.name not in known and column.required and not fills_itself:
            unknown.append(column.name)
    return unknown


def newer(version: int) -> str:
    """The sentence for a store that this program is too old for."""
    return f"The store is of version {version}, newer than this dctx, which knows {VERSION}."
