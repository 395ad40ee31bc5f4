"""How many tokens a provider counts where our counter counts one: a factor, learned from its answers."""

from __future__ import annotations

LEAST, MOST = 0.25, 8.0
"""A factor outside of these is not believed: it says more about a gateway that makes up its numbers than
about a tokenizer.
"""
FEWEST = 1_000
"""Tokens. What is shorter tells little: a provider adds words of its own to every request."""


def factor_of(by_provider: int, counted: int) -> float | None:
    """None where the two cannot tell anything."""
    if by_provider < 1 or counted < FEWEST:
        return None
    factor = by_provider / counted
    if not LEAST <= factor <= MOST:
        return None
    return factor


def as_provider(tokens: int, factor: float) -> int:
    """What a provider would count, rounded up."""
    return -int(-tokens * factor // 1)


def as_counted(tokens: int, factor: float) -> int:
    """What our counter counts where a provider counts so many."""
    return max(1, int(tokens / factor))
