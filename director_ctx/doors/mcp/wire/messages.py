"""Messages: a line read as what it asks for, and answers written as lines."""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.record import Record
from director_ctx.doors.mcp.wire.revisions import NO_REQUEST, NOT_JSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Object = dict[str, Any]
    Id = str | int | None


class RefusedMessage(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Object | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ClientRequest(Record):
    """What somebody asks and waits for; without an id nobody waits."""

    id: Id
    method: str
    parameters: Object
    meta: Object

    @property
    def expects_answer(self) -> bool:
        return self.id is not None


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
    if "id" in message and not is_id(message["id"]):
        raise RefusedMessage(NO_REQUEST, "An id is a text or a whole number.")

    parameters = _object(message.get("params"), "params")
    meta = _object(parameters.get("_meta"), "_meta")
    return ClientRequest(message.get("id"), method, parameters, meta)


def _object(value: object, name: str) -> Object:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RefusedMessage(NO_REQUEST, f"{name} is not an object.")
    return value


def is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def is_notice(message: object) -> bool:
    """Whether somebody tells something, and waits for no answer."""
    return isinstance(message, dict) and "method" in message and "id" not in message


def id_of(message: object) -> Id:
    """The id to answer to, whatever else is wrong with a message."""
    if isinstance(message, dict) and is_id(message.get("id")):
        own: Id = message["id"]
        return own
    return None


def result_message(to: Id, result: Object) -> Object:
    return {"jsonrpc": "2.0", "id": to, "result": result}


def error_message(to: Id, error: RefusedMessage) -> Object:
    what: Object = {"code": error.code, "message": error.message}
    if error.data is not None:
        what["data"] = error.data
    return {"jsonrpc": "2.0", "id": to, "error": what}


def notice_message(method: str, parameters: Object) -> Object:
    return {"jsonrpc": "2.0", "method": method, "params": parameters}


def as_line(message: object) -> bytes:
    """In ASCII, so that no line end can stand in a text."""
    return f"{dump(message)}\n".encode("ascii")
