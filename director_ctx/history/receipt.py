"""The receipt of a compression: every block that changed, and where its original is. Made by comparing."""

from __future__ import annotations

from director_ctx.history.locator import locator
from director_ctx.history.message import ADDED
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.message import Block, Message

DROPPED = "dropped"


class Cut(Record):
    """One block that is no longer as it was."""

    locator: str
    message: int
    block: int
    """Its number among the blocks of that message."""
    kind: str
    tool: str
    before: int
    after: int
    """Tokens; none if it was dropped."""
    action: str


class Receipt(Record):
    id: str
    format: str
    strategy: str
    counter: str
    target: int | None
    met: bool
    why_not: str
    tokens_in: int
    tokens_out: int
    cuts: tuple[Cut, ...]


def cuts(before: Sequence[Message], after: Sequence[Message], digested: str = DROPPED) -> Iterator[Cut]:
    """What became of each block, in order, on both sides measured; `digested` is what dropping is called."""
    kept = {message.index: message for message in after if message.index != ADDED}
    for message in before:
        now = kept.get(message.index)
        if now is message:
            continue
        left = {block.at: block for block in now.blocks} if now else {}
        for number, block in enumerate(message.blocks):
            found = left.get(block.at)
            if found is block:
                continue
            yield _cut(message.index, number, block, found, digested if now is None else DROPPED)


def _cut(message: int, number: int, block: Block, found: Block | None, dropped: str) -> Cut:
    return Cut(
        locator(block),
        message,
        number,
        block.kind,
        block.tool,
        block.tokens,
        found.tokens if found else 0,
        (found.action or "changed") if found else dropped,
    )
