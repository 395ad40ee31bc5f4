"""A text that an option names: a file, or standard input for `-`."""

from __future__ import annotations

import sys

from director_ctx.base.errors import DctxError
from director_ctx.base.text import decode
from director_ctx.project.reading.locate import absolute
from director_ctx.project.reading.read import LARGEST_FILE, Unreadable, read_document


def read_named(path: str, option: str, most: int | None = None) -> str:
    """The text of a file that the user named, or of standard input for `-`."""
    if path == "-":
        return _standard_input(option, most or LARGEST_FILE)
    try:
        document = read_document(absolute(path), path)
    except FileNotFoundError as error:
        raise DctxError(
            f"{option} {path}: there is no such file.",
            f"Name a file, or pipe the text in with {option} -.",
        ) from error
    except Unreadable as error:
        raise DctxError(f"{option} {path}: {error}.", "Name a readable text file.") from error
    if document.size > LARGEST_FILE:
        raise DctxError(f"{option} {path}: the file is too large.", "Give the part that matters.")
    return document.text


def _standard_input(option: str, most: int) -> str:
    if sys.stdin is None:
        raise DctxError(f"{option} -: there is no standard input.", "Name a file instead.")
    # One byte more than is taken, so that too much is known without reading all of it.
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:
        raise DctxError(f"{option} -: that is too much text.", "Give the part that matters.")
    return decode(data)[0]
