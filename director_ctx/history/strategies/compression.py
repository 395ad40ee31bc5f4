"""Every message a little shorter: snapshots, console messages, long results, and what the agent
said at length.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, IMAGE, RESULT, TEXT, size
from director_ctx.history.messages.stubs import cut_note, image_stub, is_cut
from director_ctx.history.shorten.console import grouped, is_console
from director_ctx.history.shorten.long_text import shortened
from director_ctx.history.shorten.pages import (
    difference,
    is_page,
    is_snapshot,
    page,
    reduced,
    source,
)
from director_ctx.history.strategies.config import LEVELS
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim

_SHARE = {"low": 4.0, "medium": 1.0, "high": 0.5}
"""Of the characters that a long result may keep."""
_SAID = {"medium": 1.0, "high": 0.4}
_DEEPER = {"low": 2, "medium": 0, "high": -1}
_NOTE = 60
"""Characters that a note about a cut costs; less than twice that is not worth it."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    """At the level of the configuration; at higher ones too, as long as a target is not met."""
    level = aim.config.compression_level
    if level == "none":
        return list(messages)
    shorter = list(messages)
    for name in LEVELS[LEVELS.index(level) :]:
        shorter = at_level(messages, aim, name)
        if aim.target is None or size(shorter) <= aim.target:
            break
    return shorter


def at_level(messages: Sequence[Message], aim: Aim, level: str) -> list[Message]:
    stay = protected(messages, aim)
    stay |= newest_results(messages, aim.config.protect_newest)
    press = _Press(aim, level)
    shorter: list[Message] = []
    for index, message in enumerate(messages):
        if index in stay:
            shorter.append(message)
        else:
            shorter.append(press.message(message))
    return shorter


def newest_results(messages: Sequence[Message], tokens: int) -> set[int]:
    """The places of the newest results, as many as fit into so many tokens."""
    newest: set[int] = set()
    for index in reversed(range(len(messages))):
        message = messages[index]
        if not any(block.kind == RESULT for block in message.blocks):
            continue
        tokens -= message.tokens
        if tokens < 0:
            break
        newest.add(index)
    return newest


class _Press:
    """One way through the messages: what was last shown of each page is remembered."""

    def __init__(self, aim: Aim, level: str) -> None:
        self._aim, self._config, self._level = aim, aim.config, level
        self._most = max(1, int(aim.config.max_result_chars * _SHARE[level]))
        self._pages: dict[str, str] = {}

    def message(self, message: Message) -> Message:
        return message.with_blocks([self._block(block, message.role) for block in message.blocks])

    def _block(self, block: Block, role: str) -> Block:
        if block.kind == RESULT:
            return self._result(block)
        if block.kind == TEXT and role == ASSISTANT:
            return self._answer(block)
        if block.kind == IMAGE and not self._config.preserve_screenshots:
            return image_stub(block, self._aim.count)
        return block

    def _answer(self, block: Block) -> Block:
        """What the agent said."""
        if self._level not in _SAID or is_cut(block.text):
            return block
        most = int(self._config.max_agent_chars * _SAID[self._level])
        return self._no_longer(block, most)

    def _no_longer(self, block: Block, most: int) -> Block:
        """In so many characters."""
        if len(block.text) <= most:
            return block
        return self._with(block, shortened(block.text, most), "shortened")

    def _result(self, block: Block) -> Block:
        text = block.text
        if len(text) < 2 * _NOTE or block.data is not None:
            return block
        if is_cut(text):
            # What it showed is not known any more, so the next page cannot be told by its difference.
            self._pages.clear()
            return block
        if self._config.truncate_snapshots and (is_page(text) or is_snapshot(text)):
            return self._snapshot(block)
        if self._config.summarize_console and is_console(block.tool, text):
            return self._with(block, grouped(text), "grouped")
        return self._no_longer(block, self._most)

    def _snapshot(self, block: Block) -> Block:
        text = block.text
        shown = source(text) if is_page(text) else self._tree(text)
        address = page(text)
        name = address or block.tool
        before = self._pages.get(name)
        self._pages[name] = shown
        if before is None or not self._config.snapshot_differences:
            return self._with(block, shown, "reduced")

        changes = difference(before, shown)
        if changes is None:
            return self._with(block, shown, "reduced")
        told = f"The same page as before, but for:\n{changes}"
        if address:
            told = f"Page URL: {address}\n{told}"
        return self._with(block, told, "difference")

    def _tree(self, text: str) -> str:
        depth = max(1, self._config.max_snapshot_depth + _DEEPER[self._level])
        return reduced(text, depth, values=self._level != "high", aside=self._level == "low")

    def _with(self, block: Block, text: str, action: str) -> Block:
        """The block with this text, if that is worth it."""
        if len(text) + _NOTE >= len(block.text):
            return block
        note = cut_note(block, len(text))
        shorter = block.changed(f"{text.rstrip()}\n{note}", action, self._aim.count)
        return shorter if shorter.tokens < block.tokens else block
