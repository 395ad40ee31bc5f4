"""Calls that a client never saw, put back where they were said: so a model goes on knowing what it
read, and its provider's cache has the same beginning.
"""

from __future__ import annotations

from hashlib import sha256
from threading import Lock

from director_ctx.base.errors import DctxError
from director_ctx.history.proxy.cuts import chain
from director_ctx.history.proxy.request_body import Body, written
from director_ctx.history.proxy.retrieving.rounds import content_of, exchange_of
from director_ctx.history.retrieve.answering import answer
from director_ctx.memory.archive.hidden_exchanges import keep_exchanges, kept_exchanges
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.proxy.retrieving.rounds import HiddenExchange, HiddenWire

    Bytes = bytes | bytearray

MOST = 512
LARGEST = 64 * 1_048_576
"""Characters that all of them together may have."""


class HiddenExchanges:
    """Those of all conversations; the ones that were used longest ago are forgotten first. Like
    cuts they outlast the proxy, in the store that has the originals.
    """

    def __init__(self, root: str | None) -> None:
        self._root = root
        # In the order in which they were used last.
        self._exchanges: dict[str, tuple[HiddenExchange, int]] = {}
        self._size = 0
        self._unsaved: dict[str, str] = {}
        self._lock = Lock()
        self._saving = Lock()
        self.answered = 0
        self._nearest = 1 << 62
        """No request that is shorter goes on with one of them."""
        for name, content in self._stored():
            exchange = exchange_of(content)
            if exchange is not None:
                self._take(name, exchange, len(content))

    def answer(self, arguments: object) -> str:
        """What a call gets: a page of an original, or why there is none."""
        with self._lock:
            self.answered += 1
        return answer(self._root, arguments)

    def keep(self, name: str, exchange: HiddenExchange) -> None:
        content = content_of(exchange)
        with self._lock:
            self._take(name, exchange, len(content))
            self._unsaved[name] = content

    def save(self) -> None:
        """Durable on return; where there is no store, they are only known until the proxy ends."""
        # One after the other: whoever has nothing to save may wait for those that do.
        with self._saving:
            with self._lock:
                unsaved = self._unsaved
                self._unsaved = {}
            if not unsaved:
                return
            try:
                with open_store(project_here(self._root), write=True) as store:
                    keep_exchanges(store, unsaved.items(), MOST)
            except (DctxError, OSError):
                pass

    def _stored(self) -> list[tuple[str, str]]:
        try:
            with open_store(project_here(self._root)) as store:
                return kept_exchanges(store)
        except (DctxError, OSError):
            return []

    def _take(self, name: str, exchange: HiddenExchange, size: int) -> None:
        self._drop(name)
        self._exchanges[name] = (exchange, size)
        self._size += size
        while len(self._exchanges) > 1 and self._is_full():
            oldest = next(iter(self._exchanges))
            self._drop(oldest)
        self._nearest = min(kept.reach for kept, _ in self._exchanges.values())

    def _drop(self, name: str) -> None:
        _, freed = self._exchanges.pop(name, (None, 0))
        self._size -= freed

    def _is_full(self) -> bool:
        return len(self._exchanges) > MOST or self._size > LARGEST

    def woven(self, request: Bytes, wire: HiddenWire) -> Bytes:
        """The request with everything in it that its conversation had; as it is where that is
        nothing.
        """
        if len(request) < self._nearest:
            return request
        body = Body(request.decode(), wire.key)
        elements = body.elements
        links = chain(body)
        instead: list[tuple[int, int, str]] = []
        behind = 0
        for place in range(1, len(elements)):
            exchange = self._known(exchange_name(wire, links[place - 1]))
            if exchange is None or place < behind:
                continue
            if wire.seen(elements, place) != exchange.seen:
                continue
            woven = wire.weave(elements, place, exchange.rounds)
            if woven is not None:
                behind = woven.behind
                instead.append((place, behind, written(woven.elements)))
        if not instead:
            return request
        return body.replaced(instead).encode()

    def _known(self, name: str) -> HiddenExchange | None:
        with self._lock:
            kept = self._exchanges.pop(name, None)
            if kept is None:
                return None
            self._exchanges[name] = kept
            return kept[0]


def exchange_name(wire: HiddenWire, link: bytes) -> str:
    """What the messages before an answer are known by."""
    return sha256(wire.name.encode() + link).hexdigest()
