"""The rows of any table by what `tables` says of it, for whoever carries all of a workflow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.memory.store.engine import Reader, Row, View, Writer
    from director_ctx.memory.store.tables import TableRow


def every_row(view: View, part: TableRow, workflow: str) -> Iterator[Row]:
    """The rows of a workflow in the order in which they are carried, one after another."""
    columns = ", ".join(part.names)
    sql = f"SELECT {columns} FROM {part.table} WHERE {part.owner} = ? ORDER BY {part.order}"
    return view.each(sql, (workflow,))


def number_of_rows(reader: Reader, part: TableRow, workflow: str) -> int:
    row = reader.row(f"SELECT count(*) FROM {part.table} WHERE {part.owner} = ?", (workflow,))
    return row[0] if row else 0


def owned_rows(reader: Reader, part: TableRow, workflow: str) -> list[Row]:
    """The rows of a workflow, each behind the workflow's id."""
    return reader.rows(f"{_select(part)} WHERE {part.owner} = ?", (workflow,))


def rows_with_keys(
    reader: Reader,
    part: TableRow,
    workflow: str,
    key: str,
    values: Sequence[object],
) -> list[Row]:
    """The rows with one of these values in a column, each behind its workflow's id."""
    marks = ", ".join("?" * len(values))
    # An id is one in the whole database: a row that has it may be another workflow's.
    if key == "id":
        return reader.rows(f"{_select(part)} WHERE id IN ({marks})", values)
    where = f"{part.owner} = ? AND {key} IN ({marks})"
    return reader.rows(f"{_select(part)} WHERE {where}", (workflow, *values))


def add_rows(
    writer: Writer,
    part: TableRow,
    workflow: str,
    rows: Sequence[Row],
) -> None:
    """All in one statement: a server is asked once for a batch, and not once for each row."""
    names = ", ".join((part.owner, *part.names))
    marks = ", ".join("?" * (len(part.columns) + 1))
    places = ", ".join([f"({marks})"] * len(rows))

    values: list[object] = []
    for row in rows:
        values += (workflow, *row)
    writer.run(f"INSERT INTO {part.table} ({names}) VALUES {places}", values)


def _select(part: TableRow) -> str:
    columns = ", ".join((part.owner, *part.names))
    return f"SELECT {columns} FROM {part.table}"
