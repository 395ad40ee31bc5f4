"""Events that a client asks this server about: that they are answered is announced, and they are."""

from __future__ import annotations

import os

from director_ctx.clients import presence
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.wire.messages import Object

NOTHING = "{}"
"""Clients read the answer of a tool as that of a hook: an object that says nothing."""


def announce(call: ClientCall) -> None:
    """From here on the commands beside these hooks stay silent, where the client asks us."""
    peer = call.peer
    if peer.announced or not presence.is_possible():
        return
    for client in CLIENTS.values():
        if client.server_calls and client.server_calls == call.client:
            peer.announced = presence.announce(presence.own_name_for(client.name))


def withdraw(peer: Peer) -> None:
    if peer.announced:
        presence.withdraw(peer.announced)


def hook_result(service: Service, call: ClientCall, given: Object) -> Object:
    text = ""
    # Where it does not stand there, the command answers, and nobody is told twice.
    if service.hook and call.peer.announced and os.path.exists(call.peer.announced):
        text = service.hook(given)
    text = text or NOTHING
    return {"content": [{"type": "text", "text": text}], "isError": False}
