"""Server-sent events, as they are cut out of a stream and written again; and numbers of usage, added
up.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.proxy.retrieving.rounds import AnswerReading

    Json = dict[str, Any]

LARGEST = 32 * 1_048_576
"""Bytes of events that are kept in case of a call."""
ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What an answer of a form that nobody knows may come to."""
_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")
"""What stands behind an event."""


def whole_events(data: bytes) -> tuple[bytes, bytes]:
    """The events that are complete, and what has come of the next one."""
    if data.endswith(b"\n\n"):
        return data, b""
    end = 0
    for sign in _ENDS:
        place = data.rfind(sign)
        if place >= 0:
            end = max(end, place + len(sign))
    return data[:end], data[end:]


def events_of(data: bytes) -> list[bytes]:
    """One by one, each with its end."""
    events: list[bytes] = []
    lines: list[bytes] = []
    for line in data.splitlines(keepends=True):
        lines.append(line)
        if not line.strip(b"\r\n"):
            events.append(b"".join(lines))
            lines = []
    if lines:
        events.append(b"".join(lines))
    return events


def data_of(event: bytes) -> Json | None:
    """What an event says; None where that is no object, as of `[DONE]`."""
    data: list[bytes] = []
    for line in event.splitlines():
        if line.startswith(b"data:"):
            data.append(line[5:].strip())
    try:
        value = json.loads(b"\n".join(data))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return value
    return None


def is_end(event: bytes) -> bool:
    """Whether a stream of Chat Completions says that nothing comes any more."""
    return event.strip().removeprefix(b"data:").strip() == b"[DONE]"


def with_data(event: bytes, data: Json) -> bytes:
    """The same event, which says something else."""
    lines: list[bytes] = []
    for line in event.splitlines():
        if line and not line.startswith(b"data:"):
            lines.append(line)
    text = json.dumps(data, separators=(",", ":"))
    lines.append(b"data: " + text.encode())
    return b"\n".join(lines) + b"\n\n"


def added(first: Json, second: Any) -> Json:
    """Numbers added up, also those in objects inside; of everything else the second."""
    total: Json = dict(first)
    if not isinstance(second, dict):
        return total
    for name, value in second.items():
        before = first.get(name)
        if isinstance(value, dict):
            earlier: Json = {}
            if isinstance(before, dict):
                earlier = before
            total[name] = added(earlier, value)
        elif _is_number(value) and _is_number(before):
            total[name] = before + value
        elif value is not None or name not in total:
            total[name] = value
    return total


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class ToldEvents:
    """Events of a stream as its client is told them. Until the first call of the proxy's tool they
    are passed on as they come, and hardly looked at.
    """

    def __init__(self, reading: AnswerReading, sign: bytes) -> None:
        """`sign` stands in each event by which a call of the tool begins."""
        self._reading = reading
        self._sign = sign
        self._is_read = False
        self._rest = b""
        self._passed: list[bytes] = []
        self._size = 0

    def take(self, piece: bytes) -> bytes:
        if self._rest:
            piece = self._rest + piece
        events, self._rest = whole_events(piece)
        if not self._is_read and self._sign in events:
            self._read_again()
        if not self._is_read:
            self._keep(events)
            return events
        return b"".join(map(self._told, events_of(events)))

    def end(self) -> bytes:
        """What is left behind the last event: one that has no empty line behind it, or a part of one."""
        rest = self._rest
        self._rest = b""
        if not self._is_read and self._sign in rest:
            self._read_again()
        if not rest or not self._is_read:
            return rest
        return self._told(rest)

    def _keep(self, events: bytes) -> None:
        """For the case that the tool is called after all."""
        self._size += len(events)
        self._passed.append(events)
        if self._size > LARGEST:
            self._passed = []
            self._reading.is_odd = True

    def _read_again(self) -> None:
        """What was passed on is what a call belongs to."""
        self._is_read = True
        for event in events_of(b"".join(self._passed)):
            self._told(event)
        self._passed = []

    def _told(self, event: bytes) -> bytes:
        try:
            return self._reading.event(event)
        except ODD:  # The client gets it as it came.
            self._reading.is_odd = True
            return event
