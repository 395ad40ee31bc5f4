"""From a strategy's name to the shorter conversation. Every strategy maps messages and an aim to
messages.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.message import size
from director_ctx.history.strategies.config import STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

    Strategy = Callable[[Sequence[Message], Aim], list[Message]]

AUTO = "auto"
MODULES = {name: f"director_ctx.history.strategies.{name}" for name in STRATEGIES}
"""Each has a function `apply(messages, aim)`. Messages come measured, and whatever is returned is
measured too.
"""


def known(name: str) -> str:
    """The name, if there is such a strategy."""
    if name in MODULES:
        return name
    names = ", ".join(STRATEGIES)
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
    shorter: list[Message]
    if name == AUTO:
        chosen, shorter = _module(name).apply_and_name(messages, aim)
    else:
        chosen = name
        shorter = strategy(name)(messages, aim)
    if size(shorter) >= size(messages):
        return chosen, list(messages)
    return chosen, shorter
