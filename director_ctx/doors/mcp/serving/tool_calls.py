"""Tools listed and called: whatever a project may be like, the answer is a text."""

from __future__ import annotations

from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS
from director_ctx.tools.answer import answer
from director_ctx.tools.tool import definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.tools.answer import ToolAnswer
    from director_ctx.tools.service import ToolService


def list_tools(service: ToolService, call: ClientCall) -> Object:
    """Always in the same order, so that a client's prompt stays the same."""
    return {"tools": [definition(tool, service.writable) for tool in service.tools]}


def call_tool(service: ToolService, call: ClientCall) -> Object:
    parameters = call.request.parameters
    name = parameters.get("name")
    if not isinstance(name, str):
        raise RefusedMessage(BAD_PARAMETERS, "The tool is not named.")
    given = parameters.get("arguments")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise RefusedMessage(BAD_PARAMETERS, "arguments is not an object.")
    tool = service.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in service.tools)
        raise RefusedMessage(BAD_PARAMETERS, f"There is no tool {name[:80]}; there are: {names}.")
    return _as_result(answer(service, call, tool, given))


def _as_result(answer: ToolAnswer) -> Object:
    content = {"type": "text", "text": answer.text}
    return {"content": [content], "isError": answer.is_error}
