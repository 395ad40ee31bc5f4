"""The connection to a provider: through which proxy, what of a key goes along, and how long it is waited for."""

from __future__ import annotations

import os
from time import monotonic

from director_ctx.base.errors import DctxError
from director_ctx.chat.providers.failures import AskedOne
from director_ctx.chat.providers.keys import (
    ANTHROPIC,
    NO_KEY,
    OPENAI,
    is_in_the_clear,
    is_loopback,
    proxies_named,
)
from director_ctx.chat.providers.library import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Timer
    from typing import Any

    from director_ctx.chat.providers.keys import Provider
    from director_ctx.chat.providers.wires import WireSettings

FORMS = {OPENAI: "the Responses API", ANTHROPIC: "the Messages API"}
CONNECT_SECONDS = 60.0
"""Until a server is reached at all."""
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class OutOfTime(Exception):
    """Nobody waits any longer."""


class AnswerClock:
    """How long one answer is waited for, with all that is tried again for it, and all answers of a turn."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._turn_seconds = seconds
        self._turn_ends: float | None = None
        self._ends = monotonic() + seconds
        self._waited = seconds
        self._timers: list[Timer] = []

    def begin_turn(self, seconds: float) -> None:
        self._turn_ends = monotonic() + seconds
        self._turn_seconds = seconds

    def begin(self) -> None:
        now = monotonic()
        self._ends = now + self._seconds
        self._waited = self._seconds
        if self._turn_ends is not None and self._turn_ends < self._ends:
            self._ends = self._turn_ends
            self._waited = self._turn_seconds

    def begin_look(self) -> None:
        """At an answer that is made in the background, for which nobody waits meanwhile."""
        self._ends = monotonic() + self._seconds
        self._waited = self._seconds

    @property
    def left(self) -> float:
        return self._ends - monotonic()

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    @property
    def waited(self) -> float:
        """Seconds that were to be waited for this answer, or for the turn that it is of."""
        return self._waited

    def limit(self, request: Any) -> None:
        """Before each try."""
        left = self.left
        if left <= 0:
            raise OutOfTime
        limits = {"connect": min(CONNECT_SECONDS, left), "read": left, "write": left, "pool": left}
        request.extensions = {**request.extensions, "timeout": limits}

    def watch(self, response: Any) -> None:
        """An answer that comes in drops ends in time, too."""
        from threading import Timer

        stream = response.extensions.get("network_stream")
        if stream is None:
            return
        timer = Timer(max(0.0, self.left), _hang_up, [stream.get_extra_info("socket")])
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()


def _hang_up(connection: Any) -> None:
    """Whoever reads from it sees its end. Of what a TLS connection has on top nothing is touched: it is being read."""
    import socket

    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except (OSError, TypeError):
        pass  # It is over already.


def connected(provider: Provider, key: str, settings: WireSettings, clock: AnswerClock) -> Any:
    """The vendor's client."""

    def before(request: Any) -> None:
        _keep_keys_back(request)
        clock.limit(request)

    hooks = {"request": [before], "response": [clock.watch]}
    vendor = library(provider.name)
    maker = {"openai": "OpenAI", "anthropic": "Anthropic"}[provider.name]
    http = _http(vendor.DefaultHttpxClient, "HTTPTransport", provider, hooks)
    return _client(getattr(vendor, maker), provider, key, settings, http)


def async_connected(
    provider: Provider, key: str, settings: WireSettings, clock: AnswerClock
) -> Any:
    """The same for an event loop, in which whoever waits looks at the clock."""

    async def before(request: Any) -> None:
        _keep_keys_back(request)
        clock.limit(request)

    hooks = {"request": [before]}
    vendor = library(provider.name)
    maker = {"openai": "AsyncOpenAI", "anthropic": "AsyncAnthropic"}[provider.name]
    http = _http(vendor.DefaultAsyncHttpxClient, "AsyncHTTPTransport", provider, hooks)
    return _client(getattr(vendor, maker), provider, key, settings, http)


def _client(maker: Any, provider: Provider, key: str, settings: WireSettings, http: Any) -> Any:
    return maker(
        api_key=key,
        base_url=provider.url,
        max_retries=settings.retries,
        timeout=settings.seconds,
        http_client=http,
    )


def asked_one(provider: Provider, key: str) -> AskedOne:
    return AskedOne(
        place=provider.place,
        form=FORMS[provider.name],
        key=key,
        proxies=() if is_loopback(provider.base_url) else tuple(proxies_named()),
    )


def _http(maker: Any, transport: str, provider: Provider, hooks: dict[str, Any]) -> Any:
    """What goes to this machine goes past every proxy. And nobody is followed elsewhere: a key would go along."""
    # Newer clients of the vendors have another library for it than older ones.
    beneath = __import__(maker.__mro__[1].__module__.partition(".")[0])
    options: dict[str, Any] = {"follow_redirects": False, "event_hooks": hooks}
    try:
        if is_loopback(provider.base_url):
            is_secret = provider.url.startswith("https:")
            options["transport"] = getattr(beneath, transport)(verify=is_secret)
        return maker(**options)
    except beneath.InvalidURL as error:
        raise _not_usable(error) from error
    except (ImportError, ValueError, OSError) as error:
        raise _not_usable(error) from error


def _keep_keys_back(request: Any) -> None:
    """A client takes headers from the environment, too; by `http` none of them goes to another machine."""
    if not is_in_the_clear(str(request.url)):
        return
    headers = request.headers
    if "x-api-key" in headers:
        headers["x-api-key"] = NO_KEY
    if headers.get("authorization", "").startswith("Bearer "):
        headers["authorization"] = f"Bearer {NO_KEY}"


def _not_usable(error: Exception) -> DctxError:
    if isinstance(error, OSError):
        # Of both, the first is read.
        named = [name for name in CERTIFICATES if os.environ.get(name)]
        whose = named[0] if named else "this system"
        return DctxError(
            f"The certificates that {whose} names cannot be read.",
            "Put the variable right, or take it away.",
        )
    names = ", ".join(proxies_named())
    if isinstance(error, ImportError):
        return DctxError(
            f"A proxy that speaks SOCKS needs the library socksio (look at {names}).",
            "pip install socksio",
        )
    return DctxError(
        f"The address of a proxy is wrong (look at {names}).",
        "Write it as http://proxy.example:8080.",
    )
