"""Messages taken in: each is answered at once, or by a thread of its own if that takes time."""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread

from director_ctx.doors.mcp.serving.call import ClientCall
from director_ctx.doors.mcp.serving.faults import bug, log
from director_ctx.doors.mcp.serving.methods import answer, client_of, method_of, revision_of
from director_ctx.doors.mcp.wire.messages import (
    RefusedMessage,
    error_message,
    id_of,
    is_notice,
    read_json,
    read_request,
    result_message,
)
from director_ctx.doors.mcp.wire.revisions import BUSY, NO_REQUEST, WITH_BATCHES
from director_ctx.tools.call import Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.doors.mcp.serving.methods import Method
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.wire.messages import ClientRequest, Object
    from director_ctx.tools.service import ToolService

    Job = Callable[[], None]

AT_ONCE = 16
"""Calls that are answered at the same time; more of them only take each other's time."""
MOST_WAITING = 1000
LARGEST_BATCH = 100


class Crew:
    """Threads for what takes time: as many as there is work, and none where there is none."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._waiting: list[Job] = []
        self._working = 0

    @property
    def busy(self) -> bool:
        return self._working > 0

    def take(self, job: Job) -> None:
        with self._lock:
            if self._working >= AT_ONCE:
                if len(self._waiting) >= MOST_WAITING:
                    raise RefusedMessage(BUSY, "Too many calls are waiting; try again later.")
                self._waiting.append(job)
                return
            self._working += 1
        start_new_thread(self._work, (job,))

    def _work(self, job: Job | None) -> None:
        while job:
            try:
                job()
            except Exception as error:
                # Whatever it is, the next one has its turn.
                log(bug(error).message)
            job = self._next()

    def _next(self) -> Job | None:
        with self._lock:
            if self._waiting:
                return self._waiting.pop(0)
            self._working -= 1
            return None


class Desk:
    """Takes what comes in by a connection, and sees to it that each request is answered once."""

    def __init__(self, service: ToolService) -> None:
        self.service = service
        self.crew = Crew()

    def take_line(self, peer: Peer, line: bytes) -> None:
        try:
            message = read_json(line)
        except RefusedMessage as error:
            peer.send(error_message(None, error))
            return
        self.take(peer, message)

    def take(self, peer: Peer, message: object) -> None:
        if isinstance(message, list) and peer.revision in WITH_BATCHES:
            self._take_batch(peer, message)
            return
        try:
            call, method = self._opened(peer, message)
            if call is None or method is None:
                return
            if not method.takes_time:
                self._finish(call, method)
                return
            self._begin(call, method)
        except RefusedMessage as error:
            # Whoever sent a notice waits for nothing, not even for what is wrong with it.
            if not is_notice(message):
                peer.send(error_message(id_of(message), error))

    def _begin(self, call: ClientCall, method: Method) -> None:
        """In a thread of its own, so that whatever comes next is read meanwhile."""
        try:
            self.crew.take(lambda: self._finish(call, method))
        except RefusedMessage:
            del call.peer.calls[call.request.id]
            raise

    def _opened(self, peer: Peer, message: object) -> tuple[ClientCall | None, Method | None]:
        """The call that a request begins; nothing for a notice, and for an answer."""
        request = read_request(message)
        if request is None:
            return None, None
        if not request.expects_answer:
            self._take_notice(peer, request)
            return None, None

        revision = revision_of(request, peer)
        method = method_of(request, revision)
        if request.id in peer.calls:
            raise RefusedMessage(NO_REQUEST, "Another request with this id is being answered.")
        call = ClientCall(peer, request, revision, client_of(request, peer))
        peer.calls[request.id] = call
        return call, method

    def _finish(self, call: ClientCall, method: Method) -> None:
        reply = self._reply(call, method)
        call.peer.calls.pop(call.request.id, None)
        if reply and not call.cancelled:
            call.peer.send(reply)

    def _reply(self, call: ClientCall, method: Method) -> Object | None:
        """The message that answers a call; None where it was cancelled."""
        name = call.request.id
        try:
            call.check()
            result = answer(self.service, call, method)
            return result_message(name, result)
        except Cancelled:
            return None
        except RefusedMessage as error:
            return error_message(name, error)
        except Exception as error:
            told = bug(error)
            log(told.message)
            return error_message(name, told)

    def _take_batch(self, peer: Peer, messages: list[object]) -> None:
        """One frame of several, answered by one frame, as only an old revision has them."""
        if not messages or len(messages) > LARGEST_BATCH:
            error = RefusedMessage(NO_REQUEST, f"A batch has 1 to {LARGEST_BATCH} messages.")
            peer.send(error_message(None, error))
            return
        self.crew.take(lambda: self._answer_batch(peer, messages))

    def _answer_batch(self, peer: Peer, messages: list[object]) -> None:
        replies = []
        for message in messages:
            try:
                call, method = self._opened(peer, message)
                if call is None or method is None:
                    continue
                reply = self._reply(call, method)
                peer.calls.pop(call.request.id, None)
            except RefusedMessage as error:
                reply = error_message(id_of(message), error)
            if reply:
                replies.append(reply)
        if replies:
            peer.send(replies)

    def _take_notice(self, peer: Peer, notice: ClientRequest) -> None:
        """Of what a client tells, only this changes something here."""
        if notice.method == "notifications/cancelled":
            name = notice.parameters.get("requestId")
            if isinstance(name, str | int):
                peer.cancel(name)
