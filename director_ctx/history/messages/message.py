"""A conversation as every format is read: messages of blocks.

Whoever reads or writes a message fills it in, piece by piece if need be. With `decode` returning,
reading ends: from then on messages are values, and whoever changes one makes another. Only `tokens`
are put in later, by `measure`.

Blocks and messages are made by the hundred thousand, so they are plain classes with slots.
"""

from __future__ import annotations

from operator import is_

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Count = Callable[[str], int]

TEXT, THINKING, CALL, RESULT, IMAGE, OTHER = "text", "thinking", "call", "result", "image", "other"
SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
ADDED = -1
"""The index of a message that was in no original."""


def same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether these are the very same objects in the same order: then nobody touched them."""
    return len(some) == len(others) and all(map(is_, some, others))


class Block:
    """One piece of a message."""

    __slots__ = (
        "action",
        "at",
        "call",
        "data",
        "error",
        "kind",
        "sources",
        "text",
        "tokens",
        "tool",
    )

    def __init__(  # noqa: PLR0913, PLR0917 (an argument for each slot)
        self,
        kind: str,
        text: str,
        at: int = 0,
        call: str = "",
        tool: str = "",
        error: bool | None = None,
        data: Any = None,
        action: str = "",
        tokens: int = -1,
    ) -> None:
        self.kind = kind
        self.text = text
        """What the model reads of it; of a call its arguments as JSON, of an image nothing."""
        self.at = at
        """Its place in the raw message, as the format counts places."""
        self.call = call
        """The id that a call and its result share; empty where there is none."""
        self.tool = tool
        self.error = error
        """Whether the provider calls it one; None where it does not say."""
        self.data = data
        """The raw piece, where text is not all of it: an image, a document, an unknown kind."""
        self.action = action
        """What was done to it; empty as long as it is the original."""
        self.tokens = tokens
        """By the counter of this run; -1 until it was counted."""
        self.sources: Sequence[Block] = ()
        """Of a digest: every block that it stands for, in order; its block N is the Nth of them."""

    def changed(self, text: str, action: str, count: Count) -> Block:
        """The same block with another text."""
        changed = Block(self.kind, text, self.at, self.call, self.tool, self.error, action=action)
        changed.tokens = block_tokens(changed, count)
        return changed

    def __repr__(self) -> str:
        return f"Block({self.kind}, {self.text[:40]!r}, at={self.at}, call={self.call!r}, tool={self.tool!r})"


def has_kind(blocks: Iterable[Block], *kinds: str) -> bool:
    """Whether a block of one of these kinds is among them."""
    return any(block.kind in kinds for block in blocks)


def has_only(blocks: Iterable[Block], *kinds: str) -> bool:
    """Whether no block of another kind is among them."""
    return all(block.kind in kinds for block in blocks)


def text_of_blocks(blocks: Iterable[Block]) -> str:
    """All that they say, each on lines of its own."""
    return "\n".join(block.text for block in blocks)


def by_place(blocks: Iterable[Block]) -> dict[int, Block]:
    """The blocks by their places in the raw message."""
    return {block.at: block for block in blocks}


class Message:
    """One message of the source: a line, an item, an element of a list."""

    __slots__ = ("blocks", "group", "index", "raw", "role", "when")

    def __init__(  # noqa: PLR0913, PLR0917 (an argument for each slot)
        self,
        role: str,
        blocks: Sequence[Block],
        index: int = ADDED,
        raw: Any = None,
        group: str = "",
        when: str = "",
    ) -> None:
        self.role = role
        self.blocks = blocks
        self.index = index
        """Its place among the original's messages; ADDED for one that we wrote."""
        self.raw = raw
        """What the format read; None for one that we wrote."""
        self.group = group
        """Shared by messages that are one to the provider, such as the lines of a Claude Code
        answer.
        """
        self.when = when

    def with_blocks(self, blocks: Sequence[Block]) -> Message:
        """The message with these blocks; the very same one, where they are its own."""
        if same(blocks, self.blocks):
            return self
        return Message(self.role, blocks, self.index, self.raw, self.group, self.when)

    @property
    def tokens(self) -> int:
        return size((self,))

    def __repr__(self) -> str:
        return f"Message({self.role}, {list(self.blocks)}, index={self.index})"


class Conversation(Record):
    """What a format read. `messages` is what the model reads; whatever else the source has is in
    the frame.
    """

    format: str
    messages: list[Message]
    frame: Any = None
    """The format's own: what is around the messages, and how it was written down."""
    native: bool = True
    """Whether calls of tools are marked as such; else later messages of the user are observations.
    """
    notes: tuple[str, ...] = ()
    """What was odd in the source, a sentence each."""


IMAGE_TOKENS = 1_500
"""What providers count for a screenshot, about. It has no text, but the model reads it."""


def block_tokens(block: Block, count: Count) -> int:
    if block.kind == IMAGE:
        return IMAGE_TOKENS
    return count(block.text) + (count(block.tool) if block.kind == CALL else 0)


def measure(messages: Iterable[Message], count: Count) -> int:
    """All tokens, and those of every block where they belong."""
    total = 0
    for message in messages:
        for block in message.blocks:
            if block.tokens < 0:
                block.tokens = block_tokens(block, count)
            total += block.tokens
    return total


def size(messages: Iterable[Message]) -> int:
    """All tokens of messages that were measured."""
    return sum(block.tokens for message in messages for block in message.blocks)


def said(text: str, role: str, count: Count, action: str = "") -> Message:
    """A message that we write."""
    block = Block(TEXT, text, action=action)
    block.tokens = block_tokens(block, count)
    return Message(role, [block])
