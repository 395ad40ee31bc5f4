"""The strategy that suits a run, from numbers: its size, and what its tokens are spent on."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.message import RESULT, size
from director_ctx.history.messages.stubs import is_cut, is_summary
from director_ctx.history.messages.turns import turns
from director_ctx.history.results.snapshot import is_snapshot
from director_ctx.history.signals.phases import phases
from director_ctx.history.strategies.limits import by_others
from director_ctx.history.strategies.shrink import DEEP, strategy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

SHORT = 20_000
"""Tokens that any model reads with ease."""
_BROWSER, _TOOLS = 0.3, 0.5
"""Shares of the tokens above which they say what kind of run it is."""
_DEEP = 0.35
"""A target below this share needs everything at once."""


class StrategyChoice(Record):
    """A strategy, and why."""

    name: str
    """Empty: nothing is to be done."""
    why: str


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    _, shorter = apply_and_name(messages, aim)
    return shorter


def apply_and_name(messages: Sequence[Message], aim: Aim) -> tuple[str, list[Message]]:
    """The strategy that was taken in the end, empty for none, and what it made."""
    taken = choose(messages, aim).name
    shorter = list(messages)
    if taken:
        shorter = strategy(taken)(messages, aim)
    target = aim.target
    if target is None or size(shorter) <= target:
        return taken, shorter

    for name, by_other in by_others(messages, aim, target, target):
        if size(by_other) < size(shorter):
            taken = name
            shorter = by_other
        if size(shorter) <= target:
            break
    return taken, shorter


def reason(messages: Sequence[Message], aim: Aim, taken: str = "") -> str:
    """What is done and why, in a sentence; `taken` is the strategy that it came to in the end."""
    choice = choose(messages, aim)
    name = choice.name or "nothing"
    sentence = f"{name}: {choice.why}"
    if taken in ("", choice.name):
        return sentence
    return f"{sentence}; then {taken}, because the target was not reached"


def choose(messages: Sequence[Message], aim: Aim) -> StrategyChoice:
    total = size(messages)
    target = aim.target
    if target is not None:
        if total <= target:
            return StrategyChoice("", f"{total:,} tokens are within the target of {target:,}")
        if target < total * _DEEP:
            return StrategyChoice(DEEP, f"{target:,} of {total:,} tokens is a small target")
        return _by_kind(messages, aim, total)

    fresh = _fresh_tokens(messages)
    if fresh < min(SHORT, int(aim.config.limit)):
        why = f"{fresh:,} tokens came since it was shortened last, of {total:,}"
        return StrategyChoice("", f"{fresh:,} tokens are few" if fresh == total else why)
    return _by_kind(messages, aim, total)


def _by_kind(
    messages: Sequence[Message],
    aim: Aim,
    total: int,
) -> StrategyChoice:
    """By what most of the tokens are spent on."""
    results = [block for one in messages for block in one.blocks if block.kind == RESULT]
    tools = sum(block.tokens for block in results)
    pages = sum(block.tokens for block in results if is_snapshot(block.text))
    if pages > total * _BROWSER:
        why = f"{pages * 100 // total} % of {total:,} tokens are pages of a browser"
        if len(phases(messages, turns(messages), aim)) > 1:
            return StrategyChoice("checkpoint", f"{why}, in several phases")
        return StrategyChoice("compression", f"{why}, in one phase")
    if tools > total * _TOOLS:
        percent = tools * 100 // total
        return StrategyChoice("clear", f"{percent} % of {total:,} tokens are results of tools")
    percent = (total - tools) * 100 // total
    return StrategyChoice("pruning", f"{percent} % of {total:,} tokens are talk")


def _fresh_tokens(messages: Sequence[Message]) -> int:
    """Tokens after the last message that was shortened, the last turn aside."""
    rows = turns(messages)
    if not rows:
        return 0
    last_turn = rows[-1].start
    fresh = 0
    for index in reversed(range(len(messages))):
        message = messages[index]
        was_cut = any(is_cut(block.text) for block in message.blocks)
        if was_cut or is_summary(message):
            return fresh
        if index < last_turn:
            fresh += message.tokens
    # Nothing was shortened yet, so the last turn counts too.
    return fresh + size(messages[last_turn:])
