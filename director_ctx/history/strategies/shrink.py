"""From a strategy's name to the shorter conversation. Every strategy maps messages and an aim to
messages.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.message import size
from director_ctx.history.messages.target import target_of
from director_ctx.history.strategies.config import STRATEGIES, SUMMARY
from director_ctx.history.strategies.way_back import with_way_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

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
    target = _target(name, aim)
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


def _target(name: str, aim: Aim) -> int | None:
    """What the result is to be at most, if there is such a size."""
    if name in (DEEP, SUMMARY):
        return target_of(aim)
    return aim.target
