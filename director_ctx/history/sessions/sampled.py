"""Tokens of a session where its client writes none: of lines as they come, and of a file by its
ends.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import SIDECHAIN
from director_ctx.base.errors import DctxError
from director_ctx.history.formats.document import read
from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import measure
from director_ctx.history.sessions.files import BYTES_A_TOKEN, CLAUDE, CODEX, COPILOT, GEMINI
from director_ctx.history.sessions.usage import said_by
from director_ctx.history.signals.compactions import pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.history.sessions.files import FileEnds

    Count = Callable[[str], int]

FORMATS = {CLAUDE: "claude-code", CODEX: "codex", GEMINI: "gemini", COPILOT: "copilot"}
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
            return read(file.read(HEAD)).format
    except (DctxError, OSError):
        return None


def tokens_of(lines: Iterable[bytes], format: str, path: str, count: Count) -> int:
    """Line by line where each stands for itself: what it goes on from is not among them."""
    lines = [line for line in lines if line.strip() and not _is_aside(line, path)]
    if TRAITS[format].lines:
        return sum(_measured(line, format, count) for line in lines)
    return _measured(b"[%s]" % b",".join(lines), format, count)


def _is_aside(line: bytes, path: str) -> bool:
    return any(mark in line for mark in _ASIDE) and "agent-" not in path


def _measured(data: bytes, format: str | None, count: Count) -> int:
    """What is no message has none."""
    try:
        return measure(read(data, format).messages, count)
    except DctxError:
        return 0


def by_ends(ends: FileEnds, size: int, format: str | None, path: str, count: Count) -> int:
    """Of a whole file, or of one of which these are the ends, if it is like them in between."""
    if ends.whole:
        newest = pieces(b"\n".join(ends.lines))[-1]
        return _measured(newest, format, count)
    if format is None:
        return size // BYTES_A_TOKEN
    begun = _begun(ends.lines)
    if begun >= 0:
        return tokens_of(ends.lines[begun:], format, path, count)

    lines = [*ends.begin, *ends.lines]
    seen = sum(map(len, lines))
    if not seen:
        return size // BYTES_A_TOKEN
    return tokens_of(lines, format, path, count) * size // seen


def _begun(lines: Sequence[bytes]) -> int:
    """The place of the last compaction; -1 for none."""
    for index in reversed(range(len(lines))):
        if said_by(lines[index]) is None:
            return index
    return -1
