"""A file that only its owner reads, whatever the umask says: what is remembered, or a key to it."""

from __future__ import annotations

import os

from director_ctx.errors import DctxError
from director_ctx.folder.locate import absolute
from director_ctx.folder.text import plain
from director_ctx.folder.write import TEMPORARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, TypeVar

    T = TypeVar("T")


def put_private(path: str, write: Callable[[IO[bytes]], T]) -> T:
    """Beside and then in place: whoever may read what was there may not read this."""
    target = os.path.realpath(absolute(path))
    beside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)[:50]}.{os.urandom(6).hex()}{TEMPORARY}")
    try:
        if os.path.lexists(target) and not os.path.isfile(target):
            raise DctxError(f"{plain(path)} is not a file.", "Name another one, or leave -o out and use > or |.")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as file:
                done = write(file)
                file.flush()
                os.fsync(descriptor)
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise DctxError(
            f"Could not write {plain(path)}: {error.strerror or error}.", "Nothing was changed; choose another place."
        ) from error
    return done
