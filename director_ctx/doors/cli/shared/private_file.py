"""A file that only its owner reads, whatever the umask says: what is remembered, or a key to it."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.write import write_private
from director_ctx.base.text import plain
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, TypeVar

    T = TypeVar("T")


def put_private(path: str, write: Callable[[IO[bytes]], T]) -> T:
    """Beside and then in place: whoever may read what was there may not read this."""
    # A device or a pipe is nobody's own: what goes there could be read by others.
    target = os.path.realpath(absolute(path))
    if os.path.lexists(target) and not os.path.isfile(target):
        raise DctxError(
            f"{plain(path)} is not a file.", "Name another one, or leave -o out and use > or |."
        )
    try:
        return write_private(target, write)
    except OSError as error:
        raise DctxError(
            f"Could not write {plain(path)}: {error.strerror or error}.",
            "Nothing was changed; choose another place.",
        ) from error
