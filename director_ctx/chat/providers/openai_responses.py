"""OpenAI's Responses API, and whatever speaks it, by OpenAI's own client."""

from __future__ import annotations

from time import monotonic, sleep

from director_ctx.chat.exchange import LATER, UNFINISHED, ExchangeFailure, Reply
from director_ctx.chat.job import CLIENT
from director_ctx.chat.providers.connection import (
    AnswerClock,
    asked_one,
    async_connected,
    connected,
)
from director_ctx.chat.providers.failures import failure_of, out_of_time
from director_ctx.chat.providers.no_answer import AGAIN, ErrorSaid, document_of
from director_ctx.chat.providers.responses_form import DELTA, ENDINGS, ERROR, body, reply_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.chat.exchange import Asked
    from director_ctx.chat.providers.keys import Provider
    from director_ctx.chat.providers.wires import WireSettings

    Answered = Reply | ExchangeFailure
    OnText = Callable[[str], None]

POLL_SECONDS = 2.0
"""Between two looks at an answer that is made in the background."""


class _BrokenOff(Exception):
    """A stream that ended before its answer did."""


class _Heard:
    """The events of a stream, until the last of them."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.document: dict[str, Any] | None = None

    def take(self, event: Any) -> None:
        if event.type == DELTA:
            self._on_text(event.delta)
        elif event.type == ERROR:
            raise ErrorSaid(event.to_dict(warnings=False))
        elif event.type in ENDINGS:
            self.document = document_of(event.response)

    def reply(self, asked: Asked) -> Answered:
        if self.document is None:
            raise _BrokenOff
        return reply_of(self.document, asked.previous)


def _given(asked: Asked) -> dict[str, Any]:
    """The arguments of a request. What is long goes past the client's own look at each of its pieces, which
    takes longer than the request.
    """
    return {"model": asked.model, "input": "", "extra_body": body(asked)}


class _OpenAIExchange:
    """What both kinds have in common: everything but waiting."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        self.keeps = settings.held != CLIENT
        """Whether the provider holds what was said."""
        self.poll_seconds = POLL_SECONDS
        self._asked_one = asked_one(provider, key)
        self._clock = AnswerClock(settings.seconds)
        self._asked_for = ""
        """The answer in the background that was asked for last."""

    def begin_turn(self, seconds: float) -> None:
        """How long all answers of a turn may take."""
        self._clock.begin_turn(seconds)

    def _failure(self, error: Exception) -> ExchangeFailure:
        if self._clock.is_over:
            return out_of_time(self._clock.waited)
        if isinstance(error, _BrokenOff):
            return ExchangeFailure(LATER, "The answer broke off.", AGAIN)
        return failure_of(error, self._asked_one)

    def _told(self, document: dict[str, Any], asked: Asked, on_text: OnText | None) -> Answered:
        """An answer that came in one piece."""
        reply = reply_of(document, asked.previous)
        if isinstance(reply, Reply) and reply.status in UNFINISHED:
            self._asked_for = reply.id
        elif isinstance(reply, Reply):
            _tell(on_text, reply.text)
        return reply

    def _told_late(self, document: dict[str, Any], on_text: OnText | None) -> Answered:
        """An answer that was made in the background; one of an earlier turn stands by itself."""
        reply = reply_of(document)
        if isinstance(reply, Reply):
            is_earlier = document["id"] != self._asked_for
            _tell(on_text, f"{reply.text}\n\n" if is_earlier and reply.text else reply.text)
        return reply


def _tell(on_text: OnText | None, text: str) -> None:
    if on_text is not None and text:
        on_text(text)


class OpenAIWire(_OpenAIExchange):
    """One client, kept open from request to request."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        super().__init__(provider, key, settings)
        self._client = connected(provider, key, settings, self._clock)

    def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        begun = monotonic()
        self._clock.begin()
        try:
            reply = self._ask(asked, on_text)
        except Exception as error:
            reply = self._failure(error)
        finally:
            self._clock.end()
        return reply.replace(seconds=monotonic() - begun)

    def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        create = self._client.responses.create
        if on_text is None or asked.background:
            return self._told(document_of(create(**_given(asked))), asked, on_text)
        heard = _Heard(on_text)
        with create(**_given(asked), stream=True) as events:
            for event in events:
                heard.take(event)
        return heard.reply(asked)

    def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        """Until the answer is there. Whoever stops waiting stops the work, too."""
        begun = monotonic()
        try:
            document = self._look(response)
            while document["status"] in UNFINISHED:
                sleep(self.poll_seconds)
                document = self._look(response)
            reply = self._told_late(document, on_text)
        except KeyboardInterrupt:
            self._cancel(response)
            raise
        except Exception as error:
            reply = self._failure(error)
        return reply.replace(seconds=monotonic() - begun)

    def _look(self, response: str) -> dict[str, Any]:
        """How far the answer is; only this may not take long."""
        self._clock.begin_look()
        try:
            return document_of(self._client.responses.retrieve(response))
        finally:
            self._clock.end()

    def _cancel(self, response: str) -> None:
        self._clock.begin_look()
        try:
            self._client.responses.cancel(response)
        except Exception:
            pass  # It may be done already, or out of reach; nobody waits for it.
        finally:
            self._clock.end()

    def close(self) -> None:
        self._client.close()


class AsyncOpenAIWire(_OpenAIExchange):
    """The same in an event loop."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        super().__init__(provider, key, settings)
        self._client = async_connected(provider, key, settings, self._clock)

    async def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        from asyncio import timeout

        begun = monotonic()
        self._clock.begin()
        try:
            async with timeout(self._clock.left):
                reply = await self._ask(asked, on_text)
        except Exception as error:
            reply = self._failure(error)
        return reply.replace(seconds=monotonic() - begun)

    async def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        create = self._client.responses.create
        if on_text is None or asked.background:
            return self._told(document_of(await create(**_given(asked))), asked, on_text)
        heard = _Heard(on_text)
        async with await create(**_given(asked), stream=True) as events:
            async for event in events:
                heard.take(event)
        return heard.reply(asked)

    async def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        import asyncio

        begun = monotonic()
        try:
            document = await self._look(response)
            while document["status"] in UNFINISHED:
                await asyncio.sleep(self.poll_seconds)
                document = await self._look(response)
            reply = self._told_late(document, on_text)
        except asyncio.CancelledError:
            await self._cancel(response)
            raise
        except Exception as error:
            reply = self._failure(error)
        return reply.replace(seconds=monotonic() - begun)

    async def _look(self, response: str) -> dict[str, Any]:
        from asyncio import timeout

        self._clock.begin_look()
        async with timeout(self._clock.left):
            return document_of(await self._client.responses.retrieve(response))

    async def _cancel(self, response: str) -> None:
        self._clock.begin_look()
        try:
            await self._client.responses.cancel(response)
        except Exception:
            pass  # As above.

    async def close(self) -> None:
        await self._client.close()
