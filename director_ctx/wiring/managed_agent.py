"""An agent whose model reads less than was said, while everything that was said stays at hand."""

from __future__ import annotations

from director_ctx.wiring.overheard import MESSAGES, Overheard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.wiring.context_manager import ContextManager


class ContextManagedAgent:
    """Wrapper around an agent with context management.

    It shortens what the agent starts with. What comes up while the agent runs is shortened by a middleware.
    """

    def __init__(self, agent: Any, context_manager: ContextManager) -> None:
        self.agent = agent
        self.context_manager = context_manager
        self._heard = Overheard((), (), None)

    @property
    def original_messages(self) -> list[Any]:
        """Everything that was said, as it was said."""
        return self._heard.said

    async def astream(
        self, messages: Mapping[str, Any], *args: Any, current_phase: str | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Stream with context management; everything else is the agent's own."""
        shorter = await self.context_manager.aprocess_messages(list(messages.get(MESSAGES) or ()), current_phase)
        given = self._start(messages, shorter, options.get("stream_mode"))
        async for chunk in self.agent.astream(given, *args, **options):
            self._heard.take(chunk)
            yield chunk

    def stream(
        self, messages: Mapping[str, Any], *args: Any, current_phase: str | None = None, **options: Any
    ) -> Iterator[Any]:
        shorter = self.context_manager.process_messages(list(messages.get(MESSAGES) or ()), current_phase)
        given = self._start(messages, shorter, options.get("stream_mode"))
        for chunk in self.agent.stream(given, *args, **options):
            self._heard.take(chunk)
            yield chunk

    def _start(self, messages: Mapping[str, Any], shorter: Sequence[Any], mode: Any) -> dict[str, Any]:
        self._heard = Overheard(messages.get(MESSAGES) or (), shorter, mode)
        return {**messages, MESSAGES: list(shorter)}
