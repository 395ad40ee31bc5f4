"""From a strategy's name to the shorter conversation. Every strategy maps messages and an aim to messages."""

from __future__ import annotations

from director_ctx.errors import UsageProblem
from director_ctx.history.config import STRATEGIES
from director_ctx.history.message import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.history.aim import Aim
    from director_ctx.history.message import Message

    Strategy = Callable[[Sequence[Message], Aim], list[Message]]

MODULES = {name: f"director_ctx.history.strategies.{name}" for name in STRATEGIES}
"""Each has a function `apply(messages, aim)`. Messages come measured, and whatever is returned is measured too."""


def strategy(name: str) -> Strategy:
    if name not in MODULES:
        raise UsageProblem(f"There is no strategy {name!r}.", "Choose one of: " + ", ".join(STRATEGIES))
    module = __import__(MODULES[name], fromlist=["apply"])
    found: Strategy = module.apply
    return found


def shrink(messages: Sequence[Message], name: str, aim: Aim) -> list[Message]:
    """The shorter conversation; never a longer one."""
    made = strategy(name)(messages, aim)
    return made if size(made) < size(messages) else list(messages)
