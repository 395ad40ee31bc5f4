"""How what was cut can be had again, said once in a shortened conversation: in words that fit where
it is read.
"""

from __future__ import annotations

from director_ctx.history.messages.stubs import COMMAND, is_summary, says_way, with_way
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim

WORDS = {
    "auto": COMMAND,
    "command": COMMAND,
    "tool": NAME,
    "mcp": "tool original",
    "none": "",
}
"""What stands before a locator, by the setting `retrieval`. Who brings a tool makes `tool` of `auto`."""


def with_way_back(
    before: Sequence[Message],
    after: Sequence[Message],
    aim: Aim,
) -> list[Message]:
    """The first place that was cut says how to get it back, if none does already.

    In front of it everything is as it was, so a provider's cache ends there in any case.
    """
    words = WORDS[aim.config.retrieval]
    originals = _blocks_by_place(before)
    is_said = not words
    told: list[Message] = []
    for message in after:
        blocks: list[Block] = []
        for block in message.blocks:
            now = block
            original = originals.get((message.index, block.at))
            if block.sources and block is not original:
                # Every digest has words of its own.
                now = _reworded(block, words, aim)
            elif block.action and not is_said:
                now = _hinted(block, original, words, aim)
            blocks.append(now)
            # A stub that nobody cut here is somebody's text; a digest stays one when it is read again.
            if block.action or is_summary(message):
                is_said = is_said or says_way(now.text, words)
        told.append(message.with_blocks(blocks))
    return told


def _blocks_by_place(messages: Iterable[Message]) -> dict[tuple[int, int], Block]:
    blocks: dict[tuple[int, int], Block] = {}
    for message in messages:
        for block in message.blocks:
            blocks[message.index, block.at] = block
    return blocks


def _reworded(digest: Block, words: str, aim: Aim) -> Block:
    text = digest.text
    if words != COMMAND:
        text = with_way(text, words)
    if text == digest.text:
        return digest
    reworded = digest.changed(text, digest.action, aim.count)
    reworded.sources = digest.sources
    return reworded


def _hinted(block: Block, original: Block | None, words: str, aim: Aim) -> Block:
    """With the words at its stub, if it is one that is shorter with them, too."""
    text = with_way(block.text, words)
    if original is None or text == block.text:
        return block
    hinted = block.changed(text, block.action, aim.count)
    if hinted.tokens < original.tokens:
        return hinted
    return block
