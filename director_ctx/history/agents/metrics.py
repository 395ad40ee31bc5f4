"""How well contexts are managed: what came in, what went out, and each time something was done. And checkpoints of a
run: where it stood when a phase was over, and a context that begins there.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.program_messages import tokens_of
from director_ctx.history.compress.configured import settled
from director_ctx.history.messages.message import Message, size
from director_ctx.history.strategies.checkpoint import (
    END,
    HEAD,
    BrowserState,
    Checkpoint,
    RunState,
    state_lines,
    summary_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count
    from director_ctx.history.strategies.config import ContextConfig


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
        percent = _percent(input_size, output_size)
        event = CompressionEvent(self._clock(), input_size, output_size, percent, strategy)
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


class CheckpointManager:
    """Manages checkpoints for context reset."""

    def __init__(
        self,
        *,
        config: ContextConfig | None = None,
        count: Count | str | None = None,
        clock: Callable[[], Any] | None = None,
    ) -> None:
        """`max_checkpoint_size` of `config` is how many tokens one may have."""
        self.config = settled(config)
        self._count, _ = counter_of(count)
        self._clock = clock or now
        self.checkpoints: dict[str, Checkpoint] = {}
        """The newest of each phase, in the order in which the phases were first over."""
        self.current_phase: str | None = None
        """That of the checkpoint which was made last."""

    def create_checkpoint(
        self,
        phase: str,
        state: BrowserState | None = None,
        completed_objectives: Sequence[str] = (),
    ) -> Checkpoint:
        """Create a checkpoint for the current phase. `state` has a `url` and a `page_title`, if
        there is a browser.
        """
        # As texts: a program may hand over an object of its own with these attributes.
        page = BrowserState(str(state.url), str(state.page_title)) if state else BrowserState()
        return self.record(RunState(phase, page, tuple(completed_objectives)))

    def record(self, standing: RunState) -> Checkpoint:
        """The same of what is known about a conversation."""
        checkpoint = Checkpoint(
            standing.phase,
            self._clock(),
            standing.state,
            standing.completed,
            summary_of(standing),
        )
        self.checkpoints[checkpoint.phase] = checkpoint
        self.current_phase = checkpoint.phase
        return checkpoint

    def get_context_from_checkpoint(
        self,
        checkpoint: Checkpoint,
        original_instructions: str,
    ) -> list[dict[str, str]]:
        """Generate minimal context from checkpoint: two messages, as every provider and LangChain
        take them.
        """
        return [
            {"role": "user", "content": original_instructions},
            {"role": "assistant", "content": self._text(checkpoint)},
        ]

    def _text(self, checkpoint: Checkpoint) -> str:
        """As large as it may be: what was completed first goes where there is no room for all."""
        completed = checkpoint.completed_objectives
        while True:
            standing = RunState(checkpoint.phase, checkpoint.state, completed)
            text = "\n".join([HEAD, "", *state_lines(standing), END])
            if not completed or self._count(text) <= self.config.max_checkpoint_size:
                return text
            # By halves, so that a thousand objectives take ten countings.
            completed = completed[len(completed) // 2 + 1 :]


def now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _percent(tokens_in: int, tokens_out: int) -> float:
    """How much less it is."""
    return (1 - tokens_out / tokens_in) * 100 if tokens_in else 0.0
