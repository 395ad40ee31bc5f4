"""Messages of the protocol: a line read as what it asks for, answers written as lines, and what its revisions call
things.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Object = dict[str, Any]
    Id = str | int | None

MODERN = ("2026-07-28",)
"""Every request says for itself who asks, and in which revision."""
BY_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
"""A connection begins with `initialize`, which settles that for all that follows."""
SUPPORTED = (*MODERN, *BY_HANDSHAKE)
WITH_BATCHES = ("2025-03-26",)
"""Several messages may come in one frame."""

# Keys of `_meta`.
_OWN = "io.modelcontextprotocol/"
VERSION = f"{_OWN}protocolVersion"
CLIENT = f"{_OWN}clientInfo"
CAPABILITIES = f"{_OWN}clientCapabilities"
SERVER = f"{_OWN}serverInfo"

NOT_JSON, NO_REQUEST, NO_METHOD, BAD_PARAMETERS, BUG = -32700, -32600, -32601, -32602, -32603
BUSY = -32000
OTHER_REVISION = -32022
NO_RESOURCE_BEFORE = -32002
"""What a missing resource was before 2026-07-28; since then it is a bad parameter."""


class RefusedMessage(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Object | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.error: Object = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class ClientRequest(Record):
    """What somebody asks and waits for; without an id nobody waits."""

    id: Id
    method: str
    parameters: Object
    meta: Object


def read_json(line: bytes) -> Any:
    """The value on a line."""
    try:
        return parse(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise RefusedMessage(NOT_JSON, "This is not UTF-8.") from None
    except ValueError as error:
        raise RefusedMessage(NOT_JSON, f"This is not JSON: {error}.") from None


def read_request(message: object) -> ClientRequest | None:
    """What a message asks for; None where it answers something, since nothing was asked."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RefusedMessage(NO_REQUEST, "This is not a message of JSON-RPC 2.0.")
    method = message.get("method")
    if method is None and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str):
        raise RefusedMessage(NO_REQUEST, "The method is not named.")
    if "id" in message and id_of(message) is None:
        raise RefusedMessage(NO_REQUEST, "An id is a text or a whole number.")
    parameters = _object(message.get("params"), "params")
    meta = _object(parameters.get("_meta"), "_meta")
    return ClientRequest(message.get("id"), method, parameters, meta)


def _object(value: object, name: str) -> Object:
    if value is not None and not isinstance(value, dict):
        raise RefusedMessage(NO_REQUEST, f"{name} is not an object.")
    return value or {}


def is_notice(message: object) -> bool:
    """Whether somebody tells something, and waits for no answer."""
    return isinstance(message, dict) and "method" in message and "id" not in message


def id_of(message: object) -> Id:
    """The id to answer to, whatever else is wrong with a message."""
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None


def result_message(to: Id, result: Object) -> Object:
    return {"jsonrpc": "2.0", "id": to, "result": result}


def error_message(to: Id, error: RefusedMessage) -> Object:
    return {"jsonrpc": "2.0", "id": to, "error": error.error}


def notice_message(method: str, parameters: Object) -> Object:
    return {"jsonrpc": "2.0", "method": method, "params": parameters}


def as_line(message: object) -> bytes:
    """In ASCII, so that no line end can stand in a text."""
    return f"{dump(message)}\n".encode("ascii")
