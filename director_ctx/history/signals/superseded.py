"""Which readings of files a later call has overtaken: the file was read again, or changed."""

from __future__ import annotations

import re

from director_ctx.history.messages.message import CALL, RESULT, size
from director_ctx.history.messages.stubs import called_before, result_stub
from director_ctx.history.signals.errors import is_error
from director_ctx.history.signals.files import goes_elsewhere, touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
"""A client may say of a second reading only that nothing has changed; such a result stands for
nothing.
"""


class _Later:
    """What is known of a file, going back: whether it was changed, and which lines were shown with
    how many letters.
    """

    def __init__(self) -> None:
        self.changed = False
        self.shown: list[tuple[Span, int]] = []

    def overtakes(self, span: Span, letters: int) -> bool:
        if self.changed:
            return True
        start, end = span
        enough = letters * _AS_MUCH
        for (first, behind_last), letters_shown in self.shown:
            is_inside = first <= start and end <= behind_last
            if is_inside and letters_shown >= enough:
                return True
        return False


def superseded(messages: Sequence[Message]) -> set[int]:
    """The identities of results whose file was read again, all that they show of it, or changed
    afterwards. Identities, as another result of the very same words may still hold.
    """
    overtaken: set[int] = set()
    for result, holds in look_back(messages):
        if not holds:
            overtaken.add(id(result))
    return overtaken


def look_back(messages: Sequence[Message]) -> Iterator[tuple[Block, bool]]:
    """The result of each call, newest first, and whether it still holds; where calls have no ids,
    it does.
    """
    results: dict[str, Block] = {}
    files: dict[str, _Later] = {}
    for message in reversed(messages):
        for block in reversed(message.blocks):
            if block.kind == RESULT:
                results[block.call] = block
            if block.kind != CALL:
                continue

            # Of the calls before it, short names mean files in another folder.
            if goes_elsewhere(block):
                files = _with_full_names(files)
            result = results.pop(block.call, None)
            if result is None:
                continue
            is_overtaken = False
            if block.call:
                is_overtaken = _remember(block, result, files)
            yield result, not is_overtaken


def _with_full_names(files: dict[str, _Later]) -> dict[str, _Later]:
    named_fully: dict[str, _Later] = {}
    for path, later in files.items():
        if path.startswith(("/", "~")):
            named_fully[path] = later
    return named_fully


def _remember(call: Block, result: Block, files: dict[str, _Later]) -> bool:
    """What a call did, for those before it; and whether what it showed was overtaken itself."""
    if _failed(result):
        return False
    is_overtaken = False
    for path, span in touches(call):
        later = files.setdefault(path, _Later())
        if _remember_touch(later, span, result):
            is_overtaken = True
    return is_overtaken


def _failed(result: Block) -> bool:
    """Not all tools say so in a way that a program can read."""
    if is_error(result):
        return True
    begins = result.text[:_BEGINS]
    return _WRONG.search(begins) is not None


def _remember_touch(later: _Later, span: Span | None, result: Block) -> bool:
    """One file of it."""
    if span is None:
        later.changed = True
        return False
    letters = len(result.text)
    if later.overtakes(span, letters):
        return True
    if len(later.shown) == MOST:
        # The newest reading, which was noted first.
        later.shown.pop(0)
    later.shown.append((span, letters))
    return False


def stub_superseded(
    messages: Sequence[Message],
    outdated: set[int],
    safe: set[int],
    target: int,
    count: Count,
) -> list[Message] | None:
    """With stubs for readings that were overtaken, for as few and as late ones as suffice; None if
    all of them do not.
    """
    if not outdated:
        return None
    calls = called_before(messages)
    shorter = list(messages)
    left = size(messages)
    # From the end, as a provider's cache holds up to the first change.
    for index in reversed(range(len(messages))):
        message = messages[index]
        is_outdated = any(id(block) in outdated for block in message.blocks)
        if index in safe or not is_outdated:
            continue

        blocks: list[Block] = []
        for block in message.blocks:
            if id(block) in outdated:
                call = calls.get(id(block), "")
                blocks.append(_stubbed(block, call, count))
            else:
                blocks.append(block)

        shorter[index] = message.with_blocks(blocks)
        left -= message.tokens - shorter[index].tokens
        if left <= target:
            return shorter
    return None


def _stubbed(block: Block, call: str, count: Count) -> Block:
    stub = result_stub(block, before=call)
    shorter = block.changed(stub, "superseded", count)
    if shorter.tokens < block.tokens:
        return shorter
    return block
