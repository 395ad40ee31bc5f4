"""What a provider says of an answer's size, read as it passes by: each calls it something else."""

from __future__ import annotations

import json

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
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
    for fields in _places(document):
        usage = _usage(fields)
        if usage is not None:
            return usage
    return None


def _places(document: Any) -> Iterator[dict[str, Any]]:
    """Where providers say it: in the answer, in the message of a first event, in the response of a
    last one; where a size is all that was asked for, on top.
    """
    if not isinstance(document, dict):
        return
    around = (document, document.get("message"), document.get("response"))
    for holder in around:
        if not isinstance(holder, dict):
            continue
        if isinstance(holder.get("usage"), dict):
            yield holder["usage"]
    if "input_tokens" in document:
        yield document


def _usage(fields: dict[str, Any]) -> Usage | None:
    if "prompt_tokens" in fields:
        return Usage(
            input=_number(fields, "prompt_tokens"),
            cache_read=_cached(fields, "prompt_tokens_details"),
            output=_number(fields, "completion_tokens"),
        )
    if "input_tokens" not in fields and "output_tokens" not in fields:
        return None

    # Anthropic counts what its cache has beside what came in, OpenAI within it.
    read = _number(fields, "cache_read_input_tokens")
    written = _number(fields, "cache_creation_input_tokens")
    return Usage(
        input=_number(fields, "input_tokens") + read + written,
        cache_read=read or _cached(fields, "input_tokens_details"),
        cache_written=written,
        output=_number(fields, "output_tokens"),
    )


def _cached(fields: dict[str, Any], details: str) -> int:
    inside = fields.get(details)
    if not isinstance(inside, dict):
        return 0
    return _number(inside, "cached_tokens")


def _number(fields: dict[str, Any], key: str) -> int:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return max(0, value)
