"""A connection through psycopg: how it is made, and in which form its values come back."""

from __future__ import annotations

from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.postgres_words import misspelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from psycopg import Connection

WAIT = 5
"""Seconds that a connection may take."""


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

    if wrong := misspelt(url):
        raise StoreError(
            wrong, "postgresql://USER@HOST/DATABASE; in a password @ is %40, / is %2F, ? is %3F."
        )
    try:
        said = dict(conninfo_to_dict(url))
    except psycopg.Error:
        # What libpq says about it may quote a piece of the password.
        raise StoreError(
            "The URL of the store cannot be read.",
            "postgresql://USER@HOST/DATABASE; a % in a password is %25.",
        ) from None
    wanted = {"connect_timeout": WAIT, "application_name": "dctx", "client_encoding": "utf8"}
    return {**wanted, **{name: value for name, value in said.items() if value is not None}}


def connect(said: dict[str, Any]) -> Connection[Any]:
    """A connection outside of any transaction. Prepared statements would outlive one, so there are
    none.
    """
    import psycopg

    connection = psycopg.Connection.connect(
        autocommit=True, prepare_threshold=None, cursor_factory=psycopg.RawCursor, **said
    )
    _speak_plainly(connection)
    return connection


def _speak_plainly(connection: Connection[Any]) -> None:
    """Ids, JSON and times come back as text, as SQLite has them."""
    from datetime import UTC, datetime

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

    for name in ("uuid", "json", "jsonb"):
        connection.adapters.register_loader(name, TextLoader)
    for name in ("timestamptz", "timestamp"):
        connection.adapters.register_loader(name, Moment)
    connection.adapters.register_loader("numeric", FloatLoader)
