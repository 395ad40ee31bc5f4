"""Values as they are stored, and what is hidden in them.

A file is its user's alone: it has secrets as they are, and one that somebody asked for is marked.

    {"dctx:secret": "only we know"}

Others read the rows of a shared database: there each hidden part is a token that only the key of the
team opens.

    {"email": "a@b.c", "password": {"dctx:sealed": "k2J9…"}}
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.secrets.values import without_hidden
from director_ctx.memory.variables.display import SEALED, SECRET, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.memory.store.store import Store

    Seal = Callable[[str, str], str]
    """From a variable's name and its value as a file has it to the value as a store has it."""

KEY = "DCTX_KEY"
SHORTEST_KEY = 32
SHARED = "postgresql"


def in_file(value: Any, asked: bool) -> str:
    """A value as a file has it."""
    return as_json({SECRET: value} if asked else value)


def was_asked(stored: str) -> bool:
    """Whether somebody said that the whole value is a secret."""
    return f'"{SECRET}":' in stored


def sealer(store: Store) -> Seal:
    """Seals what comes into a store, if others read it."""
    if store.engine.name != SHARED:
        return lambda _, stored: stored
    sql = "SELECT name, value FROM dctx_variables WHERE workflow_id = ? ORDER BY name"
    rows = store.engine.rows(sql, (store.workflow,))
    earlier = [(name, stored) for name, stored in rows if _is_sealed(stored)]

    def sealed(name: str, stored: str) -> str:
        # What came out of a shared store is sealed already.
        if _is_sealed(stored):
            return stored
        value = read_json(stored)
        if was_asked(stored):
            return as_json({SECRET: token(name, _opened(name, value))})
        safe = without_hidden(name, value, lambda part: token(name, part))
        return stored if safe == value else as_json(safe)

    def token(name: str, part: Any) -> dict[str, str]:
        # With another key, each teammate would have half of the secrets.
        for known, its_value in earlier[:1]:
            reveal(known, its_value)
        from base64 import urlsafe_b64encode

        # The same part gives the same token, so that a file can be imported twice. The name belongs to
        # it: a token does not open under another one.
        sealed = _cipher().encrypt(as_json(part).encode(), [name.encode()])
        return {SEALED: urlsafe_b64encode(sealed).decode()}

    return sealed


def _is_sealed(stored: str) -> bool:
    return f'"{SEALED}":' in stored


def reveal(name: str, stored: str) -> Any:
    """The exact value."""
    try:
        return _opened(name, read_json(stored))
    except (ValueError, RecursionError) as error:
        raise DctxError(
            f"The value of {name} cannot be read: it is no JSON.", "Set it again."
        ) from error


def _opened(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_opened(name, item) for item in value]
    if not isinstance(value, dict):
        return value
    if SEALED in value:
        return _open(name, str(value[SEALED]))
    if SECRET in value:
        return _opened(name, value[SECRET])
    return {field: _opened(name, inner) for field, inner in value.items()}


def _open(name: str, token: str) -> Any:
    from base64 import urlsafe_b64decode

    cipher = _cipher()
    from cryptography.exceptions import InvalidTag

    try:
        return read_json(cipher.decrypt(urlsafe_b64decode(token), [name.encode()]).decode())
    except (InvalidTag, ValueError) as error:
        raise DctxError(
            f"A secret in {name} cannot be opened: it was sealed with another key, or changed.",
            f"Put the key of the team into {KEY}, or clear the variable and set it again.",
        ) from error


def _cipher() -> Any:
    try:
        # Only a shared store needs it, and loading it takes 13 ms.
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV
    except ImportError as error:
        raise DctxError(
            "Secrets of a shared store need the package cryptography.",
            "pip install 'director-ctx[postgres]'",
        ) from error
    from hashlib import sha512

    key = os.environ.get(KEY, "").strip()
    if len(key) < SHORTEST_KEY:
        raise DctxError(
            f"Secrets of a shared store need a key of {SHORTEST_KEY} characters or more in {KEY}.",
            f'Make one for the team: export {KEY}="$(openssl rand -base64 32)"',
        )
    return AESSIV(sha512(key.encode()).digest())


def hidden_texts(name: str, stored: str) -> list[str]:
    """The texts of a value that are hidden, as far as it can be opened: to be kept out of what is said
    about it.
    """
    try:
        value = reveal(name, stored)
    except DctxError:
        return []
    parts = [value] if was_asked(stored) else []
    if not parts:
        without_hidden(name, value, parts.append)
    return [text for part in parts for text in texts_in(part)]


def texts_in(value: Any) -> Iterator[str]:
    """Every text and number in a value, as it is written."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def as_json(value: Any) -> str:
    """JSON that every database takes; half a surrogate pair stays an escape."""
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text
