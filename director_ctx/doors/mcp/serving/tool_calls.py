"""Tools listed and called: whatever a project may be like, the answer is a text."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.safe_text import safe
from director_ctx.base.system.waiting import while_wanted
from director_ctx.doors.mcp.serving.views import shows_views, with_view
from director_ctx.doors.mcp.tools.arguments import checked, not_writable
from director_ctx.doors.mcp.tools.in_calls import in_calls
from director_ctx.doors.mcp.tools.tool import changes_with, definition
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.tools.tool import Tool
    from director_ctx.doors.mcp.wire.messages import Object


HOOK = "hook"
"""A tool for clients and their hooks: it is called, but in no list that a model is shown."""


def list_tools(service: Service, call: ClientCall) -> Object:
    """Always in the same order, so that a client's prompt stays the same."""
    if service.hook:
        from director_ctx.doors.mcp.serving.hook_calls import announce

        # A client that knows the tools is about to ask.
        announce(call)
    shows = shows_views(service, call)
    listed = []
    for tool in service.tools:
        shown = definition(tool, service.writable)
        if shows:
            shown = with_view(shown, tool)
        listed.append(shown)
    return {"tools": listed}


def call_tool(service: Service, call: ClientCall) -> Object:
    parameters = call.request.parameters
    name = parameters.get("name")
    if not isinstance(name, str):
        raise RefusedMessage(BAD_PARAMETERS, "The tool is not named.")
    given = parameters.get("arguments")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise RefusedMessage(BAD_PARAMETERS, "arguments is not an object.")
    if name == HOOK and service.hook:
        from director_ctx.doors.mcp.serving.hook_calls import hook_result

        return hook_result(service, call, given)

    tool = service.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in service.tools)
        raise RefusedMessage(BAD_PARAMETERS, f"There is no tool {name[:80]}; there are: {names}.")
    return _answer(service, call, tool, given)


def _answer(service: Service, call: ClientCall, tool: Tool, given: Object) -> Object:
    """What went wrong is an answer, too: the model can do something about it."""
    try:
        return _text(_run(service, call, tool, given))
    except DctxError as error:
        return _failure(in_calls(error.message), in_calls(error.hint))
    except OSError as error:
        return _failure(f"{error.strerror or error}.", "Check free space and permissions.")


def _run(service: Service, call: ClientCall, tool: Tool, given: Object) -> str:
    values = checked(tool, given, service.writable)
    for area in tool.areas:
        if area not in service.writable:
            raise UsageProblem(*not_writable(area, service.writable))
    call.check()
    module = __import__(f"director_ctx.doors.mcp.tools.{tool.module}", fromlist=[tool.call])
    function = getattr(module, tool.call)
    if changes_with(tool, values):
        # A change is made whole, even if nobody waits for it any more.
        text: str = function(service, call, values)
        return text
    return while_wanted(call.check, lambda: str(function(service, call, values)))


def _text(text: str) -> Object:
    return {"content": [{"type": "text", "text": safe(text)}], "isError": False}


def _failure(message: str, hint: str) -> Object:
    said = message
    if hint:
        said += f"\n{hint}"
    return {"content": [{"type": "text", "text": safe(said)}], "isError": True}
