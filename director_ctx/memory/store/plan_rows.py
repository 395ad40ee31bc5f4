"""The rows of `director_plans`: each is one version of the plan, and none is ever changed.

A row is the id, the version, the plan as JSON, when it was made, and why.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Row, Writer

_COLUMNS = "id, plan_version, plan_data, created_at, reason"
# A team's own program may have left rows without a version, or two of the same one: the newer
# counts then.
_OF_WORKFLOW = (
    f"SELECT {_COLUMNS} FROM director_plans WHERE workflow_id = ? AND plan_version IS NOT NULL"
)
_NEWEST_FIRST = f"{_OF_WORKFLOW} ORDER BY plan_version DESC, created_at DESC"
_OF_VERSION = f"{_OF_WORKFLOW} AND plan_version = ? ORDER BY created_at DESC LIMIT 1"
_OF_ID = f"SELECT {_COLUMNS} FROM director_plans WHERE id = ?"
_ADD = (
    "INSERT INTO director_plans (id, workflow_id, plan_version, plan_data, created_at, updated_at, reason)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def newest_plan(reader: Reader, workflow: str) -> Row | None:
    return reader.row(f"{_NEWEST_FIRST} LIMIT 1", (workflow,))


def newest_plans(reader: Reader, workflow: str, most: int) -> list[Row]:
    """The newest first; all of them for 0."""
    if most:
        return reader.rows(f"{_NEWEST_FIRST} LIMIT ?", (workflow, most))
    return reader.rows(_NEWEST_FIRST, (workflow,))


def plan_of_version(reader: Reader, workflow: str, number: int) -> Row | None:
    return reader.row(_OF_VERSION, (workflow, number))


def plan_of_id(reader: Reader, identity: str) -> Row | None:
    return reader.row(_OF_ID, (identity,))


def add_plan(writer: Writer, workflow: str, row: Row) -> None:
    identity, number, text, moment, reason = row
    writer.run(_ADD, (identity, workflow, number, text, moment, moment, reason))
