"""The store that a team shares: PostgreSQL, by a URL, through psycopg.

Nothing is kept in the session beyond a transaction, so that a pooler between here and the server
may hand every transaction to another connection.
"""

from __future__ import annotations

import os
from _thread import RLock

from director_ctx.base.hashing import digest
from director_ctx.memory.store.engine import MID_CHANGE, Condition, StoreError
from director_ctx.memory.store.schema import STATEMENTS
from director_ctx.memory.store.store import patiently

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from psycopg import Connection, Error

    from director_ctx.memory.store.engine import Reader, Row, T, View, Writer

PATIENCE = 30.0
"""Seconds that a server may be away, once it was there."""
OPENING = 3.0
"""Seconds that it may be away at the start: a restart is over by then, and a mistyped port is not
worth more.
"""
WAIT = 5
"""Seconds that a connection may take."""
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
        begin = _WRITE.format(key=lock_key(workflow)).encode()
        unsure = False

        def attempt() -> T:
            nonlocal unsure
            connection = self._connected()
            try:
                connection.execute(begin)
                inside = Inside(connection)
                # Whoever might still be committing has the lock: what `done` does not see now was
                # not written.
                result = done(inside) if unsure and done else None
                if result is None:
                    result = work(inside)
            except BaseException:
                self._roll_back()
                raise
            try:
                self._commit(connection, is_told=done is not None)
            except _Unsure:
                unsure = True
                raise
            return result

        with self._turn:
            if self._patiently(self._is_within):
                raise StoreError(*MID_CHANGE)
            return self._patiently(attempt)

    def _commit(self, connection: Connection[Any], is_told: bool) -> None:
        import psycopg

        try:
            said = connection.execute(b"COMMIT").statusmessage
        except psycopg.Error as error:
            if not connection.closed:
                self._roll_back()
                raise
            if is_told:
                raise _Unsure from error
            raise StoreError(
                "The connection broke while something was being written.",
                "Look whether it was, then try again.",
            ) from error
        except BaseException:
            connection.close()
            raise
        if said != "COMMIT":
            raise StoreError("The database refused what was written; nothing was.", "Try again.")

    def condition(self) -> Condition:
        # Of dctx's tables alone: the database may hold much else.
        tables = [one.split()[2] for one in STATEMENTS if one.startswith("CREATE TABLE")]
        marks = ", ".join("?" * len(tables))
        size = self.row(
            "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint"
            f" FROM unnest(ARRAY[{marks}]::text[]) AS name",
            tables,
        )
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
        info = self._connected().info
        return info.transaction_status != info.transaction_status.IDLE

    def _roll_back(self) -> None:
        """Leaves no transaction open; a connection in a state that nobody knows is given up."""
        import psycopg

        connection = self._connection
        if connection is None or connection.closed:
            return
        status = connection.info.transaction_status
        try:
            if status in (status.INTRANS, status.INERROR):
                connection.execute(b"ROLLBACK")
            elif status != status.IDLE:
                connection.close()
        except psycopg.Error:
            connection.close()

    def _patiently(self, ask: Callable[[], T], patience: float | None = None) -> T:
        import psycopg

        clashes = 0

        def may_pass(error: Exception) -> bool:
            nonlocal clashes
            clashes += getattr(error, "sqlstate", "") in CLASHED
            if not isinstance(error, psycopg.Error):
                return isinstance(error, _Unsure)
            return is_passing(error) and clashes <= CLASHES

        seconds = self.patience if patience is None else patience
        try:
            return patiently(ask, seconds, may_pass, SHORTEST_NAP, LONGEST_NAP)
        except _Unsure as error:
            raise StoreError(
                "The connection broke while something was being written, and the server does not come back.",
                "Look whether it was written before you do it again.",
            ) from error
        except UnicodeEncodeError as error:
            raise StoreError(
                "The text has half a character, which no store holds.", "Take it out."
            ) from error
        except psycopg.Error as error:
            raise translated(error, self._url) from error


def lock_key(name: str) -> int:
    """The number that stands for a workflow among the server's advisory locks."""
    # Eight bytes with a sign, which is what the server takes.
    first_bytes = bytes.fromhex(digest(f"dctx {name}".encode())[:16])
    return int.from_bytes(first_bytes, "big", signed=True)


def numbered(sql: str, known: dict[str, bytes] = {}) -> bytes:  # noqa: B006
    """The same statement with PostgreSQL's own names for values: $1, $2."""
    if sql not in known:
        first, *rest = sql.split("?")
        parts = (f"${number}{part}" for number, part in enumerate(rest, 1))
        known[sql] = "".join((first, *parts)).encode()
    return known[sql]


def settings(url: str) -> dict[str, Any]:
    """What the URL says, and what dctx wants where it says nothing."""
    try:
        import psycopg
    except ImportError as error:
        raise StoreError(
            "A store on PostgreSQL needs psycopg, which is not installed.",
            "pip install 'director-ctx[postgres]'",
        ) from error
    from psycopg.conninfo import conninfo_to_dict

    # libpq would take a piece of a misspelt password for the host, and name it.
    if not url.startswith(("postgresql://", "postgres://")):
        raise StoreError("A shared store is named by a URL that begins with postgresql://.", _FORM)
    user, at, _ = url.partition("://")[2].rpartition("@")
    if at and set(user) & set("@/?#[] "):
        raise StoreError(
            "The URL of the store has an @ too many, or a character in its password that must be written as %40.",
            _FORM,
        )
    try:
        said = conninfo_to_dict(url)
    except psycopg.Error:
        # What libpq says about it may quote a piece of the password.
        raise StoreError(
            "The URL of the store cannot be read.",
            "postgresql://USER@HOST/DATABASE; a % in a password is %25.",
        ) from None
    wanted = {"connect_timeout": WAIT, "application_name": "dctx", "client_encoding": "utf8"}
    return {**wanted, **{name: value for name, value in said.items() if value is not None}}


_FORM = "postgresql://USER@HOST/DATABASE; in a password @ is %40, / is %2F, ? is %3F."


def connect(said: dict[str, Any]) -> Connection[Any]:
    """A connection outside of any transaction. Prepared statements would outlive one, so there are
    none. Ids, JSON and times come back as text, as SQLite has them.
    """
    from datetime import UTC, datetime

    import psycopg
    from psycopg.adapt import Loader
    from psycopg.types.numeric import FloatLoader
    from psycopg.types.string import TextLoader

    class Moment(Loader):
        def load(self, data: Any) -> str:
            text = bytes(data).decode()
            # A pooler's session may have any time zone, so times come with any offset.
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                return text  # infinity, or years that Python does not know
            moment = moment.astimezone(UTC) if moment.tzinfo else moment
            return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z".rjust(27, "0")

    connection = psycopg.Connection.connect(
        autocommit=True, prepare_threshold=None, cursor_factory=psycopg.RawCursor, **said
    )
    for loader, names in (
        (TextLoader, "uuid json jsonb"),
        (Moment, "timestamptz timestamp"),
        (FloatLoader, "numeric"),
    ):
        for name in names.split():
            connection.adapters.register_loader(name, loader)
    return connection


# What PostgreSQL says, in our words, and a URL as it may be shown: never with a password.
CLASHED = frozenset(("23505", "40001", "40P01"))
"""Somebody got in between: the same version, or a deadlock."""
_PASSING = CLASHED | set(
    "57P01 57P02 57P03 57P05 53300 08000 08003 08006 08001 08004 08P01".split()
)
_PASSING_WORDS = (
    "refused", "starting up", "shutting down", "not yet accepting", "recovery mode", "too many", "slots are reserved",
    "No such file", "closed the connection", "connection is closed", "connection is lost", "lost synchronization",
    "reset by peer", "Broken pipe", "terminating connection", "not currently accepting", "consuming input failed",
    "SSL SYSCALL", "SSL connection has been closed", "timeout expired",
)  # fmt: skip
_NO_CHARACTER = (
    "The database cannot hold a character of this text",
    "Take it out: a NUL (\\u0000) or half a pair.",
)
_BY_STATE = {
    "42P01": (
        "The database has no tables of dctx, or not all.",
        "`dctx store migrate` shows what is missing.",
    ),
    "42703": (
        "A table of the database lacks a column.",
        "`dctx store migrate` shows what is missing.",
    ),
    "42501": (
        "The database does not let this user do that",
        "Its owner can GRANT it; or name another user.",
    ),
    "3F000": (
        "The database has no schema to make tables in.",
        "Make one first, by CREATE SCHEMA, or name another one.",
    ),
    "25006": ("The database may only be read", "Name its primary server in the URL."),
    "53100": (
        "The disk of the database is full; nothing was written.",
        "Make room there, then try again.",
    ),
    "53200": ("The server is out of memory; nothing was written.", "Try again later."),
    "53300": ("The server has too many connections.", "Try again later, or use its pooler."),
    "55P03": (
        "Somebody else holds this workflow and does not finish.",
        "Look for it, then try again.",
    ),
    "57014": (
        "The database stopped this because it took too long.",
        "Raise its statement_timeout, or try again.",
    ),
    "22P05": _NO_CHARACTER,
    "22021": _NO_CHARACTER,
    "22P02": (
        "The database does not take one of the values",
        "It may be no UUID where its column wants one.",
    ),
    "54000": ("The value is too large for the database", "Keep a shorter one."),
    "23502": (
        "A table of the database wants a column filled in that dctx does not know",
        "Where it is `workflows`: make the row in your application, and name its id as workflow_id in dctx.yaml.",
    ),
    "23503": (
        "A row that this one refers to is not there",
        "Somebody may have deleted the workflow; try again.",
    ),
    "23505": (
        "Something like it is there already",
        "Another program may write without waiting for its turn.",
    ),
    "23514": ("A rule of the database's own forbids this row", "Ask whoever made the table."),
}
_NAMES_ONLY = frozenset(("42501", "25006", "23502", "23503", "23514"))
"""Where the server's own sentence names tables and columns, and no value of a row."""
_BY_WORDS = (
    (
        ("password authentication failed",),
        "The server refused the password.",
        "Look at the URL, PGPASSWORD or ~/.pgpass.",
    ),
    (
        ("no password supplied",),
        "The server wants a password.",
        "Put it into PGPASSWORD, ~/.pgpass or DCTX_STORE.",
    ),
    (
        ("no pg_hba.conf entry", "Peer authentication failed"),
        "The server does not let this user in from here.",
        "Its pg_hba.conf says who may.",
    ),
    (("role",), "The server does not know this user.", "Look at the URL."),
    (("database",), "The server has no such database.", "Make it, or look at the URL."),
    (
        ("failed to resolve host", "could not translate host name"),
        "There is no such server.",
        "Look at the host in the URL, and at the network.",
    ),
    (
        ("No such file", "refused"),
        "No server answers there.",
        "Is it running? Look at the host and port in the URL.",
    ),
    (
        ("timeout expired",),
        "The server does not answer.",
        "Look at the host in the URL, and at the network.",
    ),
    (("starting up",), "The server is starting and not ready yet.", "Try again in a moment."),
    (("shutting down",), "The server is shutting down.", "Try again once it is back."),
    (
        ("too many", "slots are reserved"),
        "The server has too many connections.",
        "Try again later, or use its pooler.",
    ),
    (("NUL",), "PostgreSQL holds no text with a NUL in it.", "Take it out: the character \\0."),
    (("SSL",), "The server and we do not agree on encryption.", "Look at sslmode in the URL."),
)


def is_passing(error: Error) -> bool:
    """Whether it may go well in a moment, and nothing was done so far."""
    if error.sqlstate is not None:
        return error.sqlstate in _PASSING
    return any(words in str(error) for words in _PASSING_WORDS)


def translated(error: Error, url: str) -> StoreError:
    """The error as a sentence that names the place, and no secret."""
    message, hint = _in_words(error, url)
    sentence = StoreError(f"{message} ({shown(url)})", hint)
    sentence.state = error.sqlstate or ""
    return sentence


def _in_words(error: Error, url: str) -> tuple[str, str]:
    state = error.sqlstate
    if state is not None:
        sentence, hint = _BY_STATE.get(
            state, (f"The database refused that (SQLSTATE {state}).", "Look at its log.")
        )
        said = (error.diag.message_primary or "").rstrip(".")
        if state in _NAMES_ONLY and said and not _tells(said, url):
            return f"{sentence}: {said}.", hint
        return f"{sentence.removesuffix('.')}.", hint

    text = str(error)
    for any_of, sentence, hint in _BY_WORDS:
        # A role or a database is in many messages; only these say that there is none.
        is_any = any_of[0] not in ("role", "database") or "does not exist" in text
        if is_any and any(words in text for words in any_of):
            return sentence, hint

    first = text.strip().split("\n")[0][:300]
    more = f": {first.rstrip('.')}" if first and not _tells(text, url) else ""
    return f"The database could not be used{more}.", "Look at the server and its log."


def shown(url: str) -> str:
    """The URL without its password, wherever one may stand, and of the words after the question mark
    only those that say where.
    """
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url
    user, at, place = rest.rpartition("@")
    name, colon, _ = user.partition(":")
    if set(name) & set("@/?"):  # the last @ is not the one behind the user
        return shown(f"{scheme}://{rest.partition('?')[0]}")
    place, _, after = place.partition("?")
    places = ("host", "port", "dbname", "user", "sslmode")
    kept = [word for word in after.split("&") if word.partition("=")[0] in places]
    words = f"?{'&'.join(kept)}" if kept else ""
    return f"{scheme}://{name}{':...' if colon else ''}{at}{place}{words}"


def _tells(text: str, url: str) -> bool:
    """Whether a message holds a secret of the URL, or a piece of it."""
    from urllib.parse import unquote

    rest = url.partition("://")[2]
    words = [word.partition("=") for word in rest.partition("?")[2].split("&")]
    secrets = [value for name, _, value in words if "pass" in name.casefold()]
    user, at, _ = rest.rpartition("@")
    if at:
        secrets.append(user.partition(":")[2])
    return any(secret in text or unquote(secret) in text for secret in secrets if secret)
