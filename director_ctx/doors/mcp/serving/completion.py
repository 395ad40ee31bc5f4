"""What an argument may be, offered while somebody types it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.mcp.serving.prompts import agents_here
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS
from director_ctx.project.tasks.next import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.wire.messages import Object

MOST = 100
"""The protocol allows no more in one answer."""


def complete(service: Service, call: ClientCall) -> Object:
    argument = call.request.parameters.get("argument")
    if not isinstance(argument, dict) or not isinstance(argument.get("value"), str):
        raise RefusedMessage(BAD_PARAMETERS, "argument has no name and value.")
    typed = argument["value"]
    values = []
    for value in _known(service, argument.get("name")):
        if value.startswith(typed):
            values.append(value)
    shown = {"values": values[:MOST], "total": len(values), "hasMore": len(values) > MOST}
    return {"completion": shown}


def _known(service: Service, name: object) -> list[str]:
    """Everything that an argument of this name may be."""
    if name == "agent":
        return list(agents_here(service))
    if name != "task":
        return []
    try:
        project = service.project()
        return [place.ref for place in places(project) if place.task]
    except DctxError:
        return []
