"""What models cost, as far as it is known: dollars for a million tokens, by how a provider's cache
takes them.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.budget import best_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MILLION = 1_000_000


class Price(Record):
    """Dollars for a million tokens."""

    input: float
    """Sent, and not kept by the cache."""
    cache_write: float
    """Sent, and kept."""
    cache_read: float
    """Sent again, and known from before."""
    output: float


PRICES_READ = "2026-11-19"
"""When these were last compared with the providers' pages. Prices change: your own go before them."""

# Anthropic: its pages of models and prices; a cache that lasts five minutes. OpenAI: what trackers of its
# page say, for short contexts. Older models are left out where nobody should begin with one.
PRICES: dict[str, Price] = {
    "claude-fable-5-1": Price(10, 12.5, 0.25, 50),
    "claude-opus-5-5": Price(4, 5, 0.2, 20),
    "claude-opus-5": Price(5, 6.25, 0.5, 25),
    "claude-opus-4-8": Price(5, 6.25, 0.5, 25),
    "claude-sonnet-5-5": Price(2, 2.5, 0.1, 10),
    "claude-sonnet-5": Price(2, 2.5, 0.2, 10),
    "claude-sonnet-4": Price(3, 3.75, 0.3, 15),
    "claude-haiku-5-5": Price(0.1, 0.125, 0.01, 0.5),
    "claude-haiku-4-5": Price(1, 1.25, 0.1, 5),
    "gpt-6.1-sol": Price(2, 2.5, 0.1, 10),
    "gpt-6.1-terra": Price(1, 1.25, 0.05, 5),
    "gpt-6-luna": Price(0.1, 0.125, 0.01, 0.5),
    "gpt-5-codex": Price(1.25, 1.25, 0.125, 10),
}


def find_price(model: str, own: Mapping[str, Price]) -> Price | None:
    """The price of a model, by the longest key that its name begins with; None where it is not known."""
    known = {**PRICES, **own}
    key = best_key(model, known)
    if key is None:
        return None
    return known[key]


def prices_read(model: str, own: Mapping[str, Price]) -> str:
    """When the price of a model was compared with its provider's page; empty where it is the user's own."""
    if best_key(model, {**PRICES, **own}) in own:
        return ""
    return PRICES_READ
