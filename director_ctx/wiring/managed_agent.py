"""An agent whose model reads less than was said, while everything that was said stays at hand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from typing import Any

    from director_ctx.wiring.context_manager import ContextManager

MESSAGES = "messages"


class ContextManagedAgent:
    """Wrapper around an agent with context management.

    It shortens what the agent starts with. What comes up while the agent runs is shortened by a middleware.
    """

    def __init__(self, agent: Any, context_manager: ContextManager) -> None:
        self.agent = agent
        self.context_manager = context_manager
        self.original_messages: list[Any] = []
        """Everything that was said, as it was said."""
        self._given = 0
        self._known: set[str] = set()

    async def astream(
        self, messages: Mapping[str, Any], *args: Any, current_phase: str | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Stream with context management; everything else is the agent's own."""
        given = self._start(messages)
        shorter = await self.context_manager.aprocess_messages(given, current_phase)
        async for chunk in self.agent.astream(self._input(messages, shorter), *args, **options):
            self._take(chunk)
            yield chunk

    def stream(
        self, messages: Mapping[str, Any], *args: Any, current_phase: str | None = None, **options: Any
    ) -> Iterator[Any]:
        given = self._start(messages)
        shorter = self.context_manager.process_messages(given, current_phase)
        for chunk in self.agent.stream(self._input(messages, shorter), *args, **options):
            self._take(chunk)
            yield chunk

    def _start(self, messages: Mapping[str, Any]) -> list[Any]:
        self.original_messages = list(messages.get(MESSAGES) or ())
        return list(self.original_messages)

    def _input(self, messages: Mapping[str, Any], shorter: list[Any]) -> dict[str, Any]:
        self._given = len(shorter)
        self._known = {named for one in (*shorter, *self.original_messages) if (named := _id(one))}
        return {**messages, MESSAGES: list(shorter)}

    def _take(self, chunk: Any) -> None:
        """New messages out of a chunk, whichever node it is of and in whichever mode it is streamed."""
        if isinstance(chunk, tuple) and chunk:
            chunk = chunk[-1]
        if not isinstance(chunk, dict):
            return
        if isinstance(chunk.get(MESSAGES), list):
            self._add(chunk[MESSAGES][self._given :])
            return
        for update in chunk.values():
            if isinstance(update, dict) and isinstance(update.get(MESSAGES), list):
                self._add(update[MESSAGES])

    def _add(self, found: list[Any]) -> None:
        for message in found:
            named = _id(message)
            if named in self._known or any(message is one for one in self.original_messages[-len(found) - 20 :]):
                continue
            self.original_messages.append(message)
            if named:
                self._known.add(named)


def _id(message: Any) -> str:
    found = message.get("id") if isinstance(message, dict) else getattr(message, "id", None)
    return found if isinstance(found, str) else ""
