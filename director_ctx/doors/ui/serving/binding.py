"""The port, before anything is loaded that answers on it."""

from __future__ import annotations

import os
import socket

HOST = "127.0.0.1"
MOST_WAITING = 128


def bind(port: int) -> socket.socket:
    """A port of this machine that nobody else can reach; raises OSError where it is taken."""
    # The protocol is named, since asyncio sends small pieces at once only where it is: else each
    # answer would wait 40 ms for the browser to confirm its head.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # After a restart the same port serves the pages that are still open. On Windows this would
        # let others take it.
        if os.name != "nt":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(MOST_WAITING)
    except OSError:
        listening.close()
        raise
    return listening
