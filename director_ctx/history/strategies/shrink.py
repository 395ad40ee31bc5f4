"""From a strategy's name to the shorter conversation. Every strategy maps messages and an aim to
messages. How what was cut can be had again is said once, in words that fit where it is read.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.message import Block, Message, size
from director_ctx.history.messages.stubs import COMMAND, is_summary, says_way, with_way
from director_ctx.history.messages.target import Aim, target_of
from director_ctx.history.retrieve.tool import NAME
from director_ctx.history.strategies.config import STRATEGIES, SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Strategy = Callable[[Sequence[Message], Aim], list[Message]]

AUTO = "auto"
EVERY = (*STRATEGIES, SUMMARY)
DEEP = "hybrid"
"""The strategy that gets closest to any target."""
MODULES = {name: f"director_ctx.history.strategies.{name}" for name in EVERY}
"""Each has a function `apply(messages, aim)`. Messages come measured, and whatever is returned is
measured too.
"""


def known(name: str) -> str:
    """The name, if there is such a strategy."""
    if name in MODULES:
        return name
    names = ", ".join(EVERY)
    raise UsageProblem(f"There is no strategy {name!r}.", f"Choose one of: {names}")


def strategy(name: str) -> Strategy:
    apply: Strategy = _module(name).apply
    return apply


def _module(name: str) -> Any:
    # By its name, so that only the strategy that is asked for is imported.
    return __import__(MODULES[known(name)], fromlist=["apply"])


def shrink(messages: Sequence[Message], name: str, aim: Aim) -> list[Message]:
    """The shorter conversation; never a longer one."""
    _, shorter = shrink_and_name(messages, name, aim)
    return shorter


def shrink_and_name(
    messages: Sequence[Message],
    name: str,
    aim: Aim,
) -> tuple[str, list[Message]]:
    """The same, and which strategy it was: of one that chooses, what it chose."""
    chosen, shorter = _applied(messages, name, aim)
    if size(shorter) >= size(messages):
        return chosen, list(messages)
    told = with_way_back(messages, shorter, aim)
    # What the result is to be at most, if there is such a size.
    target = target_of(aim) if name in (DEEP, SUMMARY) else aim.target
    if target is None or not size(shorter) <= target < size(told):
        return chosen, told

    # The words about the way back have to fit in, too; where they cannot, they go first.
    words = size(told) - size(shorter)
    tighter = aim.replace(target=max(1, target - words))
    chosen_again, shorter_again = _applied(messages, name, tighter)
    told = with_way_back(messages, shorter_again, aim)
    if size(told) <= target:
        return chosen_again, told
    return chosen, shorter


def _applied(messages: Sequence[Message], name: str, aim: Aim) -> tuple[str, list[Message]]:
    if name != AUTO:
        return name, strategy(name)(messages, aim)
    chosen: str
    shorter: list[Message]
    chosen, shorter = _module(name).apply_and_name(messages, aim)
    return chosen, shorter


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
    originals = {(message.index, one.at): one for message in before for one in message.blocks}
    is_said = not words
    told: list[Message] = []
    for message in after:
        blocks: list[Block] = []
        for block in message.blocks:
            now = block
            original = originals.get((message.index, block.at))
            if block.sources and block is not original:
                # Every digest has words of its own.
                text = block.text if words == COMMAND else with_way(block.text, words)
                if text != block.text:
                    now = block.changed(text, block.action, aim.count)
                    now.sources = block.sources
            elif block.action and not is_said and original is not None:
                # With the words at its stub, if it is one that is shorter with them, too.
                text = with_way(block.text, words)
                if text != block.text:
                    hinted = block.changed(text, block.action, aim.count)
                    now = hinted if hinted.tokens < original.tokens else block
            blocks.append(now)
            # A stub that nobody cut here is somebody's text; a digest stays one when it is read again.
            if block.action or is_summary(message):
                is_said = is_said or says_way(now.text, words)
        told.append(message.with_blocks(blocks))
    return told
