"""An agent whose model reads less than was said, while everything that was said stays at hand."""

from __future__ import annotations

from collections.abc import Mapping

from director_ctx.history.agents.langchain_messages import is_message_object, is_pair
from director_ctx.history.agents.stream import MESSAGES, StreamedMessages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from typing import Any

    from director_ctx.history.agents.manager import ContextManager


class ContextManagedAgent:
    """Wrapper around an agent with context management.

    It shortens what the agent starts with. What comes up while the agent runs is shortened by a
    middleware.
    """

    def __init__(self, agent: Any, context_manager: ContextManager) -> None:
        self.agent = agent
        self.context_manager = context_manager
        self._streamed = StreamedMessages((), (), None)

    @property
    def original_messages(self) -> list[Any]:
        """Everything that was said, as it was said."""
        return self._streamed.messages

    def invoke(
        self,
        messages: Any,
        *args: Any,
        current_phase: str | None = None,
        **options: Any,
    ) -> Any:
        """What the agent answers, at once; everything else is the agent's own."""
        state = self._managed(messages, current_phase, options)
        answer = self.agent.invoke(state, *args, **options)
        self._take_answer(answer)
        return answer

    async def ainvoke(
        self,
        messages: Any,
        *args: Any,
        current_phase: str | None = None,
        **options: Any,
    ) -> Any:
        state = await self._amanaged(messages, current_phase, options)
        answer = await self.agent.ainvoke(state, *args, **options)
        self._take_answer(answer)
        return answer

    def stream(
        self,
        messages: Any,
        *args: Any,
        current_phase: str | None = None,
        **options: Any,
    ) -> Iterator[Any]:
        """Stream with context management."""
        state = self._managed(messages, current_phase, options)
        for chunk in self.agent.stream(state, *args, **options):
            self._streamed.take(chunk)
            yield chunk

    async def astream(
        self,
        messages: Any,
        *args: Any,
        current_phase: str | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        state = await self._amanaged(messages, current_phase, options)
        async for chunk in self.agent.astream(state, *args, **options):
            self._streamed.take(chunk)
            yield chunk

    def _managed(
        self,
        state: Any,
        phase: str | None,
        options: Mapping[str, Any],
    ) -> Any:
        said = _messages(state)
        shorter = self.context_manager.process_messages(said, phase)
        return self._start(state, said, shorter, options)

    async def _amanaged(
        self,
        state: Any,
        phase: str | None,
        options: Mapping[str, Any],
    ) -> Any:
        said = _messages(state)
        shorter = await self.context_manager.aprocess_messages(said, phase)
        return self._start(state, said, shorter, options)

    def _start(
        self,
        state: Any,
        said: Sequence[Any],
        shorter: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """What the agent is given: the same state, with fewer tokens in its messages."""
        mode = options.get("stream_mode")
        self._streamed = StreamedMessages(said, shorter, mode)
        if not said:
            return state
        return {**state, MESSAGES: list(shorter)}

    def _take_answer(self, answer: Any) -> None:
        # A whole state; or a list of what would have been streamed, where a mode was asked for.
        chunks = [answer]
        if isinstance(answer, list):
            chunks = answer
        for chunk in chunks:
            self._streamed.take(chunk)


def _messages(state: Any) -> list[Any]:
    """Those of a state. A command that resumes a run, or nothing at all, has none, and goes to the
    agent as it is.
    """
    if not isinstance(state, Mapping):
        return []
    messages = state.get(MESSAGES)
    if messages is None:
        return []

    # As LangGraph takes them: also one message alone, in any way that it can be written.
    is_written = isinstance(messages, str | Mapping) or is_pair(messages)
    if is_written or is_message_object(messages):
        return [messages]
    return list(messages)
