"""One workflow's corner of a store: what every use case holds in its hand."""

from __future__ import annotations

from director_ctx.memory.store.engine import Nothing
from director_ctx.memory.store.ids import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine, Writer


class Store:
    """An open database, and the workflow in it that is meant. Close it, or use it in a `with`."""

    def __init__(self, engine: Engine, workflow: str, name: str = "") -> None:
        self.engine, self.workflow, self.name = engine, workflow, name
        self.root: str | None = None
        """The project that it was opened for."""
        self.version = 0
        """The version of its tables, where it is an older one that may still be read."""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.engine.close()

    def lent(self) -> Store:
        """The same for somebody who closes what they open: this one stays open."""
        lent = _Lent(self.engine, self.workflow, self.name)
        lent.root, lent.version = self.root, self.version
        return lent


class _Lent(Store):
    def close(self) -> None:
        pass


def no_store() -> Store:
    """The store of a project that has none yet."""
    return Store(Nothing(), "")


def ensure_workflow(writer: Writer, store: Store) -> None:
    """The row that all others refer to. It is there before the first of them."""
    if writer.row("SELECT 1 FROM workflows WHERE id = ?", (store.workflow,)) is None:
        moment = now()
        writer.run(
            "INSERT INTO workflows (id, name, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (store.workflow, store.name, moment, moment),
        )
