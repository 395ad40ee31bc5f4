"""What a model asked the proxy, and was told: calls that its client never sees."""

from __future__ import annotations

import json
from hashlib import sha256

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    Json = dict[str, Any]
    Elements = list[Any]

    class AnswerReading(Protocol):
        """One answer of one wire, over all its rounds: what the client gets of it, and what the
        model called.
        """

        may_ask: bool
        """Whether a call of ours is answered; else it is only left out."""
        waits: bool
        """The round has ended with nothing but calls of ours, so the model has to be asked again."""
        is_mixed: bool
        """The round has ended with calls of ours beside others, which the client answers first."""
        has_ended: bool
        """The model has said why it stopped."""
        is_odd: bool
        """Something came that cannot be said to the model again."""

        def event(self, event: bytes) -> bytes:
            """What the client is told instead of an event."""
            ...

        def whole(self, document: Json) -> Json:
            """What the client is told instead of an answer that came in one piece."""
            ...

        def begin_round(self) -> None: ...

        @property
        def calls(self) -> list[HiddenCall]: ...

        @property
        def said(self) -> Elements:
            """What the model said in this round, as it stands in a conversation."""
            ...

        @property
        def shown(self) -> Elements:
            """What the client has been told in all rounds, as it stands in a conversation."""
            ...


class HiddenCall(Record):
    """A call of the proxy's own tool."""

    id: str
    arguments: Any
    """An object, or the text that should be one."""


class HiddenRound(Record):
    """What a model said and called, and the results that it got, as they stand in a conversation."""

    said: Elements
    results: Elements
    mixed: bool = False
    """It called tools of its client, too, whose results come with the next request."""


class HiddenExchange(Record):
    """All rounds of one answer, and by what it is known again."""

    wire: str
    rounds: tuple[HiddenRound, ...]
    seen: str
    """A mark of what the client was told."""
    reach: int
    """Bytes of the request that was answered: no request that goes on with it is shorter."""


class Woven(Record):
    """What stands in a conversation in the place of an answer, as its client wrote it."""

    elements: Elements
    behind: int
    """The place of the first element that stays."""


class HiddenWire(Record):
    """How one wire speaks of calls and their results."""

    name: str
    key: str
    """Where the messages of a request are."""
    reading: Callable[[], AnswerReading]
    results: Callable[[Sequence[tuple[HiddenCall, str]]], Elements]
    seen: Callable[[Elements, int], str]
    """A mark of the answer that begins at a place."""
    weave: Callable[[Elements, int, Sequence[HiddenRound]], Woven | None]
    error: bytes
    """What stands in front of an error in a stream."""


def mark_of(calls: Sequence[str], texts: Sequence[str]) -> str:
    """What an answer is known by: the calls in it, which have ids, else its words."""
    # Clients trim what a model said, and write it in one part or in several.
    words = "".join("".join(texts).split())
    known_by: Sequence[str] = [words]
    if calls:
        known_by = sorted(calls)
    text = json.dumps(known_by)
    return sha256(text.encode()).hexdigest()


def content_of(exchange: HiddenExchange) -> str:
    """An exchange as text, for a store."""
    rounds: list[Json] = []
    for hidden in exchange.rounds:
        rounds.append({"said": hidden.said, "results": hidden.results, "mixed": hidden.mixed})
    document = {
        "wire": exchange.wire,
        "seen": exchange.seen,
        "reach": exchange.reach,
        "rounds": rounds,
    }
    return json.dumps(document)


def exchange_of(content: str) -> HiddenExchange | None:
    """What `content_of` was made of; None of anything else."""
    try:
        document = json.loads(content)
        rounds = [
            HiddenRound(
                said=list(hidden["said"]),
                results=list(hidden["results"]),
                mixed=bool(hidden["mixed"]),
            )
            for hidden in document["rounds"]
        ]
        return HiddenExchange(
            wire=str(document["wire"]),
            rounds=tuple(rounds),
            seen=str(document["seen"]),
            reach=int(document["reach"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
