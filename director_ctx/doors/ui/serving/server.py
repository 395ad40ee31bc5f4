"""The server: one process, one port, until it is interrupted."""

from __future__ import annotations

from time import monotonic

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from director_ctx.doors.ui.serving.application import Application
from director_ctx.doors.ui.serving.entrance import EntranceRules, hosts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import socket
    from types import FrameType
    from typing import Any

LARGEST_HEAD = 64_000
MOST_CONNECTIONS = 512
MOST_SILENT = 128
"""Connections on which nothing is asked. Of more of them those go that are silent the longest: who
comes without a token, and says nothing, keeps nobody out.
"""
SILENT_SECONDS = 1.0
"""Until then a connection may be one of many that come at once."""
IDLE_SECONDS = 30
SECONDS_TO_END = 2


def serve(listening: socket.socket, root: str, token: str, read_only: bool) -> None:
    port = int(listening.getsockname()[1])
    rules = EntranceRules(hosts_of(port), token, read_only, port)
    application = Application(root, rules)
    config = uvicorn.Config(
        application.app(),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        # The other one that may be installed has no limit for a head.
        http=_PageConnection,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    _PageServer(config, application).run(sockets=[listening])


class _PageConnection(H11Protocol):
    silent_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.silent_since = monotonic()
        super().connection_made(transport)  # type: ignore[arg-type]

    def on_response_complete(self) -> None:
        self.silent_since = monotonic()
        super().on_response_complete()


class _PageServer(uvicorn.Server):
    """Ends without a word: Ctrl-C is how one leaves it."""

    def __init__(self, config: uvicorn.Config, application: Application) -> None:
        super().__init__(config)
        self._application = application

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        self._end_the_longest_silent()
        return await super().on_tick(counter)

    def _end_the_longest_silent(self) -> None:
        silent = sorted(filter(_is_silent, self.server_state.connections), key=_since)
        patience = monotonic() - SILENT_SECONDS
        for connection in silent[:-MOST_SILENT]:
            if _since(connection) < patience:
                connection.transport.close()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True
        self._application.pages.end()
        self._application.chats.end()


def _is_silent(connection: Any) -> bool:
    """Whether no request has come whole, or none after the last answer."""
    cycle = connection.cycle
    return cycle is None or bool(cycle.response_complete)


def _since(connection: Any) -> float:
    return float(connection.silent_since)
