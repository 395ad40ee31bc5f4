"""The user's own folders: what dctx was told or allowed once, and what it can make again. No
project reaches them.
"""

from __future__ import annotations

import os
import sys


def state_place(*names: str) -> str:
    """Where something is in it."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME"
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "dctx", *names)


def cache_place(*names: str) -> str:
    """Where something is in it; an empty string if there is no home."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.expanduser(os.path.join("~", ".cache"))
    if not os.path.isabs(base):
        return ""
    return os.path.join(base, "dctx", *names)
