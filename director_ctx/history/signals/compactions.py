"""A client's file holds everything that was said; where it compacted, what came before is no longer
in its window.
"""

from __future__ import annotations

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
    starts = [0, *_boundaries(data)] if any(mark in data for mark in _LIKELY) else [0]
    ends = [*starts[1:], len(data)]
    return [data[start:end] for start, end in zip(starts, ends, strict=True) if end > start] or [
        data
    ]


def _boundaries(data: bytes) -> Iterator[int]:
    """Where lines begin that say so themselves; the same words inside a message are none."""
    import json

    for found in _BOUNDARY.finditer(data):
        start, end = found.start(), data.find(b"\n", found.start())
        try:
            line = json.loads(data[start : end if end >= 0 else len(data)])
        except (ValueError, RecursionError):
            continue
        if is_compaction(line) or line.get("type") == "compacted":
            yield start
