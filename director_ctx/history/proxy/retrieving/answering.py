"""An answer in which a model may call the proxy's tool: the calls are answered here, and the client
gets one answer, as if there had been none.

Whatever goes wrong, the model is asked what it would have been asked without the tool.
"""

from __future__ import annotations

import json

from director_ctx.history.proxy.http_body import HungUp
from director_ctx.history.proxy.http_head import FRAME, Refused, answer_length
from director_ctx.history.proxy.request_body import written
from director_ctx.history.proxy.retrieving.events import ODD, ToldEvents
from director_ctx.history.proxy.retrieving.rounds import HiddenRound
from director_ctx.history.proxy.usage import AnswerUsage
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.history.proxy.connection import ProxiedConnection
    from director_ctx.history.proxy.http_head import Head
    from director_ctx.history.proxy.retrieving.offer import Offer
    from director_ctx.history.proxy.usage import Usage

    Bytes = bytes | bytearray

MOST_ROUNDS = 8
"""So often a model may ask before it has to answer."""
SIGN = NAME.encode()
STREAM, PLAIN = b"text/event-stream", b"application/json"
OFTEN_OURS = (b"400", b"413", b"422")
"""What a request may be refused with because of what was put into it."""
LARGEST_ERROR = 1_048_576


class AnswerWithCalls:
    """One answer, and the requests that it takes."""

    def __init__(
        self,
        connection: ProxiedConnection,
        offer: Offer,
        ask: Callable[[Bytes], Head],
        pass_on: Callable[[Head], bool],
        stays: bool,
    ) -> None:
        """`ask` sends the same request with another body, and `pass_on` an answer as it comes.
        `stays`: whether the client may ask for more.
        """
        self.tells_usage = False
        """Whether somebody wants to know how large the request was."""
        self._connection = connection
        self._offer = offer
        self._ask = ask
        self._pass_on = pass_on
        self._stays = stays
        self._reading = offer.wire.reading()
        self._rounds: list[HiddenRound] = []
        self._first_head: Head | None = None
        self._first: AnswerUsage | None = None
        """Of the answer to the request as it went out; further rounds are longer."""

    @property
    def usage(self) -> Usage | None:
        if self._first is None:
            return None
        return self._first.end()

    def answer(self) -> bool:
        """Whether the client may ask for more."""
        try:
            return self._answer()
        finally:
            # Nobody waits for a store.
            self._offer.save()

    def _answer(self) -> bool:
        head = self._connection.answer_head()
        if head.parts[0] in OFTEN_OURS:
            self._connection.leave()
            return self._pass_on(self._ask(self._offer.without()))
        if self.tells_usage:
            self._first_head = head
            self._first = AnswerUsage(head)
        if _is_whole(head, STREAM):
            return self._stream(head)
        if _is_whole(head, PLAIN):
            return self._plain(head)
        return self._pass_on(head)

    def _stream(self, head: Head) -> bool:
        framed = self._head(head, b"Transfer-Encoding: chunked")
        self._connection.client.send(framed)
        try:
            self._tell_rounds(head)
        except Refused as refused:
            # The client has the head already: nothing but the end can tell it.
            raise HungUp from refused
        self._connection.client.send(b"0\r\n\r\n")
        return self._stays

    def _tell_rounds(self, head: Head) -> None:
        events = ToldEvents(self._reading, SIGN)
        self._tell_all(head, events)
        while self._reading.waits:
            head = self._next_round()
            if not _is_whole(head, STREAM):
                head = self._without_tool()
            if not _is_whole(head, STREAM):
                self._tell_error(head)
                return
            self._tell_all(head, events)

    def _tell_all(self, head: Head, events: ToldEvents) -> None:
        """Each event as it comes."""
        for piece in self._pieces(head):
            told = events.take(piece)
            # Before the client can go on with it.
            self._remember()
            self._tell(told)
        told = events.end()
        self._remember()
        self._tell(told)

    def _tell(self, data: bytes) -> None:
        if data:
            self._connection.client.send(b"%x\r\n%s\r\n" % (len(data), data))

    def _tell_error(self, head: Head) -> None:
        """In the midst of a stream, where clients of both vendors expect it."""
        body = b""
        for piece in self._pieces(head):
            body += piece
            if len(body) > LARGEST_ERROR:
                raise HungUp
        try:
            error = json.loads(body)
        except (ValueError, RecursionError) as wrong:
            raise HungUp from wrong
        text = json.dumps(error).encode()
        self._tell(self._offer.wire.error + b"data: " + text + b"\n\n")

    def _plain(self, head: Head) -> bool:
        body = self._body(head)
        if SIGN not in body:
            return self._send_plain(head, body)
        try:
            told = self._reading.whole(json.loads(body))
            while self._reading.waits:
                head = self._next_round()
                if not _is_whole(head, PLAIN):
                    return self._pass_on(self._without_tool())
                body = self._body(head)
                told = self._reading.whole(json.loads(body))
        except ODD:
            return self._pass_on(self._without_tool())
        self._remember()
        return self._send_plain(head, written([told]).encode())

    def _send_plain(self, head: Head, body: bytes) -> bool:
        framed = self._head(head, b"Content-Length: %d" % len(body))
        self._connection.client.send(framed + body)
        return self._stays

    def _body(self, head: Head) -> bytes:
        return b"".join(self._pieces(head))

    def _pieces(self, head: Head) -> Iterator[bytes]:
        for piece in self._connection.answer_pieces(answer_length(head, b"POST")):
            if self._first is not None and head is self._first_head:
                self._first.take(piece)
            yield piece
        may_stay = not head.line.startswith(b"HTTP/1.0")
        if not may_stay or b"close" in head.words(b"connection"):
            self._connection.leave()

    def _head(self, head: Head, frame: bytes) -> bytes:
        more = [frame]
        if not self._stays:
            more.append(b"Connection: close")
        # Chunks are known since HTTP/1.1, whatever the model speaks.
        line = b"HTTP/1.1" + head.line[len(b"HTTP/1.1") :]
        return line + b"\r\n" + head.passed(FRAME, more)

    def _next_round(self) -> Head:
        """The calls are answered, and the model goes on."""
        reading = self._reading
        if reading.is_odd:
            return self._without_tool()
        try:
            results = self._offer.results(reading.calls)
            self._rounds.append(HiddenRound(said=reading.said, results=results))
            is_last = len(self._rounds) == MOST_ROUNDS
            body = self._offer.again(self._rounds, is_last)
        except ODD:
            return self._without_tool()
        reading.may_ask = not is_last
        reading.begin_round()
        return self._asked_again(body)

    def _without_tool(self) -> Head:
        """What the model would have been asked without the tool."""
        self._rounds = []
        self._reading.may_ask = False
        self._reading.begin_round()
        self._connection.leave()
        return self._ask(self._offer.without())

    def _asked_again(self, body: Bytes) -> Head:
        try:
            return self._ask(body)
        except (Refused, OSError):
            # A connection that was kept open may have been closed meanwhile.
            self._connection.leave()
        return self._ask(body)

    def _remember(self) -> None:
        """What the client never sees, once it is complete."""
        reading = self._reading
        if not reading.has_ended or reading.waits:
            return
        rounds = self._rounds
        # Once is enough.
        self._rounds = []
        try:
            if reading.is_mixed and not reading.is_odd:
                results = self._offer.results(reading.calls)
                rounds.append(HiddenRound(said=reading.said, results=results, mixed=True))
            reading.is_mixed = False
            if rounds:
                self._offer.keep(rounds, self._offer.wire.seen(reading.shown, 0))
        except ODD:
            pass  # The model will have forgotten it, which harms nobody.


def _is_whole(head: Head, kind: bytes) -> bool:
    """Whether it is an answer of this kind that can be read as it stands."""
    has_kind = head.value_of(b"content-type").lower().startswith(kind)
    return head.parts[0] == b"200" and has_kind and b"content-encoding" not in head
