"""An agent whose model reads less than was said, while everything that was said stays at hand."""

from __future__ import annotations

from collections.abc import Mapping

from director_ctx.history.agents.messages import is_pair
from director_ctx.history.agents.stream import MESSAGES, Overheard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from typing import Any

    from director_ctx.history.agents.manager import ContextManager


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

    def invoke(self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any) -> Any:
        """What the agent answers, at once; everything else is the agent's own."""
        given = self._managed(messages, current_phase, options)
        return self._answered(self.agent.invoke(given, *args, **options))

    async def ainvoke(self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any) -> Any:
        given = await self._amanaged(messages, current_phase, options)
        return self._answered(await self.agent.ainvoke(given, *args, **options))

    def stream(self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any) -> Iterator[Any]:
        """Stream with context management."""
        given = self._managed(messages, current_phase, options)
        for chunk in self.agent.stream(given, *args, **options):
            self._heard.take(chunk)
            yield chunk

    async def astream(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        given = await self._amanaged(messages, current_phase, options)
        async for chunk in self.agent.astream(given, *args, **options):
            self._heard.take(chunk)
            yield chunk

    def _managed(self, state: Any, phase: str | None, options: Mapping[str, Any]) -> Any:
        said = _messages(state)
        shorter = self.context_manager.process_messages(said, phase)
        return self._start(state, said, shorter, options)

    async def _amanaged(self, state: Any, phase: str | None, options: Mapping[str, Any]) -> Any:
        said = _messages(state)
        shorter = await self.context_manager.aprocess_messages(said, phase)
        return self._start(state, said, shorter, options)

    def _start(self, state: Any, said: Sequence[Any], shorter: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What the agent is given: the same state, with fewer tokens in its messages."""
        self._heard = Overheard(said, shorter, options.get("stream_mode"))
        return {**state, MESSAGES: list(shorter)} if said else state

    def _answered(self, answer: Any) -> Any:
        """A whole state; or a list of what would have been streamed, where a mode was asked for."""
        chunks = answer if isinstance(answer, list) else [answer]
        for chunk in chunks:
            self._heard.take(chunk)
        return answer


def _messages(state: Any) -> list[Any]:
    """Those of a state. A command that resumes a run, or nothing at all, has none, and goes to the agent as it is."""
    found = state.get(MESSAGES) if isinstance(state, Mapping) else None
    if found is None:
        return []
    is_one = isinstance(found, str | Mapping) or hasattr(found, "model_copy") or is_pair(found)
    return [found] if is_one else list(found)
