"""What was said, out of what an agent streams: whichever mode it is streamed in, each message once."""

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
        self._known = {named for one in (*shorter, *given) if (named := _id(one))}
        self._mode = mode if isinstance(mode, str) else None
        modes = {mode} if isinstance(mode, str) else set(mode or ())
        self._whole = bool(modes & {VALUES, UPDATES})
        """Whether whole messages come anyway: then pieces of them tell nothing new."""
        self._pieces: dict[str, tuple[int, list[Any]]] = {}

    @property
    def said(self) -> list[Any]:
        """Everything up to now. Pieces are put together only here, because a long answer has
        thousands.
        """
        for name, (place, pieces) in self._pieces.items():
            if len(pieces) > 1 or self._said[place] is pieces[0]:
                self._said[place], whole = _together(pieces)
                self._pieces[name] = (place, [whole])
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
        node = str(about.get("langgraph_node") or "")
        if message.type not in (CHUNK, "ai"):
            self._add([message])
        elif node != TOOLS and "." not in node:  # Middlewares have nodes with a dot in their names.
            self._spoken(message, _id(message) or str(about.get("langgraph_checkpoint_ns") or ""))

    def _spoken(self, message: Any, name: str) -> None:
        if message.type != CHUNK and name not in self._pieces:
            self._add([message])
        elif message.type != CHUNK:  # It was streamed, and comes as a whole now.
            self._said[self._pieces.pop(name)[0]] = message
            self._known.add(name)
        elif name in self._pieces:
            self._pieces[name][1].append(message)
        elif name not in self._known:
            self._pieces[name] = (len(self._said), [message])
            self._said.append(message)

    def _add(self, found: Iterable[Any]) -> None:
        found = list(found)
        for message in found:
            named = _id(message)
            if named in self._known or any(
                message is one for one in self._said[-len(found) - 20 :]
            ):
                continue
            self._said.append(message)
            if named:
                self._known.add(named)


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
    found = message.get("id") if isinstance(message, dict) else getattr(message, "id", None)
    return found if isinstance(found, str) else ""


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
    found = state.get(MESSAGES) if isinstance(state, Mapping) else None
    if found is None:
        return []
    is_one = isinstance(found, str | Mapping) or hasattr(found, "model_copy") or is_pair(found)
    return [found] if is_one else list(found)
