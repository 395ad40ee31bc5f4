"""The strategy that suits a run, from numbers: its size, and what its tokens are spent on."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.message import RESULT, size
from director_ctx.history.messages.stubs import is_cut, is_summary
from director_ctx.history.messages.turns import turns
from director_ctx.history.shorten.pages import is_page, is_snapshot
from director_ctx.history.signals.phases import phases
from director_ctx.history.strategies.limits import DEEP, others
from director_ctx.history.strategies.shrink import strategy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

SHORT = 20_000
"""Tokens that any model reads with ease."""
_BROWSER, _TOOLS = 0.3, 0.5
_DEEP = 0.35
"""A target below this share needs everything at once."""


class Choice(Record):
    """A strategy, and why."""

    name: str
    """Empty: nothing is to be done."""
    why: str


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    return applied(messages, aim)[1]


def applied(messages: Sequence[Message], aim: Aim) -> tuple[str, list[Message]]:
    """The strategy that was taken in the end, empty for none, and what it made."""
    choice = choose(messages, aim)
    taken = choice.name, (strategy(choice.name)(messages, aim) if choice.name else list(messages))
    if aim.target is None or size(taken[1]) <= aim.target:
        return taken

    for other in others(messages, aim, aim.target, aim.target):
        if size(other[1]) < size(taken[1]):
            taken = other
        if size(taken[1]) <= aim.target:
            break
    return taken


def reason(messages: Sequence[Message], aim: Aim, taken: str = "") -> str:
    """What is done and why, in a sentence; `taken` is the strategy that it came to in the end."""
    choice = choose(messages, aim)
    then = (
        f"; then {taken}, because the target was not reached"
        if taken not in ("", choice.name)
        else ""
    )
    return f"{choice.name or 'nothing'}: {choice.why}{then}"


def choose(messages: Sequence[Message], aim: Aim) -> Choice:
    total = size(messages)
    fresh = _fresh(messages)
    if aim.target is not None and total <= aim.target:
        return Choice("", f"{total:,} tokens are within the target of {aim.target:,}")
    if aim.target is None and fresh < min(SHORT, int(aim.config.limit)):
        what = "are few" if fresh == total else f"came since it was shortened last, of {total:,}"
        return Choice("", f"{fresh:,} tokens {what}")
    if aim.target is not None and aim.target < total * _DEEP:
        return Choice(DEEP, f"{aim.target:,} of {total:,} tokens is a small target")
    return _by_kind(messages, aim, total)


def _by_kind(messages: Sequence[Message], aim: Aim, total: int) -> Choice:
    pages, tools = _spent(messages)
    if pages > total * _BROWSER:
        rows = turns(messages)
        several = len(phases(messages, rows, aim)) > 1
        name, of = ("checkpoint", "several phases") if several else ("compression", "one phase")
        return Choice(
            name, f"{pages * 100 // total} % of {total:,} tokens are pages of a browser, in {of}"
        )
    if tools > total * _TOOLS:
        return Choice("clear", f"{tools * 100 // total} % of {total:,} tokens are results of tools")
    return Choice("pruning", f"{(total - tools) * 100 // total} % of {total:,} tokens are talk")


def _spent(messages: Sequence[Message]) -> tuple[int, int]:
    """Tokens of results that are pages of a browser, and of all results."""
    pages = tools = 0
    for message in messages:
        for block in message.blocks:
            if block.kind == RESULT:
                tools += block.tokens
                pages += block.tokens if is_snapshot(block.text) or is_page(block.text) else 0
    return pages, tools


def _fresh(messages: Sequence[Message]) -> int:
    """Tokens after the last message that was shortened, the last turn aside."""
    rows = turns(messages)
    last = rows[-1].start if rows else 0
    fresh, place = 0, len(messages) - 1
    while (
        place >= 0
        and not is_summary(messages[place])
        and not any(is_cut(block.text) for block in messages[place].blocks)
    ):
        fresh += messages[place].tokens if place < last else 0
        place -= 1
    return fresh + (size(messages[last:]) if place < 0 and rows else 0)
