"""`dctx mcp --http`: the same tools for clients that come by HTTP."""

from __future__ import annotations

import os
import signal
import threading

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.mcp.serving.over_http import PATH, Address, Listener
from director_ctx.doors.mcp.wire.http_rules import is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.service import Service

HERE = "127.0.0.1"
TOKEN = "DCTX_MCP_TOKEN"
"""The variable with what a client has to bring along."""
SHORTEST_TOKEN = 16
LARGEST_PORT = 65_535


def serve_http(service: Service, where: str) -> int:
    """Until it is interrupted. The address is the result; everything else is talk."""
    address = parse_address(where)
    try:
        listener = Listener(service, address)
    except OSError as error:
        raise DctxError(
            f"{where} cannot be listened on: {error.strerror or error}.",
            "--http 0 takes a port that is free.",
        ) from error
    put(f"http://{address.host}:{listener.port}{PATH}\n")
    say("Ctrl-C ends it.")
    _end_by_signals(listener)
    with listener:
        listener.serve_forever()
    return OK


def parse_address(where: str) -> Address:
    """A port, or a host and a port. From elsewhere nobody comes in without a token."""
    host, colon, port = where.rpartition(":")
    if not colon:
        host = HERE
    is_number = port.isascii() and port.isdigit() and len(port) < 6
    if not host or not is_number or int(port) > LARGEST_PORT:
        raise UsageProblem(
            f"--http {where}: that is no address.", "Such as 8378, or 127.0.0.1:8378."
        )

    token = os.environ.get(TOKEN, "")
    if token and len(token) < SHORTEST_TOKEN:
        raise UsageProblem(
            f"{TOKEN} is too short to be a secret.", f"Take {SHORTEST_TOKEN} characters or more."
        )
    if not token and not is_loopback(host):
        raise UsageProblem(
            f"Without a token only this machine may ask, and {host} is open to others.",
            f"Put one into {TOKEN}; clients send it as `Authorization: Bearer`.",
        )
    return Address(host, int(port), token)


def _end_by_signals(listener: Listener) -> None:
    """It can only be ended from another thread than the one that serves."""

    def end(*_: object) -> None:
        threading.Thread(target=listener.shutdown, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
