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


def row_of(store: Store, sql: str, *values: object) -> Row | None:
    """The same of a question that brings one row at most."""
    return store.engine.row(sql, (store.workflow, *values))


def in_parts(names: Names, many: int = ASKED) -> Iterator[Names]:
    for start in range(0, len(names), many):
        end = start + many
        yield names[start:end]


def rows_for(
    reader: Reader,
    sql: str,
    workflow: str,
    names: Names,
) -> Iterator[Row]:
    """What is known of these names: `{marks}` in the question stands for them."""
    for part in in_parts(names):
        question = with_marks(sql, part)
        yield from reader.rows(question, (workflow, *part))


def run_for(
    writer: Writer,
    sql: str,
    workflow: str,
    names: Names,
) -> None:
    """Something done to these names: `{marks}` in the statement stands for them."""
    for part in in_parts(names):
        statement = with_marks(sql, part)
        writer.run(statement, (workflow, *part))


def with_marks(sql: str, part: Names) -> str:
    """A question mark for each name, in the place of `{marks}`."""
    marks = ", ".join("?" * len(part))
    return sql.format(marks=marks)


def in_batches(rows: Iterable[Values]) -> Iterator[list[Values]]:
    """Rows that are written at once. The last column is the one that may be large."""
    batch: list[Values] = []
    size = 0
    for row in rows:
        content = row[-1]
        row_size = len(str(content))
        # A row that is too large for any batch goes alone.
        is_full = len(batch) == ROWS or size + row_size > CHARACTERS
        if batch and is_full:
            yield batch
            batch = []
            size = 0
        batch.append(row)
        size += row_size
    if batch:
        yield batch
