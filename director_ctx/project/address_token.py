"""The token in an address that is for one user alone, of the proxy or of the page: the same each time,
kept in the user's own state folder.
"""

from __future__ import annotations

import os

from director_ctx.base.system.user_folders import state_place
from director_ctx.base.system.write import write_private
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.lock import alone_in
from director_ctx.project.reading.read import Unreadable, read_document

BYTES = 24
SHORTEST = 32
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def token(root: str | None, kind: str) -> str:
    """The one that is kept for this kind of address. Where none can be, as on a disk that is only read,
    one that holds for this run.
    """
    folder = state_place(kind)
    # In a folder of the project it would not be for the user's eyes alone.
    if root and inside(os.path.realpath(folder), os.path.realpath(root)):
        return _fresh()
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        with alone_in(folder):
            return _kept_token(os.path.join(folder, "token"))
    except OSError:
        return _fresh()


def _kept_token(path: str) -> str:
    known = _read(path)
    if known:
        # Whoever made the file, it is for the user's eyes alone from here on.
        os.chmod(path, 0o600)
        return known
    new = _fresh()
    line = f"{new}\n".encode("ascii")
    write_private(path, lambda file: file.write(line))
    return new


def _read(path: str) -> str:
    """Empty where there is none, or what is there is none."""
    try:
        document = read_document(path, "")
    except (OSError, Unreadable):
        return ""
    text = document.text.strip()
    if len(text) < SHORTEST or not _LETTERS.issuperset(text):
        return ""
    return text


def _fresh() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(BYTES)
