"""A client that started us: its requests on standard input, our answers on standard output."""

from __future__ import annotations

import os
from time import monotonic, sleep

from director_ctx.doors.mcp.serving.peer import Peer
from director_ctx.doors.mcp.serving.requests import Desk
from director_ctx.doors.mcp.wire.messages import RefusedMessage, error_message
from director_ctx.doors.mcp.wire.revisions import NO_REQUEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from director_ctx.tools.service import ToolService

LARGEST = 16_000_000
"""Bytes of one message. A plan may have a million characters, each written as six."""
PATIENCE = 2.0
"""Seconds for what is still being answered when the client closes the door; it kills us then."""


def serve(service: ToolService) -> None:
    """Until the client closes our standard input, or nobody reads our answers any more."""
    source, target = _private_streams()
    peer = Peer(lambda line: _write_all(target, line), lambda: _nobody_reads(target))
    desk = Desk(service)
    with source:
        _take_lines(source, desk, peer)
    _let_finish(desk, peer)


def _take_lines(source: BinaryIO, desk: Desk, peer: Peer) -> None:
    while not peer.gone:
        line = source.readline(LARGEST + 1)
        if not line:
            break
        if len(line) > LARGEST:
            _skip_line(source, line)
            error = RefusedMessage(NO_REQUEST, f"A message has at most {LARGEST:,} bytes.")
            peer.send(error_message(None, error))
        elif line.strip():
            desk.take_line(peer, line)


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
        written = os.write(target, rest)
        rest = rest[written:]


def _skip_line(source: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = source.readline(LARGEST)


def _let_finish(desk: Desk, peer: Peer) -> None:
    """What was asked before the end is answered, if that does not take long."""
    end = monotonic() + PATIENCE
    while desk.crew.busy and peer.is_there() and monotonic() < end:
        sleep(0.002)
    peer.gone = True
