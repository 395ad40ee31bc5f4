"""What SQLite answers, in sentences."""

from __future__ import annotations

from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.sqlite_rows import OddValue

_BACKUP = "Move it away; `dctx store import` reads a backup."
_NO_TEXT = "Could not decode to UTF-8"
"""What Python says of a text in a damaged file."""
_SENTENCES = (
    (
        ("SQLITE_BUSY", "SQLITE_PROTOCOL"),
        "The store is busy with another program",
        "Try again; if nothing uses it, restart what holds it.",
    ),
    ("SQLITE_FULL", "The disk is full; nothing was written to the store", "Make room, then try again."),
    ("SQLITE_IOERR", "The disk does not take or give what it should", "Is it full, or gone? Then try again."),
    ("SQLITE_READONLY", "The store may not be written", "Look at the permissions of the file and its folder."),
    (
        ("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"),
        "The store could not be opened",
        "Look at the permissions of the file and its folder.",
    ),
    ("SQLITE_NOTADB", "The store is not a database", _BACKUP),
    ("SQLITE_CORRUPT", "The store is damaged", _BACKUP),
    ("SQLITE_TOOBIG", "That is too large for the store", "A text may have a gigabyte."),
)


def translated(error: Exception, place: str) -> StoreError:
    """What SQLite says by a code, as a sentence."""
    code = code_of(error)
    for codes, sentence, hint in _SENTENCES:
        if code.startswith(codes):
            return StoreError(f"{sentence} ({place}).", hint)
    if isinstance(error, UnicodeDecodeError | OddValue) or _NO_TEXT in str(error):
        return StoreError(f"The store is damaged ({place}).", _BACKUP)
    if isinstance(error, UnicodeEncodeError):
        return StoreError("A text holds half a character, which no store can keep.", "Write that character anew.")
    if isinstance(error, OverflowError):
        return StoreError("A number is too large for the store.", "Make it a text.")
    if "closed database" in str(error):
        return StoreError("The store was closed, or its process forked in the middle of a change.", "Open it again.")
    from director_ctx.base.text import plain

    return StoreError(f"The store could not be used: {plain(str(error))} ({place}).", _BACKUP)


def code_of(error: BaseException) -> str:
    """SQLite's name of an error; Python's own have none."""
    return getattr(error, "sqlite_errorname", "")


def busy(error: BaseException) -> bool:
    return code_of(error).startswith(("SQLITE_BUSY", "SQLITE_PROTOCOL"))
