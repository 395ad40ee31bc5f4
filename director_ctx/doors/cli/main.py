"""The front door: nothing is imported before Ctrl-C is understood, and a hook does not even load
the menu.
"""

from __future__ import annotations

import gc
import os
import sys

ENOUGH = 100_000
"""Objects that may be made before Python first looks for garbage: a command is over before that."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code, or ends the process if it has it for itself."""
    # Inside another program neither its garbage nor its exit is ours.
    alone = arguments is None
    if alone:
        gc.set_threshold(ENOUGH)
    try:
        if arguments is None:
            arguments = sys.argv[1:]
        code = _run(arguments, alone)
    except KeyboardInterrupt:
        code = 130
    if alone:
        _leave(code)
    return code


def _run(words: Sequence[str], alone: bool) -> int:
    if words[:1] == ["hook"]:
        from director_ctx.doors.cli.clients import hook

        # Its help is that of any command, so it goes the way of the others.
        if not hook.asks_for_help(words):
            return hook.hook(words[1:], alone)
    from director_ctx.doors.cli.boundary import run

    return run(words)


def _leave(code: int) -> None:
    """Everything is written, so the system may take back what Python would give back one by one."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
