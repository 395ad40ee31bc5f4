"""The user's own cache: what can be made again, kept to save time. Nothing in a project can put anything there."""

from __future__ import annotations

import os
import sys


def cache_place(*names: str) -> str:
    """Where something is in it; an empty string if there is no home."""
    base = os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.expanduser(os.path.join("~", ".cache"))
    return os.path.join(base, "dctx", *names) if os.path.isabs(base) else ""
