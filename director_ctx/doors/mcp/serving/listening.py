"""What clients are told without asking: that other prompts or resources exist now."""

from __future__ import annotations

import os
from _thread import start_new_thread
from time import monotonic, sleep

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.doors.mcp.serving.call import Pending
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS, SUBSCRIPTION
from director_ctx.project.find_text import documents
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.doors.mcp.wire.messages import Object

SETTINGS = f"{FOLDER}/dctx.yaml"
"""Where a project has agents of its own."""
SECONDS = 2.0
"""Between two looks at the folder, while somebody listens."""
LISTS = ("promptsListChanged", "resourcesListChanged")
"""What a client may ask to be told of. Tools are the same as long as a server runs."""


class FolderOutline(Record):
    """What exists, found out without reading anything."""

    prompts: tuple[int, ...]
    """When the file that names further agents was written, and its size."""
    resources: tuple[str, ...]


_LAST: dict[tuple[str | None, str], tuple[float, FolderOutline]] = {}
"""By the project that a server was started with: when it was looked at, and what was there."""


def listen(service: Service, call: ClientCall) -> Object:
    """From now on; the request itself is answered when it ends."""
    wanted = call.request.parameters.get("notifications")
    if not isinstance(wanted, dict):
        raise RefusedMessage(BAD_PARAMETERS, "notifications is not an object.")
    honoured = {}
    for wish in LISTS:
        if wanted.get(wish) is True:
            honoured[wish] = True

    if honoured:
        watch(service, call.peer)
    name = call.request.id
    call.peer.listening[name] = honoured
    parameters = {"notifications": honoured, "_meta": {SUBSCRIPTION: name}}
    call.peer.notify("notifications/subscriptions/acknowledged", parameters)
    raise Pending


def watch(service: Service, peer: Peer) -> None:
    """One watch for each peer, however much it listens to; from this moment on."""
    if peer.watched:
        return
    peer.watched = True
    start_new_thread(_watch, (service, peer, outline_now(service)))


def _watch(service: Service, peer: Peer, before: FolderOutline) -> None:
    while not peer.gone:
        sleep(SECONDS)
        now = outline_now(service)
        if now.prompts != before.prompts:
            tell(peer, "prompts")
        if now.resources != before.resources:
            tell(peer, "resources")
        before = now


def outline_now(service: Service) -> FolderOutline:
    """Found out once for all who listen; the oldest is half as old as the time between two looks."""
    key = (service.root, service.start)
    moment = monotonic()
    last = _LAST.get(key)
    if last and moment - last[0] < SECONDS / 2:
        return last[1]
    now = outline(service)
    _LAST[key] = (moment, now)
    return now


def outline(service: Service) -> FolderOutline:
    """As the folder is; nothing at all where there is none, or none that can be read."""
    try:
        project = service.project()
        paths = tuple(documents(project))
    except (DctxError, OSError):
        return FolderOutline((), ())
    return FolderOutline(_age(project.location(SETTINGS)), paths)


def _age(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size


def tell(peer: Peer, kind: str) -> None:
    """To each that asked, with its number; by a handshake everybody is told."""
    method = f"notifications/{kind}/list_changed"
    for name, honoured in list(peer.listening.items()):
        if honoured.get(f"{kind}ListChanged"):
            peer.notify(method, {"_meta": {SUBSCRIPTION: name}})
    if peer.revision:
        peer.notify(method, {})
