"""An agent whose model reads less than was said, while everything that was said stays at hand,
however it is streamed.
"""

from __future__ import annotations

from collections.abc import Mapping

from director_ctx.history.agents.messages import is_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.agents.manager import ContextManager


MESSAGES, VALUES, UPDATES = "messages", "values", "updates"
CHUNK = "AIMessageChunk"
TOOLS = "tools"
"""The node that runs tools. What a model says in there is said to the tool."""
_ENVELOPE = {"type", "ns", "data"}


class Overheard:
    """Collects into a list that begins with what the agent was given."""

    def __init__(
        self, given: Sequence[Any], shorter: Sequence[Any], mode: str | Sequence[str] | None
    ) -> None:
        self._said = list(given)
        self._given = len(shorter)
        self._known = set(filter(None, map(_id, (*shorter, *given))))
        self._mode: str | None = None
        modes = set(mode or ())
        if isinstance(mode, str):
            self._mode = mode
            modes = {mode}
        self._whole = bool(modes & {VALUES, UPDATES})
        """Whether whole messages come anyway: then pieces of them tell nothing new."""
        self._pieces: dict[str, tuple[int, list[Any]]] = {}
        """What is streamed piece by piece: its place, and the pieces up to now."""

    @property
    def said(self) -> list[Any]:
        """Everything up to now. Pieces are put together only here, because a long answer has
        thousands.
        """
        for name, (index, pieces) in self._pieces.items():
            is_first_alone = self._said[index] is pieces[0]
            if len(pieces) > 1 or is_first_alone:
                message, whole = _together(pieces)
                self._said[index] = message
                self._pieces[name] = (index, [whole])
        return self._said

    def take(self, event: Any) -> None:
        mode, data = _opened(event, self._mode)
        if mode == MESSAGES or (mode is None and _is_spoken(data)):
            if not self._whole and _is_spoken(data):
                self._hear(*data)
        elif mode in (None, VALUES, UPDATES) and isinstance(data, dict):
            self._read(data)

    def _read(self, state: Mapping[str, Any]) -> None:
        """A whole state, or what a node adds to it."""
        if isinstance(state.get(MESSAGES), list):
            self._add(state[MESSAGES][self._given :])
            return
        for update in state.values():
            if isinstance(update, dict) and isinstance(update.get(MESSAGES), list):
                self._add(update[MESSAGES])

    def _hear(self, message: Any, about: Mapping[str, Any]) -> None:
        """A message, or a piece of one."""
        if message.type not in (CHUNK, "ai"):
            self._add([message])
            return
        node = str(about.get("langgraph_node") or "")
        is_of_middleware = "." in node  # Middlewares have nodes with a dot in their names.
        if node == TOOLS or is_of_middleware:
            return
        name = _id(message) or str(about.get("langgraph_checkpoint_ns") or "")
        if message.type == CHUNK:
            self._hear_piece(message, name)
        else:
            self._hear_whole(message, name)

    def _hear_whole(self, message: Any, name: str) -> None:
        if name not in self._pieces:
            self._add([message])
            return
        # It was streamed, and comes as a whole now.
        index, _ = self._pieces.pop(name)
        self._said[index] = message
        self._known.add(name)

    def _hear_piece(self, piece: Any, name: str) -> None:
        if name in self._pieces:
            _, pieces = self._pieces[name]
            pieces.append(piece)
        elif name not in self._known:
            self._pieces[name] = (len(self._said), [piece])
            self._said.append(piece)

    def _add(self, messages: Iterable[Any]) -> None:
        new = list(messages)
        for message in new:
            name = _id(message)
            if name in self._known:
                continue
            # One without a name is known by itself, if it was said lately.
            lately = self._said[-len(new) - 20 :]
            if any(message is said for said in lately):
                continue
            self._said.append(message)
            if name:
                self._known.add(name)


def _opened(event: Any, mode: str | None) -> tuple[str | None, Any]:
    """The mode, and what is streamed in it; where several graphs stream, without saying which."""
    if isinstance(event, dict) and event.keys() >= _ENVELOPE:
        return event["type"], event["data"]
    if isinstance(event, tuple) and len(event) > 1 and isinstance(event[0], tuple):
        event = event[1:] if len(event) > 2 else event[1]
    if isinstance(event, tuple) and len(event) == 2 and isinstance(event[0], str):
        return event
    return mode, event


def _is_spoken(data: Any) -> bool:
    return (
        isinstance(data, tuple)
        and len(data) == 2
        and hasattr(data[0], "model_copy")
        and isinstance(data[1], dict)
    )


def _together(pieces: Sequence[Any]) -> tuple[Any, Any]:
    """A message of all its pieces; and as one piece, for what may still come."""
    from langchain_core.messages import message_chunk_to_message

    first, *others = pieces
    whole = first.__add__(others) if others else first
    return message_chunk_to_message(whole), whole


def _id(message: Any) -> str:
    identity = getattr(message, "id", None)
    if isinstance(message, dict):
        identity = message.get("id")
    return identity if isinstance(identity, str) else ""


class ContextManagedAgent:
    """Wrapper around an agent with context management.

    It shortens what the agent starts with. What comes up while the agent runs is shortened by a
    middleware.
    """

    def __init__(self, agent: Any, context_manager: ContextManager) -> None:
        self.agent = agent
        self.context_manager = context_manager
        self._heard = Overheard((), (), None)

    @property
    def original_messages(self) -> list[Any]:
        """Everything that was said, as it was said."""
        return self._heard.said

    def invoke(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Any:
        """What the agent answers, at once; everything else is the agent's own."""
        given = self._managed(messages, current_phase, options)
        return self._answered(self.agent.invoke(given, *args, **options))

    async def ainvoke(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Any:
        given = await self._amanaged(messages, current_phase, options)
        return self._answered(await self.agent.ainvoke(given, *args, **options))

    def stream(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Iterator[Any]:
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

    def _start(
        self, state: Any, said: Sequence[Any], shorter: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
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
    """Those of a state. A command that resumes a run, or nothing at all, has none, and goes to the
    agent as it is.
    """
    messages = state.get(MESSAGES) if isinstance(state, Mapping) else None
    if messages is None:
        return []
    is_object = hasattr(messages, "model_copy")
    if is_object or isinstance(messages, str | Mapping) or is_pair(messages):
        return [messages]
    return list(messages)
