"""A client that started us: its requests on standard input, our answers on standard output. Each is answered at once,
or by a thread of its own if that takes time.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

from director_ctx.doors.mcp.messages import (
    BUG,
    BUSY,
    NO_REQUEST,
    WITH_BATCHES,
    ClientRequest,
    RefusedMessage,
    as_line,
    error_message,
    id_of,
    is_notice,
    notice_message,
    read_json,
    read_request,
    result_message,
)
from director_ctx.doors.mcp.methods import answer, client_of, method_of, revision_of
from director_ctx.tools.service import Cancelled, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from director_ctx.doors.mcp.messages import Id, Object
    from director_ctx.doors.mcp.methods import Method
    from director_ctx.tools.service import ToolService

    Job = Callable[[], None]

LARGEST = 16_000_000
"""Bytes of one message. A plan may have a million characters, each written as six."""
PATIENCE = 2.0
"""Seconds for what is still being answered when the client closes the door; it kills us then."""
LOOK_SECONDS = 0.05
"""Between two looks for somebody who may have left without a word."""
AT_ONCE = 16
"""Calls that are answered at the same time; more of them only take each other's time."""
MOST_WAITING = 1000
LARGEST_BATCH = 100


def serve(service: ToolService) -> None:
    """Until the client closes our standard input, or nobody reads our answers any more."""
    source, target = _private_streams()
    peer = Peer(lambda line: _write_all(target, line), lambda: _nobody_reads(target))
    desk = Desk(service)
    with source:
        while not peer.gone:
            line = source.readline(LARGEST + 1)
            if not line:
                break
            if len(line) > LARGEST:
                while line and not line.endswith(b"\n"):
                    line = source.readline(LARGEST)
                error = RefusedMessage(NO_REQUEST, f"A message has at most {LARGEST:,} bytes.")
                peer.send(error_message(None, error))
            elif line.strip():
                desk.take_line(peer, line)
    # What was asked before the end is answered, if that does not take long.
    end = monotonic() + PATIENCE
    while desk.crew.busy and peer.is_there() and monotonic() < end:
        sleep(0.002)
    peer.gone = True


def _private_streams() -> tuple[BinaryIO, int]:
    """Both for the protocol alone: what anybody else prints goes to stderr, and a child process
    cannot read a request away.
    """
    source = os.dup(0)
    target = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return open(source, "rb"), target


def _nobody_reads(target: int) -> bool:
    """Whether the other end of our standard output was closed, where the system can say so."""
    # Loaded by whoever asks first: a start does without.
    import select

    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(target, 0)
    return bool(poll.poll(0))


def _write_all(target: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(target, rest) :]


class Peer:
    """The other side of one connection: what it settled at its beginning, and what is on the way to it. Whoever writes
    to it may be any thread; lines never mix.
    """

    def __init__(self, write: Callable[[bytes], None], has_left: Callable[[], bool]) -> None:
        self.revision = ""
        """What `initialize` settled; empty where every request says it for itself."""
        self.client = ""
        self.gone = False
        """Whether nobody reads any more."""
        self.calls: dict[Id, ClientCall] = {}
        self._write = write
        self._lock = allocate_lock()
        self._has_left = has_left
        self._next_look = 0.0

    def is_there(self) -> bool:
        """Whether somebody still reads; asked very often, and looked for only now and then."""
        if not self.gone and monotonic() >= self._next_look:
            self._next_look = monotonic() + LOOK_SECONDS
            self.gone = self._has_left()
        return not self.gone

    def send(self, message: object) -> None:
        line = as_line(message)
        with self._lock:
            if self.gone:
                return
            try:
                self._write(line)
            except (OSError, ValueError):
                # Hung up, or closed already.
                self.gone = True


class ClientCall(ToolCall):
    """One request while it is being answered."""

    def __init__(self, service: ToolService, peer: Peer, request: ClientRequest) -> None:
        super().__init__(service, client_of(request, peer))
        self.peer = peer
        self.request = request
        self.revision = revision_of(request, peer)
        """The revision of the protocol that this request is answered by."""
        self.cancelled = False

    def check(self) -> None:
        if self.cancelled or not self.peer.is_there():
            raise Cancelled

    def progress(self, done: int, total: int, doing: str) -> None:
        self.check()
        token = self.request.meta.get("progressToken")
        if token is not None:
            told = {"progressToken": token, "progress": done, "total": total, "message": doing}
            self.peer.send(notice_message("notifications/progress", told))


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
                bug(error)
            with self._lock:
                job = self._waiting.pop(0) if self._waiting else None
                self._working -= job is None


class Desk:
    """Takes what comes in by a connection, and sees to it that each request is answered once."""

    def __init__(self, service: ToolService) -> None:
        self.service = service
        self.crew = Crew()

    def take_line(self, peer: Peer, line: bytes) -> None:
        message: object = None
        try:
            message = read_json(line)
            if isinstance(message, list) and peer.revision in WITH_BATCHES:
                # One frame of several, answered by one frame, as only an old revision has them.
                if not 1 <= len(message) <= LARGEST_BATCH:
                    raise RefusedMessage(NO_REQUEST, f"A batch has 1 to {LARGEST_BATCH} messages.")
                batch = message
                self.crew.take(lambda: self._answer_batch(peer, batch))
                return
            self._take(peer, message)
        except RefusedMessage as error:
            # Whoever sent a notice waits for nothing, not even for what is wrong with it.
            if not is_notice(message):
                peer.send(error_message(id_of(message), error))

    def _take(self, peer: Peer, message: object) -> None:
        call, method = self._opened(peer, message)
        if call is None or method is None:
            return
        if not method.takes_time:
            self._finish(call, method)
            return
        try:
            # In a thread of its own, so that whatever comes next is read meanwhile.
            self.crew.take(lambda: self._finish(call, method))
        except RefusedMessage:
            del peer.calls[call.request.id]
            raise

    def _opened(self, peer: Peer, message: object) -> tuple[ClientCall | None, Method | None]:
        """The call that a request begins; nothing for a notice, and for an answer."""
        request = read_request(message)
        if request is None:
            return None, None
        if request.id is None:
            # A request that is answered already, or never came, is nothing to complain about.
            name = request.parameters.get("requestId")
            is_cancelled = request.method == "notifications/cancelled"
            if is_cancelled and isinstance(name, str | int) and name in peer.calls:
                peer.calls[name].cancelled = True
            return None, None
        call = ClientCall(self.service, peer, request)
        method = method_of(request, call.revision)
        if request.id in peer.calls:
            raise RefusedMessage(NO_REQUEST, "Another request with this id is being answered.")
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
            return result_message(name, answer(call, method))
        except Cancelled:
            return None
        except RefusedMessage as error:
            return error_message(name, error)
        except Exception as error:
            return error_message(name, bug(error))

    def _answer_batch(self, peer: Peer, messages: list[object]) -> None:
        replies: list[Object] = []
        for message in messages:
            reply: Object | None = None
            try:
                call, method = self._opened(peer, message)
                if call and method:
                    reply = self._reply(call, method)
                    peer.calls.pop(call.request.id, None)
            except RefusedMessage as error:
                reply = error_message(id_of(message), error)
            if reply:
                replies.append(reply)
        if replies:
            peer.send(replies)


def bug(error: Exception) -> RefusedMessage:
    """Our own mistake, told to the client and on stderr, since standard output belongs to the protocol: without
    anything of what was being worked on, which may be secret.
    """
    place = "an unknown place"
    trace = error.__traceback__
    while trace:
        file = os.path.basename(trace.tb_frame.f_code.co_filename)
        place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    said = f"This is a bug in dctx, not in your project: {type(error).__name__} in {place}."
    told = RefusedMessage(BUG, f"{said} Please report it.")
    try:
        if sys.stderr:
            sys.stderr.write(f"dctx mcp: {told.message}\n")
            sys.stderr.flush()
    except (OSError, ValueError):
        pass
    return told
