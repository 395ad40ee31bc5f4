"""Errors by structure: what the provider says, an exit status, the tail of a traceback. Never by a word alone."""

from __future__ import annotations

import re

from director_ctx.history.message import RESULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Block, Message

_STATUS = re.compile(
    r"<returncode>\s*(?!0\s*<)-?\d+\s*</returncode>|^Exit code:? [1-9]|\bexit(?:ed with)? (?:code|status):? [1-9]"
    r"|\"exit_?code\":\s*[1-9]|^Process exited with code [1-9]",
    re.MULTILINE | re.IGNORECASE,
)
_TAIL = re.compile(r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b.*|FAILED .*|E   \S.*)$", re.MULTILINE)
HEAD = 200
"""Characters at either end in which an exit status stands."""


def is_error(block: Block) -> bool:
    """Whether a result says that what was tried went wrong."""
    if block.kind != RESULT:
        return False
    if block.error is not None:
        return block.error
    text = block.text
    ends = text if len(text) <= 2 * HEAD else text[:HEAD] + "\n" + text[-HEAD:]
    low = ends.lower()
    return (("exit" in low or "returncode" in low) and bool(_STATUS.search(ends))) or (
        "Traceback (most recent call last)" in text and bool(_TAIL.search(text[-2000:]))
    )


def last_open_error(messages: Sequence[Message], rows: Sequence[range]) -> range | None:
    """The turn of the last error, if nothing of the same tool went well since."""
    fine: set[str] = set()
    for row in reversed(rows):
        for place in reversed(row):
            for block in messages[place].blocks:
                if block.kind != RESULT:
                    continue
                if is_error(block):
                    return None if block.tool in fine else row
                fine.add(block.tool)
    return None
