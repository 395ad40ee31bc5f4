"""Anthropic's Messages API by Anthropic's own client."""

from __future__ import annotations

from time import monotonic

from director_ctx.base.light_json import dump
from director_ctx.chat.exchange import LATER, NOT_HELD, ExchangeFailure, Reply
from director_ctx.chat.job import PROVIDER
from director_ctx.chat.providers.connection import (
    AnswerClock,
    asked_one,
    async_connected,
    connected,
)
from director_ctx.chat.providers.failures import failure_of, out_of_time
from director_ctx.chat.providers.messages_form import betas, body, reply_of
from director_ctx.chat.providers.no_answer import document_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.chat.exchange import Asked
    from director_ctx.chat.providers.keys import Provider
    from director_ctx.chat.providers.wires import WireSettings

    Answered = Reply | ExchangeFailure
    OnText = Callable[[str], None]

_NOT_HERE = ExchangeFailure(LATER, "This provider answers nothing in the background.")
_NOT_HELD = ExchangeFailure(NOT_HELD, "The provider holds something else.")


class _HeldThread:
    """What the provider holds of a conversation, as far as this process knows: the last answer can be gone on with,
    by the same prompt and the same tools.
    """

    def __init__(self) -> None:
        self._response = ""
        self._beginning = ""

    def is_at(self, asked: Asked) -> bool:
        if not asked.previous:
            return True
        return (asked.previous, _beginning(asked)) == (self._response, self._beginning)

    def take(self, asked: Asked, reply: Answered) -> None:
        """Of an answer that did not come whole nobody knows whether the provider has it."""
        self._response, self._beginning = "", ""
        if isinstance(reply, Reply):
            self._response, self._beginning = reply.id, _beginning(asked)


def _beginning(asked: Asked) -> str:
    return dump([asked.model, asked.instructions, list(asked.tools)])


def _given(asked: Asked) -> dict[str, Any]:
    """The arguments of a request. What is long goes past the client's own look at each of its pieces."""
    request = body(asked)
    given = {
        "model": asked.model,
        "max_tokens": request["max_tokens"],
        "messages": [],
        "extra_body": request,
    }
    names = betas(asked)
    if names:
        given["betas"] = names
    return given


def _messages(client: Any, asked: Asked) -> Any:
    """The client's own part for what is tried out takes longer to load."""
    if betas(asked):
        return client.beta.messages
    return client.messages


def _pass_over_what_is_new() -> None:
    """Of kinds that it has no form for yet, the client's own part for streams has Python warn whoever reads along."""
    import warnings

    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)


class _AnthropicExchange:
    """What both kinds have in common: everything but waiting."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        self.keeps = settings.held == PROVIDER
        """Whether the provider holds what was said."""
        self._asked_one = asked_one(provider, key)
        self._held = _HeldThread()
        self._clock = AnswerClock(settings.seconds)
        _pass_over_what_is_new()

    def begin_turn(self, seconds: float) -> None:
        """How long all answers of a turn may take."""
        self._clock.begin_turn(seconds)

    def _failure(self, error: Exception) -> ExchangeFailure:
        if self._clock.is_over:
            return out_of_time(self._clock.waited)
        return failure_of(error, self._asked_one)


class AnthropicWire(_AnthropicExchange):
    """One client, kept open from request to request."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        super().__init__(provider, key, settings)
        self._client = connected(provider, key, settings, self._clock)

    def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        if not self._held.is_at(asked):
            return _NOT_HELD
        begun = monotonic()
        self._clock.begin()
        try:
            reply: Answered = reply_of(self._ask(asked, on_text), asked.checks_cache)
        except Exception as error:
            reply = self._failure(error)
        finally:
            self._clock.end()
        self._held.take(asked, reply)
        return reply.replace(seconds=monotonic() - begun)

    def _ask(self, asked: Asked, on_text: OnText | None) -> dict[str, Any]:
        messages = _messages(self._client, asked)
        if on_text is None:
            return document_of(messages.create(**_given(asked)))
        with messages.stream(**_given(asked)) as stream:
            for text in stream.text_stream:
                on_text(text)
            return document_of(stream.get_final_message())

    def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        return _NOT_HERE

    def close(self) -> None:
        self._client.close()


class AsyncAnthropicWire(_AnthropicExchange):
    """The same in an event loop."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        super().__init__(provider, key, settings)
        self._client = async_connected(provider, key, settings, self._clock)

    async def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        from asyncio import timeout

        if not self._held.is_at(asked):
            return _NOT_HELD
        begun = monotonic()
        self._clock.begin()
        try:
            async with timeout(self._clock.left):
                reply: Answered = reply_of(await self._ask(asked, on_text), asked.checks_cache)
        except Exception as error:
            reply = self._failure(error)
        self._held.take(asked, reply)
        return reply.replace(seconds=monotonic() - begun)

    async def _ask(self, asked: Asked, on_text: OnText | None) -> dict[str, Any]:
        messages = _messages(self._client, asked)
        if on_text is None:
            return document_of(await messages.create(**_given(asked)))
        async with messages.stream(**_given(asked)) as stream:
            async for text in stream.text_stream:
                on_text(text)
            return document_of(await stream.get_final_message())

    async def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        return _NOT_HERE

    async def close(self) -> None:
        await self._client.close()
