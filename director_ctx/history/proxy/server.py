"""A proxy on the loopback, to one address: who is let in, a thread for each connection."""

from __future__ import annotations

import selectors
import socket
import threading
import time

from director_ctx.history.proxy.exchange import ALL_BODIES, ClientRequests, Room, Route, linger
from director_ctx.history.proxy.http_body import HungUp, ProxySide
from director_ctx.history.proxy.http_head import Refused, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.history.proxy.connection import ProxiedConnection
    from director_ctx.history.proxy.shorten import Shortening
    from director_ctx.history.proxy.upstream import Upstream

    Work = Callable[[socket.socket], None]

ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 256
LEAVE_SECONDS = 0.5
MOST_REFUSALS = 16
"""Connections that are told at once that there are too many; others wait until they are let in."""
FULL = refusal(Refused(503, "Too many requests are under way. Try again in a moment."))


class Proxy:
    """Listens as soon as it is made. `serve` goes on until something is written to `end`.

    `base` is how every path begins by which it may be asked.
    """

    def __init__(
        self,
        port: int,
        upstream: Upstream,
        shortening: Shortening,
        base: str,
        say: Callable[[str], None],
    ) -> None:
        """`say` is told a sentence when there are too many connections."""
        self.base = base.encode("ascii")
        self._listening = socket.create_server((ADDRESS, port), backlog=128)
        self.port = int(self._listening.getsockname()[1])
        self._route = Route(self.port, self.base, upstream, shortening, Room(ALL_BODIES))
        # In the order in which they began to wait.
        self._waiting: dict[ProxySide, None] = {}
        self._waiting_lock = threading.Lock()
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._refusals = threading.BoundedSemaphore(MOST_REFUSALS)
        self._say = say
        self._is_full = False
        self._threads: set[threading.Thread] = set()
        # A signal that comes just before accept() would not end its waiting; what is written here
        # does.
        self._ended, self.end = socket.socketpair()
        self.end.setblocking(False)

    def serve(self) -> None:
        self._listening.setblocking(False)
        with self._listening, selectors.DefaultSelector() as watched:
            watched.register(self._listening, selectors.EVENT_READ)
            watched.register(self._ended, selectors.EVENT_READ)
            while True:
                for key, _ in watched.select():
                    if key.fileobj is self._ended:
                        return
                self._accept()

    def _accept(self) -> None:
        try:
            client, _ = self._listening.accept()
        except BlockingIOError:
            return
        except OSError:  # Too many open files, or a client that was gone at once.
            time.sleep(0.05)
            return
        if self._has_room():
            self._is_full = False
            self._start(self._serve, client, self._free)
        else:
            self._refuse(client)

    def _has_room(self) -> bool:
        """Whether one more may come in; who has been silent longest makes room."""
        if self._free.acquire(blocking=False):
            return True
        with self._waiting_lock:
            client = next(iter(self._waiting), None)
            if client is None:
                return False
            del self._waiting[client]
            client.hang_up()
        return self._free.acquire(timeout=LEAVE_SECONDS)

    def _refuse(self, client: socket.socket) -> None:
        """With an answer: a connection that only breaks tells nobody when to come again."""
        if not self._is_full:
            # Once, and not for each: clients that are refused come again by themselves.
            self._is_full = True
            self._say(
                f"{MOST_CONNECTIONS} connections are busy, so more are refused (503) until one of them ends."
            )
        self._refusals.acquire()
        self._start(self._answer_full, client, self._refusals)

    def _start(
        self,
        work: Work,
        client: socket.socket,
        place: threading.Semaphore,
    ) -> None:
        try:
            thread = threading.Thread(target=self._run, args=(work, client, place), daemon=True)
            self._threads.add(thread)
            thread.start()
        except RuntimeError:  # The system has no more threads, so everybody waits for this answer.
            self._threads.discard(thread)
            self._run(self._answer_full, client, place)

    def wait(self, seconds: float) -> None:
        """Until those who were answered last are done with it."""
        until = time.monotonic() + seconds
        for thread in tuple(self._threads):
            thread.join(max(0.0, until - time.monotonic()))

    def _run(
        self,
        work: Work,
        client: socket.socket,
        place: threading.Semaphore,
    ) -> None:
        """To its end, whichever way that comes; then its place is free again."""
        try:
            with client:
                work(client)
        except (HungUp, OSError):
            pass
        finally:
            place.release()
            self._threads.discard(threading.current_thread())

    def _serve(self, client: socket.socket) -> None:
        ClientRequests(ProxySide(client), self._route, self._next_head).serve()

    def _next_head(self, connection: ProxiedConnection) -> bytes | None:
        """What a client asks next. As long as it has not asked, or not to the end, it makes room for others."""
        with self._waiting_lock:
            self._waiting[connection.client] = None
        try:
            return connection.next_head()
        finally:
            with self._waiting_lock:
                self._waiting.pop(connection.client, None)

    def _answer_full(self, client: socket.socket) -> None:
        side = ProxySide(client)
        side.send(FULL)
        linger(side)
