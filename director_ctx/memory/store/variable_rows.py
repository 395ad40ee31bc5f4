"""The rows of `dctx_variables`, which say what is, and of `dctx_variable_changes`, which say how it
came to be.

A variable is its name, its value and its time; a change is the number, the name, the value (none
where the variable was cleared), the reason and the time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.store.engine import Reader, Row, Writer

_VARIABLES = "SELECT name, value, updated_at FROM dctx_variables WHERE workflow_id = ?"
_SET = (
    "INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)
_REMOVE = "DELETE FROM dctx_variables WHERE workflow_id = ? AND name = ?"

_CHANGE = "SELECT number, name, value, reason, changed_at FROM dctx_variable_changes"
_LAST_NUMBER = "SELECT max(number) FROM dctx_variable_changes WHERE workflow_id = ?"
_ADD_CHANGE = (
    "INSERT INTO dctx_variable_changes (id, workflow_id, number, name, value, reason, changed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_NEWEST_VALUE = (
    "SELECT value, changed_at FROM dctx_variable_changes WHERE workflow_id = ? AND name = ?"
    " ORDER BY number DESC LIMIT 1"
)
_EVERY_VALUE = "SELECT id, value, reason FROM dctx_variable_changes WHERE workflow_id = ? AND name = ? ORDER BY number"
_REWORD = "UPDATE dctx_variable_changes SET value = ?, reason = ? WHERE id = ?"
_CHANGED = "SELECT DISTINCT name FROM dctx_variable_changes WHERE workflow_id = ?"


def all_variables(reader: Reader, workflow: str) -> list[Row]:
    """By name; both databases compare names by their bytes."""
    return reader.rows(f"{_VARIABLES} ORDER BY name", (workflow,))


def variable_of_name(reader: Reader, workflow: str, name: str) -> Row | None:
    return reader.row(f"{_VARIABLES} AND name = ?", (workflow, name))


def set_variable(
    writer: Writer,
    workflow: str,
    name: str,
    value: str,
    moment: str,
) -> None:
    writer.run(_SET, (workflow, name, value, moment))


def remove_variable(writer: Writer, workflow: str, name: str) -> None:
    writer.run(_REMOVE, (workflow, name))


def last_change_number(reader: Reader, workflow: str) -> int:
    """0 where nothing was changed yet."""
    row = reader.row(_LAST_NUMBER, (workflow,))
    return (row[0] or 0) if row else 0


def add_change(
    writer: Writer,
    workflow: str,
    identity: str,
    change: Row,
) -> None:
    writer.run(_ADD_CHANGE, (identity, workflow, *change))


def newest_changes(
    reader: Reader,
    workflow: str,
    name: str | None,
    most: int,
) -> list[Row]:
    """The newest first, of one variable or of all; all of them for 0."""
    sql = f"{_CHANGE} WHERE workflow_id = ?"
    values: list[object] = [workflow]
    if name is not None:
        sql += " AND name = ?"
        values.append(name)
    sql += " ORDER BY number DESC"
    if most:
        sql += " LIMIT ?"
        values.append(most)
    return reader.rows(sql, values)


def change_of_id(reader: Reader, identity: str) -> Row | None:
    return reader.row(f"{_CHANGE} WHERE id = ?", (identity,))


def newest_value(reader: Reader, workflow: str, name: str) -> Row | None:
    """The value that the newest change of a variable gave it, and when."""
    return reader.row(_NEWEST_VALUE, (workflow, name))


def every_value(reader: Reader, workflow: str, name: str) -> list[Row]:
    """What a variable ever was, oldest first: the id of the change, the value, and the reason."""
    return reader.rows(_EVERY_VALUE, (workflow, name))


def reword_change(
    writer: Writer,
    identity: str,
    value: str | None,
    reason: str,
) -> None:
    """The only way in which a change is written anew: for a secret that it told."""
    writer.run(_REWORD, (value, reason, identity))


def changed_among(reader: Reader, workflow: str, names: Sequence[object]) -> set[object]:
    """Those of the variables that some change speaks of."""
    if not names:
        return set()
    marks = ", ".join("?" * len(names))
    rows = reader.rows(f"{_CHANGED} AND name IN ({marks})", (workflow, *names))
    return {row[0] for row in rows}
