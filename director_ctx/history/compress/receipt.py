"""The receipt of a compression: every block that changed, and where its original is. Made by comparing."""

from __future__ import annotations

from director_ctx.base.hashing import shown
from director_ctx.base.record import Record, as_dict
from director_ctx.history.messages.locator import full_hash, locator
from director_ctx.history.messages.message import ADDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Message

DROPPED, DIGESTED = "dropped", "digested"


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
    """A whole hash."""
    format: str
    strategy: str
    counter: str
    target: int | None
    met: bool
    why_not: str
    tokens_in: int
    tokens_out: int
    cuts: tuple[Cut, ...]

    @property
    def short(self) -> str:
        """As people are shown its id."""
        return shown([self.id])[0]


def identity(named: str) -> str:
    """The same for the same compression."""
    return full_hash(named.encode())


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """As a receipt is printed and kept."""
    return {**as_dict(receipt), "cuts": [as_dict(cut) for cut in receipt.cuts]}


def cuts(before: Sequence[Message], after: Sequence[Message]) -> Iterator[Cut]:
    """What became of each block, in order, on both sides measured. What goes as a whole goes into a digest, if any."""
    gone = DIGESTED if any(block.sources for message in after for block in message.blocks) else DROPPED
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
            yield _cut(message.index, number, block, found, gone if now is None else DROPPED)


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
