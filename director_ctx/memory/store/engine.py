"""The port: what dctx needs of a database. SQLite and PostgreSQL are behind it, and nothing of them
is in front.

SQL is written once, in the words that both know, with `?` for values. Every value that comes back
is text, a number, true or false, or None: ids and times are text on both sides, and so is JSON.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    Row = tuple[Any, ...]
    T = TypeVar("T")

    class Reader(Protocol):
        """What can be asked, in a transaction or outside."""

        def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...

        def row(self, sql: str, values: Sequence[object] = ()) -> Row | None: ...

    class View(Reader, Protocol):
        """What can be asked while nothing changes."""

        def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
            """The rows one after another, however many there are."""
            ...

    class Writer(Reader, Protocol):
        """What can be done inside one transaction."""

        def run(self, sql: str, values: Sequence[object] = ()) -> int:
            """How many rows it touched."""
            ...

    class Engine(Reader, Protocol):
        """One open database."""

        patience: float
        """Seconds that it waits: for its turn, or for a server that is away."""

        @property
        def name(self) -> str:
            """`sqlite` or `postgresql`; `none` where there is no store yet."""
            ...

        @property
        def place(self) -> str:
            """The path of the file, or the server's URL without its password; empty for none."""
            ...

        def write(
            self,
            workflow: str,
            work: Callable[[Writer], T],
            done: Callable[[Reader], T | None] | None = None,
        ) -> T:
            """One transaction, alone among the writers of this workflow. All of it is durable on
            return, or none.

            `work` may run again where the database refused it. `done` looks for what it wrote, by
            an id made before: it is asked where a connection broke and nobody knows how the
            transaction ended.
            """
            ...

        def look(self, work: Callable[[View], T]) -> T:
            """What `work` makes of the store as it is at one moment."""
            ...

        def condition(self) -> Condition:
            """How large it is, and whether what is written lasts."""
            ...

        def close(self) -> None: ...


class Condition(Record):
    """What a database tells of itself."""

    size: int
    """Bytes."""
    durability: str
    is_safe: bool
    """Whether what was said to be written survives a loss of power."""
    server: str
    """Its program and version."""


MID_CHANGE = ("The store is in the middle of a change.", "Make one change after the other.")


class StoreError(DctxError):
    """The store cannot be used: locked, full, damaged, unreachable, or made by a newer version."""

    state = ""
    """The server's code for what was wrong (SQLSTATE), where it gave one."""


class Nothing:
    """The store that is not there yet: whoever only looks finds nothing, and makes nothing."""

    name = "none"
    place = ""
    patience = 0.0

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return []

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        return None

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        return iter(())

    def look(self, work: Callable[[View], T]) -> T:
        return work(self)

    def write(
        self,
        workflow: str,
        work: Callable[[Writer], T],
        done: Callable[[Reader], T | None] | None = None,
    ) -> T:
        raise StoreError("There is no store to write to.", "Open it for writing.")

    def condition(self) -> Condition:
        return Condition(size=0, durability="", is_safe=True, server="")

    def close(self) -> None:
        pass
