"""Tokens of a session where its client writes none: of lines as they come, and of a file by its
ends.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import SIDECHAIN
from director_ctx.base.errors import DctxError
from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import measure
from director_ctx.history.sessions.files import BYTES_A_TOKEN, CLAUDE, CODEX
from director_ctx.history.sessions.usage import tokens_said_by
from director_ctx.history.signals.compactions import pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.history.sessions.ends import FileEnds

    Count = Callable[[str], int]

FORMATS = {
    CLAUDE: "claude-code",
    CODEX: "codex",
}
HEAD = 1 << 20
"""Bytes by which the format of a file is found that no client is known of."""
_ASIDE = f'"{SIDECHAIN}":true'.encode(), f'"{SIDECHAIN}": true'.encode()
"""What a sub-agent said, in the file of the session that it belongs to."""


def format_of(client: str, path: str) -> str | None:
    """None where it cannot be found out."""
    if client in FORMATS:
        return FORMATS[client]
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
        return read(head).format
    except (DctxError, OSError):
        return None


def tokens_of(
    lines: Iterable[bytes],
    format: str,
    path: str,
    count: Count,
) -> int:
    """Line by line where each stands for itself: what it goes on from is not among them."""
    lines = [line for line in lines if line.strip() and not _is_aside(line, path)]
    if TRAITS[format].lines:
        return sum(_measured(line, format, count) for line in lines)
    array = b"[%s]" % b",".join(lines)
    return _measured(array, format, count)


def _is_aside(line: bytes, path: str) -> bool:
    # In a sub-agent's own file every line is marked so, and all of it is its conversation.
    if "agent-" in path:
        return False
    return any(mark in line for mark in _ASIDE)


def _measured(data: bytes, format: str | None, count: Count) -> int:
    """What is no message has none."""
    try:
        conversation = read(data, format)
    except DctxError:
        return 0
    return measure(conversation.messages, count)


def by_ends(
    ends: FileEnds,
    size: int,
    format: str | None,
    path: str,
    count: Count,
) -> int:
    """Of a whole file, or of one of which these are the ends, if it is like them in between."""
    if ends.whole:
        data = b"\n".join(ends.lines)
        newest = pieces(data)[-1]
        return _measured(newest, format, count)
    if format is None:
        return size // BYTES_A_TOKEN

    # What stands before a compaction is no longer in the window.
    begun = _last_compaction(ends.lines)
    if begun >= 0:
        newest_lines = ends.lines[begun:]
        return tokens_of(newest_lines, format, path, count)

    lines = [*ends.begin, *ends.lines]
    read_bytes = sum(map(len, lines))
    if not read_bytes:
        return size // BYTES_A_TOKEN
    tokens = tokens_of(lines, format, path, count)
    return tokens * size // read_bytes


def _last_compaction(lines: Sequence[bytes]) -> int:
    """Its place; -1 for none."""
    for index in reversed(range(len(lines))):
        if tokens_said_by(lines[index]) is None:
            return index
    return -1
