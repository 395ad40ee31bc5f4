"""The store that needs nothing: SQLite in one file, with a log beside it (WAL), synced to disk
before it says done.
"""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import RLock
from _weakref import ref
from stat import S_ISREG

from director_ctx.base.text import plain
from director_ctx.memory.store.engine import MID_CHANGE, Condition, StoreError
from director_ctx.memory.store.schema import (
    DATA,
    MOMENT,
    NUMBER,
    PARTS,
    SQLITE_WORDS,
    TEXT,
    TRUTH,
    VERSION,
    statements,
)
from director_ctx.memory.store.store import patiently

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.memory.store.engine import Reader, Row, T, View, Writer

MEMORY = ":memory:"
PATIENCE = 60.0
"""Seconds that a writer waits for its turn."""
SHORTEST_NAP, LONGEST_NAP = 0.0005, 0.01
"""SQLite's own waiting grows to a tenth of a second, which starves whoever has waited longest."""
LARGEST_LOG = 16 << 20
"""Bytes that the log keeps for its next use, after a long reader made it grow."""
LEFT_BEHIND = 3600.0
"""Seconds after which nobody is making a file any more."""
_BESIDE = ("-journal", "-wal", "-shm")
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_SYNCED = {"0": "off", "1": "normal", "2": "full", "3": "extra"}
_MADE = statements(SQLITE_WORDS)
_BACKUP = "Move it away; `dctx store import` reads a backup."
_PERMISSIONS = "Look at the permissions of the file and its folder."
_BUSY = ("SQLITE_BUSY", "SQLITE_PROTOCOL")
_SENTENCES = (
    (
        _BUSY,
        "The store is busy with another program",
        "Try again; if nothing uses it, restart what holds it.",
    ),
    (
        "SQLITE_FULL",
        "The disk is full; nothing was written to the store",
        "Make room, then try again.",
    ),
    (
        "SQLITE_IOERR",
        "The disk does not take or give what it should",
        "Is it full, or gone? Then try again.",
    ),
    ("SQLITE_READONLY", "The store may not be written", _PERMISSIONS),
    (
        ("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"),
        "The store could not be opened",
        _PERMISSIONS,
    ),
    ("SQLITE_NOTADB", "The store is not a database", _BACKUP),
    ("SQLITE_CORRUPT", "The store is damaged", _BACKUP),
    ("SQLITE_TOOBIG", "That is too large for the store", "A text may have a gigabyte."),
)


class OddValue(ValueError):
    """A value of a kind that dctx does not write there."""


_REFUSED = (sqlite3.Error, UnicodeEncodeError, UnicodeDecodeError, OverflowError, OddValue)
"""What SQLite refuses, the values that Python cannot hand to it, and what a damaged file comes to.
"""
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
        _refuse_strange_neighbours(self.place)
        try:
            return self._ready(connect(self.place))
        except _REFUSED as error:
            folder = os.path.dirname(self.place)
            may_write = os.access(self.place, os.W_OK) and os.access(folder, os.W_OK)
            if may_write or not os.path.isfile(self.place):
                raise translated(error, self.place) from error
            # SQLite wants to write beside a file even to read it; where it may not, a copy is read.
            try:
                connection = self._ready(_copy_in_memory(self.place))
                connection.execute("PRAGMA query_only=ON")
            except (*_REFUSED, OSError):
                raise translated(error, self.place) from error
            return connection

    def _ready(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            self._patiently(lambda: _prepare(connection, self.place))
            self._patiently(lambda: make_tables(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        with self._turn:
            try:
                return self._patiently(lambda: _fetched(self._connection.execute(sql, values), sql))
            except _REFUSED as error:
                raise translated(error, self.place) from error

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
            if self._is_within():
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
            if self._is_within():
                raise StoreError(*MID_CHANGE)
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

    def condition(self) -> Condition:
        journal, synchronous = (
            str(self.rows(f"PRAGMA {name}")[0][0]) for name in ("journal_mode", "synchronous")
        )
        level = _SYNCED.get(synchronous, synchronous)
        files = (self.place, f"{self.place}-wal")
        return Condition(
            size=sum(os.path.getsize(path) for path in files if os.path.isfile(path)),
            durability=f"journal {journal}, synchronous {level}",
            is_safe=level in ("full", "extra"),
            server=f"SQLite {sqlite3.sqlite_version}",
        )

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

    def _is_within(self) -> bool:
        try:
            return self._connection.in_transaction
        except _REFUSED as error:
            raise translated(error, self.place) from error

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # what failed first is what the user is told

    def _patiently(self, ask: Callable[[], T]) -> T:
        return patiently(ask, self.patience, _is_busy, SHORTEST_NAP, LONGEST_NAP)


def _is_busy(error: BaseException) -> bool:
    return _code_of(error).startswith(_BUSY)


def _code_of(error: BaseException) -> str:
    """SQLite's name of an error; Python's own have none."""
    return getattr(error, "sqlite_errorname", "")


def translated(error: Exception, place: str) -> StoreError:
    """What SQLite says by a code, as a sentence."""
    code = _code_of(error)
    for codes, sentence, hint in _SENTENCES:
        if code.startswith(codes):
            return StoreError(f"{sentence} ({place}).", hint)
    # Python's words for a text in a damaged file.
    is_no_text = "Could not decode to UTF-8" in str(error)
    if is_no_text or isinstance(error, UnicodeDecodeError | OddValue):
        return StoreError(f"The store is damaged ({place}).", _BACKUP)
    if isinstance(error, UnicodeEncodeError):
        return StoreError(
            "A text holds half a character, which no store can keep.", "Write that character anew."
        )
    if isinstance(error, OverflowError):
        return StoreError("A number is too large for the store.", "Make it a text.")
    if "closed database" in str(error):
        return StoreError(
            "The store was closed, or its process forked in the middle of a change.",
            "Open it again.",
        )
    return StoreError(f"The store could not be used: {plain(str(error))} ({place}).", _BACKUP)


# SQLite keeps any kind of value in any column. dctx writes none of a wrong kind, so whoever finds
# one reads a damaged file; said here once, it need not be expected wherever a row is used.
_TYPES: dict[str, set[type]] = {
    TEXT: {str},
    DATA: {str},
    MOMENT: {str},
    NUMBER: {int, float},
    TRUTH: {int},
}
_expected: dict[str, set[type]] = {}
"""The types of each column; some are in several tables."""
for _part in PARTS:
    for _name, _kind in _part.columns.items():
        _expected.setdefault(_name, set()).update(_TYPES[_kind])
        if _name in _part.empty:
            _expected[_name].add(type(None))
_checks: dict[str, list[tuple[int, set[type]]]] = {}
"""By statement: the places in a row that have a kind, and the types."""


def _fetched(cursor: sqlite3.Cursor, sql: str) -> list[Row]:
    """All rows of the answer to a statement. Raises `OddValue`."""
    rows: list[Row] = cursor.fetchall()
    if not rows:
        return rows
    checks = _checks.get(sql)
    if checks is None:
        names = [column[0] for column in cursor.description or ()]
        checks = _checks[sql] = [
            (place, _expected[name]) for place, name in enumerate(names) if name in _expected
        ]
    for row in rows:
        for place, types in checks:
            if type(row[place]) not in types:
                raise OddValue(f"column {place}")
    return rows


def connect(place: str) -> sqlite3.Connection:
    """Without waiting and without transactions of its own: the engine does both."""
    return sqlite3.connect(place, timeout=0, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection, place: str) -> None:
    """What each connection has to be told, and a look at who made the file."""
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    # What is forgotten does not stay in pages that nothing uses.
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute(f"PRAGMA journal_size_limit={LARGEST_LOG}")

    made = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql <> ''"))
    version = _version_of(connection)
    if version > VERSION and "dctx_meta" in made:
        raise StoreError(
            f"The store is of version {version}, newer than this dctx ({place}).", "Upgrade dctx."
        )
    # Tables of others, triggers, views and changed columns are not.
    if version not in (0, VERSION) or not set(made.values()).issubset(_MADE):
        raise StoreError(
            f"The store has parts that dctx did not make ({place}).",
            "Move it away; it may be another's.",
        )


def _version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def make_tables(connection: sqlite3.Connection) -> None:
    """Where there are none: in one transaction, together with their version."""
    if _version_of(connection) == VERSION:
        return
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have made them meanwhile.
        if _version_of(connection) != VERSION:
            for statement in _MADE:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_strange_neighbours(place: str) -> None:
    """Links and pipes beside the file, and a journal of a transaction over several files: dctx
    makes none of these.
    """
    for end in _BESIDE:
        path = place + end
        try:
            is_ours = S_ISREG(os.lstat(path).st_mode)
        except OSError:
            continue
        if is_ours and end == "-journal":
            with open(path, "rb") as file:
                length = len(_JOURNAL_MAGIC)
                file.seek(max(0, os.fstat(file.fileno()).st_size - length))
                is_ours = file.read(length) != _JOURNAL_MAGIC
        if not is_ours:
            raise StoreError(
                f"{path} is nothing that dctx made.",
                "Move it away, and look at who put it there.",
            )


def _copy_in_memory(place: str) -> sqlite3.Connection:
    """What a file holds that may only be read, its log included; what is written to it says so."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="dctx-") as folder:
        beside = os.path.join(folder, "store.db")
        # With what a crash left beside it: in the copy SQLite brings that to its end.
        for end in ("", "-wal", "-journal"):
            if os.path.isfile(place + end):
                shutil.copyfile(place + end, beside + end)
        connection, copy = connect(MEMORY), connect(beside)
        try:
            copy.backup(connection)
        except BaseException:
            connection.close()
            raise
        finally:
            copy.close()
    return connection


def make_file(place: str) -> None:
    """A new store, made beside and moved into place; one that somebody else made meanwhile stays."""
    beside = f"{place}.{os.urandom(4).hex()}.tmp"
    try:
        _create(beside)
        os.chmod(beside, 0o600)  # whatever the umask
        connection = connect(beside)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            make_tables(connection)
        finally:
            connection.close()
        _put_in_place(beside, place)
    except sqlite3.Error as error:
        raise translated(error, place) from error
    except OSError as error:
        raise StoreError(
            f"The store could not be made: {error.strerror or error} ({place}).",
            "Look at the free space, and at the permissions of the folder.",
        ) from error
    finally:
        _remove(beside, *(beside + end for end in _BESIDE))


def _create(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _put_in_place(beside: str, place: str) -> None:
    try:
        os.link(beside, place)
    except FileExistsError:
        return
    except OSError:
        # A file system without hard links: an empty file is a store too, whose first reader makes
        # the tables.
        try:
            _create(place)
        except FileExistsError:
            return
    folder = os.path.dirname(place)
    for each in (folder, os.path.dirname(folder)):
        # A name is durable when its folder is; where that cannot be asked for, the system decides.
        try:
            descriptor = os.open(each, os.O_RDONLY)
        except OSError:
            continue
        try:
            os.fsync(descriptor)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def sweep(place: str) -> None:
    """Removes what a killed creation left, long after."""
    folder, name = os.path.split(place)
    long_ago = time.time() - LEFT_BEHIND
    try:
        for entry in os.listdir(folder):
            path = os.path.join(folder, entry)
            is_left = entry.startswith(f"{name}.") and ".tmp" in entry
            if is_left and os.lstat(path).st_mtime < long_ago:
                _remove(path)
    except OSError:
        pass  # another one sweeps, or nobody may


def _remove(*names: str) -> None:
    for name in names:
        if os.path.lexists(name):
            os.unlink(name)


def _after_fork() -> None:
    for known in list(_open):
        engine = known()
        if engine:
            engine.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
