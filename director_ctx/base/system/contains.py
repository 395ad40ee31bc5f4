"""Whether a file has some words in it: a look at its bytes, piece by piece, before anything of it
is understood.
"""

from __future__ import annotations

import os

from director_ctx.base.system.waiting import still_wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PIECE = 1 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


def holds(path: str, words: Sequence[bytes], folded: bool) -> bool:
    """All of them; with `folded`, which words have to be in small letters, in any case. No link is
    followed.
    """
    if not words:
        return True
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return False
    with open(descriptor, "rb", buffering=0) as file:
        return _all_in(file.read, list(words), folded)


def _all_in(read: Callable[[int], bytes | None], wanted: list[bytes], folded: bool) -> bool:
    overlap = max(map(len, wanted)) - 1
    rest = b""
    try:
        while piece := read(PIECE):
            still_wanted()
            rest += piece
            if folded:
                rest = rest.lower()
            wanted = [word for word in wanted if word not in rest]
            if not wanted:
                return True
            # A word may begin in one piece and end in the next.
            rest = rest[max(0, len(rest) - overlap) :]
    except OSError:
        pass
    return False
