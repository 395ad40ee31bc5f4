"""Keeps what a report of a bug needs, where the user can find it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

from director_ctx import __version__


def write_log() -> str:
    """Writes the current exception to a file of the user's; its path."""
    text = (
        f"dctx {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        # Only the first word: the others may be a secret or somebody's text.
        f"command: {sys.argv[1:2]}\n\n{traceback.format_exc()}"
    )
    # A home may be read-only or full; a report without its details would be of no use.
    for folder in (_state_folder(), tempfile.gettempdir()):
        try:
            os.makedirs(folder, exist_ok=True)
            descriptor, path = tempfile.mkstemp(".log", "dctx-bug-", folder, text=True)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            return path
        except OSError:
            continue
    sys.stderr.write(text)
    return "the lines above"


def _state_folder() -> str:
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "dctx")
