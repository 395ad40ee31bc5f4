"""Keeps a copy of what is about to be removed, under `.director/.dctx/archive/`."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.project.dctx_folder import KEPT, make_kept

# A link in the place of the copy would lead what is kept out of the project.
_APPEND = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


def keep_aside(root: str, name: str, text: str) -> None:
    """Adds a text to a file of the archive; without that nothing may be removed."""
    try:
        descriptor = os.open(make_kept(root, f"archive/{name}"), _APPEND, 0o600)
        with open(descriptor, "ab") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise _refusal(error) from error


def move_aside(root: str, location: str, path: str) -> str:
    """Moves a file into the archive, beside older ones of its name; where it is now."""
    try:
        place = make_kept(root, f"archive/{path}")
        number = 1
        while os.path.lexists(f"{place}.{number}"):
            number += 1
        os.rename(location, f"{place}.{number}")
    except OSError as error:
        raise _refusal(error) from error
    return f"{KEPT}/archive/{path}.{number}"


def _refusal(error: OSError) -> DctxError:
    return DctxError(
        f"Could not keep a copy in {KEPT}/archive: {error.strerror or error}.",
        "Nothing was removed.",
    )
