"""One request while it is being answered: whether somebody still waits, and how far it is."""

from __future__ import annotations

from director_ctx.tools.call import Cancelled, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.wire.messages import ClientRequest


class ClientCall(ToolCall):
    """Work looks at it at each of its steps."""

    def __init__(self, peer: Peer, request: ClientRequest, revision: str, client: str) -> None:
        super().__init__(client)
        self.peer = peer
        self.request = request
        self.revision = revision
        """The revision of the protocol that this request is answered by."""
        self.cancelled = False

    def check(self) -> None:
        """Ends the work where its answer would be thrown away."""
        if self.cancelled or not self.peer.is_there():
            raise Cancelled

    def progress(self, done: int, total: int, doing: str) -> None:
        """Tells how far it is, if the client wants to know."""
        self.check()
        token = self.request.meta.get("progressToken")
        if token is None:
            return
        parameters = {
            "progressToken": token,
            "progress": done,
            "total": total,
            "message": doing,
        }
        self.peer.notify("notifications/progress", parameters)
