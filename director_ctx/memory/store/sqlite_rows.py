"""Rows as the port promises them: a text where a text belongs, and nothing only where there may be
nothing.

SQLite keeps any kind of value in any column. dctx writes none of a wrong kind, so whoever finds one
reads a damaged file; said here once, it need not be expected wherever a row is used.
"""

from __future__ import annotations

from director_ctx.memory.store.canonical import DATA, MOMENT, NUMBER, TEXT, TRUTH
from director_ctx.memory.store.tables import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from director_ctx.memory.store.engine import Row

_KINDS: dict[str, set[type]] = {
    TEXT: {str},
    DATA: {str},
    MOMENT: {str},
    NUMBER: {int, float},
    TRUTH: {int},
}


class OddValue(ValueError):
    """A value of a kind that dctx does not write there."""


def _by_column() -> dict[str, set[type]]:
    """The kinds of each column; some are in several tables."""
    by_column: dict[str, set[type]] = {}
    for part in PARTS:
        for name, kind in part.columns.items():
            kinds = by_column.setdefault(name, set())
            kinds |= _KINDS[kind]
            if name in part.empty:
                kinds.add(type(None))
    return by_column


_EXPECTED = _by_column()


_checks: dict[str, list[tuple[int, set[type]]]] = {}
"""By statement: the places in a row that have a kind, and the kinds."""


def fetched(cursor: sqlite3.Cursor, sql: str) -> list[Row]:
    """All rows of the answer to a statement. Raises `OddValue`."""
    rows: list[Row] = cursor.fetchall()
    if not rows:
        return rows
    checks = _checks.get(sql)
    if checks is None:
        checks = _checks[sql] = _checks_of(cursor)

    for row in rows:
        for place, kinds in checks:
            if type(row[place]) not in kinds:
                raise OddValue(f"column {place}")
    return rows


def _checks_of(cursor: sqlite3.Cursor) -> list[tuple[int, set[type]]]:
    checks = []
    for place, column in enumerate(cursor.description or ()):
        kinds = _EXPECTED.get(column[0])
        if kinds:
            checks.append((place, kinds))
    return checks
