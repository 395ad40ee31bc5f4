"""Our own mistakes: told without anything of what was being worked on, which may be secret."""

from __future__ import annotations

import os
import sys

from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BUG


def bug(error: Exception) -> RefusedMessage:
    """What the client is told, and the log."""
    kind = type(error).__name__
    said = f"This is a bug in dctx, not in your project: {kind} in {_place(error)}."
    return RefusedMessage(BUG, f"{said} Please report it.")


def _place(error: Exception) -> str:
    """The file and line in which it happened."""
    trace = error.__traceback__
    if trace is None:
        return "an unknown place"
    while trace.tb_next:
        trace = trace.tb_next
    file = os.path.basename(trace.tb_frame.f_code.co_filename)
    return f"{file}:{trace.tb_lineno}"


def log(text: str) -> None:
    """One line for whoever looks after the server; standard output belongs to the protocol."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"dctx mcp: {text}\n")
        stream.flush()
    except (OSError, ValueError):
        pass
