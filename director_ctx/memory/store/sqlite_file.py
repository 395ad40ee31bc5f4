"""The store's file: how it is made, what of a strange one is not to be opened, and what SQLite
answers, in sentences.
"""

from __future__ import annotations

import os
import sqlite3
import time
from stat import S_ISREG

from director_ctx.base.text import plain
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.schema import SQLITE, VERSION
from director_ctx.memory.store.sqlite_rows import OddValue

_BACKUP = "Move it away; `dctx store import` reads a backup."
_NO_TEXT = "Could not decode to UTF-8"
"""What Python says of a text in a damaged file."""
_SENTENCES = (
    (
        ("SQLITE_BUSY", "SQLITE_PROTOCOL"),
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
    (
        "SQLITE_READONLY",
        "The store may not be written",
        "Look at the permissions of the file and its folder.",
    ),
    (
        ("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"),
        "The store could not be opened",
        "Look at the permissions of the file and its folder.",
    ),
    ("SQLITE_NOTADB", "The store is not a database", _BACKUP),
    ("SQLITE_CORRUPT", "The store is damaged", _BACKUP),
    ("SQLITE_TOOBIG", "That is too large for the store", "A text may have a gigabyte."),
)


def translated(error: Exception, place: str) -> StoreError:
    """What SQLite says by a code, as a sentence."""
    code = code_of(error)
    for codes, sentence, hint in _SENTENCES:
        if code.startswith(codes):
            return StoreError(f"{sentence} ({place}).", hint)
    if isinstance(error, UnicodeDecodeError | OddValue) or _NO_TEXT in str(error):
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


def code_of(error: BaseException) -> str:
    """SQLite's name of an error; Python's own have none."""
    return getattr(error, "sqlite_errorname", "")


def busy(error: BaseException) -> bool:
    return code_of(error).startswith(("SQLITE_BUSY", "SQLITE_PROTOCOL"))


MEMORY = ":memory:"
LARGEST_LOG = 16 << 20
"""Bytes that the log keeps for its next use, after a long reader made it grow."""
LEFT_BEHIND = 3600.0
"""Seconds after which nobody is making a file any more."""
_BESIDE = ("-journal", "-wal", "-shm")
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_MADE = frozenset(SQLITE)


def connect(place: str) -> sqlite3.Connection:
    """Without waiting and without transactions of its own: the engine does both."""
    return sqlite3.connect(place, timeout=0, isolation_level=None, check_same_thread=False)


def prepare(connection: sqlite3.Connection, place: str) -> None:
    """What each connection has to be told, and a look at who made the file."""
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    # What is forgotten does not stay in pages that nothing uses.
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute(f"PRAGMA journal_size_limit={LARGEST_LOG}")

    statements: dict[str, str] = {}
    for name, sql in connection.execute("SELECT name, sql FROM sqlite_master"):
        if sql:
            statements[name] = sql
    version = version_of(connection)
    if version > VERSION and "dctx_meta" in statements:
        raise StoreError(
            f"The store is of version {version}, newer than this dctx ({place}).", "Upgrade dctx."
        )
    # Tables of others, triggers, views and changed columns are not.
    if version not in (0, VERSION) or not _MADE.issuperset(statements.values()):
        raise StoreError(
            f"The store has parts that dctx did not make ({place}).",
            "Move it away; it may be another's.",
        )


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def make_tables(connection: sqlite3.Connection) -> None:
    """Where there are none: in one transaction, together with their version."""
    if version_of(connection) == VERSION:
        return
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have made them meanwhile.
        if version_of(connection) != VERSION:
            for statement in SQLITE:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def refuse_strange_neighbours(place: str) -> None:
    """Links and pipes beside the file, and a journal of a transaction over several files: dctx
    makes none of these.
    """
    for end in _BESIDE:
        path = place + end
        try:
            is_file = S_ISREG(os.lstat(path).st_mode)
        except OSError:
            continue
        is_of_several = is_file and end == "-journal" and _names_another(path)
        if not is_file or is_of_several:
            raise StoreError(
                f"{place}{end} is nothing that dctx made.",
                "Move it away, and look at who put it there.",
            )


def _names_another(journal: str) -> bool:
    with open(journal, "rb") as file:
        end = len(_JOURNAL_MAGIC)
        file.seek(max(0, os.fstat(file.fileno()).st_size - end))
        return file.read(end) == _JOURNAL_MAGIC


def file_size(place: str) -> int:
    """Bytes of a store, with the log beside it."""
    size = 0
    for path in (place, f"{place}-wal"):
        if os.path.isfile(path):
            size += os.path.getsize(path)
    return size


def copy_in_memory(place: str) -> sqlite3.Connection:
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
        _make(beside)
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


def _make(place: str) -> None:
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.chmod(place, 0o600)  # whatever the umask
    connection = connect(place)
    try:
        connection.execute("PRAGMA synchronous=FULL")
        make_tables(connection)
    finally:
        connection.close()


def _put_in_place(beside: str, place: str) -> None:
    try:
        os.link(beside, place)
    except FileExistsError:
        return
    except OSError:
        # A file system without hard links: an empty file is a store too, whose first reader makes
        # the tables.
        try:
            os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return
    folder = os.path.dirname(place)
    _sync(folder)
    _sync(os.path.dirname(folder))


def _sync(folder: str) -> None:
    """A name is durable when its folder is; where that cannot be asked for, the system decides."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
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
        left: list[str] = []
        for entry in os.listdir(folder):
            if entry.startswith(f"{name}.") and ".tmp" in entry:
                path = os.path.join(folder, entry)
                if os.lstat(path).st_mtime < long_ago:
                    left.append(path)
        _remove(*left)
    except OSError:
        pass  # another one sweeps, or nobody may


def _remove(*names: str) -> None:
    for name in names:
        if os.path.lexists(name):
            os.unlink(name)
