"""What clients are told without asking: that other prompts or resources exist now."""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import sleep

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.doors.mcp.serving.call import Pending
from director_ctx.doors.mcp.wire.messages import Refused
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS, SUBSCRIPTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import Call
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.wire.messages import Object

SECONDS = 2.0
"""Between two looks at the folder, while somebody listens."""
LISTS = ("promptsListChanged", "resourcesListChanged")
"""What a client may ask to be told of. Tools are the same as long as a server runs."""


class Outline(Record):
    """What exists, and nothing of what it says."""

    prompts: tuple[str, ...]
    resources: tuple[str, ...]


def listen(service: Service, call: Call) -> Object:
    """From now on; the request itself is answered when it ends."""
    wanted = call.request.parameters.get("notifications")
    if not isinstance(wanted, dict):
        raise Refused(BAD_PARAMETERS, "notifications is not an object.")
    honoured = {}
    for wish in LISTS:
        if wanted.get(wish) is True:
            honoured[wish] = True

    name = call.request.id
    call.peer.listening[name] = honoured
    parameters = {"notifications": honoured, "_meta": {SUBSCRIPTION: name}}
    call.peer.notify("notifications/subscriptions/acknowledged", parameters)
    if honoured:
        watch(service, call.peer)
    raise Pending


def watch(service: Service, peer: Peer) -> None:
    """One watch for each peer, however much it listens to."""
    with _LOCK:
        if peer.watched:
            return
        peer.watched = True
    start_new_thread(_watch, (service, peer))


_LOCK = allocate_lock()


def _watch(service: Service, peer: Peer) -> None:
    before = outline(service)
    while not peer.gone:
        sleep(SECONDS)
        now = outline(service)
        for kind in ("prompts", "resources"):
            if getattr(now, kind) != getattr(before, kind):
                tell(peer, kind)
        before = now


def outline(service: Service) -> Outline:
    """As the folder is; nothing at all where there is none, or none that can be read."""
    from director_ctx.doors.mcp.serving.prompts import agents
    from director_ctx.project.find_text import documents

    try:
        project = service.project()
        return Outline(tuple(agents(project)), tuple(documents(project)))
    except (DctxError, OSError):
        return Outline((), ())


def tell(peer: Peer, kind: str) -> None:
    """To each that asked, with its number; by a handshake everybody is told."""
    method = f"notifications/{kind}/list_changed"
    for name, honoured in list(peer.listening.items()):
        if honoured.get(f"{kind}ListChanged"):
            peer.notify(method, {"_meta": {SUBSCRIPTION: name}})
    if peer.revision:
        peer.notify(method, {})
