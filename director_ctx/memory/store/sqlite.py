"""The store that needs nothing: SQLite in one file, with a log beside it (WAL), synced to disk
before it says done.
"""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import RLock
from _weakref import ref

from director_ctx.memory.store.engine import Condition, StoreError
from director_ctx.memory.store.sqlite_file import (
    MEMORY,
    busy,
    connect,
    copy_in_memory,
    file_size,
    make_tables,
    prepare,
    refuse_strange_neighbours,
    translated,
)
from director_ctx.memory.store.sqlite_rows import OddValue, fetched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.memory.store.engine import Reader, Row, T, View, Writer

PATIENCE = 60.0
"""Seconds that a writer waits for its turn."""
SHORTEST_NAP, LONGEST_NAP = 0.0005, 0.01
"""SQLite's own waiting grows to a tenth of a second, which starves whoever has waited longest."""
_REFUSED = (sqlite3.Error, UnicodeEncodeError, UnicodeDecodeError, OverflowError, OddValue)
"""What SQLite refuses, the values that Python cannot hand to it, and what a damaged file comes to.
"""
_SYNCED = {"0": "off", "1": "normal", "2": "full", "3": "extra"}
_open: set[ref[SQLite]] = set()
_left: list[object] = []


class SQLite:
    """One open file. Threads may share it; they take turns. After a fork the child has a connection
    of its own.
    """

    name = "sqlite"

    def __init__(self, place: str, patience: float = PATIENCE) -> None:
        self.place = place
        self.patience = patience
        self._turn = RLock()
        self._current: sqlite3.Connection | None = self._opened()
        self._known = ref(self, _open.discard)
        _open.add(self._known)

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._current is None:
            self._current = self._opened()
        return self._current

    def _opened(self) -> sqlite3.Connection:
        refuse_strange_neighbours(self.place)
        try:
            return self._ready(connect(self.place))
        except _REFUSED as error:
            if _only_readable(self.place):
                return self._copied(error)
            raise translated(error, self.place) from error

    def _ready(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            self._patiently(lambda: prepare(connection, self.place))
            self._patiently(lambda: make_tables(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _copied(self, error: Exception) -> sqlite3.Connection:
        """SQLite wants to write beside a file even to read it; where it may not, a copy is read."""
        try:
            connection = self._ready(copy_in_memory(self.place))
            connection.execute("PRAGMA query_only=ON")
        except (*_REFUSED, OSError):
            raise translated(error, self.place) from error
        return connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        with self._turn:
            try:
                return fetched(self._connection.execute(sql, values), sql)
            except _REFUSED as error:
                return self._again(
                    error, lambda: fetched(self._connection.execute(sql, values), sql)
                )

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._connection.execute(sql, values).rowcount

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        return self._patiently(lambda: self._connection.execute(sql, values))

    def look(self, work: Callable[[View], T]) -> T:
        """A transaction that only reads sees the file as it was at its first question."""
        with self._turn:
            # A change of our own is looked at from inside, with what it wrote so far.
            if self._changing():
                return work(self)
            try:
                self._connection.execute("BEGIN")
                return work(self)
            except _REFUSED as error:
                raise translated(error, self.place) from error
            finally:
                self._roll_back()

    def write(
        self,
        workflow: str,
        work: Callable[[Writer], T],
        done: Callable[[Reader], T | None] | None = None,
    ) -> T:
        """The whole file has one writer at a time, so the workflow does not matter here."""
        with self._turn:
            if self._changing():
                raise StoreError(
                    "The store is in the middle of a change.", "Make one change after the other."
                )
            try:
                self._patiently(lambda: self._connection.execute("BEGIN IMMEDIATE"))
                result = work(self)
                self._patiently(lambda: self._connection.execute("COMMIT"))
            except BaseException as error:
                self._roll_back()
                if isinstance(error, _REFUSED):
                    raise translated(error, self.place) from error
                raise
            return result

    def _changing(self) -> bool:
        try:
            return self._connection.in_transaction
        except _REFUSED as error:
            raise translated(error, self.place) from error

    def condition(self) -> Condition:
        journal = self._setting("journal_mode")
        synchronous = self._setting("synchronous")
        level = _SYNCED.get(synchronous, synchronous)
        return Condition(
            size=file_size(self.place),
            durability=f"journal {journal}, synchronous {level}",
            is_safe=level in ("full", "extra"),
            server=f"SQLite {sqlite3.sqlite_version}",
        )

    def _setting(self, name: str) -> str:
        row = self.row(f"PRAGMA {name}")
        return str(row[0]) if row else ""

    def close(self) -> None:
        with self._turn:
            _open.discard(self._known)
            if self._current is not None:
                self._current.close()

    def leave(self) -> None:
        """In the child of a fork: lets go of the parent's connection, so that locks are taken anew."""
        if self.place == MEMORY or self._current is None:
            return
        idle = self._turn.acquire(blocking=False)
        if idle and not self._current.in_transaction:
            self._current.close()
            self._current = None
            self._turn.release()
        else:
            # In use at that moment: closing it could undo what the parent writes.
            _left.append(self._current)
            self._turn = RLock()
            self._current = sqlite3.connect(MEMORY)
            self._current.close()

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # what failed first is what the user is told

    def _again(self, error: Exception, ask: Callable[[], T]) -> T:
        try:
            if not busy(error):
                raise error
            return self._patiently(ask)
        except _REFUSED as last:
            raise translated(last, self.place) from last

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Asks until it is our turn, in short naps whose length differs, so that nobody is always
        late.
        """
        deadline = time.monotonic() + self.patience
        nap = SHORTEST_NAP
        while True:
            try:
                return ask()
            except sqlite3.OperationalError as error:
                if not busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(nap * (0.5 + os.urandom(1)[0] / 255))
            nap = min(LONGEST_NAP, nap * 1.5)


def _only_readable(place: str) -> bool:
    if not os.path.isfile(place):
        return False
    may_write = os.access(place, os.W_OK) and os.access(os.path.dirname(place), os.W_OK)
    return not may_write


def _after_fork() -> None:
    for known in list(_open):
        engine = known()
        if engine:
            engine.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
