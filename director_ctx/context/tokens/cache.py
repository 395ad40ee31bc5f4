"""Counts that were made once, kept for the user by content, so that the next run loads no
tokenizer.

A line is a digest and a number. Lines are only ever added, each in one write; whatever is no such
line is passed over.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from director_ctx.base.hashing import digest
from director_ctx.base.system.user_folders import cache_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Count = Callable[[str], int]

LARGEST = 400_000
"""Bytes, some ten thousand counts. A longer file loses its older half."""
MOST = 50_000
"""Counts that one process remembers."""
_DIGITS = 32
_ADD = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Counts:
    """The counts of one counter. Where nothing can be kept, it only counts."""

    def __init__(self, path: str, load: Callable[[], Count]) -> None:
        self._load = load
        self._count: Count | None = None
        self._path = path
        self._known = _read(path)
        self._open = -1
        """Stays open for as long as the process lives: there are no more of these than encodings.
        """

    def __call__(self, text: str) -> int:
        raw = text.encode("utf-8", "surrogatepass")
        key = digest(raw)[:_DIGITS].encode()
        number = self._known.get(key, b"")
        if number.isdigit() and len(number) < 10:
            return int(number)

        if self._count is None:
            self._count = self._load()
        tokens = self._count(text)
        # A process that never ends shall not grow; what it needs again is counted again.
        if len(self._known) > MOST:
            self._known.clear()
        digits = b"%d" % tokens
        self._known[key] = digits
        self._keep(key + b" " + digits + b"\n")
        return tokens

    def _keep(self, line: bytes) -> None:
        """One write, so that two writers do not mix theirs."""
        if not self._path:
            return
        try:
            if self._open < 0:
                self._open = _opened(self._path)
            os.write(self._open, line)
        except OSError:
            self._path = ""


def _opened(path: str) -> int:
    if not os.path.exists(path):
        folder = os.path.dirname(path)
        os.makedirs(folder, 0o700, exist_ok=True)
    return os.open(path, _ADD, 0o600)


def _read(path: str) -> dict[bytes, bytes]:
    try:
        data = _content(path)
        lines = data.split(b"\n")
        # The last line may still be on its way.
        lines.pop()
        if len(data) > LARGEST:
            lines = lines[len(lines) // 2 :]
            _shorten(path, lines)
    except OSError:
        return {}
    # There may be ten thousand lines, so nothing is checked here; a number is when it is used.
    behind = _DIGITS + 1
    return {line[:_DIGITS]: line[behind:] for line in lines}


def _content(path: str) -> bytes:
    """Of a plain file: whatever else is there may never end."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    with open(descriptor, "rb") as file:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return file.read(2 * LARGEST)


def _shorten(path: str, lines: list[bytes]) -> None:
    from director_ctx.base.system.write import write_whole

    data = b"".join(line + b"\n" for line in lines)
    try:
        write_whole(path, data)
    except OSError:
        pass


_OPENED: dict[tuple[str, str], Counts] = {}


def counts(counter: str, load: Callable[[], Count]) -> Counts:
    """The counts of a counter, read once in a process."""
    # By its path as well: the variable that says where it is may change while a process lives.
    path = cache_place("counts", counter)
    known = _OPENED.get((counter, path))
    if known is None:
        known = Counts(path, load)
        _OPENED[counter, path] = known
    return known
