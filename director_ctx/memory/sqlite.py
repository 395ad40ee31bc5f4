"""The store that needs nothing: SQLite in one file, with a log beside it (WAL), synced to disk before it says done."""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import RLock

from director_ctx.memory.engine import StoreError
from director_ctx.memory.schema import SQLITE, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.memory.engine import Reader, Row, T, Writer

PATIENCE = 60.0
"""Seconds that a writer waits for its turn."""
SHORTEST_NAP, LONGEST_NAP = 0.0005, 0.01
"""SQLite's own waiting grows to a tenth of a second, which starves whoever has waited longest."""
MEMORY = ":memory:"
_NOT_THERE = "The store could not be opened"


class SQLite:
    """One open file. Threads may share it; they take turns."""

    name = "sqlite"

    def __init__(self, place: str, patience: float = PATIENCE) -> None:
        self.place, self.patience = place, patience
        self._turn = RLock()
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            connection = self._patiently(lambda: _connect(self.place))
        except sqlite3.Error as error:
            raise self._translated(error) from error
        try:
            self._patiently(lambda: _prepare(connection))
            self._patiently(lambda: migrate(connection))
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._translated(error) from error
            raise
        return connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        with self._turn:
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                return self._again(error, lambda: self._connection.execute(sql, values).fetchall())

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        found = self.rows(sql, values)
        return found[0] if found else None

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._connection.execute(sql, values).rowcount

    def write(self, workflow: str, work: Callable[[Writer], T], done: Callable[[Reader], T | None] | None = None) -> T:
        """The whole file has one writer at a time, so the workflow does not matter here."""
        with self._turn:
            try:
                self._patiently(lambda: self._connection.execute("BEGIN IMMEDIATE"))
                result = work(self)
                self._patiently(lambda: self._connection.execute("COMMIT"))
            except BaseException as error:
                self._roll_back()
                if isinstance(error, sqlite3.Error):
                    raise self._translated(error) from error
                raise
            return result

    def close(self) -> None:
        with self._turn:
            self._connection.close()

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # what failed first is what the user is told

    def _again(self, error: sqlite3.Error, ask: Callable[[], T]) -> T:
        try:
            if not _busy(error):
                raise error
            return self._patiently(ask)
        except sqlite3.Error as last:
            raise self._translated(last) from last

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Asks until it is our turn, in short naps whose length differs, so that nobody is always late."""
        deadline = time.monotonic() + self.patience
        nap = SHORTEST_NAP
        while True:
            try:
                return ask()
            except sqlite3.OperationalError as error:
                if not _busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(nap * (0.5 + os.urandom(1)[0] / 255))
            nap = min(LONGEST_NAP, nap * 1.5)

    def _translated(self, error: sqlite3.Error) -> StoreError:
        for words, sentence, hint in _SENTENCES:
            if words in str(error):
                return StoreError(f"{sentence} ({self.place}).", hint)
        return StoreError(f"{_NOT_THERE}: {error} ({self.place}).", "Move it away; `dctx store import` reads a backup.")


_SENTENCES = (
    ("locked", "The store is busy with another program", "Try again; if nothing uses it, restart what holds it."),
    ("disk is full", "The disk is full; nothing was written to the store", "Make room, then try again."),
    ("disk I/O error", "The disk does not answer; nothing was written", "Look at the disk, then try again."),
    ("readonly", "The store may not be written", "Look at the permissions of the file and its folder."),
    ("unable to open", _NOT_THERE, "Look at the permissions of the file and its folder."),
    ("not a database", "The store is not a database", "Move it away; `dctx store import` reads a backup."),
    ("malformed", "The store is damaged", "Move it away; `dctx store import` reads a backup."),
)


def _busy(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and ("locked" in str(error) or "busy" in str(error))


def _connect(place: str) -> sqlite3.Connection:
    return sqlite3.connect(place, timeout=0, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    """A file in a project may be anybody's: nothing in its schema is run."""
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
        raise StoreError("The store has parts that dctx did not make.", "Move it away; it may be somebody else's.")


def migrate(connection: sqlite3.Connection) -> None:
    """Brings the tables to this version: each step in a transaction, together with its number."""
    while (version := connection.execute("PRAGMA user_version").fetchone()[0]) < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == version:
                for statement in SQLITE[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    if version > VERSION:
        raise StoreError(f"The store is of version {version}, newer than this dctx.", "Upgrade dctx.")


def make_file(place: str) -> None:
    """A new store, made beside and moved into place; one that somebody else made meanwhile stays."""
    beside = f"{place}.{os.urandom(4).hex()}.tmp"
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        connection = _connect(beside)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            migrate(connection)
        finally:
            connection.close()
        _put_in_place(beside, place)
    except sqlite3.Error as error:
        raise StoreError(f"The store could not be made: {error} ({place}).", "Is the disk full?") from error
    finally:
        for name in (beside, f"{beside}-wal", f"{beside}-shm"):
            if os.path.lexists(name):
                os.unlink(name)


def _put_in_place(beside: str, place: str) -> None:
    try:
        os.link(beside, place)
    except FileExistsError:
        return
    except OSError:
        if not os.path.lexists(place):
            os.replace(beside, place)  # a file system without hard links
    try:
        folder = os.open(os.path.dirname(place), os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(folder)
    except OSError:
        pass
    finally:
        os.close(folder)
