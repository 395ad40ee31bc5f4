"""Talk for the person at the terminal: on stderr, one sentence a line, never in the way of a
result.
"""

from __future__ import annotations

import os
import sys

from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.base.errors import DctxError

WIDTH = 80
NARROWEST = 20


def say(message: str, hint: str = "") -> None:
    """One sentence to the person at the terminal, and what they can do about it."""
    speak(_fitting(f"dctx: {plain(message)}") + _hint(hint))


def _hint(hint: str) -> str:
    if not hint:
        return ""
    return _fitting(f"  hint: {plain(hint)}")


def _fitting(line: str) -> str:
    """Whole words on each line of a terminal, and a command in one piece; a pipe gets one line."""
    if not (sys.stderr and sys.stderr.isatty()):
        return f"{line}\n"
    # Only who is at a terminal waits for it.
    from director_ctx.doors.cli.shared.wrapping import depth, wrapped

    lines = wrapped(line, _columns(), " " * (depth(line) + 2))
    return "\n".join(lines) + "\n"


def _columns() -> int:
    """Those of the terminal that is talked to: results may go elsewhere."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named[:5]) > 0:
        return max(NARROWEST, int(named[:5]))
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return WIDTH
    return max(NARROWEST, columns or WIDTH)


def complain(error: DctxError) -> None:
    """What went wrong; where that is several things, on a line each."""
    if len(error.each) < 2:
        say(error.message, error.hint)
        return

    say(f"{error.head}:")
    lines = [_fitting(f"  {plain(trouble)}") for trouble in error.each]
    speak("".join(lines) + _hint(error.hint))


def is_terminal() -> bool:
    """Whether somebody is there who can be asked: they see what is said, and can answer."""
    # Standard output may be a pipe all the same: a context goes to an agent that way.
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))


def can_be_asked() -> bool:
    """Whether somebody is there, and nothing behind a pipe reads the same keys, as a pager does."""
    return is_terminal() and not _goes_into_a_pipe()


def _goes_into_a_pipe() -> bool:
    # Only who is at a terminal needs to know.
    import stat

    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode)


def speak(text: str) -> None:
    """Text for the person, if there is anywhere to say it."""
    stream = sys.stderr
    if stream is None:
        return
    # A locale that lacks a letter is no reason to say nothing: it is shown as a code.
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        pass


def end_line() -> None:
    """Where a question or a key that stops was left open on a terminal, what follows has a line of
    its own.
    """
    if sys.stderr and sys.stderr.isatty():
        speak("\n")


def abandon_output() -> None:
    """Keeps Python from failing once more when it flushes at exit."""
    try:
        # The stream itself stays: whatever is left in it goes nowhere now.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        pass
