"""Every message a little shorter: snapshots, console messages, long results, and what the agent
said at length.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, IMAGE, RESULT, TEXT, size
from director_ctx.history.messages.stubs import cut_note, image_stub, is_cut
from director_ctx.history.shorten.long_text import shortened
from director_ctx.history.shorten.pages import (
    difference,
    grouped,
    is_console,
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
    made = list(messages)
    for name in LEVELS[LEVELS.index(level) :]:
        if name != "none":
            made = at_level(messages, aim, name)
        if aim.target is None or level == "none" or size(made) <= aim.target:
            break
    return made


def at_level(messages: Sequence[Message], aim: Aim, level: str) -> list[Message]:
    stay, newest = protected(messages, aim), newest_results(messages, aim.config.protect_newest)
    press = _Press(aim, level)
    return [
        message if place in stay or place in newest else press.message(message)
        for place, message in enumerate(messages)
    ]


def newest_results(messages: Sequence[Message], tokens: int) -> set[int]:
    """The places of the newest results, as many as fit into so many tokens."""
    found: set[int] = set()
    for place in range(len(messages) - 1, -1, -1):
        if any(block.kind == RESULT for block in messages[place].blocks):
            tokens -= messages[place].tokens
            if tokens < 0:
                break
            found.add(place)
    return found


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
        if (
            block.kind == TEXT
            and role == ASSISTANT
            and self._level in _SAID
            and not is_cut(block.text)
        ):
            most = int(self._config.max_agent_chars * _SAID[self._level])
            return (
                self._with(block, shortened(block.text, most), "shortened")
                if len(block.text) > most
                else block
            )
        if block.kind == IMAGE and not self._config.preserve_screenshots:
            return image_stub(block, self._aim.count)
        return block

    def _result(self, block: Block) -> Block:
        text = block.text
        if len(text) < 2 * _NOTE or block.data is not None:
            return block
        if is_cut(text):
            self._pages.clear()
            return block
        if self._config.truncate_snapshots and (is_page(text) or is_snapshot(text)):
            return self._snapshot(block)
        if self._config.summarize_console and is_console(block.tool, text):
            return self._with(block, grouped(text), "grouped")
        return (
            self._with(block, shortened(text, self._most), "shortened")
            if len(text) > self._most
            else block
        )

    def _snapshot(self, block: Block) -> Block:
        made = source(block.text) if is_page(block.text) else self._tree(block.text)
        where = page(block.text) or block.tool
        before, self._pages[where] = self._pages.get(where), made
        if before is not None and self._config.snapshot_differences:
            changes = difference(before, made)
            if changes is not None:
                again = f"Page URL: {page(block.text)}\n" if page(block.text) else ""
                return self._with(
                    block, f"{again}The same page as before, but for:\n{changes}", "difference"
                )
        return self._with(block, made, "reduced")

    def _tree(self, text: str) -> str:
        depth = max(1, self._config.max_snapshot_depth + _DEEPER[self._level])
        return reduced(text, depth, values=self._level != "high", aside=self._level == "low")

    def _with(self, block: Block, text: str, action: str) -> Block:
        """The block with this text, if that is worth it."""
        if len(text) + _NOTE >= len(block.text):
            return block
        made = block.changed(
            f"{text.rstrip()}\n{cut_note(block, len(text))}", action, self._aim.count
        )
        return made if made.tokens < block.tokens else block
