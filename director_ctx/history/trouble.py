"""Errors by structure: what the provider says, an exit status, the tail of a traceback. Never by a word alone."""

from __future__ import annotations

import re

from director_ctx.history.message import RESULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Block, Message

_RETURNED = re.compile(r"<returncode>\s*(?!0\s*<)-?\d+\s*</returncode>")
_EXITED = re.compile(r"\bexit(?:ed with)? (?:code|status):? [1-9]|\"exit_?code\":\s*[1-9]")
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
    return _has_status(ends.lower()) or (
        "Traceback (most recent call last)" in text and bool(_TAIL.search(text[-2000:]))
    )


def _has_status(ends: str) -> bool:
    return ("exit" in ends and bool(_EXITED.search(ends))) or ("<returncode>" in ends and bool(_RETURNED.search(ends)))


def last_open_error(messages: Sequence[Message], rows: Sequence[range]) -> range | None:
    """The turn of the last error, if nothing of the same tool went well since."""
    failing = {block.tool for one in messages for block in one.blocks if block.kind == RESULT}
    for row in reversed(rows):
        if not failing:
            break
        for place in reversed(row):
            for block in messages[place].blocks:
                if block.kind != RESULT:
                    continue
                if is_error(block):
                    return row if block.tool in failing else None
                failing.discard(block.tool)
    return None
