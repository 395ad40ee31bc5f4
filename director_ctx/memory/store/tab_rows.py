"""The rows of `dctx_tabs`: the name of a browser's tab each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Row, Writer

_NAMES = "SELECT target, name FROM dctx_tabs WHERE workflow_id = ? ORDER BY target"
_REMOVE = "DELETE FROM dctx_tabs WHERE workflow_id = ? AND target = ?"
_ADD = "INSERT INTO dctx_tabs (workflow_id, target, name) VALUES (?, ?, ?)"


def tab_names(reader: Reader, workflow: str) -> list[Row]:
    """Each tab as the browser calls it, and its name."""
    return reader.rows(_NAMES, (workflow,))


def remove_tab(writer: Writer, workflow: str, target: str) -> None:
    writer.run(_REMOVE, (workflow, target))


def add_tab(
    writer: Writer,
    workflow: str,
    target: str,
    name: str,
) -> None:
    writer.run(_ADD, (workflow, target, name))
