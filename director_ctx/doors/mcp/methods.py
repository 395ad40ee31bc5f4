"""What can be asked: the table of methods, and how each request finds its own; who this server is, and its tools."""

from __future__ import annotations

from director_ctx import __version__
from director_ctx.base.record import Record
from director_ctx.base.system.waiting import while_wanted
from director_ctx.doors.mcp.messages import (
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
    RefusedMessage,
)
from director_ctx.tools.service import answer as tool_answer
from director_ctx.tools.tool import definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.messages import ClientRequest, Object
    from director_ctx.doors.mcp.server import ClientCall, Peer

FRESH = 0
"""Milliseconds for which a list may be kept: folders change at any time, and asking is cheap."""
INSTRUCTIONS = (
    "What a coding agent needs to know about this project, from its .director/ folder: vision, plan, tasks,"
    " decisions, notes about the code. Before you work on a task, call `context`. `status` says where the project"
    " stands and what is next, `search` finds what was written or said before, `plan` has plan and variables."
)
SEED_INSTRUCTIONS = (
    "The workflow of this project: its plan, nodes, variables and browser. Ask for what you need, when you need it;"
    " begin with get_workflow_summary."
)


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


METHODS = {
    "server/discover": Method("methods", "discover", MODERN, kept=True),
    "initialize": Method("methods", "initialize", BY_HANDSHAKE),
    "ping": Method("methods", "ping", BY_HANDSHAKE),
    "tools/list": Method("methods", "list_tools", kept=True),
    "tools/call": Method("methods", "call_tool", takes_time=True),
    "prompts/list": Method("resources", "list_prompts", kept=True),
    "prompts/get": Method("resources", "get_prompt", takes_time=True, only_reads=True),
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
        if peer.revision or request.method in ("initialize", "ping"):
            return peer.revision or BY_HANDSHAKE[0]
        if request.method == "server/discover" or request.meta.get(CAPABILITIES) is not None:
            raise RefusedMessage(BAD_PARAMETERS, f"_meta lacks {VERSION}.")
        raise RefusedMessage(
            NO_REQUEST, f"Begin with initialize, or say the revision in _meta as {VERSION}."
        )
    if not isinstance(asked, str):
        raise RefusedMessage(BAD_PARAMETERS, f"{VERSION} is not a text.")
    if asked not in MODERN:
        data = {"supported": list(MODERN), "requested": asked}
        raise RefusedMessage(OTHER_REVISION, f"Revision {asked[:40]} is not spoken here.", data)
    if not isinstance(request.meta.get(CAPABILITIES), dict):
        raise RefusedMessage(BAD_PARAMETERS, f"_meta lacks {CAPABILITIES}.")
    return asked


def client_of(request: ClientRequest, peer: Peer) -> str:
    return _name_in(request.meta.get(CLIENT)) or peer.client


def _name_in(info: object) -> str:
    """What a client calls itself."""
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""


def answer(call: ClientCall, method: Method) -> Object:
    """The result of a request, with what its revision wants to be said beside it."""
    module = __import__(f"director_ctx.doors.mcp.{method.module}", fromlist=["call"])
    function = getattr(module, method.call)
    result: Object
    if method.only_reads:
        result = while_wanted(call.check, lambda: function(call))
    else:
        result = function(call)
    if call.revision not in MODERN:
        return result
    meta = {**result.get("_meta", {}), SERVER: _server_info()}
    more: Object = {"ttlMs": FRESH, "cacheScope": "private"} if method.kept else {}
    return {**result, "resultType": "complete", "_meta": meta, **more}


# --- Who this server is, told at the beginning of a connection or on request ---


def _server_info() -> Object:
    return {"name": "dctx", "title": "dctx", "version": __version__}


def _about(call: ClientCall) -> Object:
    return {
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
        "instructions": INSTRUCTIONS if call.service.tool("context") else SEED_INSTRUCTIONS,
    }


def discover(call: ClientCall) -> Object:
    return {"supportedVersions": list(SUPPORTED), **_about(call)}


def initialize(call: ClientCall) -> Object:
    """Settles the revision: the one that is asked for, else the newest that begins like this."""
    asked = call.request.parameters.get("protocolVersion")
    if not isinstance(asked, str):
        raise RefusedMessage(BAD_PARAMETERS, "protocolVersion is missing.")
    revision = asked if asked in BY_HANDSHAKE else BY_HANDSHAKE[0]
    call.peer.revision = revision
    call.peer.client = _name_in(call.request.parameters.get("clientInfo"))
    return {"protocolVersion": revision, "serverInfo": _server_info(), **_about(call)}


def ping(call: ClientCall) -> Object:
    return {}


# --- Tools ---


def list_tools(call: ClientCall) -> Object:
    """Always in the same order, so that a client's prompt stays the same."""
    return {"tools": [definition(tool, call.service.writable) for tool in call.service.tools]}


def call_tool(call: ClientCall) -> Object:
    name = call.request.parameters.get("name")
    if not isinstance(name, str):
        raise RefusedMessage(BAD_PARAMETERS, "The tool is not named.")
    given = call.request.parameters.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise RefusedMessage(BAD_PARAMETERS, "arguments is not an object.")
    tool = call.service.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in call.service.tools)
        raise RefusedMessage(BAD_PARAMETERS, f"There is no tool {name[:80]}; there are: {names}.")
    told = tool_answer(call, tool, given or {})
    return {"content": [{"type": "text", "text": told.text}], "isError": told.is_error}
