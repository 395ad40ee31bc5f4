"""Clients that come by HTTP: one request a message, by POST alone."""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from select import select
from socket import MSG_PEEK

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.doors.mcp.serving.http_limits import Connections, Rate
from director_ctx.doors.mcp.serving.peer import Peer
from director_ctx.doors.mcp.serving.requests import AT_ONCE, Desk
from director_ctx.doors.mcp.wire.http_rules import (
    ONCE,
    STATUSES,
    expect_same,
    has_token,
    hosts_of,
    may_come_in,
    revision_by_header,
)
from director_ctx.doors.mcp.wire.messages import (
    RefusedMessage,
    error_message,
    id_of,
    read_json,
    read_request,
)
from director_ctx.doors.mcp.wire.revisions import NO_REQUEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.methods import Method
    from director_ctx.doors.mcp.serving.service import Service

PATH = "/mcp"
LARGEST = 16_000_000
"""Bytes of one body."""
IDLE_SECONDS = 60.0
"""For a request to come, and between two pieces of it."""
KEEP_ALIVE_SECONDS = 15.0
LISTEN = "subscriptions/listen"


class Address(Record):
    """Where the server listens, and what a client has to bring along."""

    host: str
    port: int
    token: str = ""


class Listener(ThreadingHTTPServer):
    """Takes connections, and no more than it can look after."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, service: Service, address: Address) -> None:
        self.desk = Desk(service)
        self.token = address.token
        self.rate = Rate()
        self.working = threading.BoundedSemaphore(AT_ONCE)
        self.connections = Connections()
        super().__init__((address.host, address.port), HttpVisit)
        self.hosts = hosts_of(address.host, self.port)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.connections.take():
            super().process_request(request, client_address)
        else:
            # A client that waits comes back.
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.give_back()

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any
    ) -> None:
        """A client that went away in the middle is nothing to talk about."""


class HttpVisit(BaseHTTPRequestHandler):
    """One connection, with one request after the other."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    # Head and body in one piece: a second small one would wait for the client to confirm the first.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: Listener

    def handle_one_request(self) -> None:
        self.server.connections.begins(self.connection)
        try:
            super().handle_one_request()
        finally:
            self.server.connections.has_spoken(self.connection)

    def do_POST(self) -> None:
        status = self._unwelcome()
        if status:
            self._turn_away(status)
            return
        body = self._body()
        if body is None:
            return
        try:
            self._take(read_json(body))
        except RefusedMessage as error:
            self._put(STATUSES.get(error.code, 400), error_message(None, error))

    def do_GET(self) -> None:
        self._turn_away(self._unwelcome() or 405)

    def do_DELETE(self) -> None:
        self._turn_away(self._unwelcome() or 405)

    def _unwelcome(self) -> int:
        """The status for a request that is not looked at any further; 0 for one that is."""
        for name in ONCE:
            if len(self.headers.get_all(name, [])) > 1:
                return 400
        if not may_come_in(
            self.headers.get("Host", ""), self.headers.get("Origin"), self.server.hosts
        ):
            return 403
        if self.server.token and not has_token(
            self.headers.get("Authorization"), self.server.token
        ):
            return 401
        if self.path.partition("?")[0] != PATH:
            return 404
        if not self.server.rate.allows_one():
            return 429
        return 0

    def _body(self) -> bytes | None:
        """All of it; None where it was turned away."""
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdigit()):
            self._turn_away(411)
            return None
        if len(length) > 12 or int(length) > LARGEST:
            self._turn_away(413)
            return None
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return None
        self.server.connections.has_spoken(self.connection)
        return body

    def _take(self, message: object) -> None:
        peer = Peer(_nowhere, self._client_has_left)
        try:
            request = read_request(message)
            if request is None or not request.expects_answer:
                # There is no earlier request of this connection that a notice could be about.
                self._put(202, None)
                return
            said = {name.lower(): value for name, value in self.headers.items()}
            if request.method != "initialize":
                peer.revision = revision_by_header(said, request)
            expect_same(said, request)
            call, method = self.server.desk.opened(peer, message)
        except RefusedMessage as error:
            self._put(STATUSES.get(error.code, 200), error_message(id_of(message), error))
            return
        if call is None or method is None:
            self._put(202, None)
            return
        try:
            if request.method == LISTEN or self._wants_events(call):
                self._stream(peer, call, method)
            else:
                self._answer(call, method)
        finally:
            # Else the two would hold each other until somebody looks for such circles.
            peer.calls.clear()

    def _client_has_left(self) -> bool:
        """Whether the other end of this connection was closed; what else may come is read later."""
        try:
            readable, _, _ = select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, MSG_PEEK)
        except OSError:
            return True
        except ValueError:
            # `select` knows no number beyond 1,023; the answer will tell.
            return False

    def _wants_events(self, call: ClientCall) -> bool:
        accepted = self.headers.get("Accept", "")
        return "progressToken" in call.request.meta and "text/event-stream" in accepted

    def _answer(self, call: ClientCall, method: Method) -> None:
        with self.server.working:
            reply = self.server.desk.reply(call, method)
        status = 200
        if reply and "error" in reply:
            status = STATUSES.get(reply["error"]["code"], 200)
        self._put(status, reply)

    def _stream(self, peer: Peer, call: ClientCall, method: Method) -> None:
        """Events until the answer, or for as long as somebody listens. A client that closes it has
        cancelled the call.
        """
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Accel-Buffering", "no")
        self.send_header("Connection", "close")
        self.end_headers()
        peer.writes_to(self._put_event)
        if call.request.method == LISTEN:
            self._listen(peer, call, method)
            return
        with self.server.working:
            reply = self.server.desk.reply(call, method)
        if reply:
            peer.send(reply)

    def _listen(self, peer: Peer, call: ClientCall, method: Method) -> None:
        reply = self.server.desk.reply(call, method)
        if reply:
            peer.send(reply)
            return
        # Nothing more is asked on this connection, so whatever comes is its end.
        while not peer.gone:
            readable, _, _ = select([self.connection], [], [], KEEP_ALIVE_SECONDS)
            if readable:
                break
            peer.send_raw(b": still here\n\n")
        peer.gone = True

    def _put_event(self, line: bytes) -> None:
        if not line.startswith(b":"):
            line = b"event: message\ndata: " + line.rstrip(b"\n") + b"\n\n"
        self.wfile.write(line)
        self.wfile.flush()

    def _put(self, status: int, message: object) -> None:
        body = b""
        if message is not None:
            body = dump(message).encode("ascii")
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _turn_away(self, status: int) -> None:
        """Without reading what else it would say."""
        self.close_connection = True
        self.send_response(status)
        if status == 405:
            self.send_header("Allow", "POST")
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        error = RefusedMessage(NO_REQUEST, HTTPStatus(status).phrase)
        body = dump(error_message(None, error)).encode("ascii")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What is no HTTP is told so without a page, and without repeating it."""
        self.close_connection = True
        if code == HTTPStatus.NOT_IMPLEMENTED:
            code = HTTPStatus.METHOD_NOT_ALLOWED
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def version_string(self) -> str:
        return "dctx"

    def log_message(self, format: str, *values: Any) -> None:
        """Requests may have secrets in them, and are nobody's business."""


def _nowhere(_: bytes) -> None:
    """What is told by the way has no way where one answer is all that there is."""
