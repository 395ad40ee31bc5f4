"""The other side of one connection: what it settled at its beginning, and what is on the way to it."""

from __future__ import annotations

from _thread import allocate_lock
from time import monotonic

from director_ctx.doors.mcp.wire.messages import as_line, notice_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.wire.messages import Id, Object


LOOK_SECONDS = 0.05
"""Between two looks for somebody who may have left without a word."""


class Peer:
    """Whoever writes to it may be any thread; lines never mix."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        has_left: Callable[[], bool],
    ) -> None:
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

    def notify(self, method: str, parameters: Object) -> None:
        self.send(notice_message(method, parameters))

    def cancel(self, name: Id) -> None:
        """A request that is answered already, or never came, is nothing to complain about."""
        call = self.calls.get(name)
        if call:
            call.cancelled = True
