"""What PostgreSQL says, in our words, and a URL as it may be shown: never with a password."""

from __future__ import annotations

from director_ctx.memory.store.engine import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from psycopg import Error

CLASHED = frozenset(("23505", "40001", "40P01"))
"""Somebody got in between: the same version, or a deadlock."""
_PASSING = frozenset(
    (
        "57P01",
        "57P02",
        "57P03",
        "57P05",
        "53300",
        "08000",
        "08003",
        "08006",
        "08001",
        "08004",
        "08P01",
    )
)
_PASSING_WORDS = (
    "refused", "starting up", "shutting down", "not yet accepting", "recovery mode", "too many", "slots are reserved",
    "No such file", "closed the connection", "connection is closed", "connection is lost", "lost synchronization",
    "reset by peer", "Broken pipe", "terminating connection", "not currently accepting", "consuming input failed",
    "SSL SYSCALL", "SSL connection has been closed", "timeout expired",
)  # fmt: skip
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
    "22P05": (
        "The database cannot hold a character of this text",
        "Take it out: a NUL (\\u0000) or half a pair.",
    ),
    "22021": (
        "The database cannot hold a character of this text",
        "Take it out: a NUL (\\u0000) or half a pair.",
    ),
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
        "password authentication failed",
        "The server refused the password.",
        "Look at the URL, PGPASSWORD or ~/.pgpass.",
    ),
    (
        "no password supplied",
        "The server wants a password.",
        "Put it into PGPASSWORD, ~/.pgpass or DCTX_STORE.",
    ),
    (
        "no pg_hba.conf entry",
        "The server does not let this user in from here.",
        "Its pg_hba.conf says who may.",
    ),
    (
        "Peer authentication failed",
        "The server does not let this user in from here.",
        "Its pg_hba.conf says who may.",
    ),
    ("role", "The server does not know this user.", "Look at the URL."),
    ("database", "The server has no such database.", "Make it, or look at the URL."),
    (
        "failed to resolve host",
        "There is no such server.",
        "Look at the host in the URL, and at the network.",
    ),
    (
        "could not translate host name",
        "There is no such server.",
        "Look at the host in the URL, and at the network.",
    ),
    (
        "No such file",
        "No server answers there.",
        "Is it running? Look at the host and port in the URL.",
    ),
    ("refused", "No server answers there.", "Is it running? Look at the host and port in the URL."),
    (
        "timeout expired",
        "The server does not answer.",
        "Look at the host in the URL, and at the network.",
    ),
    ("starting up", "The server is starting and not ready yet.", "Try again in a moment."),
    ("shutting down", "The server is shutting down.", "Try again once it is back."),
    ("too many", "The server has too many connections.", "Try again later, or use its pooler."),
    (
        "slots are reserved",
        "The server has too many connections.",
        "Try again later, or use its pooler.",
    ),
    ("NUL", "PostgreSQL holds no text with a NUL in it.", "Take it out: the character \\0."),
    ("SSL", "The server and we do not agree on encryption.", "Look at sslmode in the URL."),
)


def is_passing(error: Error) -> bool:
    """Whether it may go well in a moment, and nothing was done so far."""
    state = error.sqlstate
    if state is not None:
        return state in _PASSING or state in CLASHED
    return any(words in str(error) for words in _PASSING_WORDS)


def translated(error: Error, url: str) -> StoreError:
    """The error as a sentence that names the place, and no secret."""
    sentence = _in_words(error, url)
    sentence.state = error.sqlstate or ""
    return sentence


def _in_words(error: Error, url: str) -> StoreError:
    where = shown(url)
    state = error.sqlstate
    if state in _BY_STATE:
        sentence, hint = _BY_STATE[state]
        return StoreError(f"{sentence}{_named(error, sentence, url)} ({where})", hint)
    if state is not None:
        return StoreError(
            f"The database refused that (SQLSTATE {state}). ({where})", "Look at its log."
        )

    text = str(error)
    for words, sentence, hint in _BY_WORDS:
        # A role or a database is in many messages; only these say that there is none.
        is_any = words not in ("role", "database") or "does not exist" in text
        if words in text and is_any:
            return StoreError(f"{sentence} ({where})", hint)

    first = text.strip().split("\n")[0][:300]
    more = ""
    if first and not _tells(text, url):
        more = f": {first.rstrip('.')}"
    return StoreError(
        f"The database could not be used{more}. ({where})", "Look at the server and its log."
    )


def _named(error: Error, sentence: str, url: str) -> str:
    """The end of a sentence: what the server names, where that tells no secret."""
    if error.sqlstate in _NAMES_ONLY:
        said = (error.diag.message_primary or "").rstrip(".")
        if said and not _tells(said, url):
            return f": {said}."
    return "" if sentence.endswith(".") else "."


_PLACES = ("host", "port", "dbname", "user", "sslmode")


def shown(url: str) -> str:
    """The URL without its password, wherever one may stand."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url
    user, at, place = rest.rpartition("@")
    if not at:
        return f"{scheme}://{_without_words(rest)}"
    name, colon, _ = user.partition(":")
    if set(name) & set("@/?"):  # the last @ is not the one behind the user
        return shown(f"{scheme}://{rest.partition('?')[0]}")
    password = ":..." if colon else ""
    return f"{scheme}://{name}{password}@{_without_words(place)}"


def _without_words(place: str) -> str:
    """Of the words after the question mark, only those that say where."""
    before, _, after = place.partition("?")
    kept = [word for word in after.split("&") if word.partition("=")[0] in _PLACES]
    if not kept:
        return before
    return f"{before}?{'&'.join(kept)}"


def misspelt(url: str) -> str:
    """What is wrong with a URL; libpq would take a piece of such a password for the host, and name
    it.
    """
    if not url.startswith(("postgresql://", "postgres://")):
        return "A shared store is named by a URL that begins with postgresql://."
    user, at, _ = url.partition("://")[2].rpartition("@")
    if at and set(user) & set("@/?#[] "):
        return "The URL of the store has an @ too many, or a character in its password that must be written as %40."
    return ""


def _tells(text: str, url: str) -> bool:
    """Whether a message holds a secret of the URL, or a piece of it."""
    secrets = [secret for secret in _secrets(url) if secret]
    return any(secret in text or _unquoted(secret) in text for secret in secrets)


def _secrets(url: str) -> list[str]:
    rest = url.partition("://")[2]
    secrets: list[str] = []
    for word in rest.partition("?")[2].split("&"):
        name, _, value = word.partition("=")
        if "pass" in name.casefold():
            secrets.append(value)
    user, at, _ = rest.rpartition("@")
    if at:
        secrets.append(user.partition(":")[2])
    return secrets


def _unquoted(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text)
