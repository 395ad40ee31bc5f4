"""Every message a little shorter: snapshots, console messages, long results, and what the agent
said at length.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, IMAGE, RESULT, TEXT, size
from director_ctx.history.messages.stubs import image_stub, is_cut, stub
from director_ctx.history.results.console import grouped, is_console
from director_ctx.history.results.images import described
from director_ctx.history.results.long_text import as_content, clipped
from director_ctx.history.results.snapshot import difference, is_snapshot, page, reduced
from director_ctx.history.strategies.config import LEVELS
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim

_RESULT_SHARE = {"low": 4.0, "medium": 1.0, "high": 0.5}
"""Of the characters that a long result may keep."""
_ANSWER_SHARE = {"medium": 1.0, "high": 0.4}
"""Of those that an answer may keep; at other levels it stays as it is."""
_DEEPER = {"low": 2, "medium": 0, "high": -1}
"""So many steps deeper than the settings say the tree of a page is shown."""
_NOTE = 90
"""Characters that a note about a cut costs; less than that is not worth it."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    """At the level of the configuration; at higher ones too, as long as a target is not met."""
    level = aim.config.compression_level
    if level == "none":
        return list(messages)
    shorter = list(messages)
    first = LEVELS.index(level)
    for name in LEVELS[first:]:
        # From the original each time: what is cut once is not cut again.
        shorter = at_level(messages, aim, name)
        if aim.target is None or size(shorter) <= aim.target:
            break
    return shorter


def at_level(
    messages: Sequence[Message],
    aim: Aim,
    level: str,
) -> list[Message]:
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
        has_result = any(block.kind == RESULT for block in message.blocks)
        if not has_result:
            continue
        tokens -= message.tokens
        if tokens < 0:
            break
        newest.add(index)
    return newest


class _Press:
    """One way through the messages: what was last shown of each page is remembered."""

    def __init__(self, aim: Aim, level: str) -> None:
        self._count = aim.count
        self._config = aim.config
        self._level = level
        characters = aim.config.max_result_chars * _RESULT_SHARE[level]
        self._longest_result = max(1, int(characters))
        self._pages: dict[str, str] = {}
        """What was shown last, by the address of the page."""

    def message(self, message: Message) -> Message:
        return message.with_blocks([self._block(block, message.role) for block in message.blocks])

    def _block(self, block: Block, role: str) -> Block:
        if block.kind == RESULT:
            return self._result(block)
        if block.kind == TEXT and role == ASSISTANT:
            return self._answer(block)
        if block.kind == IMAGE and not self._config.preserve_screenshots:
            return image_stub(block, self._count, kind=described(block))
        return block

    def _answer(self, block: Block) -> Block:
        """What the agent said."""
        share = _ANSWER_SHARE.get(self._level)
        if share is None or is_cut(block.text):
            return block
        most = int(self._config.max_agent_chars * share)
        if len(block.text) <= most:
            return block
        return self._with(block, clipped(block.text, most), "shortened")

    def _result(self, block: Block) -> Block:
        text = block.text
        if len(text) < _NOTE or block.data is not None:
            return block
        if is_cut(text):
            # What it showed is not known any more, so the next page cannot be told by its difference.
            self._pages.clear()
            return block
        if self._config.truncate_snapshots and is_snapshot(text):
            return self._snapshot(block)
        if self._config.summarize_console and is_console(block.tool, text):
            return self._with(block, grouped(text), "grouped")
        if len(text) <= self._longest_result:
            return block
        return self._with(block, clipped(as_content(text), self._longest_result), "shortened")

    def _snapshot(self, block: Block) -> Block:
        depth = self._config.max_snapshot_depth + _DEEPER[self._level]
        shown = reduced(
            block.text,
            max(1, depth),
            values=self._level != "high",
            aside=self._level == "low",
        )
        address = page(block.text)
        name = address or block.tool
        shown_before = self._pages.get(name)
        self._pages[name] = shown

        changes: str | None = None
        if shown_before is not None and self._config.snapshot_differences:
            changes = difference(shown_before, shown)
        if changes is None:
            return self._with(block, shown, "reduced")
        lines = f"The same page as before, but for:\n{changes}"
        if address:
            lines = f"Page URL: {address}\n{lines}"
        return self._with(block, lines, "difference")

    def _with(self, block: Block, text: str, action: str) -> Block:
        """The block with this text, if that is worth it."""
        size = len(block.text)
        if len(text) + _NOTE >= size:
            return block
        note = stub(f"{size - len(text):,} of {size:,} characters cut", block)
        shorter = block.changed(f"{text.rstrip()}\n{note}", action, self._count)
        return shorter if shorter.tokens < block.tokens else block
