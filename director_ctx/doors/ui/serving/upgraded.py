"""Whether dctx was changed on disk since this server began: then half of what runs is old."""

from __future__ import annotations

import os
from os.path import dirname

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = dirname(dirname(dirname(dirname(__file__))))
ENDINGS = (".py", ".html", ".js", ".css")


def changed_since(moment: float, folder: str = PACKAGE) -> bool:
    """By when the system wrote a file: an installer may give it a time of long ago."""
    return any(written > moment for written in _times(folder))


def _times(folder: str) -> Iterator[float]:
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(ENDINGS):
                continue
            try:
                yield os.stat(os.path.join(where, name)).st_ctime
            except OSError:
                continue  # it is being replaced
