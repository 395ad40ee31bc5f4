"""The connection to a provider by the vendor's own client: through which proxy, what of a key goes along, and how
long it is waited for. One class for programs with and without an event loop: without one, the calls of the client
block, and no coroutine here is ever suspended.
"""

from __future__ import annotations

import asyncio
import os
import socket
import warnings
from contextlib import asynccontextmanager
from threading import Timer
from time import monotonic, sleep

from director_ctx.base.errors import DctxError
from director_ctx.chat.exchange import LATER, UNFINISHED, Asked, ExchangeFailure, Reply
from director_ctx.chat.providers import messages_form, responses_form
from director_ctx.chat.providers.failures import (
    AGAIN,
    AskedOne,
    ErrorSaid,
    NotAnAnswer,
    failure_of,
    out_of_time,
)
from director_ctx.chat.providers.provider import (
    NO_KEY,
    OPENAI,
    Provider,
    is_in_the_clear,
    is_loopback,
    key_for,
    not_installed,
    proxies_named,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Any

    Answered = Reply | ExchangeFailure
    OnText = Callable[[str], None]
    Json = dict[str, Any]

CONNECT_SECONDS = 60.0
"""Until a server is reached at all."""
POLL_SECONDS = 2.0
"""Between two looks at an answer that is made in the background."""
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class OutOfTime(Exception):
    """Nobody waits any longer."""


class _BrokenOff(Exception):
    """A stream that ended before its answer did."""


class _AnswerClock:
    """How long one answer is waited for, with all that is tried again for it, and all answers of a turn."""

    def __init__(self, seconds: float, in_loop: bool) -> None:
        self._seconds = seconds
        self._in_loop = in_loop
        self._turn_seconds = seconds
        self._turn_ends = float("inf")
        self._timers: list[Timer] = []
        self.waited = seconds
        """Seconds that were to be waited for this answer, or for the turn that it is of."""
        self._ends = monotonic() + seconds

    def begin_turn(self, seconds: float) -> None:
        self._turn_ends = monotonic() + seconds
        self._turn_seconds = seconds

    @property
    def left(self) -> float:
        return self._ends - monotonic()

    @asynccontextmanager
    async def begun(self, is_look: bool = False) -> AsyncIterator[None]:
        """One answer; or a look at one that is made in the background, for which nobody waits meanwhile."""
        self._ends, self.waited = monotonic() + self._seconds, self._seconds
        if not is_look and self._turn_ends < self._ends:
            self._ends, self.waited = self._turn_ends, self._turn_seconds
        if self._in_loop:
            async with asyncio.timeout(self.left):
                yield
            return
        try:
            yield
        finally:
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()

    def limit(self, request: Any) -> None:
        """Before each try."""
        left = self.left
        if left <= 0:
            raise OutOfTime
        limits = {"connect": min(CONNECT_SECONDS, left), "read": left, "write": left, "pool": left}
        request.extensions = {**request.extensions, "timeout": limits}

    def watch(self, response: Any) -> None:
        """An answer that comes in drops ends in time, too."""
        stream = response.extensions.get("network_stream")
        if stream is None:
            return
        timer = Timer(max(0.0, self.left), _hang_up, [stream.get_extra_info("socket")])
        timer.daemon = True
        timer.start()
        self._timers.append(timer)


def _hang_up(connection: Any) -> None:
    """Whoever reads from it sees its end. Of what a TLS connection has on top nothing is touched: it is being read."""
    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except (OSError, TypeError):
        pass  # It is over already.


class Wire:
    """One client, kept open from request to request."""

    form = "the Responses API"
    """What has to be spoken there."""
    vendor = "OpenAI"

    def __init__(
        self, provider: Provider, retries: int, seconds: float, keeps: bool, in_loop: bool
    ) -> None:
        self.keeps = keeps
        """Whether the provider holds what was said."""
        self.poll_seconds = POLL_SECONDS
        self._in_loop = in_loop
        self._clock = _AnswerClock(seconds, in_loop)
        self.begin_turn = self._clock.begin_turn
        key = key_for(provider)
        proxies = () if is_loopback(provider.base_url) else tuple(proxies_named())
        self._asked_one = AskedOne(provider.place, self.form, key, proxies)
        self._client = self._connected(provider, key, retries, seconds)

    def _connected(self, provider: Provider, key: str, retries: int, seconds: float) -> Any:
        """The vendor's client."""
        try:
            library = __import__(provider.name)
        except ImportError as error:
            raise not_installed(provider.name, f" ({error})") from error

        def before(request: Any) -> None:
            _keep_keys_back(request)
            self._clock.limit(request)

        async def before_in_loop(request: Any) -> None:
            before(request)

        kind = "Async" if self._in_loop else ""
        # In a loop, whoever waits looks at the clock.
        hooks = {
            "request": [before_in_loop if self._in_loop else before],
            "response": [] if self._in_loop else [self._clock.watch],
        }
        maker = getattr(library, f"Default{kind}HttpxClient")
        http = _http(maker, f"{kind}HTTPTransport", provider, hooks)
        return getattr(library, f"{kind}{self.vendor}")(
            api_key=key,
            base_url=provider.url,
            max_retries=retries,
            timeout=seconds,
            http_client=http,
        )

    async def ask(self, asked: Asked, on_text: OnText | None = None) -> Answered:
        begun = monotonic()
        try:
            async with self._clock.begun():
                reply = await self._ask(asked, on_text)
        except Exception as error:
            reply = self._failure(error)
        return reply.replace(seconds=monotonic() - begun)

    async def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        raise NotImplementedError

    async def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        return ExchangeFailure(LATER, "This provider answers nothing in the background.")

    def _failure(self, error: Exception) -> ExchangeFailure:
        if self._clock.left <= 0:
            return out_of_time(self._clock.waited)
        if isinstance(error, _BrokenOff):
            return ExchangeFailure(LATER, "The answer broke off.", AGAIN)
        return failure_of(error, self._asked_one)

    async def _come(self, call: Any) -> Any:
        """What a call of the client brings."""
        return await call if self._in_loop else call

    async def _each(self, pieces: Any, take: Callable[[Any], None]) -> None:
        if self._in_loop:
            async for piece in pieces:
                take(piece)
        else:
            for piece in pieces:
                take(piece)

    async def close(self) -> None:
        await self._come(self._client.close())


class OpenAIWire(Wire):
    """OpenAI's Responses API, and whatever speaks it."""

    _asked_for = ""
    """The answer in the background that was asked for last."""

    async def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        # What is long goes past the client's own look at each of its pieces, which takes longer than the request.
        given = {"model": asked.model, "input": "", "extra_body": responses_form.body(asked)}
        create = self._client.responses.create
        if on_text is None or asked.background:
            reply = responses_form.reply_of(
                _document_of(await self._come(create(**given))), asked.previous
            )
            if isinstance(reply, Reply) and reply.status in UNFINISHED:
                self._asked_for = reply.id
            elif isinstance(reply, Reply) and on_text and reply.text:
                on_text(reply.text)
            return reply

        documents: list[Json] = []

        def take(event: Any) -> None:
            if event.type == responses_form.DELTA:
                on_text(event.delta)
            elif event.type == "error":
                raise ErrorSaid(event.to_dict(warnings=False))
            elif event.type in responses_form.ENDINGS:
                documents.append(_document_of(event.response))

        events = await self._come(create(**given, stream=True))
        try:
            await self._each(events, take)
        finally:
            await self._come(events.close())
        if not documents:
            raise _BrokenOff
        return responses_form.reply_of(documents[-1], asked.previous)

    async def poll(self, response: str, on_text: OnText | None = None) -> Answered:
        """Until the answer is there. Whoever stops waiting stops the work, too."""
        begun = monotonic()
        responses = self._client.responses
        try:
            document = await self._look(responses.retrieve, response)
            while document["status"] in UNFINISHED:
                await self._sleep()
                document = await self._look(responses.retrieve, response)
            reply = responses_form.reply_of(document)
            if isinstance(reply, Reply) and on_text and reply.text:
                # One of an earlier turn stands by itself.
                is_earlier = document["id"] != self._asked_for
                on_text(f"{reply.text}\n\n" if is_earlier else reply.text)
        except (KeyboardInterrupt, asyncio.CancelledError):
            try:
                await self._look(responses.cancel, response)
            except Exception:
                pass  # It may be done already, or out of reach; nobody waits for it.
            raise
        except Exception as error:
            reply = self._failure(error)
        return reply.replace(seconds=monotonic() - begun)

    async def _look(self, call: Callable[[str], Any], response: str) -> Json:
        """How far the answer is; only this may not take long."""
        async with self._clock.begun(is_look=True):
            return _document_of(await self._come(call(response)))

    async def _sleep(self) -> None:
        if self._in_loop:
            await asyncio.sleep(self.poll_seconds)
        else:
            sleep(self.poll_seconds)


class AnthropicWire(Wire):
    """Anthropic's Messages API. It keeps nothing, so everything goes along each time."""

    form = "the Messages API"
    vendor = "Anthropic"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.keeps = False
        # Of kinds that it has no form for yet, the client has Python warn whoever reads along.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)

    async def _ask(self, asked: Asked, on_text: OnText | None) -> Answered:
        request = messages_form.body(asked)
        given = {
            "model": asked.model,
            "max_tokens": request["max_tokens"],
            "messages": [],
            "extra_body": request,
        }
        messages = self._client.messages
        if on_text is None:
            answer = await self._come(messages.create(**given))
            return messages_form.reply_of(_document_of(answer))
        opening = messages.stream(**given)
        stream = await self._come(opening.__aenter__() if self._in_loop else opening.__enter__())
        try:
            await self._each(stream.text_stream, on_text)
            answer = await self._come(stream.get_final_message())
        finally:
            await self._come(stream.close())
        return messages_form.reply_of(_document_of(answer))


def wire_for(provider: Provider, **settings: Any) -> Wire:
    maker = OpenAIWire if provider.name == OPENAI else AnthropicWire
    return maker(provider, **settings)


def _document_of(answer: Any) -> Json:
    """As it came, with everything that the client did not expect."""
    document: object = answer.to_dict(warnings=False)
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        raise NotAnAnswer
    return document


def _http(maker: Any, transport: str, provider: Provider, hooks: Json) -> Any:
    """What goes to this machine goes past every proxy. And nobody is followed elsewhere: a key would go along."""
    # Newer clients of the vendors have another library for it than older ones.
    beneath = __import__(maker.__mro__[1].__module__.partition(".")[0])
    options: Json = {"follow_redirects": False, "event_hooks": hooks}
    proxies = ", ".join(proxies_named())
    try:
        if is_loopback(provider.base_url):
            is_secret = provider.url.startswith("https:")
            options["transport"] = getattr(beneath, transport)(verify=is_secret)
        return maker(**options)
    except OSError as error:
        # Of both, the first is read.
        named = [name for name in CERTIFICATES if os.environ.get(name)]
        raise DctxError(
            f"The certificates that {named[0] if named else 'this system'} names cannot be read.",
            "Put the variable right, or take it away.",
        ) from error
    except ImportError as error:
        raise DctxError(
            f"A proxy that speaks SOCKS needs the library socksio (look at {proxies}).",
            "pip install socksio",
        ) from error
    except (ValueError, beneath.InvalidURL) as error:
        raise DctxError(
            f"The address of a proxy is wrong (look at {proxies}).",
            "Write it as http://proxy.example:8080.",
        ) from error


def _keep_keys_back(request: Any) -> None:
    """A client takes headers from the environment, too; by `http` none of them goes to another machine."""
    if not is_in_the_clear(str(request.url)):
        return
    headers = request.headers
    if "x-api-key" in headers:
        headers["x-api-key"] = NO_KEY
    if headers.get("authorization", "").startswith("Bearer "):
        headers["authorization"] = f"Bearer {NO_KEY}"
