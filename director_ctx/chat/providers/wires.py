"""The wire of a provider."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.chat.providers.keys import OPENAI, key_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from director_ctx.chat.exchange import Asked, ExchangeFailure, Reply
    from director_ctx.chat.providers.keys import Provider

    class Wire(Protocol):
        keeps: bool

        def begin_turn(self, seconds: float) -> None: ...

        def ask(self, asked: Asked, on_text: Any = None) -> Reply | ExchangeFailure: ...

        def poll(self, response: str, on_text: Any = None) -> Reply | ExchangeFailure: ...

        def close(self) -> None: ...

    class AsyncWire(Protocol):
        keeps: bool

        def begin_turn(self, seconds: float) -> None: ...

        async def ask(self, asked: Asked, on_text: Any = None) -> Reply | ExchangeFailure: ...

        async def poll(self, response: str, on_text: Any = None) -> Reply | ExchangeFailure: ...

        async def close(self) -> None: ...


RETRIES = 2
"""Times that a vendor's client asks again by itself, with pauses between."""
SECONDS = 600.0
"""That an answer may take, with all that is tried again for it."""


class WireSettings(Record):
    """How a provider is asked."""

    retries: int = RETRIES
    seconds: float = SECONDS
    held: str = ""
    """Who holds what was said; empty for whoever does so usually: OpenAI itself, and of Anthropic's the client."""


def wire_for(provider: Provider, settings: WireSettings) -> Wire:
    key = key_for(provider)
    if provider.name == OPENAI:
        from director_ctx.chat.providers.openai_responses import OpenAIWire

        return OpenAIWire(provider, key, settings)
    from director_ctx.chat.providers.anthropic_messages import AnthropicWire

    return AnthropicWire(provider, key, settings)


def async_wire_for(provider: Provider, settings: WireSettings) -> AsyncWire:
    key = key_for(provider)
    if provider.name == OPENAI:
        from director_ctx.chat.providers.openai_responses import AsyncOpenAIWire

        return AsyncOpenAIWire(provider, key, settings)
    from director_ctx.chat.providers.anthropic_messages import AsyncAnthropicWire

    return AsyncAnthropicWire(provider, key, settings)
