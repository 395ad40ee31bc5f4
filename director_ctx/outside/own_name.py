"""How an agent can call this program: by its name where that is found, else by its place."""

from __future__ import annotations

import os
import sys

NAME = "dctx"


def own_name() -> str:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder) and os.access(os.path.join(folder, NAME), os.X_OK):
            return NAME
    place = sys.argv[0] if sys.argv else ""
    if not os.path.isabs(place) or os.path.basename(place).partition(".")[0] != NAME:
        return NAME
    return f'"{place}"' if " " in place else place
