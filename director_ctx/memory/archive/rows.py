"""Rows of one workflow, asked for and written; of many so many at a time as one statement takes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

    Names = Sequence[str]
    Values = tuple[object, ...]
    """Of a row that is to be written."""

ASKED = 500
"""So many hashes are asked for at once."""
ROWS = 200
CHARACTERS = 4_000_000
"""So many rows, or so much text, are written at once."""


def rows_of(store: Store, sql: str, *values: object) -> list[Row]:
    """What a question brings whose first value is the workflow."""
    return store.engine.rows(sql, (store.workflow, *values))


def statements(sql: str, workflow: str, names: Names) -> Iterator[tuple[str, Values]]:
    """The statement about these names, for so many at a time: `{marks}` in it stands for them."""
    for start in range(0, len(names), ASKED):
        part = names[start : start + ASKED]
        yield sql.format(marks=", ".join("?" * len(part))), (workflow, *part)


def rows_for(reader: Reader, sql: str, workflow: str, names: Names) -> Iterator[Row]:
    """What is known of these names."""
    for question, values in statements(sql, workflow, names):
        yield from reader.rows(question, values)


def run_for(writer: Writer, sql: str, workflow: str, names: Names) -> None:
    """Something done to these names."""
    for statement, values in statements(sql, workflow, names):
        writer.run(statement, values)


def in_batches(rows: Iterable[Values]) -> Iterator[list[Values]]:
    """Rows that are written at once. The last column is the one that may be large."""
    batch: list[Values] = []
    size = 0
    for row in rows:
        row_size = len(str(row[-1]))
        # A row that is too large for any batch goes alone.
        if batch and (len(batch) == ROWS or size + row_size > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += row_size
    if batch:
        yield batch
