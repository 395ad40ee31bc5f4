"""What a workflow consists of, table by table, as it goes from one store to another; data."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store.canonical import DATA, MOMENT, NUMBER, TEXT, TRUTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class TableRow(Record):
    """One table: its columns (without the workflow, which all rows of a transfer share), and what
    tells rows apart.
    """

    table: str
    columns: Mapping[str, str]
    keys: tuple[str, ...]
    """Each alone tells rows apart: the first everywhere (or in the workflow, if it is no id), the
    others there.
    """
    order: str
    owner: str = "workflow_id"
    empty: tuple[str, ...] = ()
    """Columns that may be empty."""

    number: str = ""
    """The column that counts its rows, each on top of the one before."""
    aside: tuple[str, ...] = ()
    """Columns that may differ in rows that are the same: when each side came to have it."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def key(self) -> str:
        """What tells its rows apart everywhere; empty for the row of the workflow itself."""
        if not self.keys:
            return ""
        return self.keys[0]

    @property
    def telling(self) -> Mapping[str, str]:
        """The columns by which two rows are the same."""
        return {name: kind for name, kind in self.columns.items() if name not in self.aside}


PARTS: tuple[TableRow, ...] = (
    TableRow(
        "workflows", {"name": TEXT, "created_at": MOMENT, "updated_at": MOMENT}, (), "id", "id"
    ),
    TableRow(
        "director_plans",
        {
            "id": TEXT,
            "plan_version": NUMBER,
            "plan_data": DATA,
            "created_at": MOMENT,
            "updated_at": MOMENT,
            "reason": TEXT,
        },
        ("id", "plan_version"),
        "plan_version, id",
        empty=("reason",),
        number="plan_version",
    ),
    TableRow(
        "compressed_contexts",
        {
            "id": TEXT,
            "summary": TEXT,
            "original_message_count": NUMBER,
            "compression_ratio": NUMBER,
            "created_at": MOMENT,
            "created_by": TEXT,
        },
        ("id",),
        "created_at, id",
        empty=("compression_ratio", "created_by"),
    ),
    TableRow(
        "conversations",
        {
            "id": TEXT,
            "role": TEXT,
            "content": TEXT,
            "timestamp": MOMENT,
            "is_archived": TRUTH,
            "metadata": DATA,
        },
        ("id",),
        "timestamp, id",
        empty=("metadata",),
    ),
    TableRow(
        "dctx_variable_changes",
        {
            "id": TEXT,
            "number": NUMBER,
            "name": TEXT,
            "value": DATA,
            "reason": TEXT,
            "changed_at": MOMENT,
        },
        ("id", "number"),
        "number",
        empty=("value",),
        number="number",
    ),
    TableRow(
        "dctx_variables", {"name": TEXT, "value": DATA, "updated_at": MOMENT}, ("name",), "name"
    ),
    TableRow("dctx_tabs", {"target": TEXT, "name": TEXT}, ("target",), "target"),
    TableRow(
        "dctx_originals",
        {"hash": TEXT, "size": NUMBER, "kept_at": MOMENT, "content": TEXT},
        ("hash",),
        "hash",
        aside=("kept_at",),
    ),
    TableRow(
        "dctx_compressions",
        {
            "receipt": TEXT,
            "created_at": MOMENT,
            "source": TEXT,
            "format": TEXT,
            "strategy": TEXT,
            "counter": TEXT,
            "target": NUMBER,
            "tokens_in": NUMBER,
            "tokens_out": NUMBER,
            "marks": TEXT,
            "content": TEXT,
            "outline": TEXT,
        },
        ("receipt",),
        "created_at, receipt",
        empty=("target",),
        aside=("created_at",),
    ),
    TableRow(
        "dctx_summaries",
        {
            "id": TEXT,
            "previous": TEXT,
            "messages": DATA,
            "summarizer": TEXT,
            "tokens_in": NUMBER,
            "tokens_out": NUMBER,
        },
        ("id",),
        "id",
        empty=("previous",),
    ),
)
"""In the order of their references: each refers only to what is above. Variables come after their
changes.
"""
VARIABLES, CHANGES = "dctx_variables", "dctx_variable_changes"
BY_TABLE = {part.table: part for part in PARTS}
