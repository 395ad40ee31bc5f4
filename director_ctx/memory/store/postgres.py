"""The store that a team shares: PostgreSQL, by a URL, through psycopg.

Nothing is kept in the session beyond a transaction, so that a pooler between here and the server
may hand every transaction to another connection.
"""

from __future__ import annotations

import os
import time
from _thread import RLock

from director_ctx.base.hashing import digest
from director_ctx.memory.store.engine import Condition, StoreError
from director_ctx.memory.store.postgres_link import connect, settings
from director_ctx.memory.store.postgres_words import CLASHED, is_passing, shown, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from psycopg import Connection

    from director_ctx.memory.store.engine import Reader, Row, T, View, Writer

PATIENCE = 30.0
"""Seconds that a server may be away, once it was there."""
OPENING = 3.0
"""Seconds that it may be away at the start: a restart is over by then, and a mistyped port is not
worth more.
"""
TURN = 60
"""Seconds that a writer waits for its turn."""
CLASHES = 5
"""How often a write gives way to somebody who does not wait for turns, such as a team's own
program.
"""
SHORTEST_NAP, LONGEST_NAP = 0.05, 1.0
FETCHED = 20
"""Rows that are on the way at once where all are wanted; each may be megabytes."""
_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_WRITE = (
    "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE;"
    f" SET LOCAL lock_timeout = '{TURN}s'; SELECT pg_advisory_xact_lock({{key}})"
)
"""Read committed: what is read after the turn came is what whoever had it before has left."""

_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint FROM unnest(ARRAY['workflows',"
    " 'director_plans', 'compressed_contexts', 'conversations', 'dctx_variables', 'dctx_variable_changes',"
    " 'dctx_tabs', 'dctx_originals', 'dctx_compressions', 'dctx_summaries', 'dctx_cuts', 'dctx_chat_points',"
    " 'dctx_meta']) AS name"
)
"""Of dctx's tables alone: the database may hold much else."""
_SETTINGS = "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('server_version')"


class _Unsure(Exception):
    """The connection broke while the transaction was being committed."""


class Inside:
    """One transaction, or one statement: what the server says goes up as it is."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(numbered(sql), values or None).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        return self._connection.execute(numbered(sql), values or None).fetchone()

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._connection.execute(numbered(sql), values or None).rowcount

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        from psycopg import RawServerCursor

        # Any other cursor would fetch all rows before it gives the first.
        with RawServerCursor(self._connection, f"dctx_{os.urandom(4).hex()}") as cursor:
            cursor.itersize = FETCHED
            yield from cursor.execute(numbered(sql), values or None)


class Postgres:
    """One database on a server. Threads may share it; they take turns."""

    name = "postgresql"

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        self.place = shown(url)
        self.patience = patience
        self._url = url
        self._settings = settings(url)
        self._turn = RLock()
        self._connection: Connection[Any] | None = None
        self._process = 0
        self._patiently(self._connected, OPENING)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        with self._turn:
            return self._patiently(lambda: Inside(self._connected()).rows(sql, values))

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        with self._turn:
            return self._patiently(lambda: Inside(self._connected()).row(sql, values))

    def look(self, work: Callable[[View], T]) -> T:
        """All that `work` reads is of one moment. It runs once: it may have told somebody already."""
        import psycopg

        with self._turn:
            # A change of our own is looked at from inside, with what it wrote so far.
            if self._patiently(self._is_within):
                return work(Inside(self._connected()))
            self._patiently(lambda: self._connected().execute(_READ))
            try:
                return work(Inside(self._connected()))
            except psycopg.Error as error:
                raise translated(error, self._url) from error
            finally:
                self._roll_back()

    def write(
        self,
        workflow: str,
        work: Callable[[Writer], T],
        done: Callable[[Reader], T | None] | None = None,
    ) -> T:
        """Waits for its turn by an advisory lock. Where nobody knows how it ended, the next turn
        looks first.
        """
        attempt = _Attempt(_WRITE.format(key=lock_key(workflow)), work, done)
        with self._turn:
            if self._patiently(self._is_within):
                raise StoreError(
                    "The store is in the middle of a change.", "Make one change after the other."
                )
            result: T = self._patiently(lambda: attempt.make(self._connected(), self._roll_back))
            return result

    def condition(self) -> Condition:
        size = self.row(_SIZE)
        fsync, commit, server = self.row(_SETTINGS) or ("", "", "")
        return Condition(
            size=int(size[0]) if size else 0,
            durability=f"fsync {fsync}, synchronous_commit {commit}",
            is_safe=fsync == "on" and commit not in ("off", "local"),
            server=f"PostgreSQL {server}",
        )

    def close(self) -> None:
        with self._turn:
            if self._connection:
                self._connection.close()

    def _connected(self) -> Connection[Any]:
        if self._process != os.getpid():
            # After a fork the connection is the parent's: two on one would mix their words.
            self._connection = None
            self._process = os.getpid()
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._settings)
        return self._connection

    def _is_within(self) -> bool:
        """Whether a transaction is open already."""
        connection = self._connected()
        return connection.info.transaction_status != connection.info.transaction_status.IDLE

    def _roll_back(self) -> None:
        """Leaves no transaction open; a connection in a state that nobody knows is given up."""
        import psycopg

        connection = self._connection
        if connection is None or connection.closed:
            return
        status = connection.info.transaction_status
        try:
            open_states = (
                psycopg.pq.TransactionStatus.INTRANS,
                psycopg.pq.TransactionStatus.INERROR,
            )
            if status in open_states:
                connection.execute(b"ROLLBACK")
            elif status != psycopg.pq.TransactionStatus.IDLE:
                connection.close()
        except psycopg.Error:
            connection.close()

    def _patiently(self, ask: Callable[[], T], patience: float | None = None) -> T:
        """Asks again while what went wrong may pass, in naps whose length differs."""
        import psycopg

        deadline = time.monotonic() + (self.patience if patience is None else patience)
        nap = SHORTEST_NAP
        clashes = 0
        while True:
            try:
                return ask()
            except _Unsure:
                last: Exception = StoreError(
                    "The connection broke while something was being written, and the server does not come back.",
                    "Look whether it was written before you do it again.",
                )
            except UnicodeEncodeError as error:
                raise StoreError(
                    "The text has half a character, which no store holds.", "Take it out."
                ) from error
            except psycopg.Error as error:
                clashes += error.sqlstate in CLASHED
                if not is_passing(error) or clashes > CLASHES:
                    raise translated(error, self._url) from error
                last = translated(error, self._url)
            if time.monotonic() > deadline:
                raise last
            time.sleep(nap * (0.5 + os.urandom(1)[0] / 255))
            nap = min(LONGEST_NAP, nap * 2)


class _Attempt:
    """One write and what became of it so far."""

    def __init__(
        self, begin: str, work: Callable[[Writer], Any], done: Callable[[Reader], Any] | None
    ) -> None:
        self._begin, self._work, self._done = begin.encode(), work, done
        self._unsure = False

    def make(self, connection: Connection[Any], roll_back: Callable[[], None]) -> Any:
        try:
            connection.execute(self._begin)
            result = self._result(Inside(connection))
        except BaseException:
            roll_back()
            raise
        self._commit(connection, roll_back)
        return result

    def _result(self, inside: Inside) -> Any:
        """Whoever might still be committing has the lock: what `done` does not see now was not
        written.
        """
        if self._unsure and self._done:
            written = self._done(inside)
            if written is not None:
                return written
        return self._work(inside)

    def _commit(self, connection: Connection[Any], roll_back: Callable[[], None]) -> None:
        import psycopg

        try:
            said = connection.execute(b"COMMIT").statusmessage
        except psycopg.Error as error:
            if not connection.closed:
                roll_back()
                raise
            if self._done is None:
                raise StoreError(
                    "The connection broke while something was being written.",
                    "Look whether it was, then try again.",
                ) from error
            self._unsure = True
            raise _Unsure from error
        except BaseException:
            connection.close()
            raise
        if said != "COMMIT":
            raise StoreError("The database refused what was written; nothing was.", "Try again.")


def lock_key(name: str) -> int:
    """The number that stands for a workflow among the server's advisory locks."""
    # Eight bytes with a sign, which is what the server takes.
    fingerprint = digest(f"dctx {name}".encode())
    first_bytes = bytes.fromhex(fingerprint[:16])
    return int.from_bytes(first_bytes, "big", signed=True)


def numbered(sql: str, known: dict[str, bytes] = {}) -> bytes:  # noqa: B006
    """The same statement with PostgreSQL's own names for values: $1, $2."""
    if sql not in known:
        first, *rest = sql.split("?")
        text = first
        for number, part in enumerate(rest, 1):
            text += f"${number}{part}"
        known[sql] = text.encode()
    return known[sql]
