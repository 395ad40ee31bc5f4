"""The server: one process, one port, until it is interrupted."""

from __future__ import annotations

import uvicorn

from director_ctx.doors.mcp.wire.http_rules import hosts_of
from director_ctx.doors.ui.serving.application import Application
from director_ctx.doors.ui.serving.binding import HOST
from director_ctx.doors.ui.serving.entrance import EntranceRules

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from types import FrameType

LARGEST_HEAD = 64_000
MOST_CONNECTIONS = 512
IDLE_SECONDS = 30
SECONDS_TO_END = 2


def serve(
    listening: socket.socket, projects: Mapping[str, str], token: str, read_only: bool
) -> None:
    port = int(listening.getsockname()[1])
    rules = EntranceRules(hosts_of(HOST, port), token, read_only, port)
    application = Application(projects, rules)
    config = uvicorn.Config(
        application.app(),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        h11_max_incomplete_event_size=LARGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    _PageServer(config, application).run(sockets=[listening])


class _PageServer(uvicorn.Server):
    """Ends without a word: Ctrl-C is how one leaves it."""

    def __init__(self, config: uvicorn.Config, application: Application) -> None:
        super().__init__(config)
        self._application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True
        self._application.pages.end()
