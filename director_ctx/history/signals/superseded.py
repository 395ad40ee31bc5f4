"""Reads that a later reading or edit of the same file has overtaken: what they show is there again, or true no more."""

from __future__ import annotations

import re

from director_ctx.history.messages.called import called_before
from director_ctx.history.messages.message import CALL, RESULT, size
from director_ctx.history.messages.stubs import result_stub
from director_ctx.history.signals.errors import is_error
from director_ctx.history.signals.files import goes_elsewhere, touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.history.messages.message import Block, Count, Message
    from director_ctx.history.signals.files import Span

MOST = 32
"""Later readings of one file that are remembered."""
_BEGINS = 200
_WRONG = re.compile(
    r"\A\W*(?:error|failed|cannot|could not|unable|no (?:such|replacement|match))\b"
    r"|\b(?:no such file|not found|no replacement was|did not appear|permission denied|\[… )",
    re.IGNORECASE,
)
"""How a result begins of what came to nothing, or was cut before."""
_AS_MUCH = 0.5
"""A client may say of a second reading only that nothing has changed; such a result stands for nothing."""


class _Later:
    """What is known of a file, going back: whether it was changed, and which lines were shown with how many letters."""

    def __init__(self) -> None:
        self.changed = False
        self.shown: list[tuple[Span, int]] = []

    def has(self, span: Span, letters: int) -> bool:
        return self.changed or any(
            there[0] <= span[0] and span[1] <= there[1] and many >= letters * _AS_MUCH for there, many in self.shown
        )


def superseded(messages: Sequence[Message]) -> set[int]:
    """The identities of results whose file was read again, all that they show of it, or changed afterwards."""
    return {id(result) for result, holds in looked_back(messages) if not holds}


def looked_back(messages: Sequence[Message]) -> Iterator[tuple[Block, bool]]:
    """The result of each call, newest first, and whether it still holds; where calls have no ids, it does."""
    results: dict[str, Block] = {}
    files: dict[str, _Later] = {}
    for message in reversed(messages):
        for block in reversed(message.blocks):
            if block.kind == RESULT:
                results[block.call] = block
            elif block.kind == CALL:
                if goes_elsewhere(block):
                    files = {path: later for path, later in files.items() if path.startswith(("/", "~"))}
                if (result := results.pop(block.call, None)) is not None:
                    yield result, not (block.call and _looked_at(block, result, files))


def _looked_at(call: Block, result: Block, files: dict[str, _Later]) -> bool:
    """Whether what a call showed was overtaken; and what it did is remembered for those before it."""
    if _failed(result):
        return False
    found = False
    for path, span in touched(call):
        found |= _overtaken(files.setdefault(path, _Later()), span, result)
    return found


def _failed(result: Block) -> bool:
    """Not all tools say so in a way that a program can read."""
    return is_error(result) or _WRONG.search(result.text[:_BEGINS]) is not None


def _overtaken(later: _Later, span: Span | None, result: Block) -> bool:
    """Whether what a call showed of a file is there again, or changed. What it did itself is remembered."""
    letters = len(result.text)
    if span is None:
        later.changed = True
    elif later.has(span, letters):
        return True
    else:
        later.shown = [*later.shown[1 - MOST :], (span, letters)]
    return False


def without_superseded(
    messages: Sequence[Message], found: set[int], safe: set[int], target: int, count: Count
) -> list[Message] | None:
    """Without readings that were overtaken, as few and as late ones as suffice; None if all of them do not."""
    calls = called_before(messages) if found else {}
    made, left = list(messages), size(messages)
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if place in safe or not any(id(block) in found for block in message.blocks):
            continue
        made[place] = message.with_blocks(
            [_stubbed(one, calls, count) if id(one) in found else one for one in message.blocks]
        )
        left -= message.tokens - made[place].tokens
        if left <= target:
            return made
    return None


def _stubbed(block: Block, calls: Mapping[int, str], count: Count) -> Block:
    made = block.changed(result_stub(block, before=calls.get(id(block), "")), "superseded", count)
    return made if made.tokens < block.tokens else block
