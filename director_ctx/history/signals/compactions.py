"""A client's file holds everything that was said; where it compacted, what came before is no longer
in its window.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.claude_code_lines import COMPACTION, is_compaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUNDARY = re.compile(
    rb'^\{[^\n]*"(?:subtype":\s*"%b"|type":\s*"compacted")' % COMPACTION.encode(), re.MULTILINE
)
_LIKELY = (COMPACTION.encode(), b'"compacted"')


def pieces(data: bytes) -> list[bytes]:
    """What the model read between one compaction and the next; the last piece is what it reads now."""
    starts = [0]
    # Looked for first, as that is much faster, and most sessions have neither.
    if any(mark in data for mark in _LIKELY):
        starts += _boundaries(data)
    ends = [*starts[1:], len(data)]

    parts: list[bytes] = []
    for start, end in zip(starts, ends, strict=True):
        if end > start:
            parts.append(data[start:end])
    return parts or [data]


def _boundaries(data: bytes) -> Iterator[int]:
    """Where lines begin that say so themselves; the same words inside a message are none."""
    for match in _BOUNDARY.finditer(data):
        start = match.start()
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        try:
            line = json.loads(data[start:end])
        except (ValueError, RecursionError):
            continue
        if is_compaction(line) or line.get("type") == "compacted":
            yield start
