"""Pages that a client shows beside what a tool answered (MCP Apps), only for clients that say so."""

from __future__ import annotations

from director_ctx.doors.mcp.wire.revisions import CAPABILITIES, VIEW_TYPE, VIEWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.tools.tool import Tool

VIEW = "ui://dctx/"
BY_TOOL = {
    "plan": "plan",
    "context": "budget",
    "get_current_plan": "plan",
    "update_plan": "plan",
}
"""The view that belongs to a tool."""


def shows_views(service: Service, call: ClientCall) -> bool:
    """Whether the client of this call shows such pages; it says so at each request, or at its
    beginning.
    """
    capabilities = call.request.meta.get(CAPABILITIES, call.peer.capabilities)
    if service.view is None or not isinstance(capabilities, dict):
        return False
    extensions = capabilities.get("extensions")
    if not isinstance(extensions, dict):
        return False
    said = extensions.get(VIEWS)
    if not isinstance(said, dict):
        return False
    types = said.get("mimeTypes")
    return types is None or (isinstance(types, list) and VIEW_TYPE in types)


def with_view(shown: Object, tool: Tool) -> Object:
    """The tool as such a client lists it; a model is not told of it."""
    view = BY_TOOL.get(tool.name)
    if view is None:
        return shown
    meta = {**shown.get("_meta", {}), "ui": {"resourceUri": f"{VIEW}{view}"}}
    return {**shown, "_meta": meta}


def view_contents(service: Service, uri: str) -> Object | None:
    """One of them, as it is now; None where there is no such view."""
    if service.view is None:
        return None
    text = service.view(service.project(), uri.removeprefix(VIEW))
    if text is None:
        return None
    meta = {"ui": {"prefersBorder": True}}
    return {"uri": uri, "mimeType": VIEW_TYPE, "text": text, "_meta": meta}
