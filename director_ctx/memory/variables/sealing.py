"""Secrets at rest: each hidden part of a value is replaced by a token that only the key opens.

    {"email": "a@b.c", "password": {"dctx:sealed": "1.found.0f3c….gAAAA…"}}

A token says its version, whether somebody asked for it or it was found, and which key it needs.
Inside, encrypted, are the value and the name of its variable, so that a token does not open under
another name.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.secrets.values import without_hidden
from director_ctx.memory.variables.display import SEALED, is_sealed, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Object = dict[str, Any]
    GetKey = Callable[[], str]
    FindKey = Callable[[str], str | None]
    """Finds a key by its fingerprint."""

ASKED, FOUND = "asked", "found"
_VERSION = "1"
_KEY_BYTES = 32
_KEY_LENGTH = 44
"""Characters of so many bytes in base64."""


class MissingKey(DctxError):
    """The store is fine; what opens its secrets is somewhere else."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        super().__init__(
            f"This needs the key {fingerprint}, which is not on this machine.",
            "Where it is, `dctx store key --export > team.key`; here, `dctx store key --import team.key`.",
        )


class Sealed(Record):
    """A value that may be stored."""

    text: str
    """JSON."""
    hidden: tuple[str, ...] = ()
    """The texts that were sealed, in the clear, to be kept out of whatever is said about the
    change.
    """


def seal(
    name: str,
    value: Any,
    key: GetKey,
    asked: bool = False,
) -> Sealed:
    """The value as JSON without its secrets. The key is asked for only if there are any."""
    hidden: list[str] = []
    why = FOUND
    if asked:
        why = ASKED

    def sealed_part(part: Any) -> Object:
        hidden.extend(texts_in(part))
        token = _token(name, part, key(), why)
        return {SEALED: token}

    # What looks like a token already must not be taken for one of ours.
    if asked or _has_token(value):
        safe = sealed_part(value)
    else:
        safe = without_hidden(name, value, sealed_part)
    return Sealed(as_json(safe), tuple(hidden))


def _has_token(value: Any) -> bool:
    return any(SEALED in inner for inner in _objects(value))


def as_json(value: Any) -> str:
    """JSON that every database takes; half a surrogate pair stays an escape."""
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if _is_unicode(text):
        return text
    return json.dumps(value, allow_nan=False)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def reveal(name: str, stored: str, find: FindKey) -> Any:
    """The exact value."""
    try:
        return _opened(name, read_json(stored), find)
    except (ValueError, RecursionError) as error:
        raise DctxError(
            f"The value of {name} cannot be read: it is no JSON.", "Set it again."
        ) from error


def sealed_line(line: bytes, key: str) -> bytes:
    """A line of a file that only the key opens."""
    # Loading it takes 13 ms; who has no secret goes without.
    from cryptography.fernet import Fernet

    return Fernet(key).encrypt(line) + b"\n"


def opened_lines(lines: Iterable[bytes], mark: str, find: FindKey) -> Iterator[bytes]:
    """The lines again."""
    from cryptography.fernet import Fernet, InvalidToken

    key = find(mark)
    if key is None:
        raise MissingKey(mark)
    fernet = Fernet(key)
    for number, line in enumerate(lines, 2):
        try:
            yield fernet.decrypt(line.rstrip(b"\n"))
        except InvalidToken:
            raise DctxError(
                f"Line {number} cannot be opened: it was changed.", "Nothing was imported."
            ) from None


def needed_keys(stored: str) -> set[str]:
    """The fingerprints of the keys that a stored value was sealed with."""
    marks: set[str] = set()
    for token in _tokens(stored):
        parts = token.split(".")
        if len(parts) == 4:
            _, _, mark, _ = parts
            marks.add(mark)
    return marks


def was_asked(stored: str) -> bool:
    """Whether somebody said that the whole value is a secret."""
    if not stored.startswith(f'{{"{SEALED}"'):
        return False
    return any(f".{ASKED}." in token for token in _tokens(stored))


def new_key() -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(os.urandom(_KEY_BYTES)).decode()


def is_key(text: str) -> bool:
    from base64 import urlsafe_b64decode

    if len(text) != _KEY_LENGTH:
        return False
    try:
        return len(urlsafe_b64decode(text.encode("ascii"))) == _KEY_BYTES
    except ValueError:
        return False


def fingerprint(key: str) -> str:
    """What a key is called where everybody may see it."""
    return text_digest(f"dctx key {key}")[:12]


def texts_in(value: Any) -> Iterator[str]:
    """Every text and number in a value, as it is written."""
    if isinstance(value, (dict, list)):
        for inner in _inside(value):
            yield from texts_in(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list):
        return value
    return ()


def _objects(value: Any) -> Iterator[Object]:
    if isinstance(value, dict):
        yield value
    for inner in _inside(value):
        yield from _objects(inner)


def _tokens(stored: str) -> list[str]:
    # Most values hold none, and are not read for it.
    if f'"{SEALED}"' not in stored:
        return []
    tokens: list[str] = []
    try:
        for inner in _objects(read_json(stored)):
            if SEALED in inner:
                tokens.append(str(inner[SEALED]))
    except (ValueError, RecursionError):
        return []
    return tokens


def _token(
    name: str,
    value: Any,
    key: str,
    why: str,
) -> str:
    import json

    from cryptography.fernet import Fernet

    # The name is inside: whoever can write to the store cannot have one secret opened under the
    # name of another.
    content = {"name": name, "value": value}
    inside = json.dumps(content, allow_nan=False)
    encrypted = Fernet(key).encrypt(inside.encode())
    return f"{_VERSION}.{why}.{fingerprint(key)}.{encrypted.decode()}"


def _opened(name: str, value: Any, find: FindKey) -> Any:
    if is_sealed(value):
        return _open(name, str(value[SEALED]), find)
    if isinstance(value, list):
        return [_opened(name, item, find) for item in value]
    if isinstance(value, dict):
        opened = {}
        for field, inner in value.items():
            opened[field] = _opened(name, inner, find)
        return opened
    return value


def _open(name: str, token: str, find: FindKey) -> Any:
    from cryptography.fernet import Fernet, InvalidToken

    # What somebody wrote by hand may have fewer parts, or more.
    parts = [*token.split("."), "", "", ""]
    version, _, mark, inside = parts[:4]
    if version != _VERSION:
        raise DctxError(
            f"A secret in {name} was not sealed by this version of dctx.",
            "Upgrade dctx, or set it again.",
        )
    key = find(mark)
    if key is None:
        raise MissingKey(mark)
    try:
        decrypted = Fernet(key).decrypt(inside.encode())
        content = read_json(decrypted.decode())
    except (InvalidToken, ValueError) as error:
        raise DctxError(
            f"A secret in {name} cannot be opened: it was changed.", "Set it again."
        ) from error
    if content.get("name") != name:
        raise DctxError(f"A secret in {name} belongs to another variable.", "Set it again.")
    return content["value"]
