"""Where results go: standard output as bytes, a file whole, or the clipboard."""

from __future__ import annotations

import os
import stat
import sys

from director_ctx.base.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KIB = 1024
BAR_WIDTH = 20


def is_on_screen() -> bool:
    """Whether somebody sees the result as it is, and not a program or a file."""
    return bool(sys.stdout and sys.stdout.isatty())


def put(text: str) -> None:
    """The result, as UTF-8 whatever the locale says."""
    if sys.stdout is None:
        return
    # Another program that calls `main` may have put a stream of text alone in its place.
    if getattr(sys.stdout, "buffer", None) is None:
        sys.stdout.write(text)
        return
    put_bytes(text.encode("utf-8", "replace"))


def put_bytes(data: bytes) -> None:
    """A result to the byte, as one that is no text of ours."""
    if sys.stdout is None:
        raise DctxError(
            "Standard output is closed, so nothing was delivered.",
            "Send it to a file, or into a pipe.",
        )
    stream = sys.stdout.buffer
    # What was written as text before has to come out before these bytes.
    sys.stdout.flush()
    # An unbuffered stream may take only a part.
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def json_text(value: Any) -> str:
    # Most answers are text, and need none of it.
    from director_ctx.base.strict_json import strict_json

    return strict_json(value, indent=2) + "\n"


def put_json(value: Any) -> None:
    put(json_text(value))


def put_file(path: str, text: str) -> None:
    """Text into a file, as UTF-8 whatever the locale says."""
    put_file_bytes(path, text.encode("utf-8", "replace"))


def put_file_bytes(path: str, data: bytes) -> None:
    """Into a file, beside and then in place; devices and pipes are written straight."""
    # Locks and durable writes are of no use to a result on standard output.
    from director_ctx.base.system.write import write_whole

    expect_file(path)
    try:
        if _is_stream(path):
            with open(path, "wb") as file:
                file.write(data)
        else:
            write_whole(path, data)
    except OSError as error:
        raise _unwritten(path, error.strerror or str(error)) from error


def expect_file(path: str) -> None:
    """A place that cannot be written is said before what is to be written there is made."""
    if path.endswith(("/", os.sep)):
        raise DctxError(f"{path} is not the name of a file.", "Name a file in it.")

    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise DctxError(
            f"Could not write {path}: there is no folder {folder}.",
            "Make it first, or choose another place.",
        )

    written = path
    if not _is_stream(path) and not os.path.exists(path):
        # A new file is written into its folder; that of a link is where the link leads.
        written = os.path.dirname(os.path.realpath(path))
    if not os.access(written, os.W_OK):
        raise _unwritten(path, "it may not be written")


def _unwritten(path: str, why: str) -> DctxError:
    return DctxError(
        f"Could not write {path}: {why}.", "Nothing was changed; choose another place."
    )


def _is_stream(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise DctxError(f"{path} is a folder.", "Name a file in it.")
    return not stat.S_ISREG(mode)


def shown_bar(share: float, width: int = BAR_WIDTH) -> str:
    """A bar of the same form everywhere; plain where the terminal knows no blocks."""
    full = min(width, max(0, round(share * width)))
    # A stream that another program put there may know no encoding.
    encoding = getattr(sys.stdout, "encoding", "") or ""
    if encoding.casefold().startswith("utf"):
        filled, empty = "\u2588", "\u2500"
    else:
        filled, empty = "#", "-"
    return filled * full + empty * (width - full)


def shown_size(size: int) -> str:
    if size < 10 * KIB:
        return f"{size:,} bytes"
    return f"{size / KIB:,.0f} KiB"
