"""Checkpoints of a run: where it stood when a phase was over, and a context that begins there."""

from __future__ import annotations

from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.metrics import now
from director_ctx.history.compress.configured import settled
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
        page = BrowserState()
        if state:
            # As texts: a program may hand over an object of its own with these attributes.
            page = BrowserState(str(state.url), str(state.page_title))
        standing = RunState(phase, page, tuple(completed_objectives))
        return self.record(standing)

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
