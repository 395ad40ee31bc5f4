"""What a provider says of an answer's size, read as it passes by: each calls it something else. And what a proxy has
saved by that.
"""

from __future__ import annotations

import json
import threading

from director_ctx.base.record import Record
from director_ctx.base.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.proxy.http_head import Head

STREAM, PLAIN = b"text/event-stream", b"application/json"
SIGNS = (b'"usage"', b'"input_tokens"')
"""Nothing without one of these says a size."""
LARGEST = 4 * 1_048_576
"""Bytes of an event, or of an answer that is none, that are read for it."""
_ODD = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class Usage(Record):
    """Tokens of one request and its answer, as their provider counts."""

    input: int
    """All that was sent, whether the cache had it or not."""
    cache_read: int = 0
    cache_written: int = 0
    output: int = 0


class AnswerUsage:
    """Takes the body of an answer piece by piece. Whatever is odd about it, there is only no size."""

    def __init__(self, head: Head) -> None:
        kind = head.value_of(b"content-type").lower()
        is_open = head.parts[0] == b"200" and b"content-encoding" not in head
        self._is_stream = kind.startswith(STREAM)
        self._is_read = is_open and (self._is_stream or kind.startswith(PLAIN))
        self._rest = bytearray()
        self.usage: Usage | None = None

    def take(self, piece: bytes) -> None:
        if not self._is_read:
            return
        self._rest += piece
        if self._is_stream:
            self._take_lines()
        if len(self._rest) > LARGEST:
            self._is_read = False
            self._rest.clear()

    def end(self) -> Usage | None:
        """What was said, once all of it has come."""
        if self._is_read and self._rest:
            self._hear(bytes(self._rest).removeprefix(b"data:"))
        return self.usage

    def _take_lines(self) -> None:
        end = self._rest.rfind(b"\n") + 1
        if not end:
            return
        lines = bytes(self._rest[:end])
        del self._rest[:end]
        if not _may_say(lines):
            return
        for line in lines.split(b"\n"):
            if line.startswith(b"data:"):
                self._hear(line.removeprefix(b"data:"))

    def _hear(self, text: bytes) -> None:
        if not _may_say(text):
            return
        try:
            said = usage_in(json.loads(text))
        except _ODD:
            return
        if said is None:
            return
        # The first event tells what came in, the last one what went out.
        if self.usage is None or not self.usage.input:
            self.usage = said
        else:
            self.usage = self.usage.replace(output=max(self.usage.output, said.output))


def _may_say(text: bytes) -> bool:
    return any(sign in text for sign in SIGNS)


def usage_in(document: Any) -> Usage | None:
    """Of a whole answer, or of one event; None where it says nothing about sizes."""
    if not isinstance(document, dict):
        return None
    # In the answer, in the message of a first event, in the response of a last one; where a size is all
    # that was asked for, on top.
    said: list[Any] = []
    for holder in (document, document.get("message"), document.get("response")):
        if isinstance(holder, dict):
            said.append(holder.get("usage"))
    if "input_tokens" in document:
        said.append(document)
    for fields in said:
        usage = _usage(fields) if isinstance(fields, dict) else None
        if usage:
            return usage
    return None


def _usage(fields: dict[str, Any]) -> Usage | None:
    if "prompt_tokens" in fields:
        return Usage(
            input=_number(fields, "prompt_tokens"),
            cache_read=_number(fields.get("prompt_tokens_details"), "cached_tokens"),
            output=_number(fields, "completion_tokens"),
        )
    if "input_tokens" not in fields and "output_tokens" not in fields:
        return None
    # Anthropic counts what its cache has beside what came in, OpenAI within it.
    read = _number(fields, "cache_read_input_tokens")
    written = _number(fields, "cache_creation_input_tokens")
    return Usage(
        input=_number(fields, "input_tokens") + read + written,
        cache_read=read or _number(fields.get("input_tokens_details"), "cached_tokens"),
        cache_written=written,
        output=_number(fields, "output_tokens"),
    )


def _number(fields: Any, key: str) -> int:
    value = fields.get(key) if isinstance(fields, dict) else None
    return max(0, value) if type(value) is int else 0


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
    """What a proxy has saved, and what that has cost: tokens that were not sent, against those that a provider's cache
    had and had to read anew after a cut. Counted for all connections.
    """

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
        self.cache_said = 0
        """Tokens that answers said the cache to have."""
        self._lock = threading.Lock()

    def add(self, **counts: int) -> int:
        """The number of requests, with this one."""
        with self._lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)
            return self.requests

    def add_answer(self, sent: ProxiedRequest, usage: Usage) -> None:
        lost = min(sent.had_cached, usage.input) - usage.cache_read if sent.is_cut else 0
        self.add(
            answers=1,
            cache_lost=max(0, lost),
            cache_said=usage.cache_read + usage.cache_written,
        )

    @property
    def net(self) -> int:
        return self.not_sent - self.cache_lost

    @property
    def summary(self) -> str:
        requests = counted(self.requests, "request")
        cuts = counted(self.cuts, "cut")
        told = f"{requests}, {cuts}, {counted(self.not_sent, 'token')} not sent"
        if self.breaks:
            told += f"; the provider's cache was broken {counted(self.breaks, 'time')}"
        if self.breaks and self.cache_said:
            told += f", which had {counted(self.cache_lost, 'token')} read anew: net {self.net:,}"
        return f"{told}."

    def as_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "cuts": self.cuts,
            "answers_read": self.answers,
            "tokens_not_sent": self.not_sent,
            "cache_tokens_lost": self.cache_lost,
            "tokens_net": self.net,
        }
