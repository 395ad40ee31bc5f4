"""Who this server is and what it can do, told at the beginning of a connection or on request."""

from __future__ import annotations

from director_ctx import __version__
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS, BY_HANDSHAKE, SUPPORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.tools.service import ToolService

INSTRUCTIONS = (
    "What a coding agent needs to know about this project, from its .director/ folder: vision, plan, tasks,"
    " decisions, notes about the code. Before you work on a task, call `context`. `status` says where the project"
    " stands and what is next, `search` finds what was written or said before, `plan` has plan and variables."
)
SEED_INSTRUCTIONS = (
    "The workflow of this project: its plan, nodes, variables and browser. Ask for what you need, when you need it;"
    " begin with get_workflow_summary."
)


def server_info() -> Object:
    return {"name": "dctx", "title": "dctx", "version": __version__}


def _about(service: ToolService) -> Object:
    instructions = SEED_INSTRUCTIONS
    if service.tool("context"):
        instructions = INSTRUCTIONS
    capabilities: Object = {"tools": {}, "prompts": {}, "resources": {}}
    return {"capabilities": capabilities, "instructions": instructions}


def discover(service: ToolService, _: ClientCall) -> Object:
    return {"supportedVersions": list(SUPPORTED), **_about(service)}


def initialize(service: ToolService, call: ClientCall) -> Object:
    """Settles the revision: the one that is asked for, else the newest that begins like this."""
    asked = call.request.parameters.get("protocolVersion")
    if not isinstance(asked, str):
        raise RefusedMessage(BAD_PARAMETERS, "protocolVersion is missing.")
    revision = BY_HANDSHAKE[0]
    if asked in BY_HANDSHAKE:
        revision = asked
    call.peer.revision = revision
    call.peer.client = _name_of_client(call.request.parameters)
    return {"protocolVersion": revision, "serverInfo": server_info(), **_about(service)}


def _name_of_client(parameters: Object) -> str:
    info = parameters.get("clientInfo")
    if isinstance(info, dict) and isinstance(info.get("name"), str):
        return str(info["name"])
    return ""


def ping(_: ToolService, __: ClientCall) -> Object:
    return {}
