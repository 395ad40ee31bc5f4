"""Settings for the window of the model that is asked, as soon as somebody knows it."""

from __future__ import annotations

from director_ctx.context.settings.budget import DEFAULT_WINDOW, URGENT
from director_ctx.history.agents.originals import log
from director_ctx.history.compress.configured import settled
from director_ctx.history.strategies.config import SHARES, ContextConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Said = ContextConfig | Mapping[str, Any] | None

USUAL_SHARE = 0.9
"""Of the window, where that is less than the usual limit."""
USUAL = {
    "limit": USUAL_SHARE,
    "warn_at": USUAL_SHARE * 8 / 9,
    "target_tokens": USUAL_SHARE / 2,
}


class WindowedSettings:
    """One configuration, which many parts share, and what was said before any window was known."""

    def __init__(self, said: Said, window: int = 0) -> None:
        """`window` is what shares are taken of until somebody says it; a mistake without one."""
        self._said = said
        self.config = settled(said, window=window)
        self.window = 0
        """Of the model; 0 as long as nobody has said it."""
        self.limit_from = "the settings"

    def take(self, window: int) -> None:
        """The window of the model that is asked."""
        if window < 1 or window == self.window:
            return
        self.window = window
        whole = settled(self._said, window=window)
        shares = self._shares()
        if shares:
            self.limit_from = f"a share of {window:,} tokens, the model's window"
        elif whole.limit == URGENT and window * USUAL_SHARE < URGENT:
            # Nobody said a limit: the usual one, unless the model takes less.
            whole = settled({**USUAL, "target_tokens": self._target(window)}, window=window)
            self.limit_from = f"{USUAL_SHARE:.0%} of {window:,} tokens, the model's window"
        for name in SHARES:
            setattr(self.config, name, getattr(whole, name))
        log().info("The limit is %d tokens: %s.", self.config.limit, self.limit_from)

    def _shares(self) -> list[str]:
        """The settings that were said as shares of whatever window."""
        said = self._said
        if said is None:
            return []
        values = vars(said) if isinstance(said, ContextConfig) else said
        if values.get("model"):
            return []
        return [name for name in SHARES if isinstance(values.get(name), float)]

    def _target(self, window: int) -> int | float:
        """What was said, or the usual one; at most half of the limit."""
        target = int(self.config.target_tokens)
        if target < window * USUAL["target_tokens"]:
            return target
        return USUAL["target_tokens"]


def windowed(config: Said | WindowedSettings) -> WindowedSettings:
    if isinstance(config, WindowedSettings):
        return config
    return WindowedSettings(config)


def fitting_model(config: Said) -> WindowedSettings:
    """For whoever will be told the model's window with its first request."""
    return WindowedSettings(config, DEFAULT_WINDOW)
