"""What can be asked: the table of methods, and how each request finds its own."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.system.waiting import while_wanted
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import (
    BAD_PARAMETERS,
    BY_HANDSHAKE,
    CAPABILITIES,
    CLIENT,
    MODERN,
    NO_METHOD,
    NO_REQUEST,
    OTHER_REVISION,
    SERVER,
    SUPPORTED,
    VERSION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.wire.messages import ClientRequest, Object
    from director_ctx.tools.service import ToolService

FRESH = 0
"""Milliseconds for which a list may be kept: folders change at any time, and asking is cheap."""


class Method(Record):
    """One method: the function that answers it, and by which revisions."""

    module: str
    call: str
    revisions: tuple[str, ...] = SUPPORTED
    kept: bool = False
    """Whether clients may keep the answer for a while, and have to be told for how long."""
    takes_time: bool = False
    """Whether other requests are read while it is being answered."""
    only_reads: bool = False
    """Whether it may end anywhere, where nobody waits for it any more."""


METHODS: dict[str, Method] = {
    "server/discover": Method("introduction", "discover", MODERN, kept=True),
    "initialize": Method("introduction", "initialize", BY_HANDSHAKE),
    "ping": Method("introduction", "ping", BY_HANDSHAKE),
    "tools/list": Method("tool_calls", "list_tools", kept=True),
    "tools/call": Method("tool_calls", "call_tool", takes_time=True),
    "prompts/list": Method("prompts", "list_prompts", kept=True),
    "prompts/get": Method("prompts", "get_prompt", takes_time=True, only_reads=True),
    "resources/list": Method("resources", "list_resources", kept=True),
    "resources/templates/list": Method("resources", "list_templates", kept=True),
    "resources/read": Method(
        "resources", "read_resource", kept=True, takes_time=True, only_reads=True
    ),
}


def method_of(request: ClientRequest, revision: str) -> Method:
    method = METHODS.get(request.method)
    if method is None or revision not in method.revisions:
        raise RefusedMessage(NO_METHOD, f"There is no method {request.method[:80]}.")
    return method


def revision_of(request: ClientRequest, peer: Peer) -> str:
    """By which revision a request is to be answered."""
    asked = request.meta.get(VERSION)
    if asked is None:
        return _by_handshake(request, peer)
    if not isinstance(asked, str):
        raise RefusedMessage(BAD_PARAMETERS, f"{VERSION} is not a text.")
    if asked not in MODERN:
        data = {"supported": list(MODERN), "requested": asked}
        raise RefusedMessage(OTHER_REVISION, f"Revision {asked[:40]} is not spoken here.", data)
    if not isinstance(request.meta.get(CAPABILITIES), dict):
        raise RefusedMessage(BAD_PARAMETERS, f"_meta lacks {CAPABILITIES}.")
    return asked


def _by_handshake(request: ClientRequest, peer: Peer) -> str:
    if peer.revision:
        return peer.revision
    if request.method in ("initialize", "ping"):
        return BY_HANDSHAKE[0]
    if request.method == "server/discover" or request.meta.get(CAPABILITIES) is not None:
        raise RefusedMessage(BAD_PARAMETERS, f"_meta lacks {VERSION}.")
    raise RefusedMessage(
        NO_REQUEST, f"Begin with initialize, or say the revision in _meta as {VERSION}."
    )


def client_of(request: ClientRequest, peer: Peer) -> str:
    """What the client calls itself."""
    info = request.meta.get(CLIENT)
    if isinstance(info, dict) and isinstance(info.get("name"), str):
        name: str = info["name"]
        return name
    return peer.client


def answer(service: ToolService, call: ClientCall, method: Method) -> Object:
    """The result of a request, with what its revision wants to be said beside it."""
    module = __import__(f"director_ctx.doors.mcp.serving.{method.module}", fromlist=["call"])
    function = getattr(module, method.call)
    result: Object
    if method.only_reads:
        result = while_wanted(call.check, lambda: function(service, call))
    else:
        result = function(service, call)
    if call.revision not in MODERN:
        return result
    return {**result, **_modern(result, method)}


def _modern(result: Object, method: Method) -> Object:
    from director_ctx.doors.mcp.serving.introduction import server_info

    meta = {**result.get("_meta", {}), SERVER: server_info()}
    more: Object = {"resultType": "complete", "_meta": meta}
    if method.kept:
        more["ttlMs"] = FRESH
        more["cacheScope"] = "private"
    return more
