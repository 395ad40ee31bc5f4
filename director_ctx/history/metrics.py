"""How well contexts are managed: what came in, what went out, and each time something was done."""

from __future__ import annotations

from director_ctx.history.message import size
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.message import Message


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

    def __init__(self, clock: Callable[[], Any] = lambda: None) -> None:
        self._clock = clock
        self.total_input_tokens = 0
        self.total_output_tokens = 0
        self.compression_events: list[CompressionEvent] = []
        self.checkpoint_events: list[CheckpointEvent] = []

    def record_input_size(self, messages: Sequence[Message]) -> None:
        self.total_input_tokens += size(messages)

    def record_output_size(self, messages: Sequence[Message]) -> None:
        self.total_output_tokens += size(messages)

    def record_compression(self, input_size: int, output_size: int, strategy: str) -> None:
        event = CompressionEvent(self._clock(), input_size, output_size, _percent(input_size, output_size), strategy)
        self.compression_events.append(event)

    def record_checkpoint(self, phase: str, tokens: int = 0) -> None:
        self.checkpoint_events.append(CheckpointEvent(self._clock(), phase, tokens))

    def get_summary(self) -> dict[str, Any]:
        """Of every compression together; of a context that was small enough as it was there is nothing to tell."""
        events = self.compression_events
        if not events:
            return {"status": "no compression events"}
        came, went = sum(one.input_tokens for one in events), sum(one.output_tokens for one in events)
        return {
            "total_input_tokens": came,
            "total_output_tokens": went,
            "total_reduction": _percent(came, went),
            "compression_count": len(events),
            "average_reduction": sum(one.reduction_percent for one in events) / len(events),
            "checkpoint_count": len(self.checkpoint_events),
        }


def _percent(came: int, went: int) -> float:
    return (1 - went / came) * 100 if came else 0.0
