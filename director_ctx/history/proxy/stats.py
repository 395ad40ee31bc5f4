"""What a proxy has saved, and what that has cost: tokens that were not sent, against those that a
provider's cache had and had to read anew after a cut.
"""

from __future__ import annotations

import threading

from director_ctx.base.record import Record
from director_ctx.base.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.proxy.usage import Usage


class ProxiedRequest(Record):
    """What is to be known of a request once its answer says how large it was."""

    number: int
    opening: Sequence[bytes]
    counted: int
    """Its tokens by our counter, as it went out."""
    had_cached: int = 0
    """Of the request before it, what the provider's cache had."""
    is_cut: bool = False
    """Whether it is the first one behind a cut."""


class Savings:
    """Counted for all connections."""

    def __init__(self) -> None:
        self.requests = 0
        self.cuts = 0
        self.breaks = 0
        """Cuts of conversations of which something went out before: of others no cache knew anything."""
        self.not_sent = 0
        """Tokens, as the provider counts as far as that is known."""
        self.cache_lost = 0
        """Tokens that the cache had before a cut, and that were read anew behind it."""
        self.answers = 0
        """That told their size."""
        self.tells_cache = False
        """Whether any of them said what the cache had."""
        self._lock = threading.Lock()

    def add_request(self) -> int:
        """Its number."""
        with self._lock:
            self.requests += 1
            return self.requests

    def add_cut(self) -> None:
        with self._lock:
            self.cuts += 1

    def add_break(self) -> None:
        with self._lock:
            self.breaks += 1

    def add_not_sent(self, tokens: int) -> None:
        with self._lock:
            self.not_sent += tokens

    def add_answer(self, sent: ProxiedRequest, usage: Usage) -> None:
        lost = 0
        if sent.is_cut:
            could_have_had = min(sent.had_cached, usage.input)
            lost = max(0, could_have_had - usage.cache_read)
        with self._lock:
            self.answers += 1
            self.cache_lost += lost
            if usage.cache_read or usage.cache_written:
                self.tells_cache = True

    @property
    def summary(self) -> str:
        requests = counted(self.requests, "request")
        cuts = counted(self.cuts, "cut")
        saved = counted(self.not_sent, "token")
        told = f"{requests}, {cuts}, {saved} not sent"
        if self.breaks:
            told += f"; the provider's cache was broken {counted(self.breaks, 'time')}"
        if self.breaks and self.tells_cache:
            told += f", which had {counted(self.cache_lost, 'token')} read anew: net {self.net:,}"
        return f"{told}."

    @property
    def net(self) -> int:
        return self.not_sent - self.cache_lost

    def as_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "cuts": self.cuts,
            "answers_read": self.answers,
            "tokens_not_sent": self.not_sent,
            "cache_tokens_lost": self.cache_lost,
            "tokens_net": self.net,
        }
