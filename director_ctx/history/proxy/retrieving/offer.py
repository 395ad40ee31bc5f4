"""A request that goes out with the proxy's tool, and what comes of it if the model calls that."""

from __future__ import annotations

from director_ctx.history.proxy.cuts import chain
from director_ctx.history.proxy.request_body import Body, written
from director_ctx.history.proxy.retrieving.hidden_exchanges import exchange_name
from director_ctx.history.proxy.retrieving.rounds import HiddenExchange
from director_ctx.history.proxy.retrieving.tool_in_request import without_tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.history.proxy.retrieving.hidden_exchanges import HiddenExchanges
    from director_ctx.history.proxy.retrieving.rounds import HiddenCall, HiddenRound, HiddenWire

    Bytes = bytes | bytearray


class Offer:
    """One request, as its client wrote it and as it went out."""

    def __init__(
        self,
        wire: HiddenWire,
        sent: Bytes,
        asked: Callable[[], Bytes],
        unchanged: Callable[[], Bytes],
        exchanges: HiddenExchanges,
    ) -> None:
        """`asked` is the request as its client wrote it, and `unchanged` what would go out if nothing
        were offered.
        """
        self.wire = wire
        self.sent = sent
        self._asked = asked
        self._unchanged = unchanged
        self._exchanges = exchanges

    def without(self) -> Bytes:
        """What would have gone out if nothing were offered."""
        return self._unchanged()

    def results(self, calls: Sequence[HiddenCall]) -> list[object]:
        """Of all calls of a round, as they stand in a conversation."""
        return self.wire.results([(call, self._exchanges.answer(call.arguments)) for call in calls])

    def again(self, rounds: Sequence[HiddenRound], is_last: bool) -> bytes:
        """What the model is asked next. The last time it is not offered the tool."""
        elements: list[object] = []
        for hidden in rounds:
            elements += [*hidden.said, *hidden.results]
        body = Body(str(self.sent, "utf-8"), self.wire.key)
        text = body.appended(written(elements))
        if is_last:
            text = without_tool(text, self.wire.name)
        return text.encode()

    def keep(self, rounds: Sequence[HiddenRound], seen: str) -> None:
        """So that the next request of the conversation has them, too; `seen` is a mark of what the
        client was told.
        """
        asked = str(self._asked(), "utf-8")
        body = Body(asked, self.wire.key)
        last = len(body.elements) - 1
        exchange = HiddenExchange(
            wire=self.wire.name,
            rounds=tuple(rounds),
            seen=seen,
            reach=body.offset(last),
        )
        newest = chain(body)[-1]
        self._exchanges.keep(exchange_name(self.wire, newest), exchange)

    def save(self) -> None:
        """So that what was kept outlasts the proxy."""
        self._exchanges.save()
