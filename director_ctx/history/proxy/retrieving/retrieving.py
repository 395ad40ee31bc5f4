"""What goes out of a proxy that gives back what it cut: a tool for the model, the calls that its
client never saw, and then what `Shortening` makes of that.

A conversation has the tool from its first request to its last, whether anything was cut or not: a
provider's cache begins with the tools.
"""

from __future__ import annotations

from director_ctx.base.text import counted
from director_ctx.history.proxy.retrieving.anthropic_answer import ANTHROPIC
from director_ctx.history.proxy.retrieving.chat_answer import CHAT
from director_ctx.history.proxy.retrieving.hidden_exchanges import HiddenExchanges
from director_ctx.history.proxy.retrieving.offer import Offer
from director_ctx.history.proxy.retrieving.responses_answer import RESPONSES
from director_ctx.history.proxy.retrieving.tool_in_request import place_for_tool, tool_text
from director_ctx.history.proxy.wires import main_wire_of
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.proxy.retrieving.rounds import HiddenWire
    from director_ctx.history.proxy.shorten import Shortening
    from director_ctx.history.proxy.stats import ProxiedRequest
    from director_ctx.history.proxy.usage import Usage

    Bytes = bytes | bytearray

_WIRES = {wire.name: wire for wire in (ANTHROPIC, CHAT, RESPONSES)}


def _wire_of(path: str) -> HiddenWire | None:
    """The wire of a request that may be offered the tool; None of one on which it cannot be."""
    return _WIRES.get(main_wire_of(path) or "")


class Retrieving:
    """Decides what goes out, for all connections."""

    def __init__(self, shortening: Shortening, say: Callable[[str], None]) -> None:
        self._shortening = shortening
        self._say = say
        self._exchanges = HiddenExchanges(shortening.rule.root)

    def wants(self, path: str, length: int) -> bool:
        is_shortened = self._shortening.wants(path, length)
        return is_shortened or _wire_of(path) is not None

    def __call__(self, path: str, body: Bytes) -> Bytes:
        if not self._shortening.may_cut(len(body)):
            return body
        return self._shortening(path, body)

    def offer(self, path: str, body: bytearray) -> Offer | None:
        """What goes out with the tool; None where the request is left as it is."""
        wire = _wire_of(path)
        if wire is None:
            return None
        try:
            return self._offer(path, body, wire)
        except Exception as error:
            # A proxy must never be the reason that somebody's work stops.
            kind = type(error).__name__
            self._say(f"A request was sent without {NAME}: it could not be read ({kind}).")
            return None

    def _offer(self, path: str, body: bytearray, wire: HiddenWire) -> Offer | None:
        place = place_for_tool(body, wire.name, wire.key)
        if place is None:
            return None
        # In its place, because a copy of what is large takes time.
        tool = tool_text(wire.name).encode()
        body[place:place] = tool

        def asked() -> Bytes:
            return body[:place] + body[place + len(tool) :]

        return Offer(
            wire,
            self(path, self._woven(body, wire)),
            asked,
            unchanged=lambda: self(path, asked()),
            exchanges=self._exchanges,
        )

    def _woven(self, body: Bytes, wire: HiddenWire) -> Bytes:
        try:
            return self._exchanges.woven(body, wire)
        except Exception as error:
            kind = type(error).__name__
            self._say(f"Earlier calls of {NAME} were not put back ({kind}).")
            return body

    def sent(self) -> ProxiedRequest | None:
        return self._shortening.sent()

    def heard(self, sent: ProxiedRequest, usage: Usage) -> None:
        self._shortening.heard(sent, usage)

    def as_json(self) -> dict[str, Any]:
        return {**self._shortening.as_json(), "originals_asked_for": self._exchanges.answered}

    def save(self) -> None:
        """What the next proxy has to know, once nobody asks any more."""
        self._exchanges.save()

    @property
    def summary(self) -> str:
        originals = counted(self._exchanges.answered, "original")
        return f"{self._shortening.summary[:-1]}; {originals} asked for by the model."
