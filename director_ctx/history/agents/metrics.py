"""How well contexts are managed: what came in, what went out, and each time something was done."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.program_messages import tokens_of
from director_ctx.history.messages.message import Message, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count


class CompressionEvent(Record):
    timestamp: Any
    input_tokens: int
    output_tokens: int
    reduction_percent: float
    strategy: str


class CheckpointEvent(Record):
    timestamp: Any
    phase: str
    tokens: int


class ContextMetrics:
    """Tracks context management effectiveness."""

    def __init__(
        self,
        clock: Callable[[], Any] | None = None,
        *,
        count: Count | str | None = None,
    ) -> None:
        """`count` is a callable or the name of a counter, for messages that nobody has counted yet."""
        self._clock = clock or now
        self._count = count
        self.total_input_tokens = 0
        self.total_output_tokens = 0
        self.compression_events: list[CompressionEvent] = []
        self.checkpoint_events: list[CheckpointEvent] = []

    def record_input_size(self, messages: Sequence[Any]) -> None:
        self.total_input_tokens += self._tokens(messages)

    def record_output_size(self, messages: Sequence[Any]) -> None:
        self.total_output_tokens += self._tokens(messages)

    def record_compression(
        self,
        input_size: int,
        output_size: int,
        strategy: str,
    ) -> None:
        event = CompressionEvent(
            timestamp=self._clock(),
            input_tokens=input_size,
            output_tokens=output_size,
            reduction_percent=_percent(input_size, output_size),
            strategy=strategy,
        )
        self.compression_events.append(event)

    def record_checkpoint(self, phase: str, tokens: int = 0) -> None:
        event = CheckpointEvent(self._clock(), phase, tokens)
        self.checkpoint_events.append(event)

    def get_summary(self) -> dict[str, Any]:
        """Of every compression together; of a context that was small enough as it was there is
        nothing to tell.
        """
        events = self.compression_events
        if not events:
            return {"status": "no compression events"}
        total_in = sum(event.input_tokens for event in events)
        total_out = sum(event.output_tokens for event in events)
        reductions = sum(event.reduction_percent for event in events)
        return {
            "total_input_tokens": total_in,
            "total_output_tokens": total_out,
            "total_reduction": _percent(total_in, total_out),
            "compression_count": len(events),
            "average_reduction": reductions / len(events),
            "checkpoint_count": len(self.checkpoint_events),
        }

    def _tokens(self, messages: Sequence[Any]) -> int:
        """Of messages of a program, or of a conversation that was measured."""
        if all(isinstance(message, Message) for message in messages):
            return size(messages)
        count, _ = counter_of(self._count)
        return tokens_of(messages, count)


def now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _percent(tokens_in: int, tokens_out: int) -> float:
    """How much less it is."""
    if not tokens_in:
        return 0.0
    return (1 - tokens_out / tokens_in) * 100
