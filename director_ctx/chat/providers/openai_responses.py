"""OpenAI's Responses API, and whatever speaks it, by OpenAI's own client."""

from __future__ import annotations

from time import monotonic, sleep

from director_ctx.chat.exchange import LATER, UNFINISHED, ExchangeFailure, Reply
from director_ctx.chat.job import CLIENT
from director_ctx.chat.providers.failures import failure_of
from director_ctx.chat.providers.library import library
from director_ctx.chat.providers.responses_form import DELTA, ENDINGS, body, reply_of

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


class _Heard:
    """The events of a stream, until the last of them."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.document: dict[str, Any] | None = None

    def take(self, event: Any) -> None:
        if event.type == DELTA:
            self._on_text(event.delta)
        elif event.type in ENDINGS:
            self.document = event.response.to_dict()

    def reply(self, asked: Asked) -> Answered:
        if self.document is None:
            return ExchangeFailure(LATER, "The answer broke off.", "Say it again; nothing is lost.")
        return reply_of(self.document, asked.previous)


def _given(asked: Asked) -> dict[str, Any]:
    """The arguments of a request. What is long goes past the client's own look at each of its pieces, which
    takes longer than the request.
    """
    return {"model": asked.model, "input": "", "extra_body": body(asked)}


class OpenAIWire:
    """One client, kept open from request to request."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        self.keeps = settings.held != CLIENT
        """Whether the provider holds what was said."""
        self._key = key
        client = library("openai").OpenAI
        self._client = client(
            api_key=key,
            base_url=provider.base_url,
            max_retries=settings.retries,
            timeout=settings.seconds,
        )
        self.poll_seconds = POLL_SECONDS

    def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        begun = monotonic()
        try:
            reply = self._ask(asked, on_text)
        except Exception as error:
            reply = failure_of(error, self._key)
        return reply.replace(seconds=monotonic() - begun)

    def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        create = self._client.responses.create
        if on_text is None or asked.background:
            return reply_of(create(**_given(asked)).to_dict(), asked.previous)
        heard = _Heard(on_text)
        with create(**_given(asked), stream=True) as events:
            for event in events:
                heard.take(event)
        return heard.reply(asked)

    def poll(self, response: str) -> Answered:
        """Until the answer is there. Whoever stops waiting stops the work, too."""
        begun = monotonic()
        try:
            document = self._client.responses.retrieve(response).to_dict()
            while document["status"] in UNFINISHED:
                sleep(self.poll_seconds)
                document = self._client.responses.retrieve(response).to_dict()
            reply = reply_of(document)
        except KeyboardInterrupt:
            self._cancel(response)
            raise
        except Exception as error:
            reply = failure_of(error, self._key)
        return reply.replace(seconds=monotonic() - begun)

    def _cancel(self, response: str) -> None:
        try:
            self._client.responses.cancel(response)
        except Exception:
            pass  # It may be done already, or out of reach; nobody waits for it.

    def close(self) -> None:
        self._client.close()


class AsyncOpenAIWire:
    """The same in an event loop."""

    def __init__(self, provider: Provider, key: str, settings: WireSettings) -> None:
        self.keeps = settings.held != CLIENT
        self._key = key
        client = library("openai").AsyncOpenAI
        self._client = client(
            api_key=key,
            base_url=provider.base_url,
            max_retries=settings.retries,
            timeout=settings.seconds,
        )
        self.poll_seconds = POLL_SECONDS

    async def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        begun = monotonic()
        try:
            reply = await self._ask(asked, on_text)
        except Exception as error:
            reply = failure_of(error, self._key)
        return reply.replace(seconds=monotonic() - begun)

    async def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        create = self._client.responses.create
        if on_text is None or asked.background:
            response = await create(**_given(asked))
            return reply_of(response.to_dict(), asked.previous)
        heard = _Heard(on_text)
        async with await create(**_given(asked), stream=True) as events:
            async for event in events:
                heard.take(event)
        return heard.reply(asked)

    async def poll(self, response: str) -> Answered:
        import asyncio

        begun = monotonic()
        try:
            document = (await self._client.responses.retrieve(response)).to_dict()
            while document["status"] in UNFINISHED:
                await asyncio.sleep(self.poll_seconds)
                document = (await self._client.responses.retrieve(response)).to_dict()
            reply = reply_of(document)
        except asyncio.CancelledError:
            await self._cancel(response)
            raise
        except Exception as error:
            reply = failure_of(error, self._key)
        return reply.replace(seconds=monotonic() - begun)

    async def _cancel(self, response: str) -> None:
        try:
            await self._client.responses.cancel(response)
        except Exception:
            pass  # As above.

    async def close(self) -> None:
        await self._client.close()
